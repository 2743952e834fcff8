import io
import os
import re
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from broadlearn.study import fetch as module
from broadlearn.study.dataset_registry import DatasetInfo, lookup, values_sha256
from broadlearn.study.embedded import tic_tac_toe, titanic
from broadlearn.study.fetch import Mirror, download, fetch

TITANIC = lookup("titanic", "")
TIC_TAC_TOE = lookup("tic_tac_toe", "")


def collection_text(X, y):
    """A table as the collection writes it."""
    lines = ["\t".join(["", *(f"f{j + 1}" for j in range(X.shape[1])), "clase"])]
    for i, (row, label) in enumerate(zip(X, y, strict=True), start=1):
        lines.append("\t".join([str(i), *(f"{value:g}" for value in row), str(label)]))
    return ("\n".join(lines) + "\n").encode()


def archive(files):
    """A tar.gz of files, by name; None makes a symbolic link."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            if content is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/hostname"
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture(scope="module")
def texts():
    return {
        "titanic/titanic_R.dat": collection_text(*titanic()),
        "tic-tac-toe/tic-tac-toe_R.dat": collection_text(*tic_tac_toe()),
    }


@pytest.fixture
def server(monkeypatch):
    """An HTTP server on loopback: `files` by path; the next answers end after `cuts` bytes."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(module, "SCHEMES", ("https", "http"))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            server.requests.append((self.path, self.headers.get("Range")))
            content = server.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            start, total = 0, len(content)
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            if asked and server.ranges:
                start = int(asked[1])
                if start >= total:
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{total}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206)
                sent_from = start + server.shift
                self.send_header("Content-Range", f"bytes {sent_from}-{total - 1}/{total}")
            else:
                self.send_response(200)
            if server.says_length:
                self.send_header("Content-Length", str(total - start))
            self.end_headers()
            cut = server.cuts.pop(0) if server.cuts else total
            self.wfile.write(content[start : start + cut])

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files, server.cuts, server.requests = {}, [], []
    server.ranges, server.says_length, server.shift = True, True, 0
    server.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_from_a_folder(server, texts, tmp_path):
    server.files = {"/" + name: text for name, text in texts.items()}
    seen = []
    fetch(
        [TITANIC, TIC_TAC_TOE],
        tmp_path / "new" / "uci28",
        mirrors=[Mirror(server.url)],
        progress=lambda *step: seen.append(step),
    )
    assert names(tmp_path / "new" / "uci28") == ["tic_tac_toe.csv", "titanic.csv"]
    table = np.loadtxt(tmp_path / "new" / "uci28" / "titanic.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(table, np.column_stack(titanic()))
    size = len(texts["titanic/titanic_R.dat"])
    assert ("titanic_R.dat", size, size) in seen


def test_from_an_archive_with_all_that_is_missing(server, texts, tmp_path):
    outside = {"../../outside.txt": b"x", "/tmp/broadlearn-outside.txt": b"x"}
    server.files["/data.tar.gz"] = archive({**outside, **texts, "iris/iris_R.dat": b"x"})
    mirror = Mirror(server.url + "data.tar.gz", archive=True)
    fetch([TITANIC], tmp_path / "a" / "b", mirrors=[mirror])
    assert names(tmp_path / "a" / "b") == ["tic_tac_toe.csv", "titanic.csv"]
    assert names(tmp_path) == ["a"]


def test_members_may_be_below_another_folder(server, texts, tmp_path):
    server.files["/d.tgz"] = archive({"./data/" + name: text for name, text in texts.items()})
    fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url + "d.tgz", archive=True)])
    assert "titanic.csv" in names(tmp_path)


def test_links_and_huge_members_are_not_read(server, texts, tmp_path, monkeypatch):
    server.files["/d.tgz"] = archive({"titanic/titanic_R.dat": None, **dict([*texts.items()][1:])})
    monkeypatch.setattr(module, "MAX_MEMBER_BYTES", 1000)
    with pytest.raises(OSError, match=r"Could not download titanic.*tried http.* has no titanic"):
        fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url + "d.tgz", archive=True)])
    assert names(tmp_path) == []


def test_two_files_are_joined(server, tmp_path):
    X, y = titanic()
    info = DatasetInfo(
        "two", "", "uci28", 2201, 3, TITANIC.class_counts, TITANIC.sha256, files=("a", "b")
    )
    server.files = {
        "/a": collection_text(X[:100], y[:100]),
        "/b": collection_text(X[100:], y[100:]).replace(b"\n", b"\r\n"),
    }
    fetch([info], tmp_path, mirrors=[Mirror(server.url)])
    assert (tmp_path / "two.csv").read_text().count("\n") == 2202


