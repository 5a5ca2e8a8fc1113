"""A data set in the plane: its first two principal components, coloured by class."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import scipy.sparse
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from sklearn.decomposition import PCA

from fwsvm.base.errors import ConfigError
from fwsvm.base.result_files import write_atomically
from fwsvm.datasets.sources import LEAST_PER_CLASS, subset_rows
from fwsvm.datasets.storage import Prepared
from fwsvm.reporting.style import MUTED, figure_style

MOST_POINTS = 3000
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D1F")
_MARKERS = ("o", "^", "s", "v")
_HALO = [withStroke(linewidth=2.5, foreground="white")]
_ROWS = 13


def draw_dataset(prepared: Prepared, title: str = "") -> Figure:
    """Draw the training points, at most `MOST_POINTS` of them, the same ones each time.

    The classes keep their shares, and two points each at least. The components are those of the drawn points;
    a set of two features is drawn as it is. With more than two classes, each has its label at its median.

    Parameters
    ----------
    title : str
        By default the name of the data set.

    Returns
    -------
    matplotlib Figure
        Colours of Okabe and Ito first, then the same with other markers.
    """
    meta = prepared.meta
    size = max(MOST_POINTS, LEAST_PER_CLASS * meta["K"])
    rows, _ = subset_rows(meta["name"], prepared.y_train, prepared.y_test, {"train": size})
    points, labels = _plane(prepared.X_train[rows])
    codes = np.asarray(prepared.y_train)[rows]
    with figure_style():
        fig = Figure(figsize=(5.2, 3.6))
        axes = fig.add_axes((0.125, 0.12, 0.58, 0.77))
        handles = []
        marks = 22 if len(rows) < 500 else 9
        for code in np.argsort(-np.bincount(codes, minlength=meta["K"]), kind="stable"):
            colour, marker = _COLOURS[code % 8], _MARKERS[code // 8 % 4]
            x, y = points[codes == code].T
            axes.scatter(x, y, s=marks, color=colour, marker=marker, alpha=0.65, linewidths=0)
        for code in range(meta["K"]) if meta["K"] > 2 else ():
            middle = np.median(points[codes == code], axis=0)
            axes.text(*middle, meta["classes"][code], weight="bold", ha="center", va="center", path_effects=_HALO)
        for code in range(meta["K"]):
            text = f"{meta['classes'][code]}  ({meta['class_counts']['train'][code]:,})"
            style = {"color": _COLOURS[code % 8], "marker": _MARKERS[code // 8 % 4], "linestyle": "none"}
            handles.append(Line2D([], [], label=text, **style))
        axes.set(xlabel=labels[0], ylabel=labels[1])
        axes.set_title(title or meta["name"], loc="left")
        legend = fig.legend(
            handles=handles,
            title="class (training points)",
            loc="upper left",
            bbox_to_anchor=(0.715, 0.91),
            ncols=1 + (len(handles) > _ROWS),
            handletextpad=0.2,
            columnspacing=0.8,
            borderaxespad=0.0,
            alignment="left",
            fontsize=7.5 if len(handles) <= _ROWS else 6,
        )
        legend.get_title().set_fontsize(7.5)
        drawn = f"{len(rows):,} of {meta['m']:,} drawn" if len(rows) < meta["m"] else f"all {meta['m']:,} drawn"
        fig.text(0.72, 0.045, drawn, color=MUTED, fontsize=7.5)
    return fig


def save_picture(prepared: Prepared, path: str | os.PathLike, title: str = "", dpi: float | None = None) -> None:
    """Draw a data set into a file; its ending decides the format (png, svg, pdf), `dpi` the size of a png.

    Raises
    ------
    ConfigError
        There is no such format, or the folder cannot be written to.
    """
    path, content = Path(path), io.BytesIO()
    fig = draw_dataset(prepared, title)
    ending = path.suffix.lstrip(".").lower()
    if ending not in ("png", "svg", "pdf"):
        raise ConfigError(f"{path}: a picture ends in .png, .svg or .pdf")
    with figure_style():
        fig.savefig(
            content, format=ending, dpi=dpi, metadata={"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
        )
    try:
        write_atomically(path, content.getvalue())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error


def _plane(X):
    """Two coordinates for each point, and what they are."""
    if X.shape[1] == 2:
        return (X.toarray() if scipy.sparse.issparse(X) else np.asarray(X)), ["feature 1", "feature 2"]
    few = min(X.shape[0] - 1, X.shape[1]) < 2
    solver = "arpack" if scipy.sparse.issparse(X) and not few else "full"
    X = X if solver == "arpack" or not scipy.sparse.issparse(X) else X.toarray()
    pca = PCA(n_components=min(2, *X.shape), svd_solver=solver, random_state=0)
    points = pca.fit_transform(X)
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(len(points))])
    shares = [*pca.explained_variance_ratio_, 0.0]
    names = ("first", "second")
    return points, [f"{name} component ({share:.0%} of variance)" for name, share in zip(names, shares, strict=False)]
