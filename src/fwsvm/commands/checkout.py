"""Commands that work on the files of a checkout, which an installed package does not have."""

from pathlib import Path

from fwsvm.base.errors import UserError


def require_checkout(command, *paths):
    """Refuse to go on where a file or folder of the checkout is not below the working folder.

    Raises
    ------
    UserError
        Names the first that is missing, and where to run the command.
    """
    for path in paths:
        if not Path(path).exists():
            raise UserError(
                f"{path}: there is no such file or folder here; `fwsvm {command}` works on the files of a checkout "
                "(git clone), an installed package does not hold them: run it in the folder of the checkout"
            )
