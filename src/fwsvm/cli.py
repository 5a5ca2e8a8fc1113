"""Run the command line of `fwsvm`. `COMMANDS` lists its sub-commands."""

import argparse
import importlib
import os
import shlex
import sys
from importlib import metadata

from fwsvm.base.errors import UserError, for_terminal, print_all_letters

COMMANDS = {  # name -> (function in `fwsvm.commands`, help text)
    "train": ("train.configure", "train a model on a catalogue data set or a LIBSVM file"),
    "predict": ("predict.configure", "predict with a trained model"),
    "datasets": ("datasets.configure", "list, fetch and describe the data sets of the catalogue"),
    "compare": ("compare.configure", "compare the columns of a table of results by rank tests (Wilcoxon, Friedman)"),
    "claims": ("claims.configure", "evaluate the papers' quantitative statements on released runs"),
    "summary": ("results.configure_summary", "print the results of a run in one table"),
    "budget": ("results.configure_budget", "count the runs of a configuration and estimate their time"),
    "report": ("results.configure_report", "write the HTML report of a run"),
    "verify": ("results.configure_verify", "compare the results of a run with the released ones"),
    "clean": ("clean.configure", "remove the results of one profile, or the prepared data of one data set"),
    "release": ("results.configure_release", "copy the results of a full run to the committed folders"),
    "render": ("results.configure_render", "write all tables, figures and pages again from released runs"),
}


class _Parser(argparse.ArgumentParser):
    """Shorten long words of the command line in error messages."""

    def error(self, message):
        super().error(for_terminal(message))


def build_parser(selected=None):
    """Build the parser of the whole command line, but import only the module of the selected sub-command."""
    parser = _Parser(prog="fwsvm", description="Frank-Wolfe kernel SVM training.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (place, summary) in COMMANDS.items():
        sub = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == selected:
            module, function = place.split(".")
            getattr(importlib.import_module(f"fwsvm.commands.{module}"), function)(sub)
    return parser


def main(argv=None):
    """Run one sub-command and return the exit code (0: done, 1: results differ, 2: wrong input, 130: interrupted)."""
    print_all_letters()
    argv = sys.argv[1:] if argv is None else argv
    command = argv[0] if argv and argv[0] in COMMANDS else None
    try:
        if (threads := os.environ.get("NUMBA_NUM_THREADS", "1")).startswith(("0", "-")):  # numba refuses numbers < 1
            raise UserError(f"NUMBA_NUM_THREADS must be at least 1, got {threads}")
        args = build_parser(command).parse_args(argv)
        code = args.run(args) or 0
        sys.stdout.flush()
        return code
    except UserError as error:
        message = str(error)
    except MemoryError as error:
        message = f"not enough memory; use fewer points or features, or a smaller --cache-mb: {error}"
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("fwsvm"):
            raise
        message = f"this command needs {error.name}, which is not installed; run {_installation()}"
    except BrokenPipeError:  # write nothing more to the closed pipe at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # for example, a folder cannot be made or the disk is full
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print(f"fwsvm {command}: error: {for_terminal(message)}", file=sys.stderr)
    return 2


def _installation():
    """Return the command that installs the packages of the extra `reproduce`, with or without a checkout."""
    lines = [line.partition(";") for line in metadata.requires("fwsvm") or ()]
    packages = [name.strip() for name, _, condition in lines if "reproduce" in condition]
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])


if __name__ == "__main__":
    sys.exit(main())
