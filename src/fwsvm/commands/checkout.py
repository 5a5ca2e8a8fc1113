"""Commands that work on the files of a checkout, which an installed package does not have."""

from pathlib import Path

from fwsvm.base.errors import UserError


def require_checkout(command, *paths):
    """Refuse to go on where a file or folder of the checkout is not below the working folder."""
    for path in paths:
        if not Path(path).exists():
            raise UserError(
                f"{path}: there is no such file or folder here; `fwsvm {command}` works on the files of a checkout "
                "(git clone), which an installed package does not have: run it in the folder of the checkout"
            )


def add_profile_options(parser):
    parser.add_argument("--profile", help="whose results, a folder of results/; default: demo")
    parser.add_argument("--config", metavar="FILE", help="the profile of this configuration")


def profile_of(args):
    """The profile that `add_profile_options` names."""
    from fwsvm.pipeline.config import check_name, load_config

    return check_name(args.profile or (load_config(args.config)["profile"] if args.config else "demo"))
