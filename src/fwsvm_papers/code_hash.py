"""Functions that compute a hash of modules and of all modules that they import.

Comments, docstrings and layout do not change the hash.

The package grimp finds the imports. Some modules import other modules, or read files, by names that
are computed at run time. Such a module declares these files by a pattern relative to the folder of
its package, for example `USES_FILES = "solvers/methods/*.py"`.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grimp

_SOURCES = Path(__file__).parents[1]
PACKAGES = (_SOURCES / "fwsvm", _SOURCES / "fwsvm_papers")
"""Folders of the two packages. Modules of other packages, such as numpy, are not hashed."""
_NOT_DATA = {".py", ".pyc", ".md"}
_DECLARATION = "USES_FILES"


def code_hash(*modules: str, packages: tuple[Path, ...] = PACKAGES) -> str:
    """Return a hash (16 hexadecimal digits) of `modules`, of all modules of `packages` that they
    import, and of the data files of all these modules.

    The data files of a module are the files that its `USES_FILES` names (except code), and the YAML
    file with the name of the module. The `__init__.py` of a folder inside a package has no such
    YAML file. Instead, its data files are all files in its folder, except code and Markdown.
    """
    digest = hashlib.sha256()
    for path in closure(*modules, packages=packages):
        package = _package_of(path, packages)
        files = [path.with_suffix(".yaml")]
        if path.name == "__init__.py" and path.parent != package:
            files = sorted(file for file in path.parent.iterdir() if file.suffix not in _NOT_DATA)
        files += [file for file in declared_files(path, package) if file.suffix != ".py"]
        digest.update(f"{path.relative_to(package.parent).as_posix()}\0".encode())
        digest.update(f"{_without_words(path.read_bytes())}\0".encode())
        for file in files:
            if file.is_file():
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def closure(*modules: str, packages: tuple[Path, ...] = PACKAGES) -> list[Path]:
    """Return the files (sorted) of these modules and of all modules of `packages` that they import,
    directly or indirectly. If a module does not exist, raise a ValueError.
    """
    graph, found = _imports(packages), set(modules)
    for module in modules:
        if module not in graph.modules:
            raise ValueError(f"there is no module {module!r}")
        found |= graph.find_upstream_modules(module)
    return sorted(_file(module, packages) for module in found)


def declared_files(path: Path, package: Path) -> list[Path]:
    """List the files that match the pattern `USES_FILES` of the module at `path`. The list is empty
    if the module has no `USES_FILES`. If no file matches the pattern, raise a ValueError.
    """
    source = path.read_bytes()
    if _DECLARATION.encode() not in source:
        return []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(
            getattr(target, "id", "") == _DECLARATION for target in node.targets
        ):
            pattern = ast.literal_eval(node.value)
            if files := sorted(package.glob(pattern)):
                return files
            raise ValueError(f"{path}: {_DECLARATION} = {pattern!r} names no file of the package")
    return []


@cache
def _imports(packages: tuple[Path, ...]) -> grimp.ImportGraph:
    """Return the graph of the imports in the packages, without imports for type checking only. If a
    module declares other modules in its `USES_FILES`, these count as imported by it.
    """
    # This import is not at the top of the file, because only the Snakefile needs grimp. The jobs
    # import this module without using grimp.
    import grimp

    graph = grimp.build_graph(
        *(package.name for package in packages), cache_dir=None, exclude_type_checking_imports=True
    )
    for module in graph.modules:
        path = _file(module, packages)
        package = _package_of(path, packages)
        for file in declared_files(path, package):
            if file.suffix == ".py":
                parts = file.relative_to(package.parent).with_suffix("").parts
                name = ".".join(parts).removesuffix(".__init__")
                graph.add_import(importer=module, imported=name)
    return graph


def _package_of(path: Path, packages: tuple[Path, ...]) -> Path:
    return next(package for package in packages if path.is_relative_to(package))


def _file(module: str, packages: tuple[Path, ...]) -> Path:
    name, *inner = module.split(".")
    path = next(package for package in packages if package.name == name).joinpath(*inner)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _without_words(source: bytes) -> str:
    """Return the syntax tree of a module as text, without the docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]
    return ast.dump(tree)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(
        getattr(statement.value, "value", None), str
    )