def test_goes_on_after_a_cut(server, texts, tmp_path):
    content = server.files["/t"] = texts["titanic/titanic_R.dat"]
    server.cuts = [1000, 500]
    download(server.url + "t", tmp_path / "t.part")
    assert (tmp_path / "t.part").read_bytes() == content
    assert server.requests == [("/t", None), ("/t", "bytes=1000-"), ("/t", "bytes=1500-")]


def test_goes_on_in_a_later_call(server, texts, tmp_path):
    server.files["/titanic/titanic_R.dat"] = texts["titanic/titanic_R.dat"]
    server.cuts = [1000, 0, 0]
    with pytest.raises(OSError, match="the connection was cut after 1000 of"):
        fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url)])
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [1000]
    server.requests.clear()
    fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url)])
    assert server.requests == [("/titanic/titanic_R.dat", "bytes=1000-")]
    assert names(tmp_path) == ["titanic.csv"]


def test_parts_that_nobody_went_on_with_are_swept(server, texts, tmp_path):
    server.files["/titanic/titanic_R.dat"] = texts["titanic/titanic_R.dat"]
    old, new, other = (tmp_path / name for name in (f"{0:016x}.part", f"{1:016x}.part", "a.part"))
    for part in (old, new, other):
        part.write_bytes(b"x")
    for part in (old, other):
        os.utime(part, (0, 0))
    fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url)])
    assert names(tmp_path) == [new.name, other.name, "titanic.csv"]


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="links need rights")
def test_a_link_that_was_planted_is_not_followed(server, texts, tmp_path):
    server.files["/titanic/titanic_R.dat"] = texts["titanic/titanic_R.dat"]
    server.cuts = [1000, 0, 0]
    folder, mine = tmp_path / "data", tmp_path / "mine"
    mine.write_bytes(b"mine")
    with pytest.raises(OSError, match="the connection was cut"):
        fetch([TITANIC], folder, mirrors=[Mirror(server.url)])
    (part,) = folder.iterdir()
    part.unlink()
    part.symlink_to(mine)
    fetch([TITANIC], folder, mirrors=[Mirror(server.url)])
    assert names(folder) == ["titanic.csv"]
    assert mine.read_bytes() == b"mine"


@pytest.mark.skipif(os.name == "nt", reason="there are no such locks")
def test_downloads_at_the_same_time_do_not_mix(server, texts, tmp_path):
    server.files["/titanic/titanic_R.dat"] = texts["titanic/titanic_R.dat"]
    server.cuts = [5000, 100, 7000, 3000]
    errors = []

    def get():
        try:
            fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url), Mirror(server.url)])
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=get) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert names(tmp_path) == ["titanic.csv"]


def test_server_without_ranges_starts_again(server, texts, tmp_path):
    content = server.files["/t"] = texts["titanic/titanic_R.dat"]
    server.ranges, server.cuts = False, [1000]
    download(server.url + "t", tmp_path / "t.part")
    assert (tmp_path / "t.part").read_bytes() == content


def test_server_without_length(server, texts, tmp_path):
    content = server.files["/t"] = texts["titanic/titanic_R.dat"]
    server.says_length, steps = False, []
    download(server.url + "t", tmp_path / "t.part", progress=lambda *step: steps.append(step))
    assert (tmp_path / "t.part").read_bytes() == content
    assert steps[-1] == ("t", len(content), None)


def test_whole_part_is_not_asked_for_again(server, texts, tmp_path):
    content = server.files["/t"] = texts["titanic/titanic_R.dat"]
    (tmp_path / "t.part").write_bytes(content)
    download(server.url + "t", tmp_path / "t.part")
    assert len(server.requests) == 1
    assert (tmp_path / "t.part").read_bytes() == content


def test_part_that_is_too_long_is_dropped(server, texts, tmp_path):
    content = server.files["/t"] = texts["titanic/titanic_R.dat"]
    (tmp_path / "t.part").write_bytes(content + b"more")
    download(server.url + "t", tmp_path / "t.part")
    assert (tmp_path / "t.part").read_bytes() == content


