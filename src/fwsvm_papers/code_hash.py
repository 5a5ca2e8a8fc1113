"""Hash modules together with the modules that they import.

Comments, docstrings and layout do not change the hash.

Imports are found in the syntax tree. A module that imports modules or reads files by names that it
makes at run time declares them: `USES_FILES = "solvers/methods/*.py"` is a pattern of files,
relative to its package.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parents[1]
PACKAGES = (_FOLDER / "fwsvm", _FOLDER / "fwsvm_papers")
"""Folders of the two packages. Modules of others, such as numpy, do not count."""
_NOT_DATA = {".py", ".pyc", ".md"}
_DECLARATION = "USES_FILES"


def code_hash(*modules, packages=PACKAGES):
    """Return a hash (16 hexadecimal digits) of modules, all modules of `packages` that they import,
    and data files.

    The data files of a module are the files that its `USES_FILES` names and the YAML file with its
    name or, for an `__init__.py`, all files in its folder except code and Markdown.
    """
    digest = hashlib.sha256()
    for path in closure(*modules, packages=packages):
        package, files = _package_of(path, packages), [path.with_suffix(".yaml")]
        if path.name == "__init__.py" and path.parent != package:
            files = sorted(file for file in path.parent.iterdir() if file.suffix not in _NOT_DATA)
        files += [file for file in _declared(path, package) if file.suffix != ".py"]
        digest.update(
            f"{path.relative_to(package.parent).as_posix()}\0{_parsed(path)[0]}\0".encode()
        )
        for file in files:
            if file.is_file():
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def closure(*modules, packages=PACKAGES):
    """Return the sorted files of these modules and of all modules that they import, directly or
    indirectly.
    """
    left = [_file(packages, name.split(".")) for name in modules]
    if None in left:
        raise ValueError(f"there is no module {modules[left.index(None)]!r}")
    found = set()
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += _imports(path, packages)
    return sorted(found)


@cache
def _imports(path, packages):
    """List the files of the packages that a file imports.

    `from a.b import c` imports a.b.c if this is a module, else a.b.
    """
    package, found = _package_of(path, packages), []
    folder = path.relative_to(package.parent).parts[:-1]
    for node in ast.walk(_parsed(path)[1]):
        if isinstance(node, ast.ImportFrom):
            start = folder[: len(folder) - node.level + 1] if node.level else ()
            parts = [*start, *(node.module or "").split(".")]
            found += [
                _file(packages, [*parts, alias.name]) or _file(packages, parts)
                for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            found += [_file(packages, alias.name.split(".")) for alias in node.names]
    found += [file for file in _declared(path, package) if file.suffix == ".py"]
    return tuple(file for file in dict.fromkeys(found) if file)


def _package_of(path, packages):
    return next(package for package in packages if path.is_relative_to(package))


def _declared(path, package):
    """List the files that the module's `USES_FILES` names."""
    for node in _parsed(path)[1].body:
        if isinstance(node, ast.Assign) and any(
            getattr(target, "id", "") == _DECLARATION for target in node.targets
        ):
            pattern = ast.literal_eval(node.value)
            if files := sorted(package.glob(pattern)):
                return files
            raise ValueError(f"{path}: {_DECLARATION} = {pattern!r} names no file of the package")
    return []


def _file(packages, parts):
    """Return the file of a module or of a package, or None if it does not exist or belongs to
    another package.
    """
    first, *inner = filter(None, parts)
    for package in packages:
        if package.name == first:
            path = package.joinpath(*inner)
            choices = path.with_suffix(".py"), path / "__init__.py"
            return next((file for file in choices if file.is_file()), None)
    return None


@cache
def _parsed(path):
    """Parse a file, remove the docstrings, and return the syntax tree as text and as an object."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]
    return ast.dump(tree), tree


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(
        getattr(statement.value, "value", None), str
    )
