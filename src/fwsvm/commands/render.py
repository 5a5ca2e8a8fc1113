"""`fwsvm render`: all tables, figures and pages again from released runs alone, without data or training."""

import tempfile
from pathlib import Path

from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.artefacts import output_paths, write_all
from fwsvm.pipeline.inputs import read_inputs, released_inputs
from fwsvm.pipeline.release import check_sizes, figures_to_release, write_files
from fwsvm.site.build import write_gallery, write_site

DEFAULT_RUNS = "results/released"


def configure(parser):
    parser.add_argument("--released", default=DEFAULT_RUNS, metavar="DIR", help="default: %(default)s")
    parser.add_argument("--results", metavar="DIR", help="tables go to DIR/tables; default: the folder of the runs")
    parser.add_argument("--figures", default="figures/released", metavar="DIR", help="default: %(default)s")
    parser.epilog = "To be run in the checkout."


def run(args):
    """Draw, write, and print what was written."""
    if args.released == DEFAULT_RUNS:
        require_checkout("render", DEFAULT_RUNS)
    inputs = read_inputs(released_inputs(args.released)) | {"released": args.released == DEFAULT_RUNS}
    to_results = Path(args.results or args.released)
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder)
        _, skipped = write_all(inputs, drawn / "results", drawn / "figures", n_jobs=-1)
        contents = {
            to_results / path.relative_to(drawn / "results"): path.read_bytes()
            for path in (drawn / "results").rglob("*.*")
        }
        contents |= {
            Path(args.figures, name): content for name, content in figures_to_release(drawn / "figures").items()
        }
    check_sizes(contents)
    write_files(contents)
    for path in contents:
        if path.suffix == ".png" and path.with_suffix(".svg") not in contents:  # one that has become too large
            path.with_suffix(".svg").unlink(missing_ok=True)
    for artefact_id, reason in skipped.items():
        for path in output_paths(artefact_id, to_results, args.figures):
            path.unlink(missing_ok=True)
        print(f"skipped {artefact_id}: {reason}")
    write_gallery(args.figures)
    print(f"{len(contents)} files in {to_results / 'tables'} and {args.figures}")
    if to_results == Path(args.released):  # where the runs are, which the pages show too
        print(f"pages to browse: {write_site(to_results, args.figures, to_results / 'site')}")
