"""The data for `fwsvm train` and `fwsvm predict`: LIBSVM files, or data sets of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fwsvm.commands import predict, train
from fwsvm.commands.data import Data, Files, check_features, widened
from fwsvm.inputs.errors import UserError
from fwsvm_papers.datasets import load_catalogue, load_dataset
from fwsvm_papers.datasets.catalogue import LISTING, catalogue_path
from fwsvm_papers.datasets.entries import required_files
from fwsvm_papers.datasets.prepare import PREPARED, RAW
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.datasets.storage import prepared_files

if TYPE_CHECKING:
    import argparse


class FilesAndCatalogue(Files):
    """Options and functions for data that are in the catalogue or in LIBSVM files."""

    what = "name of a data set in the catalogue, or a LIBSVM file"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--catalogue",
            metavar="FILE",
            help="catalogue of data sets; default: config/datasets.yaml or, without this file, the"
            " catalogue of the package",
        )
        parser.add_argument(
            "--data-dir",
            default="data",
            metavar="DIR",
            help="folder of the data; default: %(default)s",
        )
        parser.add_argument(
            "--mirror",
            metavar="DIR|URL",
            help="folder or base URL that is searched for files before they are downloaded from"
            " their source; default: $FWSVM_MIRROR",
        )

    def inputs(self, args: argparse.Namespace) -> list[str | Path]:
        return files_of(args.data, args.catalogue, args.data_dir)

    def hint(self, args: argparse.Namespace) -> str:
        similar = did_you_mean(args.data, load_catalogue(args.catalogue), LISTING)
        return f"{args.data!r} is neither a file nor a data set in the catalogue; {similar}"

    def load(self, args: argparse.Namespace, features: int | None = None) -> Data:
        check_features(args.features)
        catalogue = load_catalogue(args.catalogue)
        if args.data not in catalogue:
            if (
                args.mirror is not None
                and Path(args.data).exists()
                and not Path(args.data).is_dir()
            ):
                raise UserError(
                    f"--mirror can only be used for data sets of the catalogue, but {args.data} is"
                    " a file"
                )
            return super().load(args, features)
        if Path(args.data).is_file():
            raise UserError(
                f"{args.data!r} is a file in this folder and also a data set of the catalogue. For"
                f" the file, write ./{args.data}. For the data set, rename the file, or run the"
                " command in another folder"
            )
        if args.features is not None:
            raise UserError(
                f"--features can only be used for LIBSVM files, but {args.data} is a data set of"
                " the catalogue"
            )
        prepared = load_dataset(args.data, catalogue, data_dir=args.data_dir, mirror=args.mirror)
        classes = np.asarray(prepared.meta["classes"])
        X_test = prepared.X_test if len(prepared.y_test) else None
        source = catalogue[args.data].source
        is_libsvm = source.kind == "files" and source.format == "libsvm"
        X_train, X_test = (
            widened(X, features) if is_libsvm else X for X in (prepared.X_train, X_test)
        )
        labels = classes[prepared.y_train], classes[prepared.y_test]
        return Data(
            X_train, labels[0], X_test, labels[1], is_libsvm, prepared.meta["scaling"]["method"]
        )


def configure_train(parser: argparse.ArgumentParser) -> None:
    train.configure(parser, FilesAndCatalogue())


def configure_predict(parser: argparse.ArgumentParser) -> None:
    predict.configure(parser, FilesAndCatalogue())


def files_of(
    name: str, catalogue: str | Path | None = None, data_dir: str | Path = "data"
) -> list[str | Path]:
    """List the paths that are read for the argument DATA, which is a file or the name of a data
    set. For a data set, the paths include the catalogue and the files of the data set.

    The list also has the folders of raw and prepared data, since files of the data set can be
    stored in these folders later.
    """
    found: list[str | Path] = [
        name,
        catalogue_path(catalogue),
        *(Path(data_dir, part) for part in (RAW, PREPARED)),
    ]
    entries = load_catalogue(catalogue)
    if name in entries:
        files = required_files(entries[name], entries).values()
        found += [file.location(Path(data_dir, RAW)) for file in files]
        found += prepared_files(Path(data_dir, PREPARED, name))
    return found
