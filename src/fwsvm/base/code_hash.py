"""Hashes of what code does: comments, docstrings and layout do not count, and imports are followed.

A rule or a cache that is keyed by such a hash is renewed when an algorithm changes, and only then. The hash of a
module covers every module of its package that it imports, directly or not (at its top, within a function, or by a name
that stands in a text), the data files of the packages among them, and a YAML file with the name of a module.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

from fwsvm.base.source_cache import SourceCache

PACKAGE = Path(__file__).parents[1]
_NOT_DATA = {".py", ".pyc", ".md"}
_WRITTEN_FOR_READERS = "about.yaml"


def code_hash(*modules, package=PACKAGE):
    """Hash of what these modules, and all that they import of their package, do.

    Parameters
    ----------
    *modules : str
        Dotted names within the package, such as ``experiments.training``.
    package : Path
        Folder of the package.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    return files_hash(closure(*modules, package=package), package)


def closure(*modules, package=PACKAGE):
    """Files that these modules import of their package, directly or not, themselves included; sorted.

    Raises
    ------
    ValueError
        If there is no such module.
    """
    found, left = set(), []
    for name in modules:
        path = _file_of(package, name.split("."))
        if path is None:
            raise ValueError(f"{package.name} has no module {name!r}")
        left.append(path)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += _imports(path, package)
    return sorted(found)


def files_hash(paths, package=PACKAGE):
    """Hash of what these files do, without following their imports; 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + _parsed(path)[0].encode() + b"\0")
        if path.with_suffix(".yaml").is_file():
            digest.update(path.with_suffix(".yaml").read_bytes())
        if path.name == "__init__.py" and path.parent != package:
            for data in sorted(path.parent.iterdir()):
                if data.is_file() and data.suffix not in _NOT_DATA and data.name != _WRITTEN_FOR_READERS:
                    digest.update(data.name.encode() + b"\0" + data.read_bytes())
    _SOURCES.save()
    return digest.hexdigest()[:16]


@cache
def _parsed(path):
    """What `_parse` says of a file."""
    return _SOURCES(path.read_bytes())


def _parse(content):
    """(digest of the syntax tree without positions and docstrings; its imports and the texts that are dotted names).

    Each of these is [level, dotted name, imported name]: level 0 and more as `ast.ImportFrom` has it, -1 for a text.
    """
    tree = ast.parse(content)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    names = []
    for node in ast.walk(tree):
        if isinstance(node, documented):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]
        elif isinstance(node, ast.Import):
            names += [[0, alias.name, None] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [[node.level, node.module or "", alias.name] for alias in node.names]
        elif isinstance(node, ast.Constant) and _is_dotted_name(node.value):
            names.append([-1, node.value, None])
    return hashlib.sha256(_written(tree).encode()).hexdigest(), names


# What it says depends on this file alone, not on the version of Python.
_SOURCES = SourceCache(_parse, hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16])


def _written(node):
    """A syntax tree as text, the same on every version of Python: without positions and without what is empty."""
    if isinstance(node, ast.AST):
        parts = ((name, getattr(node, name, None)) for name in node._fields)
        return f"{type(node).__name__}({', '.join(f'{name}={_written(part)}' for name, part in parts if _says(part))})"
    return f"[{', '.join(map(_written, node))}]" if isinstance(node, list) else repr(node)


def _says(part):
    """Whether a field of a node holds anything: newer versions have fields that older ones lack, empty where unused."""
    return part is not None and not (isinstance(part, list) and not part)


def _is_dotted_name(value):
    return isinstance(value, str) and "." in value and all(part.isidentifier() for part in value.split("."))


def _is_text(statement):
    constant = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(constant, ast.Constant) and isinstance(constant.value, str)


@cache
def _imports(path, package):
    """Files of the package that a file imports: of `from a.b import c` the module a.b.c, or else a.b.

    The text "a.b" counts as an import of the module a.b, or of all modules of the package a.b, which are then imported
    by name.
    """
    own = path.relative_to(package).parts[:-1]
    files = []
    for level, dotted, name in _parsed(path)[1]:
        parts = dotted.split(".") if dotted else []
        if level < 0:
            files += _named(package, parts)
            continue
        base = [*([package.name, *own[: len(own) - level + 1]] if level else []), *parts]
        if base[0] == package.name:
            file = (_file_of(package, [*base[1:], name]) if name else None) or _file_of(package, base[1:])
            files += [file] if file else []
    return tuple(dict.fromkeys(files))


def _named(package, parts):
    """Files of the module of that dotted name, or of all modules of that package; none if it is another name."""
    file = _file_of(package, parts[1:]) if parts[0] == package.name else None
    if file is None or file.name != "__init__.py":
        return [file] if file else []
    return [file, *sorted(path for path in file.parent.glob("*.py") if path != file)]


def _file_of(package, parts):
    """The file of a dotted name: a module, a package's `__init__.py`, or None."""
    folder = package.joinpath(*parts)
    for path in (folder.with_suffix(".py") if parts else None, folder / "__init__.py"):
        if path is not None and path.is_file():
            return path
    return None
