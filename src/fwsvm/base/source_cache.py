"""What parsing the sources has given, kept on disk by their content, so that not every process parses them again.

The file lies in the user's cache folder and has a checksum in front. What cannot be read is parsed again; where nothing
can be written, every process parses.
"""

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path

from fwsvm.base.files import whole_file

_MOST = 5000
"""Contents of sources that are kept; where there are more, those of other processes go."""
_KEEP_DAYS = 30


def user_cache_folder():
    """Where this user's programs keep what can be made again; None if that is not known."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a user without a home folder, as in some containers
        return None


class SourceCache:
    """Content of a source -> what was made of it, as JSON has it.

    Parameters
    ----------
    make : callable
        From the bytes of a source.
    version : str
        Changes with what `make` does; files of other versions are removed after 30 days.
    """

    def __init__(self, make, version):
        self._make, self._name = make, f"sources-{version}.json"
        self._known, self._used, self._is_new = None, {}, False

    def __call__(self, content):
        """What `make` says of a content."""
        if self._known is None:
            self._known = self._read()
        key = hashlib.sha256(content).hexdigest()
        if key not in self._known:
            self._known[key], self._is_new = self._make(content), True
        self._used[key] = self._known[key]
        return self._known[key]

    def save(self):
        """Write what is new, whole or not at all."""
        path = self._path()
        if not self._is_new or path is None:
            return
        self._is_new = False
        body = json.dumps(self._known if len(self._known) <= _MOST else self._used)
        with contextlib.suppress(OSError):  # a full disk, a folder that is not ours to write
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file(path) as temporary:
                temporary.write_text(f"{_digest(body)}\n{body}", "utf-8")
            for other in path.parent.glob("sources-*.json"):  # another checkout may still use it
                if time.time() - other.stat().st_mtime > _KEEP_DAYS * 86400:
                    other.unlink(missing_ok=True)

    def _read(self):
        try:
            digest, _, body = self._path().read_text("utf-8").partition("\n")
        except (OSError, ValueError, AttributeError):  # no file, no text, no folder
            return {}
        return json.loads(body) if digest == _digest(body) else {}

    def _path(self):
        folder = user_cache_folder()
        return None if folder is None else folder / "fwsvm" / self._name


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
