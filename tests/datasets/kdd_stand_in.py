"""A stand-in for the full KDD Cup file, for tests only: known lines repeated, some numbers changed."""

from fwsvm.datasets.builders.kdd99 import ATTRIBUTES, SYMBOLIC

KINDS = ("normal", "neptune", "smurf", "satan", "guess_passwd", "rootkit")


def invented_lines(rows, rng):
    """Lines of the cup's form with made-up values, about two thirds of the numbers zero as in the real files."""
    lines = []
    for row in range(rows):
        fields = []
        for name in ATTRIBUTES:
            if name in SYMBOLIC:
                fields.append(str(rng.choice(SYMBOLIC[name])))
            elif name.endswith("_rate"):
                fields.append(f"{rng.integers(0, 101) / 100 * (rng.random() < 0.4):.2f}")
            else:
                fields.append(str(rng.integers(0, 500) * (rng.random() < 0.3)))
        fields.append(KINDS[row % len(KINDS)] + ".")
        lines.append(",".join(fields).encode() + b"\n")
    return lines


def write_stand_in(path, lines, rows, rng):
    """Write `rows` lines, the given ones over and over, with duration, src_bytes and dst_bytes changed."""
    pieces = []
    for line in lines:
        fields = line.split(b",", 6)
        pieces.append((int(fields[0]), b",".join(fields[1:4]), int(fields[4]), int(fields[5]), fields[6]))
    with open(path, "wb") as stream:
        for start in range(0, rows, len(pieces)):
            here = pieces[: rows - start]
            changes = rng.integers(0, 50, size=(len(here), 3)).tolist()
            stream.writelines(
                b"%d,%b,%d,%d,%b" % (duration + a, symbols, sent + b, received + c, rest)
                for (duration, symbols, sent, received, rest), (a, b, c) in zip(here, changes, strict=True)
            )
