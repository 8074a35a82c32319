"""Files appear whole or not at all, whatever fails on the way."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ligament import files
from ligament.errors import FileError
from ligament.files import create_atomic, open_atomic, require_place, write_atomic


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_new_file_is_written_whole(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", [b"one", bytearray(b"two"), memoryview(b"three")])
    assert (tmp_path / "a").read_bytes() == b"onetwothree"
    assert names(tmp_path) == {"a"}


def test_an_old_file_is_replaced_not_rewritten(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    with target.open("rb") as reader:
        write_atomic(target, [b"new"])
        assert reader.read() == b"old"
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("function", ["open", "fsync", "replace"])
def test_after_a_failure_the_old_file_stays_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, function, fail)
    with pytest.raises(FileError, match=r"a: cannot be written \(No space left on device\)"):
        write_atomic(target, [b"new"])
    monkeypatch.undo()
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == {"a"}


@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_a_fault_of_the_writer_leaves_nothing(tmp_path: Path, fault: type[BaseException]) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise fault

    with pytest.raises(fault):
        write_atomic(tmp_path / "a", pieces())
    with pytest.raises(fault):
        create_atomic(tmp_path / "a", pieces())
    assert names(tmp_path) == set()


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    script = """if True:
        import resource, signal, sys
        from ligament.errors import FileError
        from ligament.files import write_atomic
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            write_atomic(sys.argv[1], [b"x" * 3000] * 3)
        except FileError as fault:
            print(fault)
    """
    target = tmp_path / "a"
    target.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", script, str(target)], capture_output=True, text=True, check=True
    )
    assert "cannot be written (File too large)" in done.stdout
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == {"a"}


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"real")
    (tmp_path / "link").symlink_to("real")
    write_atomic(tmp_path / "link", [b"new"])
    write_atomic(tmp_path / "plain", [b"new"])
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "real").read_bytes() == b"real"


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_permissions_of_the_old_file_are_kept(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    target.chmod(mode)
    write_atomic(target, [b"new"])
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_permissions_of_a_new_file_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "a", [b"new"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["", "/", ".", "missing/a", "file/a", "a\0b", "folder", "x" * 300])
def test_a_name_that_cannot_be_written_is_a_file_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError):
        write_atomic(name, [b"new"])
    assert names(tmp_path) == {"file", "folder"}


def test_the_remedy_is_the_one_that_helps(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"the folder .*missing must exist"):
        write_atomic(tmp_path / "missing" / "a", [b"new"])
    with pytest.raises(FileError, match="name a writable output"):
        write_atomic(tmp_path / ("x" * 300), [b"new"])


@pytest.mark.parametrize("name", ["x" * 255, "\u4e2d" * 85])
def test_names_may_be_as_long_as_the_system_allows(tmp_path: Path, name: str) -> None:
    write_atomic(tmp_path / name, [b"new"])
    assert create_atomic(tmp_path / ("y" + name[1:]), [b"new"])
    assert (tmp_path / name).read_bytes() == b"new"


def test_a_stream_becomes_the_file_at_the_end_of_the_block(tmp_path: Path) -> None:
    with open_atomic(tmp_path / "a") as stream:
        stream.write(b"new")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.skipif(sys.platform != "linux", reason="files have names elsewhere")
def test_a_process_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    program = (
        "import os, sys; from ligament.files import open_atomic\n"
        "with open_atomic(sys.argv[1]) as stream:\n"
        "    stream.write(bytes(1 << 20)); stream.flush(); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(target)], check=False)
    assert done.returncode == -9
    assert names(tmp_path) == {"a"}
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("mode", [None, 0o600, 0o664])
def test_without_files_that_have_no_name_all_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int | None
) -> None:
    target = tmp_path / "a"
    if mode is not None:
        target.write_bytes(b"old")
        target.chmod(mode)
    monkeypatch.setattr(files, "_O_TMPFILE", 0)
    write_atomic(target, [b"new"])
    assert (target.read_bytes(), names(tmp_path)) == (b"new", {"a"})
    if mode is not None and os.name == "posix":
        assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_and_devices_are_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for path in (pipe, link):
        for write in (lambda path: write_atomic(path, [b"x"]), require_place):
            with pytest.raises(FileError, match="is a device or a pipe"):
                write(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == {"pipe", "link"}


def test_create_refuses_what_stands_there(tmp_path: Path) -> None:
    assert create_atomic(tmp_path / "a", [b"first"])
    assert not create_atomic(tmp_path / "a", [b"second"])
    (tmp_path / "dangling").symlink_to("nowhere")
    assert not create_atomic(tmp_path / "dangling", [b"second"])
    assert (tmp_path / "a").read_bytes() == b"first"
    assert names(tmp_path) == {"a", "dangling"}


def test_create_loses_a_race_without_harm(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        (tmp_path / "a").write_bytes(b"the other one")
        yield b"ours"

    assert not create_atomic(tmp_path / "a", pieces())
    assert (tmp_path / "a").read_bytes() == b"the other one"
    assert names(tmp_path) == {"a"}


def test_create_works_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    def late() -> Iterator[bytes]:
        (tmp_path / "b").write_bytes(b"the other one")
        yield b"ours"

    monkeypatch.setattr(os, "link", fail)
    assert create_atomic(tmp_path / "a", [b"first"])
    assert not create_atomic(tmp_path / "a", [b"second"])
    assert not create_atomic(tmp_path / "b", late())
    assert (tmp_path / "a").read_bytes() == b"first"
    assert (tmp_path / "b").read_bytes() == b"the other one"
    assert names(tmp_path) == {"a", "b"}


def test_create_asks_for_no_bytes_where_it_cannot_write(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        raise AssertionError("nothing needs to be read")
        yield b""

    (tmp_path / "a").write_bytes(b"")
    assert not create_atomic(tmp_path / "a", pieces())
