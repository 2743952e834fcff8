import errno
import os
import stat

import pytest

from broadlearn.utils import whole_files
from broadlearn.utils.whole_files import PART_NAME, is_special, sweep_parts, write_whole

PART = f".broadlearn-{'0' * 32}.part"


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_bytes_are_written_in_parts(tmp_path):
    write_whole(tmp_path / "model", (part for part in (b"a", b"b")))
    assert (tmp_path / "model").read_bytes() == b"ab"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    write_whole(path, "old \udcff")
    assert path.read_text("utf-8") == r"old \udcff"

    def full(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, "new")
    assert path.read_text("utf-8") == r"old \udcff"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError, ValueError])
def test_an_exception_in_the_content_leaves_nothing(tmp_path, error):
    def content():
        yield b"half"
        raise error

    with pytest.raises(error):
        write_whole(tmp_path / "a", content())
    assert list(tmp_path.iterdir()) == []


def test_errors_name_the_file_that_was_asked_for(tmp_path, monkeypatch):
    for path, kind in ((tmp_path / "no" / "a", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(kind) as caught:
            write_whole(path, "")
        assert caught.value.filename == str(path)

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "a", "")
    assert caught.value.filename == str(tmp_path / "a")


def test_errors_of_the_content_are_as_they_were(tmp_path):
    def content():
        raise FileNotFoundError(errno.ENOENT, "gone", "elsewhere/input")
        yield b""

    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "a", content())
    assert caught.value.filename == "elsewhere/input"


def test_a_name_of_any_length_that_the_system_takes(tmp_path):
    path = tmp_path / ("n" * 255)
    write_whole(path, "x")
    assert path.read_text() == "x"


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_respects_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "a") == 0o666 & ~umask


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o400])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_bytes(), mode_of(path)) == (b"new", mode)


@pytest.mark.skipif(os.name == "nt", reason="groups are of POSIX")
def test_where_the_group_cannot_be_kept_its_rights_are_not_given_to_another(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o664)
    before = path.stat()
    monkeypatch.setattr(
        whole_files, "_stat", lambda _: os.stat_result((*before[:4], 1, before[5] + 1, *before[6:]))
    )

    def refuse(*arguments):
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    write_whole(path, "new")
    assert (path.read_text(), mode_of(path)) == ("new", 0o644)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_written_through_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(path, [b"one ", b"two"])
        assert os.read(reader, 100) == b"one two"
    finally:
        os.close(reader)
    assert path.is_fifo()
    assert is_special(path)


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="the system has no /proc")
def test_an_open_descriptor_is_written_to_where_it_stands(tmp_path):
    path = tmp_path / "out"
    with path.open("wb") as file:
        file.write(b"before ")
        file.flush()
        write_whole(f"/proc/self/fd/{file.fileno()}", "between")
        file.seek(0, os.SEEK_END)
        file.write(b" after")
        file.flush()
        assert not is_special(path)
    assert path.read_bytes() == b"before between after"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="the system has no links")
def test_links_are_followed(tmp_path):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "target"
    link, second = tmp_path / "link", tmp_path / "second"
    link.symlink_to("there/target")
    second.symlink_to(link)
    for text in ("made", "replaced"):
        write_whole(second, text)
        assert target.read_text() == text
    assert link.is_symlink()
    assert second.is_symlink()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links") as caught:
        write_whole(loop, "x")
    assert caught.value.filename == str(loop)


def test_nothing_follows_or_keeps_what_is_planted_at_the_name_of_a_part(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    (tmp_path / PART).symlink_to(victim)
    monkeypatch.setattr(whole_files.secrets, "token_hex", lambda n: "0" * 32)
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "a", "x")
    assert victim.read_text() == "untouched"


def test_parts_that_nobody_holds_are_swept(tmp_path):
    write_whole(tmp_path / "a", "x")
    orphan = tmp_path / PART
    for name in (PART, "a.part", "mine.1234.part", ".broadlearn-short.part"):
        (tmp_path / name).write_text("left")
    os.utime(orphan, (0, 0))
    assert PART_NAME.fullmatch(PART)
    assert sweep_parts(tmp_path) == [orphan]
    assert {path.name for path in tmp_path.iterdir()} == {
        "a",
        "a.part",
        "mine.1234.part",
        ".broadlearn-short.part",
    }


def test_parts_that_are_being_written_are_not(tmp_path):
    def content():
        yield b"one"
        assert sweep_parts(tmp_path) == []
        write_whole(tmp_path / "other", "x")
        yield b"two"

    write_whole(tmp_path / "a", content())
    assert (tmp_path / "a").read_bytes() == b"onetwo"


@pytest.mark.parametrize("age", [0.0, 2 * whole_files.DAY_SECONDS])
def test_without_locks_parts_are_left_for_a_day(tmp_path, monkeypatch, age):
    monkeypatch.setattr(whole_files, "fcntl", None)
    orphan = tmp_path / PART
    orphan.write_text("left")
    os.utime(orphan, (orphan.stat().st_mtime - age,) * 2)
    write_whole(tmp_path / "a", "x")
    assert orphan.exists() == (age == 0.0)
    assert (tmp_path / "a").read_text() == "x"


def test_what_is_special():
    assert is_special(os.devnull)
    assert not is_special(__file__)
    assert not is_special(os.path.dirname(__file__))
    assert not is_special(f"{__file__}.not-there")
    assert not is_special(f"{__file__}/below-a-file")
