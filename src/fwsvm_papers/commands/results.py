"""The commands `fwsvm release`, `fwsvm render` and `fwsvm report`. From finished runs, they write a
release, all tables and figures, or the report.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import UserError
from fwsvm.inputs.files import check_output_folder
from fwsvm_papers.commands.checkout import (
    DEFAULT_RUNS,
    SCHEMA,
    add_profile_options,
    chosen_profile,
    require_checkout,
)
from fwsvm_papers.pipeline import release as releases
from fwsvm_papers.pipeline.artefacts import (
    output_paths,
    read_inputs,
    released_inputs,
    write_all,
)
from fwsvm_papers.pipeline.config import DEFAULT_CONFIG, RELEASED, check_config, load_config
from fwsvm_papers.result_files import write_atomically
from fwsvm_papers.site.build import check_gallery, write_gallery, write_site

if TYPE_CHECKING:
    import argparse


_RENDER = "`fwsvm render`"  # galleries name this command as their writer


def configure_release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        default="paper",
        help="the profile (a folder in results/); default: %(default)s",
    )
    parser.add_argument(
        "--to",
        default=RELEASED,
        metavar="NAME",
        help="copy to results/NAME and figures/NAME; default: %(default)s",
    )
    parser.epilog = (
        "Run this command in a checkout (a git clone), after the pipeline has finished. The files"
        " of an earlier release in the two folders are replaced or deleted. The committed folders"
        f" results/{RELEASED} and figures/{RELEASED} are only replaced by the complete run of"
        f" {DEFAULT_CONFIG}."
    )
    parser.set_defaults(run=_release)


def _release(args: argparse.Namespace) -> None:
    require_checkout("release", "results", "figures")
    check_gallery(f"figures/{args.to}")
    complete = None
    if Path("results", args.to).resolve() == Path("results", RELEASED).resolve():
        require_checkout("release", DEFAULT_CONFIG, SCHEMA)
        complete = check_config(load_config(), SCHEMA, DEFAULT_CONFIG)
    written = releases.release(args.profile, args.to, complete)
    files = [*written, write_gallery(f"figures/{args.to}", by=_RENDER)]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} files, {size:.1f} MB, in results/{args.to} and figures/{args.to}")


def configure_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--released",
        default=DEFAULT_RUNS,
        metavar="DIR",
        help="the folder of the runs; default: %(default)s",
    )
    parser.add_argument(
        "--results",
        metavar="DIR",
        help="write the tables to DIR/tables; default: the folder of the runs",
    )
    parser.add_argument(
        "--figures",
        metavar="DIR",
        help="write the figures to DIR; default: figures/NAME, where NAME is the name of the folder"
        " of the runs",
    )
    parser.epilog = "Run this command in a checkout (a git clone)."
    parser.set_defaults(run=_render)


def _render(args: argparse.Namespace) -> None:
    if args.released == DEFAULT_RUNS:
        require_checkout("render", DEFAULT_RUNS)
    files = released_inputs(args.released)
    results = Path(args.results or args.released)
    figures = Path(args.figures or Path("figures", Path(args.released).resolve().name))
    read = [
        path for found in files.values() for path in ([found] if isinstance(found, str) else found)
    ]
    check_output_folder(results / "tables", "--results", read)
    check_output_folder(figures, "--figures", read)
    check_gallery(figures)
    inputs = read_inputs(files) | {"released": args.released == DEFAULT_RUNS}
    with tempfile.TemporaryDirectory() as folder:
        reasons = write_all(inputs, Path(folder, "results"), Path(folder, "figures"), n_jobs=-1)
        tables = releases.tables_to_release(Path(folder, "results/tables"))
        drawn = releases.figures_to_release(Path(folder, "figures"))
    contents = {results / "tables" / name: content for name, content in tables.items()}
    contents |= {figures / name: content for name, content in drawn.items()}
    releases.check_sizes(contents)
    for path, content in contents.items():
        write_atomically(path, content)
        # If a figure was written as a png file, an older svg file of the same figure is deleted.
        if path.suffix == ".png" and path.with_suffix(".svg") not in contents:
            path.with_suffix(".svg").unlink(missing_ok=True)
    for artefact_id, reason in reasons.items():
        if reason:
            for path in set(output_paths(artefact_id, results, figures)) - set(contents):
                path.unlink(missing_ok=True)
            print(f"skipped {artefact_id}: {reason}")
    write_gallery(figures, by=_RENDER)
    print(f"{len(contents)} files in {results / 'tables'} and {figures}")
    # The pages of the report need the table of runs, which exists only in the folder
    # `args.released`. So the pages are written only if the tables are written to this folder, too.
    if results == Path(args.released):
        print(f"browse  {write_site(results, figures, results / 'site').resolve().as_uri()}")


def configure_report(parser: argparse.ArgumentParser) -> None:
    add_profile_options(parser)
    parser.add_argument(
        "--docs", metavar="DIR", help="write the pages to DIR/report, with a link to DIR/index.html"
    )
    parser.set_defaults(run=_report)


def _report(args: argparse.Namespace) -> None:
    require_checkout("report", "results", "figures")
    profile = chosen_profile(args)
    results, figures = Path("results", profile), Path("figures", profile)
    folder = Path(args.docs, "report") if args.docs else results / "site"
    option = f"--docs {args.docs}:" if args.docs else "report:"
    check_output_folder(folder, option, (results, figures))
    # The folder results/PROFILE/site contains only files of a report. It can be replaced even if
    # the old report is incomplete.
    is_own = not args.docs and not folder.is_symlink()
    if (
        not is_own
        and folder.is_dir()
        and any(folder.iterdir())
        and not (folder / "assets/site.js").is_file()
    ):
        raise UserError(
            f"{option} {folder} has files that do not belong to a report and would be removed; name"
            " another folder"
        )
    page = write_site(results, figures, folder, "../index.html" if args.docs else "")
    print(f"browse  {(Path(args.docs, 'index.html') if args.docs else page).resolve().as_uri()}")
