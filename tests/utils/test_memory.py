import re

import pytest

from broadlearn.utils import TooLargeError, check_memory, memory_limit, parse_size, size_text
from broadlearn.utils import memory as module
from broadlearn.utils.memory import free_memory


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("2GB", 2 * 10**9), ("2g", 2 * 10**9), (" 500 mb ", 5 * 10**8), ("1KiB", 1024), ("77", 77)],
)
def test_sizes(text, n_bytes):
    assert parse_size(text) == n_bytes
    assert memory_limit(text) == n_bytes


@pytest.mark.parametrize("text", ["", "much", "-1GB", "0", "2 GBs", "1e9", "nan", "9" * 400, "2PB"])
def test_bad_sizes(text):
    with pytest.raises(ValueError, match=f"max_memory must be .* got {re.escape(repr(text))}"):
        parse_size(text)


def test_size_in_words():
    assert [size_text(10**k) for k in range(2, 14)] == [
        "1 kB", "1 kB", "10 kB", "100 kB", "1 MB", "10 MB", "100 MB", "1 GB", "10 GB", "100 GB",
        "1 TB", "10 TB",
    ]  # fmt: skip
    assert size_text(1e300) == "over 1000 TB"


def test_default_is_half_of_what_is_free(monkeypatch):
    monkeypatch.setattr(module, "free_memory", lambda: 10**9)
    assert memory_limit() == 5 * 10**8
    check_memory("t.csv", 4e8)
    message = (
        r"^t.csv needs about 600 MB of memory, and may have 500 MB, half of what is free; if the "
        r"file is what it should be, raise --max-memory \(max_memory\)\.$"
    )
    with pytest.raises(TooLargeError, match=message):
        check_memory("t.csv", 6e8)
    check_memory("t.csv", 6e8, "1GB")


def test_free_memory_is_the_least_of_all_that_is_known(monkeypatch):
    assert free_memory() > 10**6
    for name, found in (("_of_machine", [7]), ("_of_container", [5, 9]), ("_of_process", [])):
        monkeypatch.setattr(module, name, lambda found=found: iter(found))
    assert free_memory() == 5
    monkeypatch.setattr(module, "_of_container", lambda: iter([-3]))
    assert free_memory() == 0
    for name in ("_of_machine", "_of_container"):
        monkeypatch.setattr(module, name, lambda: iter(()))
    assert free_memory() == module.UNKNOWN_FREE


def test_containers(tmp_path):
    own = tmp_path / "own"
    group = tmp_path / "pod" / "job"
    group.mkdir(parents=True)
    own.write_text("0::/pod/job\n")
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("100\n")
    (tmp_path / "pod" / "memory.max").write_text("1000\n")
    (tmp_path / "pod" / "memory.current").write_text("300\n")
    (tmp_path / "pod" / "memory.stat").write_text("anon 200\ninactive_file 50\n")
    assert [*module._of_container(str(tmp_path), str(own))] == [750]
    old = tmp_path / "memory" / "pod"
    old.mkdir(parents=True)
    own.write_text("9:cpu:/pod\n8:memory:/pod\n")
    (old / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    (old / "memory.usage_in_bytes").write_text("5\n")
    assert [*module._of_container(str(tmp_path), str(own))] == []
    (old / "memory.limit_in_bytes").write_text("400\n")
    assert [*module._of_container(str(tmp_path), str(own))] == [395]
    assert [*module._of_container(str(tmp_path), str(tmp_path / "none"))] == []
