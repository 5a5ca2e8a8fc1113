"""Test reading and writing of files: the largest size of a decompressed file, damaged files, and
files that are written completely or not at all.
"""

import bz2
import errno
import gzip
import lzma
import os
import threading

import numpy as np
import pytest

from fwsvm.inputs import files
from fwsvm.inputs.errors import UserError, for_terminal
from fwsvm.inputs.files import (
    DamagedFileError,
    check_output,
    check_output_folder,
    open_decompressed,
    read_text,
    sha256_of_content,
    temporary_file,
    whole_file,
)

COMPRESS = {"": bytes, ".bz2": bz2.compress, ".gz": gzip.compress, ".xz": lzma.compress}


def read(path):
    with open_decompressed(path) as stream:
        return stream.read()


def z_of_zeros(words):
    """Return the content of a .Z file of zeros.

    Its codes have nine bits. Each code stands for one zero more than the code before it.
    """
    codes = [0, *range(257, 256 + words)]
    bits = sum(code << 9 * place for place, code in enumerate(codes))
    return b"\x1f\x9d\x90" + bits.to_bytes(-(-9 * len(codes) // 8), "little")


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("name", ["x", "points{}"])
def test_files_are_recognised_by_their_first_bytes(tmp_path, suffix, name):
    content, path = bytes(range(256)) * 5000, tmp_path / name.format(suffix)
    path.write_bytes(COMPRESS[suffix](content))
    assert read(path) == content


@pytest.mark.parametrize("words", [1, 2, 200])
def test_files_of_the_program_compress(tmp_path, words):
    (tmp_path / "x").write_bytes(z_of_zeros(words))
    assert read(tmp_path / "x") == bytes(words * (words + 1) // 2)


@pytest.mark.parametrize("suffix", [".bz2", ".gz", ".xz", ".Z"])
@pytest.mark.parametrize(
    "damage",
    [lambda whole: whole[: len(whole) // 2], lambda whole: whole[:6], lambda whole: b"1 2"],
)
def test_damaged_files_are_refused(tmp_path, suffix, damage):
    whole = (
        z_of_zeros(200)[:3] + b"\xff" * 40
        if suffix == ".Z"
        else COMPRESS[suffix](bytes(range(256)) * 99)
    )
    (tmp_path / f"x{suffix}").write_bytes(damage(whole))
    with pytest.raises(DamagedFileError):
        read(tmp_path / f"x{suffix}")


@pytest.mark.parametrize("suffix", [".bz2", ".gz", ".xz"])
def test_content_that_no_data_file_has_is_refused(tmp_path, suffix):
    (tmp_path / f"bomb{suffix}").write_bytes(COMPRESS[suffix](bytes(20 * 2**20)))
    with pytest.raises(DamagedFileError, match="17 MB"):
        sha256_of_content(tmp_path / f"bomb{suffix}")


def test_files_are_whole_or_absent(tmp_path):
    path = tmp_path / "x.npy"
    with whole_file(path) as temporary:
        temporary.write_bytes(b"whole")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as temporary:
        temporary.write_bytes(b"ha")
        raise KeyboardInterrupt
    with temporary_file(path) as one, temporary_file(path) as other:
        assert one != other and one.parent == tmp_path
    assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == b"whole"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o660])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    with whole_file(path) as temporary:
        temporary.write_bytes(b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("there", [True, False], ids=["a file", "dangling"])
def test_a_link_stays_and_the_linked_file_is_replaced(tmp_path, there):
    (tmp_path / "other").mkdir()
    target, link, second = tmp_path / "other/x", tmp_path / "link", tmp_path / "second"
    link.symlink_to("other/x")
    second.symlink_to(link)
    if there:
        target.write_bytes(b"old")
    with whole_file(second) as temporary:
        temporary.write_bytes(b"new")
    assert link.is_symlink() and second.is_symlink() and not target.is_symlink()
    assert target.read_bytes() == b"new" and list((tmp_path / "other").iterdir()) == [target]


@pytest.mark.parametrize("name", ["x" * 255, "\N{SNOWMAN}" * 85, "a b\n'"])
def test_names_as_long_as_they_may_be(tmp_path, name):
    check_output(tmp_path / name)
    with whole_file(tmp_path / name) as temporary:
        temporary.write_bytes(b"x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def _full(stream, array):
    raise OSError("1000 requested and 0 written")  # the text of NumPy's error


def _no_space(stream, array):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("write", "words"), [(_full, "is the disk full"), (_no_space, "No space left")]
)
def test_an_error_of_writing_names_the_file(tmp_path, write, words):
    with (
        pytest.raises(OSError, match=words) as error,
        whole_file(tmp_path / "x.npy") as temporary,
        open(temporary, "wb") as stream,
    ):
        write(stream, np.ones(3))
    assert error.value.filename == str(tmp_path / "x.npy") and not list(tmp_path.iterdir())


def test_a_missing_folder_and_errors_of_reading_are_named_as_they_are(tmp_path):
    with pytest.raises(FileNotFoundError) as error, whole_file(tmp_path / "no/x"):
        pass
    assert error.value.filename == str(tmp_path / "no/x")
    with pytest.raises(FileNotFoundError) as error, whole_file(tmp_path / "x"):
        (tmp_path / "input").read_bytes()
    assert error.value.filename == str(tmp_path / "input")
    with pytest.raises(DamagedFileError, match=r"^damaged$"), whole_file(tmp_path / "x"):
        raise DamagedFileError("damaged")


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/null", "folder", "pipe"])
def test_what_is_no_file_ends_at_once(tmp_path, monkeypatch, place):
    monkeypatch.setattr(files, "PIPE_WAIT_S", 0.01)
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    os.mkfifo("pipe")
    for function in (read, sha256_of_content, read_text):
        with pytest.raises(OSError, match=r"folder|device|no program writes"):
            function(place)


@pytest.mark.parametrize("content", [b"", b"1 1:2\n", bytes(300_000)])
def test_a_pipe_is_read_if_a_program_writes_to_it(tmp_path, content):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[content])
    writer.start()
    assert read(tmp_path / "pipe") == content
    writer.join()


def test_a_pipe_whose_writer_takes_its_time(monkeypatch):
    monkeypatch.setattr(files, "PIPE_WAIT_S", 0.01)
    end, start = os.pipe()
    timer = threading.Timer(0.2, lambda: (os.write(start, b"1 1:2\n"), os.close(start)))
    timer.start()
    assert read(f"/dev/fd/{end}") == b"1 1:2\n"
    timer.join()
    os.close(end)


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """Make a file and a folder that a command reads. Return the list of the command's inputs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw/deep").mkdir(parents=True)
    for name in ("points", "raw/deep/a", "free"):
        (tmp_path / name).write_text(name)
    return ["points", tmp_path / "raw", "no such file"]


@pytest.mark.parametrize(
    "output",
    [
        "points",
        "./raw/../points",
        "link",
        "hard link",
        "raw/deep/a",
        "raw/new",
        "folder link/deep/a",
    ],
)
def test_an_output_that_is_read_is_refused(inputs, tmp_path, output):
    (tmp_path / "link").symlink_to("points")
    (tmp_path / "hard link").hardlink_to("points")
    (tmp_path / "folder link").symlink_to("raw")
    for path in (output, tmp_path / output):
        with pytest.raises(
            UserError,
            match=f"^--output {path} is (the file|in the folder) .*, which this command reads",
        ):
            check_output(path, inputs=inputs)
    check_output("free", inputs=inputs)
    check_output("new", inputs=inputs)
    assert sorted(path.name for path in (tmp_path / "raw").rglob("*")) == ["a", "deep"]


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("-", "output to the terminal is not possible"),
        ("raw", "not a regular file"),
        ("/dev/null", "not a regular file"),
        ("no/x", "its folder does not exist"),
        ("points/x", "its folder does not exist"),
        ("loop", "symbolic links"),
        ("x" * 300, "File name too long"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused(inputs, tmp_path, output, words):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UserError, match=words):
        check_output(output)
    assert (tmp_path / "loop").is_symlink()


def test_a_protected_file_and_a_protected_folder(inputs, monkeypatch):
    # root can write everywhere, so the test pretends that nothing is writable
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UserError, match="write-protected"):
        check_output("free", inputs=inputs)
    with pytest.raises(UserError, match="write-protected"):
        check_output_folder("no/such/folder", "--figures")


def test_the_file_that_gets_the_printed_text(inputs, tmp_path):
    before = os.dup(1)
    try:
        with open("free", "a") as file:
            os.dup2(file.fileno(), 1)
            with pytest.raises(UserError, match="to which the output of the command is redirected"):
                check_output("./free", inputs=inputs)
    finally:
        os.dup2(before, 1)
        os.close(before)


def test_folders_for_output(inputs, tmp_path):
    (tmp_path / "link").symlink_to("raw")
    for folder in ("raw", ".", "link", tmp_path / "raw/../raw"):
        with pytest.raises(UserError, match="which this command reads; name another folder"):
            check_output_folder(folder, "--figures", inputs)
    with pytest.raises(UserError, match="is not a folder"):
        check_output_folder("points", "--figures")
    check_output_folder("raw/deep/new/folder", "--figures", inputs)
    assert not (tmp_path / "raw/deep/new").exists()


def test_messages_are_short_and_change_no_terminal():
    assert for_terminal("a\x1b[31mb\x00\udcff\nnext") == r"a\x1b[31mb\x00\udcff" + "\nnext"
    long = for_terminal(f"{'x' * 5000}: File name too long")
    assert (
        len(long) < 300
        and long.startswith("xxx")
        and long.endswith("x: File name too long")
        and "more)..." in long
    )
    assert len(for_terminal("a b " * 5000)) < 4100
    for message in ("é ü €", "/" + "a/" * 190, "known: a, b"):
        assert for_terminal(message) == message
