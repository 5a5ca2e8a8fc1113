"""The `fwsvm` command: train, predict, datasets, compare, claims, summary, report; budget, release, render."""

import argparse
import importlib
import os
import sys

from fwsvm.base.errors import UserError

COMMANDS = {
    "train": "train a model on a catalogue data set or a LIBSVM file",
    "predict": "predict with a trained model",
    "datasets": "list, fetch and describe the data sets of the catalogue",
    "compare": "Wilcoxon, Friedman and Holm tests on a table of results",
    "claims": "evaluate the papers' quantitative statements on released runs",
    "summary": "print the results of a run in one table",
    "budget": "count the runs of a configuration and their time",
    "report": "write the HTML report of a run",
    "release": "copy the results of a full run to where they are committed",
    "render": "all tables, figures and pages again from released runs",
}

_LESS_MEMORY = (
    "not enough memory. Take fewer points or features (largest index of a LIBSVM file, --features), or a smaller "
    "--cache-mb where the command has it."
)


def build_parser(selected=None):
    """Parser of the whole command line; only the selected sub-command's module is imported."""
    parser = argparse.ArgumentParser(prog="fwsvm", description="Frank-Wolfe kernel SVM training.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        sub = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == selected:
            importlib.import_module(f"fwsvm.commands.{name}").configure(sub)
    return parser


def main(argv=None):
    """Run one sub-command; returns the exit code (0 done, 2 the input was wrong, 130 interrupted)."""
    argv = sys.argv[1:] if argv is None else argv
    command = argv[0] if argv and argv[0] in COMMANDS else None
    try:
        args = build_parser(command).parse_args(argv)
        code = importlib.import_module(f"fwsvm.commands.{command}").run(args) or 0
        sys.stdout.flush()
        return code
    except UserError as error:
        message = str(error)
    except MemoryError as error:
        message = f"{_LESS_MEMORY}\n{error}".rstrip()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("fwsvm"):
            raise
        message = f"it needs {error.name}, which is not installed: pip install 'fwsvm[reproduce]'"
    except BrokenPipeError:  # what is still buffered goes nowhere at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a folder that cannot be made, a full disk
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    print(f"fwsvm {command}: error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
