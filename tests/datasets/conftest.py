"""An HTTP server on the loopback interface, and functions that write small catalogues."""

import contextlib
import hashlib
import http.server
import threading
import time

import numpy as np
import pytest
import yaml

from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.entries import FileEntry
from fwsvm_papers.datasets.prepare import prepare

NAME = "libsvm/binary/tiny"
CONTENT = b"+1 1:0.5 3:1\n-1 2:1\n+1 1:0.25\n-1 2:0.5 3:2\n"


class Server:
    """A server of `files`, a dict from paths to bytes.

    `misbehaviour` maps a path to the way in which the server misbehaves there. This is a status
    code, or a word such as "cut off". It can also be a list of them, one for each of the first
    requests.
    """

    def __init__(self):
        self.files = {}
        self.misbehaviour = {}
        self.requests = []
        self.released = threading.Event()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.answer(self)

            def log_message(self, *args):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    def answer(self, handler):
        path = handler.path.lstrip("/")
        self.requests.append(path)
        manner = self.misbehaviour.get(path)
        if isinstance(manner, list):
            manner = manner.pop(0) if manner else None
        if manner in ("busy", "forbidden") or path not in self.files:
            handler.send_error({"busy": 503, "forbidden": 403}.get(manner, 404))
            return
        body = self.files[path]
        handler.send_response(manner if isinstance(manner, int) else 200)
        if manner == "slow headers":
            self.drip(handler, b"X-Header: 1\r\n")
            return
        if manner == "encoded":
            handler.send_header("Content-Encoding", "gzip")
        if manner == "no length":
            handler.send_header("Content-Length", "unknown")
        elif manner != "endless":
            extra = {"cut off": 100, "drip": 10**6}.get(manner, 0)
            handler.send_header("Content-Length", str(len(body) + extra))
        handler.end_headers()
        if manner == "endless":
            with contextlib.suppress(OSError):  # write until the client closes the connection
                while not self.released.is_set():
                    handler.wfile.write(body)
        elif manner == "slow":
            handler.wfile.write(body[:5])
            handler.wfile.flush()
            self.released.wait()
        elif manner == "drip":
            self.drip(handler, b"1")
        elif manner == "steady":
            for start in range(0, len(body), 10):
                handler.wfile.write(body[start : start + 10])
                time.sleep(0.01)
        else:
            handler.wfile.write(body)

    def drip(self, handler, content):
        """Send a few bytes from time to time, until the client closes the connection."""
        handler.flush_headers()
        with contextlib.suppress(OSError):
            while not self.released.wait(0.05):
                handler.wfile.write(content)
                handler.wfile.flush()

    def close(self):
        self.released.set()
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    yield running
    running.close()


@pytest.fixture
def no_mirror(monkeypatch):
    monkeypatch.delenv("FWSVM_MIRROR", raising=False)


@pytest.fixture
def content():
    return CONTENT


@pytest.fixture
def file_entry(server, no_mirror):
    """Return the entry of the file `tiny`, which the server does not have yet."""
    return FileEntry(
        name=NAME, url=f"{server.url}/up/tiny", sha256=hashlib.sha256(CONTENT).hexdigest()
    )


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    """Return a function that writes a file and returns its path. The content is bytes or text."""
    folder = tmp_path_factory.mktemp("files")

    def write(content, name="points.txt"):
        (folder / name).write_bytes(
            content.encode("latin-1") if isinstance(content, str) else content
        )
        return folder / name

    return write


@pytest.fixture
def write_catalogue(tmp_path):
    """Return a function that writes a catalogue and returns its path. The entries are a mapping or
    text.
    """

    def write(entries):
        path = tmp_path / "catalogue.yaml"
        path.write_text(
            entries if isinstance(entries, str) else yaml.safe_dump(entries, sort_keys=False)
        )
        return path

    return write


@pytest.fixture
def on_disk(tmp_path):
    """Return a function that writes a LIBSVM file and returns its catalogue entry. The entry has
    the file's `path`, and a random test part.
    """

    def write(text, name="points.svm", **keys):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        entry = {
            "source": {"files": {"train": {"path": str(path)}}},
            "split": {"fraction": 0.25, "seed": 1},
        }
        return entry | keys

    return write


@pytest.fixture
def prepare_entry(write_catalogue, tmp_path, no_mirror):
    """Return a function that prepares a data set. Its argument is the entry `x` of a catalogue,
    which can also have other entries.
    """

    def run(entry, subset=None, **others):
        catalogue = load_catalogue(write_catalogue({**others, "x": entry}))
        return prepare(
            catalogue["x"], catalogue, tmp_path / "raw", tmp_path / "prepared", subset=subset
        )

    return run


@pytest.fixture
def four_class_text():
    """Return twenty points as text. Their classes are 2, 7, 1, 3, again and again.

    The two features of a point are its row number and the square of this number.
    """
    labels = "2713" * 5
    return "".join(f"{label} 1:{row} 2:{row * row}\n" for row, label in enumerate(labels))


@pytest.fixture
def sparse_text():
    """Return 400 points of two classes as text. Each point has entries in 5 of 600 features."""
    rng = np.random.default_rng(5)
    lines = []
    for row in range(400):
        indices = np.sort(rng.choice(600, size=5, replace=False)) + 1
        words = [
            f"{index}:{value:.3g}" for index, value in zip(indices, rng.random(5), strict=True)
        ]
        lines.append(" ".join(["+1" if row % 3 else "-1", *words]))
    return "\n".join(lines) + "\n"
