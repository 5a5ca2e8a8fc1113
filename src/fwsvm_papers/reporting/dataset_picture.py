"""A picture of a data set in the plane of its first two principal components. Colours show the
classes.
"""

import io
import os
from pathlib import Path

import numpy as np
import scipy.sparse
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from sklearn.decomposition import PCA

from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.datasets.splits import LEAST_PER_CLASS, subset_rows
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.reporting.style import MUTED, figure_style
from fwsvm_papers.result_files import write_atomically

MOST_POINTS = 3000
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#B0508A", "#B07800", "#3388D0", "#000000", "#8C6D1F")
_HALO = [withStroke(linewidth=2.5, foreground="white")]
_MARKERS = ("o", "^", "s", "v")
_LEGEND_ROWS = 13
"""If there are more classes than this number, the legend has two columns."""


def draw_dataset(prepared: Prepared, title: str = "") -> Figure:
    """Return a picture of randomly chosen training points.

    At most `MOST_POINTS` points are drawn, or `LEAST_PER_CLASS` times the number of classes if this
    is larger. If there are two features, the points are drawn without projection. Every call
    chooses the same points.
    """
    meta, K = prepared.meta, prepared.meta["K"]
    size = max(MOST_POINTS, LEAST_PER_CLASS * K)
    rows, _ = subset_rows(meta["name"], prepared.y_train, prepared.y_test, {"train": size})
    points, labels = _plane(prepared.X_train[rows])
    codes = np.asarray(prepared.y_train)[rows]
    with figure_style():
        fig = Figure(figsize=(5.2, 3.6), layout="constrained")
        axes = fig.subplots()
        for code in range(K):
            look = {"color": _COLOURS[code % 8], "marker": _MARKERS[code // 8 % 4]}
            name = f"{meta['classes'][code]}  ({meta['class_counts']['train'][code]:,})"
            # points of small classes are drawn over points of large classes
            order = 3 - (codes == code).mean()
            size = 22 if len(rows) < 500 else 9
            axes.scatter(
                *points[codes == code].T,
                s=size,
                alpha=0.65,
                linewidths=0,
                label=name,
                zorder=order,
                **look,
            )
            if K > 2:
                middle = np.median(points[codes == code], axis=0)
                axes.text(
                    *middle,
                    meta["classes"][code],
                    weight="bold",
                    ha="center",
                    path_effects=_HALO,
                    zorder=5,
                )
        axes.set(xlabel=labels[0], ylabel=labels[1])
        axes.set_title(title or meta["name"], loc="left")
        drawn = (
            f"{len(rows):,} of {meta['m']:,} points"
            if len(rows) < meta["m"]
            else f"all {meta['m']:,} points"
        )
        axes.set_title(drawn, loc="right", color=MUTED, fontsize=7.5)
        look = {"ncols": 2, "fontsize": 6} if K > _LEGEND_ROWS else {}
        fig.legend(title="class (training points)", loc="outside right upper", **look)
    return fig


def save_picture(
    prepared: Prepared, path: str | os.PathLike, title: str = "", dpi: float | None = None
) -> None:
    """Save the picture of a data set as a png, svg or pdf file.

    `dpi` is the resolution of a png file, in dots per inch (default: that of `figure_style`). If
    `path` has another ending, a ConfigError is raised.
    """
    path, content = Path(path), io.BytesIO()
    ending = path.suffix.lstrip(".").lower()
    if ending not in ("png", "svg", "pdf"):
        raise ConfigError(f"{path}: the name of a picture must end in .png, .svg or .pdf")
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
    with figure_style():
        draw_dataset(prepared, title).savefig(content, format=ending, dpi=dpi, metadata=metadata)
    write_atomically(path, content.getvalue())


def _plane(X: np.ndarray | scipy.sparse.csr_matrix) -> tuple[np.ndarray, list[str]]:
    iterative = scipy.sparse.issparse(X) and X.shape[1] > 2 and X.shape[0] > 2
    if not isinstance(X, np.ndarray) and not iterative:
        X = X.toarray()
    if X.shape[1] == 2:
        return np.asarray(X), ["feature 1", "feature 2"]
    pca = PCA(
        n_components=min(2, *X.shape), svd_solver="arpack" if iterative else "full", random_state=0
    )
    points = pca.fit_transform(X)
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(len(points))])
    shares = [*pca.explained_variance_ratio_, 0.0]
    return points, [
        f"{name} component ({shares[i]:.0%} of variance)"
        for i, name in enumerate(("first", "second"))
    ]
