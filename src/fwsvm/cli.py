"""The command line of `fwsvm`.

`COMMANDS` lists the sub-commands of this package. The sub-commands of `fwsvm_papers` are also
available if the packages that `fwsvm_papers` needs are installed. The versions of `train` and
`predict` in `fwsvm_papers` also accept the names of data sets.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import importlib
import json
import os
import re
import shlex
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from fwsvm import __version__
from fwsvm.inputs.errors import UserError, for_terminal, print_all_letters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# For each sub-command: the path of the function that adds its options, and its help text.
COMMANDS = {
    "train": ("fwsvm.commands.train.configure", "train a model on a LIBSVM file"),
    "predict": ("fwsvm.commands.predict.configure", "predict with a trained model"),
}
# The module `_OTHERS` is imported by name at run time, because `fwsvm` must also work without
# `fwsvm_papers`.
_OTHERS = "fwsvm_papers.commands"


class _Parser(argparse.ArgumentParser):
    """A parser that accepts only whole names of options. Its error messages are short, without the
    list of all options.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            option = next((each for each in unknown if each.startswith("--")), "").partition("=")[0]
            similar = _similar(option, self._option_string_actions)
            advice = f"; did you mean {similar}?" if similar else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{advice}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        hint = f"`{self.prog} --help` shows how to write the command"
        self.exit(2, f"{self.prog}: error: {for_terminal(message)}; {hint}\n")


def commands() -> dict[str, tuple[str, str]]:
    """Return the available sub-commands by name, in the form of `COMMANDS`.

    If the packages that `fwsvm_papers` needs are installed, return the sub-commands of
    `fwsvm_papers`. They include other versions of `train` and `predict`. Otherwise, return
    `COMMANDS`.
    """
    return COMMANDS if _lacks_packages() else _all_commands()


def _all_commands() -> dict[str, tuple[str, str]]:
    """Return the sub-commands of `fwsvm_papers`, even if packages that they need are not installed.
    Return `COMMANDS` if there is no `fwsvm_papers`.
    """
    try:
        others: dict[str, tuple[str, str]] = importlib.import_module(_OTHERS).COMMANDS
        return others
    except ModuleNotFoundError as error:
        if error.name is None or not _OTHERS.startswith(error.name):
            raise
        return COMMANDS


def _lacks_packages() -> bool:
    """Test whether at least one package of the extra `papers` is not installed."""
    try:
        lines = metadata.requires("fwsvm") or ()
    except metadata.PackageNotFoundError:  # the package is used without installation
        return False
    for line in lines:
        package, _, condition = line.partition(";")
        if re.search(r"extra == .papers\b", condition):
            try:
                metadata.distribution(re.split(r"[^\w.-]", package, maxsplit=1)[0])
            except metadata.PackageNotFoundError:
                return True
    return False


def build_parser(selected: str | None = None) -> argparse.ArgumentParser:
    """Build the parser of the whole command line. So that the command starts quickly, import only
    the module of the sub-command `selected`, or no module if `selected` is None. If `selected` is
    not an available sub-command, raise a UserError.
    """
    known = commands()
    others = (
        None
        if known is not COMMANDS
        else f"For the papers' data sets and experiments, run: {_installation()}"
    )
    parser = _Parser(
        prog="fwsvm",
        description="Frank-Wolfe kernel SVM training.",
        epilog=others,
        formatter_class=argparse.RawDescriptionHelpFormatter,  # do not wrap a command
    )
    parser.add_argument("--version", action="version", version=f"fwsvm {__version__}")
    if selected is not None and selected not in known:
        installed = f"the installed commands are {', '.join(known)}"
        if selected in _all_commands():
            raise UserError(f"this command is not installed; {installed}. {others}")
        similar = _similar(selected, known)
        advice = f"did you mean {similar!r}?" if similar else installed
        raise UserError(f"there is no command {selected!r}; {advice}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (place, summary) in known.items():
        sub = subparsers.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + "."
        )
        if name == selected:
            module, _, function = place.rpartition(".")
            getattr(importlib.import_module(module), function)(sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command and return the exit code.

    * 0: the command succeeded, or the program that read its output closed the pipe.
    * 1: `fwsvm verify` found too many results that differ from the released results.
    * 2: the command failed, for example because the input is wrong or a download failed.
    * 130: the user interrupted the command.

    If options are wrong, or with `--help` or `--version`, argparse raises SystemExit instead, with
    the code 2 or 0.
    """
    print_all_letters()
    argv = sys.argv[1:] if argv is None else argv
    command = argv[0] if argv and not argv[0].startswith("-") else None
    try:
        # with a value below 1, the import of numba fails
        if (threads := os.environ.get("NUMBA_NUM_THREADS", "1")).startswith(("0", "-")):
            raise UserError(f"NUMBA_NUM_THREADS must be at least 1, got {threads}")
        args = build_parser(command).parse_args(argv)
        code = args.run(args) or 0
        sys.stdout.flush()
        return code
    except UserError as error:
        message = str(error)
    except MemoryError as error:
        cause = f" ({error})" if str(error) else ""
        message = (
            f"not enough memory{cause}; use fewer points, fewer features or a smaller --cache-mb"
        )
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("fwsvm"):
            raise
        message = f"this command needs {error.name}, which is not installed; run {_installation()}"
    except BrokenPipeError:  # the program that read the output closed the pipe
        _discard_output()
        return 0
    except OSError as error:  # for example, the disk is full
        # the error of a full disk does not name the file
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        place = error.filename or (is_full and "standard output or a file cannot be written")
        message = f"{place}: {error.strerror}" if place else str(error.strerror or error)
        try:
            sys.stdout.flush()
        except OSError:
            _discard_output()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print(f"fwsvm {command}: error: {for_terminal(message)}", file=sys.stderr)
    return 2


def _similar(word: str, known: Iterable[str]) -> str:
    """Return the most similar word in `known`, or "" if no word is similar. The case of letters and
    hyphens at the beginning do not count.
    """
    plain = {each.lstrip("-").lower(): each for each in known}
    close = difflib.get_close_matches(word.lstrip("-").lower(), plain, n=1)
    return plain[close[0]] if close else ""


def _discard_output() -> None:
    """Discard what is left of the standard output. Otherwise, Python would try to write it at exit,
    and fail again.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _installation() -> str:
    """Return the pip command that installs the extra `papers`.

    If this file is in a checkout of the repository, the command installs from the checkout.
    Otherwise, it installs from the address from which this package was installed, or from the
    package index.
    """
    checkout = Path(__file__).parents[2]
    is_checkout = (checkout / "pyproject.toml").is_file()
    source = (
        ["-e", f"{checkout}[papers]"]
        if is_checkout
        else [f"fwsvm[papers]{_address_of_installation()}"]
    )
    return shlex.join([sys.executable, "-m", "pip", "install", *source])


def _address_of_installation() -> str:
    """Return the address from which this package was installed, as " @ ADDRESS" for pip.

    Return "" if the package was installed from a package index or is not installed.
    """
    try:
        found = json.loads(metadata.distribution("fwsvm").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return ""
    if "url" not in found:
        return ""
    version = found.get("vcs_info")
    return " @ " + (
        f"{version['vcs']}+{found['url']}@{version['commit_id']}" if version else found["url"]
    )


if __name__ == "__main__":
    sys.exit(main())
