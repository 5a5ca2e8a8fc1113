"""Machine code of compiled functions on disk: checked when it is read, and never in the way of a computation.

numba's own cache trusts its files: a cut or damaged one ends every later call with an error or a crash, and two
processes that write at once can exchange each other's entries. Here every entry is one file, named by a hash of all
that it depends on and written under another name first, with a checksum in front. What cannot be read is compiled
again; what cannot be written is compiled for this process alone.
"""

import contextlib
import hashlib
import os
import pickle
import stat
import tempfile
import uuid
from pathlib import Path

import numba
from llvmlite import binding
from numba.core.caching import NullCache
from numba.core.codegen import get_host_cpu_features
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

_DIGEST_BYTES = hashlib.sha256().digest_size


def cpu_kind():
    """Name of the processor that numba compiles for, with a hash of its features.

    It is this machine's, or what NUMBA_CPU_NAME and NUMBA_CPU_FEATURES say: a home folder may be shared by machines
    with different processors.
    """
    name, features = numba.config.CPU_NAME, numba.config.CPU_FEATURES
    name = binding.get_host_cpu_name() if name is None else name
    features = get_host_cpu_features() if features is None else features
    safe = "".join(character if character.isalnum() else "_" for character in name)
    return f"{safe}-{hashlib.sha256(f'{name} {features}'.encode()).hexdigest()[:8]}"


def private_temporary_folder(name):
    """A folder below the system's temporary folder that nobody else can write to, or None if there cannot be one.

    Machine code is read as pickles, which can run anything: a folder that another user has made is not used.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"{name}-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = os.lstat(folder)
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return None
    is_private = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
    return folder if is_private and os.access(folder, os.W_OK) else None


class CodeCache(NullCache):
    """Disk cache of one compiled function, as numba's dispatchers use it.

    Parameters
    ----------
    function : callable
        The Python function.
    folder : Path
        Where its machine code lies. The folder's name stands for the sources of all compiled functions: an entry is not
        compared with them again.
    """

    def __init__(self, function, folder):
        self._function, self._folder = function, Path(folder)

    @property
    def cache_path(self):
        """The folder, as numba's statistics show it."""
        return str(self._folder)

    def _entry(self, signature, codegen):
        """(path, key) of the machine code for a signature and a processor."""
        function = self._function
        code = hashlib.sha256(function.__code__.co_code).hexdigest()
        name = f"{function.__module__}.{function.__qualname__}"
        key = repr((name, code, numba.__version__, signature, codegen.magic_tuple()))
        return self._folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc", key

    def load_overload(self, sig, target_context):
        """The compiled function for a signature; None if there is none that is whole."""
        target_context.refresh()
        path, key = self._entry(sig, target_context.codegen())
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(body).digest() != digest:
            return None
        stored_key, result = pickle.loads(body)
        return CompileResult._rebuild(target_context, *result) if stored_key == key else None

    def save_overload(self, sig, data):
        """Write the compiled function; nothing happens if the disk is full or the folder read-only."""
        if data.library.has_dynamic_globals or not all(lifted.can_cache for lifted in data.lifted):
            return
        path, key = self._entry(sig, data.codegen)
        body = dumps((key, data._reduce()))
        unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
        try:
            unfinished.write_bytes(hashlib.sha256(body).digest() + body)
            os.replace(unfinished, path)
        except OSError:
            with contextlib.suppress(OSError):  # where the folder cannot be written at all
                unfinished.unlink(missing_ok=True)
