"""The check of the studies that are about two classes."""

from fwsvm.base.errors import DataError


def require_two_classes(prepared, study):
    """Refuse a data set of another number of classes.

    Parameters
    ----------
    prepared : Prepared
    study : str
        Name of the study, and of its section in the configuration.

    Raises
    ------
    DataError
        It says which lists of the configuration to mend.
    """
    name, classes = prepared.meta["name"], len(prepared.meta["classes"])
    if classes != 2:
        raise DataError(f"{name} has {classes} classes, but {study} is about two; take it out of the study's lists")
