"""Define the commands for configurations and results: `budget`, `release`, `render`, `report`,
`summary`, `verify`.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from fwsvm.inputs.errors import UserError
from fwsvm.inputs.files import check_output_folder
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.pipeline import budget as costs
from fwsvm_papers.pipeline import release as releases
from fwsvm_papers.pipeline.artefacts import (
    output_paths,
    read_inputs,
    released_inputs,
    write_all,
)
from fwsvm_papers.pipeline.config import check_config, check_name, load_config
from fwsvm_papers.pipeline.data import missing_sets
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.reporting.text import counted, listing
from fwsvm_papers.result_files import markdown_rows, write_atomically
from fwsvm_papers.site.build import check_gallery, write_gallery, write_site
from fwsvm_papers.site.comparison import answers
from fwsvm_papers.site.content import Content
from fwsvm_papers.site.pages import Pages
from fwsvm_papers.studies.benchmark.grid_ends import advice, ends_by_dataset
from fwsvm_papers.studies.summary.artefacts import summary_text

if TYPE_CHECKING:
    import argparse

DEFAULT_RUNS = "results/released"
DEFAULT_CONFIG = "config/paper.yaml"
SCHEMA = "workflow/schemas/config.schema.yaml"


def require_checkout(command: str, *paths: str | Path) -> None:
    """Raise an error if one of `paths` (parts of a checkout) is not in the working folder."""
    for path in paths:
        if not Path(path).exists():
            raise UserError(
                f"{path}: there is no such file or folder here; `fwsvm {command}` needs files that"
                " a checkout (git clone) has and an installed package does not: run this command"
                " in the folder of the checkout"
            )


def _require_config(path: str) -> None:
    """Raise an error that names the configurations here if there is nothing at `path`."""
    # for any other path, the error of the reader says what is wrong
    if not os.path.lexists(path) and len(os.path.basename(path)) < 256:
        known = [str(one) for folder in (".", "config") for one in Path(folder).glob("*.yaml")]
        names = [name for name in sorted(known) if name != "config/datasets.yaml"]
        raise UserError(f"{path}: there is no such configuration file; {did_you_mean(path, names)}")


def configure_budget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", default=DEFAULT_CONFIG, metavar="FILE", help="default: %(default)s"
    )
    parser.add_argument(
        "--results", metavar="DIR", help="results with measured times; default: results/<profile>"
    )
    columns = (
        f"columns by which jobs are grouped: one or more of {', '.join(costs.JOB)}; default:"
        " %(default)s"
    )
    parser.add_argument("--by", default="experiment,protocol", metavar="A,B", help=columns)
    least = "also estimate the least wall time on N cores, from measured times"
    parser.add_argument("--cores", type=int, metavar="N", help=least)
    parser.epilog = (
        "Run this command in a checkout. Data sets that an earlier run could not download are left"
        " out."
    )
    parser.set_defaults(run=_budget)


def _budget(args: argparse.Namespace) -> None:
    require_checkout("budget", DEFAULT_CONFIG, SCHEMA)
    _require_config(args.config)
    configuration = check_config(load_config(args.config), SCHEMA, args.config)
    results = args.results or f"results/{configuration.config['profile']}"
    by = [name.strip() for name in args.by.split(",")]
    if args.results and not Path(args.results).is_dir():
        raise UserError(f"--results {args.results}: there is no such folder")
    if repeated := [name for name in by if by.count(name) > 1]:
        raise UserError(f"--by: {repeated[0]!r} occurs more than once")
    if unknown := [name for name in by if name not in costs.JOB]:
        raise UserError(f"--by: {unknown[0]!r} is not one of {', '.join(costs.JOB)}")
    if args.cores is not None and args.cores < 1:
        raise UserError(f"--cores {args.cores}: at least 1 core is needed")
    table = costs.costs(configuration, results)
    print(costs.markdown(costs.summary(table, by), by))
    longest = table.groupby(["experiment", "dataset"])["job_s"].sum().max()
    total = table["job_s"].sum()
    if not total:
        print(
            f"\nNo times were measured in {results}; `--results results/released` uses the released"
            " ones."
        )
    elif args.cores:
        least = max(total / args.cores, longest)
        shared, alone = f"{least / 60:.0f} min", f"{total / 60:.0f} min"
        print(
            f"\nOn {args.cores} cores: at least {shared} if jobs run at the same time, {alone} if"
            " they take turns."
        )
    if missing := [name for name in configuration.datasets if name in missing_sets(results)]:
        print(
            f"\nNot counted: {', '.join(missing)} (an earlier run could not download their files)."
        )


def configure_release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--profile",
        default="paper",
        help="the profile (a folder in results/); default: %(default)s",
    )
    parser.add_argument(
        "--to", default="released", metavar="NAME", help="copy to results/NAME and figures/NAME"
    )
    parser.epilog = "Run this command in a checkout after the pipeline has finished."
    parser.set_defaults(run=_release)


def _release(args: argparse.Namespace) -> None:
    require_checkout("release", "results", "figures")
    check_gallery(f"figures/{args.to}")
    files = [*releases.release(args.profile, args.to), write_gallery(f"figures/{args.to}")]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} files, {size:.1f} MB, in results/{args.to} and figures/{args.to}")


def configure_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--released", default=DEFAULT_RUNS, metavar="DIR", help="default: %(default)s"
    )
    parser.add_argument(
        "--results", metavar="DIR", help="tables go to DIR/tables; default: the folder of the runs"
    )
    parser.add_argument(
        "--figures",
        metavar="DIR",
        help="default: the folder in figures/ with the name of the runs' folder",
    )
    parser.epilog = "Run this command in a checkout."
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
        # a png replaces the svg: delete the svg
        if path.suffix == ".png" and path.with_suffix(".svg") not in contents:
            path.with_suffix(".svg").unlink(missing_ok=True)
    for artefact_id, reason in reasons.items():
        if reason:
            for path in set(output_paths(artefact_id, results, figures)) - set(contents):
                path.unlink(missing_ok=True)
            print(f"skipped {artefact_id}: {reason}")
    write_gallery(figures)
    print(f"{len(contents)} files in {results / 'tables'} and {figures}")
    # the pages need the runs, and only the released folder has them
    if results == Path(args.released):
        print(f"browse  {write_site(results, figures, results / 'site').resolve().as_uri()}")


def _add_profile_options(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--profile", help="the profile to show (a folder in results/); default: demo"
    )
    source.add_argument("--config", metavar="FILE", help="show the profile of this configuration")
    parser.epilog = (
        "Run this command in a checkout after the pipeline. `--profile released` shows committed"
        " results."
    )


def _profile(args: argparse.Namespace) -> str:
    if args.config:
        _require_config(args.config)
    name = args.profile
    if name is None:
        name = load_config(args.config)["profile"] if args.config else "demo"
    check_name(name)
    folders = sorted(path.name for path in Path("results").glob("*/"))
    if folders and name not in folders:
        raise UserError(f"there is no folder results/{name}; {did_you_mean(name, folders)}")
    return name


def configure_report(parser: argparse.ArgumentParser) -> None:
    _add_profile_options(parser)
    parser.add_argument(
        "--docs", metavar="DIR", help="write the pages to DIR/report, with a link to DIR/index.html"
    )
    parser.set_defaults(run=_report)


def _report(args: argparse.Namespace) -> None:
    require_checkout("report", "results", "figures")
    profile = _profile(args)
    results, figures = Path("results", profile), Path("figures", profile)
    folder = Path(args.docs, "report") if args.docs else results / "site"
    option = f"--docs {args.docs}:" if args.docs else "report:"
    check_output_folder(folder, option, (results, figures))
    is_own = not args.docs and not folder.is_symlink()  # even if it is not complete
    if (
        not is_own
        and folder.is_dir()
        and any(folder.iterdir())
        and not (folder / "assets/site.js").is_file()
    ):
        raise UserError(f"{option} {folder} has files that are not a report; name another folder")
    page = write_site(results, figures, folder, "../index.html" if args.docs else "")
    print(f"browse  {(Path(args.docs, 'index.html') if args.docs else page).resolve().as_uri()}")


def configure_summary(parser: argparse.ArgumentParser) -> None:
    _add_profile_options(parser)
    parser.set_defaults(run=_summary)


def _summary(args: argparse.Namespace) -> None:
    profile = _profile(args)
    print(overview(f"results/{profile}", f"figures/{profile}", most_lines=float("inf")))
    print(*advice(ends_by_dataset(f"results/{profile}")), sep="\n")


def configure_verify(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "results", nargs="?", metavar="DIR", help="the results of a run, e.g. results/paper"
    )
    source.add_argument("--config", metavar="FILE", help="use the results of this configuration")
    parser.add_argument(
        "--released", default=DEFAULT_RUNS, metavar="DIR", help="default: %(default)s"
    )
    parser.add_argument("--show", action="store_true", help="list every number that is different")
    parser.epilog = (
        "The exit status is 1 if more than 1 % of the numbers are different. Times are not judged."
    )
    parser.set_defaults(run=_verify)


def _verify(args: argparse.Namespace) -> int:
    if args.config:
        _require_config(args.config)
    own = args.results or f"results/{load_config(args.config)['profile']}"
    require_checkout("verify", args.released)
    runs, released = (
        read_inputs({"runs": released_inputs(folder)["runs"]})["runs"]
        for folder in (own, args.released)
    )
    cells, pairs = releases.compare_runs(runs, released)
    print(
        f"{len(pairs)} of {len(runs)} runs in {own} have the same settings as a run in"
        f" {args.released}."
    )
    if cells.empty:
        print("There is nothing to compare.")
        return 0
    names, verdicts = list(releases.TOLERANCES), list(releases.VERDICTS)
    seconds = pairs.groupby("dataset")["time_ratio"].median()
    last = ("all", pairs["time_ratio"].median())
    rows = []
    for dataset, ratio in (*seconds.items(), last):
        own_cells = cells if dataset == "all" else cells[cells["dataset"] == dataset]
        counts = pd.crosstab(own_cells["verdict"], own_cells["column"]).reindex(
            verdicts, fill_value=0
        )
        limited = (own_cells["verdict"] == "at a limit").sum() // len(names)
        texts = [" / ".join(map(str, counts[name])).removesuffix(" / 0 / 0") for name in names]
        rows.append([dataset, *texts, limited, f"{ratio:.2f}"])
    print(
        f"Counts: {' / '.join(verdicts)} (one count if all are equal). CPU time: median ratio to"
        " released runs.\n"
    )
    print(
        markdown_rows(
            ["data set", *names, "at a limit", "time"], rows, "l" + "r" * (len(names) + 2)
        )
    )
    wrong, judged = cells[cells["verdict"] == "different"], cells["verdict"].isin(verdicts).sum()
    print(f"\n{len(wrong)} of {judged} numbers are different")
    if args.show and len(wrong):
        shown = [
            "experiment",
            "dataset",
            "protocol",
            "method",
            "task_size",
            "C",
            "column",
            "ours",
            "released",
        ]
        print(f"\n{wrong[shown].to_string(index=False)}")
    return int(len(wrong) > 0.01 * judged)


def overview(results: str | Path, figures: str | Path, most_lines: float = 60) -> str:
    """List the files of a run.

    If its summary has at most `most_lines` lines, put it and the main results first.
    """
    folder, figures = Path(results), Path(figures)
    files = released_inputs(folder)
    inputs = read_inputs({name: files[name] for name in ("runs", "descriptions")})
    try:
        summary = summary_text(inputs["runs"], inputs["descriptions"])
    except NotDrawableError as error:
        summary = f"no summary: it {error}"
    content = Content(folder, figures)
    lines = [summary, "", *_outcome(content)] if summary.count("\n") < most_lines else []
    page = folder / "site/index.html"
    tables = folder / "tables"
    drawn = [one for variants in content.drawn.values() for one in variants]
    charts = sum(one.data.kind == "figure" for one in drawn)
    lines += ["", f"browse     {page.resolve().as_uri()}"] if page.is_file() else [""]
    lines.append(
        f"tables     {len(drawn) - charts} in {tables}; the summary is {tables / 'summary.md'}"
    )
    lines += (
        [f"figures    {charts} in {figures}; the list is {figures / 'README.md'}"] if charts else []
    )
    lines.append(f"runs       {len(inputs['runs']):,} in {files['runs']}")
    if content.skipped:
        lines.append(
            f"not drawn  {len(content.skipped)} tables or figures without data; the file of each"
            " gives the reason"
        )
    return "\n".join(lines)


def _outcome(content: Content) -> list[str]:
    """Compare FW with CVM on the first three data sets, and count the papers' statements that
    are reproduced; next to a small run's count is that of the released run.
    """
    pages, lines = Pages(content), []
    for name, rows in list(pages.table.groupby("dataset", sort=False))[:3]:
        times = rows.drop_duplicates("method").set_index("method")["printed_time"]
        for place, (words, fast, own, cvm) in enumerate(answers(rows, "fw")[:3]):
            printed = (
                f" (printed {times['cvm'] / times['fw']:.2g})"
                if times["cvm"] * times["fw"] > 0
                else ""
            )
            if place:
                lines.append(f"  {words}: {fast} as fast{_far(FW=own, CVM=cvm)}")
            else:
                lines.append(
                    f"{name}, {words}: FW is {fast} as fast as CVM{printed}{_far(FW=own, CVM=cvm)}"
                )
                accuracies = own["accuracy"], cvm["accuracy"]
                lines.append("  accuracy: FW {:.1f} %, CVM {:.1f} %".format(*accuracies))
    return [*lines, *_statements(pages.claims)]


def _far(**rows: dict) -> str:
    """Name the methods that stopped at a relative gap above 1."""
    far = [label for label, row in rows.items() if row["relative_gap"] > 1]
    return f"; {listing(far)} stopped far from the optimum" if far else ""


def _statements(claims: list[dict]) -> list[str]:
    """Count the statements that a run reproduces, and compare it with the released run."""
    tested = [claim for claim in claims if claim["verdict"] != "not run"]
    if not tested:
        return []
    count = sum(claim["verdict"] == "reproduced" for claim in tested)
    line = f"reproduced: {count} of the {len(tested)} statements that this run can test"
    released = [dict(claim["beside"]).get("released run") for claim in tested]
    known = [verdict for verdict in released if verdict]
    if not known:
        return [line]
    differing = sum(claim["differs"] for claim in tested)
    return [
        f"{line}; released run: {known.count('reproduced')} of these {len(known)}",
        f"  {counted(differing, 'verdict')} differ{'s' * (differing == 1)} from the released run,"
        " because this run is small; the released ones count",
    ]
