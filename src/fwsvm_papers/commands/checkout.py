"""Checks for commands that need a checkout of the repository: whether files and a configuration
exist, and which profile is chosen.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import UserError
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.pipeline.config import check_name, load_config

if TYPE_CHECKING:
    import argparse

DEFAULT_RUNS = "results/released"
SCHEMA = "workflow/schemas/config.schema.yaml"


def require_checkout(command: str, *paths: str | Path) -> None:
    """Raise a UserError if the current folder lacks one of `paths`, which are files or folders of a
    checkout.
    """
    for path in paths:
        if not Path(path).exists():
            raise UserError(
                f"{path}: there is no such file or folder here. `fwsvm {command}` needs files of"
                " the repository that the installed package does not contain. Run the command in"
                " the folder of a git clone"
            )


def require_config(path: str) -> None:
    """Raise a UserError that lists existing configurations if there is no file at `path`."""
    # In two other cases, the function that reads the file raises an error with the reason: `path`
    # exists but is not a configuration, or the file name has more than 255 characters.
    if not os.path.lexists(path) and len(os.path.basename(path)) < 256:
        known = [str(one) for folder in (".", "config") for one in Path(folder).glob("*.yaml")]
        names = [name for name in sorted(known) if name != "config/datasets.yaml"]
        raise UserError(f"{path}: there is no such configuration file; {did_you_mean(path, names)}")


def add_profile_options(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--profile", help="the profile to show (a folder in results/); default: demo"
    )
    source.add_argument("--config", metavar="FILE", help="show the profile of this configuration")
    parser.epilog = (
        "Run this command in a checkout (a git clone), after the pipeline has finished. `--profile"
        " released` shows the released results, which are part of the repository."
    )


def chosen_profile(args: argparse.Namespace) -> str:
    """Return the name of the profile that the options `--profile` and `--config` select."""
    if args.config:
        require_config(args.config)
    name = args.profile
    if name is None:
        name = load_config(args.config)["profile"] if args.config else "demo"
    check_name(name)
    folders = sorted(path.name for path in Path("results").glob("*/"))
    if folders and name not in folders:
        raise UserError(f"there is no folder results/{name}; {did_you_mean(name, folders)}")
    return name
