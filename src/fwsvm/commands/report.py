"""`fwsvm report`: the HTML report of a run."""

from pathlib import Path

from fwsvm.commands.checkout import add_profile_options, profile_of, require_checkout
from fwsvm.site.build import write_site


def configure(parser):
    add_profile_options(parser)
    parser.epilog = "To be run in the checkout, after the pipeline; `--profile released` reports the committed results."


def run(args):
    """Write the pages and print where they are."""
    require_checkout("report", "results", "figures")
    profile = profile_of(args)
    results = Path("results", profile)
    print(f"pages to browse: {write_site(results, Path('figures', profile), results / 'site')}")