def test_part_of_another_place_is_not_joined(server, texts, tmp_path):
    server.files["/t"] = texts["titanic/titanic_R.dat"]
    server.shift, server.cuts = 7, [100]
    download(server.url + "t", tmp_path / "t.part")
    assert (tmp_path / "t.part").read_bytes() == server.files["/t"]


def test_wrong_values_are_refused_and_nothing_is_left(server, texts, tmp_path):
    wrong = texts["titanic/titanic_R.dat"].replace(b"0.520957", b"0.520958", 1)
    server.files["/titanic/titanic_R.dat"] = wrong
    with pytest.raises(OSError, match=r"titanic from http.* has other values \(their checksum"):
        fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url)])
    assert names(tmp_path) == []
    server.files["/d.tgz"] = archive({"titanic/titanic_R.dat": wrong})
    with pytest.raises(OSError, match="checksum"):
        fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url + "d.tgz", archive=True)])
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "content", [b"", b"<html>moved</html>\n<p>", b"\tf1\n1\t2\t3\n2\t3\n", b"\tf1\n1\t2\t0.5\n"]
)
def test_what_is_no_table_is_refused(server, tmp_path, content):
    server.files["/titanic/titanic_R.dat"] = content
    with pytest.raises(OSError, match=r"has (lines that are not rows of numbers|\d+ rows)"):
        fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url)])
    assert names(tmp_path) == []


@pytest.mark.parametrize("damage", [lambda whole: whole[:-5000], lambda whole: b"<html>no</html>"])
def test_damaged_archive_is_refused_and_removed(server, texts, tmp_path, damage):
    server.files["/d.tgz"] = damage(archive(texts))
    with pytest.raises(OSError, match="the archive is damaged"):
        fetch([TITANIC], tmp_path, mirrors=[Mirror(server.url + "d.tgz", archive=True)])
    assert names(tmp_path) == []


def test_next_mirror_is_asked_for_what_is_missing(server, texts, tmp_path):
    tic_tac_toe_file = "tic-tac-toe/tic-tac-toe_R.dat"
    server.files["/one/" + tic_tac_toe_file] = texts[tic_tac_toe_file]
    server.files["/one/titanic/titanic_R.dat"] = b"wrong"
    server.files["/two/titanic/titanic_R.dat"] = texts["titanic/titanic_R.dat"]
    mirrors = [
        Mirror("http://127.0.0.1:9/"),
        Mirror(server.url + "none.tar.gz", archive=True),
        Mirror(server.url + "one/"),
        Mirror(server.url + "two/"),
    ]
    fetch([TIC_TAC_TOE, TITANIC], tmp_path, mirrors=mirrors)
    assert names(tmp_path) == ["tic_tac_toe.csv", "titanic.csv"]
    assert server.requests[-1][0] == "/two/titanic/titanic_R.dat"
    assert not any(path.startswith("/two/tic") for path, _ in server.requests)


def test_offline_message_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(OSError, match="Could not download titanic") as raised:
        fetch([TITANIC], tmp_path, mirrors=[Mirror("http://127.0.0.1:9/")])
    message = str(raised.value)
    assert "set BROADLEARN_DATA" in message
    assert "broadlearn datasets fetch" in message
    assert str(tmp_path) in message


def test_checksum_is_of_what_is_served(texts):
    rows = [line.split()[1:] for line in texts["titanic/titanic_R.dat"].splitlines()[1:]]
    table = np.array(rows, dtype=float)
    assert values_sha256(table[:, :-1], table[:, -1]) == TITANIC.sha256


def test_only_by_https(server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SCHEMES", ("https",))
    server.files["/a"] = b"x"
    with pytest.raises(OSError, match="is not https, the only way"):
        download(server.url + "a", tmp_path / "a.part")
    assert server.requests == []
    with pytest.raises(OSError, match=r"http://example\.org is not https"):
        module._SecureRedirects().redirect_request(None, None, 302, "", {}, "http://example.org/x")
    assert all(mirror.url.startswith("https://") for mirror in module.MIRRORS)


@pytest.mark.parametrize("says_length", [True, False])
def test_no_more_than_is_known_of_a_file(server, tmp_path, says_length):
    server.files["/a"] = b"x" * 200_000
    server.says_length = says_length
    part = tmp_path / "a.part"
    with pytest.raises(OSError, match="100,000"):
        download(server.url + "a", part, at_most=100_000)
    assert not part.exists()
    assert len(server.requests) == 1
    assert module._largest(TITANIC) >= 100_000
