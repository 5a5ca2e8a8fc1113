"""The summary figure: ratios to SVC and LibCVM, growth with m, kernels beside their bounds."""

from itertools import zip_longest

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fwsvm.bench.targets import scaled_to_this_machine
from fwsvm.reporting.figures import save_figure
from fwsvm.reporting.style import METHODS, MUTED, TEXT_WIDTH, figure_style, method_styles

_C_MARKERS = {1: "o", 64: "s", 1024: "^"}
_SVC = ("SVC", "#56B4E9", "p")
_DTYPES = {"float64": ("#0072B2", "s"), "float32": ("#D55E00", "o")}
# Inches.
_ROW, _LEGEND_LINE = 0.19, 0.15
_LEFT, _BETWEEN, _TOP, _MIDDLE, _BOTTOM = 0.85, 0.22, 0.5, 1.0, 0.45
_TITLE_LEFT = _LEFT - 0.1


def write(record, stem):
    """Draw the figure and write it as SVG, PDF and PNG; returns the paths."""
    return save_figure(draw(record), stem, "fwsvm benchmark: CPU seconds of one thread, medians")


def draw(record):
    """The figure with its four panels; a panel without rows says so."""
    peers, libcvm = record.rows("peers"), record.rows("libcvm")
    libcvm = scaled_to_this_machine(libcvm, peers)
    growth, kernels = record.rows("growth"), record.rows("kernels")
    tops = max(_n_cases(peers), _n_cases(libcvm), 4)
    lows = max(_n_cases(kernels), 9)
    height = _TOP + _ROW * tops + _MIDDLE + _ROW * lows + _BOTTOM
    width = (TEXT_WIDTH - 2 * (_LEFT + _BETWEEN)) / 2
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, height))

        def panel(column, bottom, rows, left=_LEFT):
            x = left + column * (width + _LEFT + _BETWEEN)
            return fig.add_axes((x / TEXT_WIDTH, bottom / height, width / TEXT_WIDTH, _ROW * rows / height))

        upper = _BOTTOM + _ROW * lows + _MIDDLE
        _svc_panel(panel(0, upper, tops), peers)
        _libcvm_panel(panel(1, upper, tops), libcvm)
        _growth_panel(panel(0, _BOTTOM, lows - _LEGEND_LINE / _ROW, left=_LEFT - 0.3), growth)
        _kernel_panel(panel(1, _BOTTOM, lows), kernels)
    return fig


def _n_cases(rows):
    if rows.empty:
        return 0
    return len(rows.groupby(["case", "operation"] if "operation" in rows else "case"))


def _title(axes, text, shift=_TITLE_LEFT, up=0.0):
    """A title `shift` inches left of the axes; `up` inches make room for another line of legend."""
    axes.annotate(
        text, (0, 1), (-72 * shift, 21 + 72 * up), xycoords="axes fraction", textcoords="offset points", weight="bold",
    )  # fmt: skip


def _nothing(axes):
    axes.set(xticks=[], yticks=[])
    axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", va="center", color=MUTED)


