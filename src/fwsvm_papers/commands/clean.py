"""The command `fwsvm clean`, which removes the results of one profile, or the prepared arrays of
one data set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fwsvm_papers.pipeline import cleaning

if TYPE_CHECKING:
    import argparse

EPILOG = (
    "Run this command in the folder that contains results/. With --profile, prepared data of the"
    " profile are also removed, unless another profile uses them. Temporary files of killed"
    " processes are removed from the folder of the data if they have not changed for an hour."
    " Downloaded files and the committed results (the profile released) are never removed."
)


def configure(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--profile", metavar="NAME", help="remove results/NAME and figures/NAME")
    chosen.add_argument(
        "--dataset", metavar="NAME", help="remove the prepared data of this data set"
    )
    parser.add_argument(
        "--data-dir", default="data", metavar="DIR", help="folder of the data; default: %(default)s"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only list what this command would remove"
    )
    parser.epilog = EPILOG
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    cleaning.check_unlocked()
    if args.profile is not None:
        folders, shared = cleaning.of_profile(args.profile, args.data_dir)
    else:
        folders, shared = cleaning.of_dataset(args.dataset, args.data_dir), {}
    # Temporary files come first, because a folder is only removed if it has no other files.
    folders = [*cleaning.unfinished(args.data_dir), *folders]
    verb, total = "would remove" if args.dry_run else "removed", 0
    for folder in folders:
        size = cleaning.size(folder)
        if not args.dry_run:
            cleaning.remove(folder)
        print(f"{verb}  {_megabytes(size)}  {folder}", flush=True)
        total += size
    for folder, users in shared.items():
        print(f"kept  {folder}: also used by {', '.join(users)}")
    print(f"{verb}  {_megabytes(total)}  in all")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:8,.1f} MB"
