import errno
import os
import stat
import subprocess
import sys

import pytest

from broadlearn.utils.whole_files import is_special, whole_file, write_whole

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_text_is_utf8_and_bytes_come_in_parts(tmp_path):
    write_whole(tmp_path / "text", "ü \udcff")
    assert (tmp_path / "text").read_text("utf-8") == r"ü \udcff"
    write_whole(tmp_path / "model", (part for part in (b"a", b"b")))
    assert (tmp_path / "model").read_bytes() == b"ab"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError, ValueError])
def test_an_exception_leaves_the_old_file_and_no_other(tmp_path, error):
    path = tmp_path / "a"
    path.write_text("old")

    def content():
        yield b"half"
        raise error

    with pytest.raises(error):
        write_whole(path, content())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


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
    assert list(tmp_path.iterdir()) == []


def test_errors_of_the_content_keep_their_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "a"):
        raise FileNotFoundError(errno.ENOENT, "gone", "elsewhere/input")
    assert caught.value.filename == "elsewhere/input"


@POSIX
def test_new_files_respect_the_umask_and_old_ones_keep_their_mode(tmp_path):
    path = tmp_path / "a"
    before = os.umask(0o027)
    try:
        write_whole(path, "x")
    finally:
        os.umask(before)
    assert mode_of(path) == 0o640
    for mode in (0o600, 0o664, 0o400):
        path.chmod(mode)
        write_whole(path, "new")
        assert (path.read_bytes(), mode_of(path)) == (b"new", mode)


@POSIX
def test_links_are_followed(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    link.symlink_to("there/target")
    for text in ("made", "replaced"):
        write_whole(link, text)
        assert target.read_text() == text
    assert link.is_symlink()


@POSIX
def test_pipes_and_devices_are_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(path, [b"one ", b"two"])
        assert os.read(reader, 100) == b"one two"
    finally:
        os.close(reader)
    assert path.is_fifo()
    write_whole(os.devnull, "x")
    assert is_special(os.devnull)
    assert not is_special(__file__)
    assert not is_special(f"{__file__}/below-a-file")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_short_writes_are_errors():
    code = "from broadlearn.utils import write_whole; write_whole('/dev/stdout', 'x' * 100_000)"
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            check=False,
        )
    assert done.returncode
    assert b"No space left" in done.stderr


@POSIX
def test_standard_output_is_written_where_it_stands(tmp_path):
    code = "from broadlearn.utils import write_whole; print('a'); write_whole('/dev/stdout', 'b')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "a\nb"
