"""`fwsvm report`: the HTML report of a run."""

from pathlib import Path

from fwsvm.commands.checkout import require_checkout
from fwsvm.pipeline.config import check_name, load_config
from fwsvm.site.build import write_site


def configure(parser):
    """Declare the arguments of the command on an `argparse.ArgumentParser`."""
    parser.add_argument("--profile", help="whose results, a folder of results/; default: demo")
    parser.add_argument("--config", metavar="FILE", help="the profile of this configuration")
    parser.epilog = "To be run in the checkout, after the pipeline; `--profile released` reports the committed results."


def run(args):
    """Write the site and say where it is. Returns 0."""
    require_checkout("report", "results", "figures")
    profile = check_name(args.profile or (load_config(args.config)["profile"] if args.config else "demo"))
    results = Path("results", profile)
    entry = write_site(results, Path("figures", profile), results / "site")
    print(f"pages to browse: {entry}")
    return 0
