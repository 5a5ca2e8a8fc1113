"""`fwsvm release`: copy the results of a full run to where they are committed."""

from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.release import release
from fwsvm.site.build import write_gallery


def configure(parser):
    parser.add_argument("--profile", default="paper", help="whose results and figures; default: %(default)s")
    parser.add_argument("--to", default="released", metavar="NAME", help="folder below results and figures")
    parser.epilog = "To be run in the checkout, after the pipeline."


def run(args):
    """Copy, and print what was copied."""
    require_checkout("release", "results", "figures")
    files = [*release(args.profile, args.to), write_gallery(f"figures/{args.to}")]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} files, {size:.1f} MB, in results/{args.to} and figures/{args.to}")