def _names(axes, names):
    """Names on the y axis, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _log_ratios(axes, label):
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    low, high = min(low, 0.8), max(high, 1.3)
    axes.set_xlim(low, high)
    # A range of less than two decades gets the numbers 2 and 5 as well.
    subs = (1, 2, 5) if high / low < 100 else (1,)
    axes.xaxis.set_major_locator(LogLocator(subs=subs))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.axvline(1.0, color="black", linewidth=0.9, zorder=1)
    axes.set_xlabel(label)


def _legend(axes, handles, columns, shift=_TITLE_LEFT, handlelength=1.2):
    """A legend under the panel's title, from the title's left on."""
    left = -shift / (axes.get_position().width * TEXT_WIDTH)
    axes.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(left, 0.995), ncols=columns, borderaxespad=0.1,
        borderpad=0.1, handletextpad=0.2, columnspacing=0.9, handlelength=handlelength, labelspacing=0.25,
    )  # fmt: skip


def _svc_panel(axes, rows):
    _title(axes, "a  Training time: SVC / ours, full selection")
    rows = rows[rows["ratio"].notna()] if not rows.empty else rows
    if rows.empty:
        _nothing(axes)
        return
    names = list(dict.fromkeys(rows["case"]))
    for row in rows.itertuples():
        style = METHODS[row.method]
        y = names.index(row.case) + (-0.13 if row.method == "swap" else 0.13)
        axes.plot(row.ratio, y, _C_MARKERS.get(row.C, "D"), color=style.color, markerfacecolor="white", markersize=3.8)
    _names(axes, names)
    _log_ratios(axes, "times faster than SVC")
    methods = [Line2D([], [], color=METHODS[m].color, label=METHODS[m].label) for m in dict.fromkeys(rows["method"])]
    _legend(axes, methods + _c_handles(rows["C"], MUTED), 5)


def _c_handles(values, color):
    present = sorted(set(values))
    return [
        Line2D(
            [],
            [],
            marker=_C_MARKERS.get(C, "D"),
            color=color,
            markerfacecolor="white",
            markersize=3.8,
            ls="",
            label=f"C={C:g}",
        )
        for C in present
    ]


def _libcvm_panel(axes, rows):
    _title(axes, "b  CVM, sampled: LibCVM 2.2 (scaled) / ours")
    rows = rows[rows["ratio"].notna()] if not rows.empty else rows
    if rows.empty:
        _nothing(axes)
        return
    names = list(dict.fromkeys(rows["case"]))
    large = rows["cache_mb"] > 200
    for row, filled in zip(rows.itertuples(), large, strict=True):
        face = "black" if filled else "white"
        axes.plot(
            row.ratio,
            names.index(row.case),
            _C_MARKERS.get(row.C, "D"),
            color="black",
            markerfacecolor=face,
            markersize=3.8,
        )
    _names(axes, names)
    _log_ratios(axes, "times faster than LibCVM")
    handles = _c_handles(rows["C"], "black")
    if large.any():
        handles.append(Line2D([], [], marker="o", color="black", markersize=3.8, ls="", label="cache ≥ 1.5 GB"))
    _legend(axes, handles, 4)


def _growth_panel(axes, rows):
    _title(axes, "c  Time against number of points", shift=_TITLE_LEFT - 0.3, up=_LEGEND_LINE)
    rows = rows.dropna(subset=["seconds"]) if "seconds" in rows else rows
    if rows.empty:
        _nothing(axes)
        return
    dashes = dict(zip(dict.fromkeys(rows["case"]), ("-", "--", ":", "-."), strict=False))
    for (case, method), series in rows.groupby(["case", "method"], sort=False):
        _, color, marker = _method_look(method)
        series = series.sort_values("m")
        axes.plot(series["m"], series["seconds"], dashes[case], color=color, marker=marker, markersize=3.4, linewidth=1)
        stopped = series[series["stop_reason"] == "time_limit"] if "stop_reason" in series else series[:0]
        axes.plot(stopped["m"], stopped["seconds"], marker, color=color, markerfacecolor="white", markersize=3.4)
    axes.set(xscale="log", yscale="log", xlabel="number of training points m", ylabel="CPU seconds")
    looks = [_method_look(method) for method in dict.fromkeys(rows["method"])]
    methods = [Line2D([], [], color=color, marker=marker, label=label) for label, color, marker in looks]
    cases = [Line2D([], [], color=MUTED, ls=dash, label=case) for case, dash in dashes.items()]
    # Filled column by column: methods in the first line, data sets in the second.
    handles = [
        handle for pair in zip_longest(methods, cases, fillvalue=Line2D([], [], ls="", label=" ")) for handle in pair
    ]
    if (rows.get("stop_reason") == "time_limit").any():
        handles.append(
            Line2D([], [], marker="o", color=MUTED, markerfacecolor="white", ls="", label="stopped at limit")
        )
    _legend(axes, handles, (len(handles) + 1) // 2, shift=_TITLE_LEFT - 0.3, handlelength=1.9)


def _method_look(method):
    if method == "svc":
        return _SVC
    style = method_styles([method])[method]
    return style.label, style.color, style.marker


def _kernel_panel(axes, rows):
    _title(axes, "d  Kernel values: time / bound of the machine")
    if rows.empty:
        _nothing(axes)
        return
    keys = list(dict.fromkeys(zip(rows["operation"], rows["case"], strict=True)))
    for row in rows.itertuples():
        color, marker = _DTYPES[row.dtype]
        y = keys.index((row.operation, row.case))
        axes.plot(row.times_bound, y, marker, color=color, markerfacecolor="white", markersize=3.8)
    _names(axes, [f"{operation}, {_short(case)}" for operation, case in keys])
    _log_ratios(axes, "multiples of the bound (see text)")
    handles = [
        Line2D([], [], marker=marker, color=color, markerfacecolor="white", markersize=3.8, ls="", label=dtype)
        for dtype, (color, marker) in _DTYPES.items()
    ]
    _legend(axes, handles, 2)


def _short(case):
    """A case's name without its number of nonzeros, catalogue sets without their size."""
    name = case.split(",")[0]
    return name.split(" ")[0] if name[0].isalpha() and not name.startswith("d =") else name
