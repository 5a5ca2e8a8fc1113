"""Hash modules together with the modules that they import. Comments, docstrings and layout do not change the hash.

Imports are found in the syntax tree. A module that imports modules or reads files by names that it makes at run time
declares them: `USES_FILES = "solvers/methods/*.py"` is a pattern of files, relative to the package.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
_NOT_DATA = {".py", ".pyc", ".md"}
_DECLARATION = "USES_FILES"


def code_hash(*modules, package=PACKAGE):
    """Return a hash (16 hexadecimal digits) of modules, all package modules that they import, and their data files.

    Module names, such as "studies.benchmark.training", are relative to the package. The data files of a module are the
    files that its `USES_FILES` names and the YAML file with its name or, for an `__init__.py`, all files in its folder
    except code and Markdown.
    """
    digest = hashlib.sha256()
    for path in closure(*modules, package=package):
        files = [path.with_suffix(".yaml")]
        if path.name == "__init__.py" and path.parent != package:
            files = sorted(file for file in path.parent.iterdir() if file.suffix not in _NOT_DATA)
        files += [file for file in _declared(path, package) if file.suffix != ".py"]
        digest.update(f"{path.relative_to(package).as_posix()}\0{_parsed(path)[0]}\0".encode())
        for file in files:
            if file.is_file():
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def closure(*modules, package=PACKAGE):
    """Return the sorted files of these modules and of all modules that they import, directly or indirectly."""
    left = [_file(package, name.split(".")) for name in modules]
    if None in left:
        raise ValueError(f"{package.name} has no module {modules[left.index(None)]!r}")
    found = set()
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += _imports(path, package)
    return sorted(found)


@cache
def _imports(path, package):
    """List the package's files that a file imports. `from a.b import c` imports a.b.c if this is a module, else a.b."""
    found, folder = [], [package.name, *path.relative_to(package).parts[:-1]]
    for node in ast.walk(_parsed(path)[1]):
        if isinstance(node, ast.ImportFrom):
            start = folder[: len(folder) - node.level + 1] if node.level else []
            first, *parts = [*start, *(node.module or "").split(".")]
            if first == package.name:
                found += [_file(package, [*parts, alias.name]) or _file(package, parts) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            found += [_file(package, parts) for first, *parts in names if first == package.name and parts]
    found += [file for file in _declared(path, package) if file.suffix == ".py"]
    return tuple(file for file in dict.fromkeys(found) if file)


def _declared(path, package):
    """List the files that the module's `USES_FILES` names."""
    for node in _parsed(path)[1].body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == _DECLARATION for target in node.targets):
            pattern = ast.literal_eval(node.value)
            if files := sorted(package.glob(pattern)):
                return files
            raise ValueError(f"{path}: {_DECLARATION} = {pattern!r} names no file of the package")
    return []


def _file(package, parts):
    """Return the file of a module or of a package, or None if this file does not exist."""
    path = package.joinpath(*filter(None, parts))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _parsed(path):
    """Parse a file, remove the docstrings, and return the syntax tree as text and as an object."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]
    return ast.dump(tree), tree


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)
