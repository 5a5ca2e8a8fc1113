"""Build data sets from small generated files: test the registry and the steps of each builder."""

import gzip
import io
import tarfile

import numpy as np
import pytest
import scipy.sparse

from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.builders import (
    BUILDERS,
    arguments_of,
    kdd99,
    miniboone,
    reuters,
    usps_ext,
)
from fwsvm_papers.datasets.describe import describe
from fwsvm_papers.datasets.storage import Built


@pytest.mark.parametrize("name", BUILDERS)
def test_builder_takes_files_and_is_used(name):
    assert any(arguments_of(name)[0].values())
    catalogue = load_catalogue()
    entries = [
        *catalogue.values(),
        *(e.standing_in(catalogue) for e in catalogue.values() if e.stand_in),
    ]
    assert any(entry.source.builder == name for entry in entries)


@pytest.fixture
def built_entry(monkeypatch, write):
    """Return a function that makes a catalogue entry. Its builder makes four points, and also one
    test point if the entry has a test file.
    """

    def four_points(train, test=None, *, sign=1):
        X = scipy.sparse.csr_matrix(sign * np.array([[1.0, 0, 0], [0, 2, 0], [3, 0, 0], [0, 4, 0]]))
        y = np.array([5, 6, 5, 6])
        if test is None:
            return Built(X, y, facts={"found": 4})
        return Built(X, y, np.array([[0.0, 1.0, 7.0]]), y[:1])

    monkeypatch.setitem(BUILDERS, "four_points", four_points)
    file = {"path": str(write(""))}

    def entry(*roles, **split):
        return {
            "source": {"builder": "four_points", "files": dict.fromkeys(roles, file)},
            "split": split,
        }

    return entry


def test_points_of_a_builder_and_their_split(prepare_entry, built_entry):
    prepared = prepare_entry(built_entry("train", fraction=0.25, seed=1))
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["classes"]) == (3, 1, [5, 6])
    assert prepared.meta["split"] == {"fraction": 0.25, "seed": 1}
    assert describe(prepared)["built"]["builder"] == "four_points"
    prepared = prepare_entry(built_entry("train", "test", test="builder"))
    assert prepared.X_train.tolist() == [[1, 0, 0], [0, 2, 0], [3, 0, 0], [0, 4, 0]]
    assert prepared.X_test.tolist() == [[0, 1, 7]]
    counts = {"features_empty_in_training": 1, "test_points_with_such_a_feature": 1}
    assert prepared.meta["built"] == {"builder": "four_points", "parameters": {}, **counts}
    for roles, split in (
        (["train"], {"test": "builder"}),
        (["train", "test"], {"fraction": 0.5, "seed": 1}),
    ):
        with pytest.raises(ConfigError, match=r"x.split: use"):
            prepare_entry(built_entry(*roles, **split))


# KDD Cup 1999

LINE = (
    b"0,tcp,http,SF,181,5450,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,8,8,"
    b"0.00,0.00,0.00,0.00,1.00,0.00,0.00,9,9,1.00,0.00,0.11,0.00,0.00,0.00,0.00,0.00,normal.\n"
)
KINDS = ("normal", "neptune", "smurf", "satan", "guess_passwd", "rootkit")


def invented_lines(rows, rng):
    """Return lines with made-up values in the form of KDD Cup 1999. As in the real files, about two
    thirds of the numbers are zero.
    """
    lines = []
    for row in range(rows):
        fields = []
        for name in kdd99.ATTRIBUTES:
            if name in kdd99.SYMBOLIC:
                fields.append(str(rng.choice(kdd99.SYMBOLIC[name])))
            else:
                fields.append(f"{rng.integers(0, 500) / 100 * (rng.random() < 0.3):.2f}")
        lines.append(",".join([*fields, KINDS[row % len(KINDS)] + "."]).encode() + b"\n")
    return lines


def features_by_a_plain_loop(lines):
    """Return a matrix with one column for each numeric attribute, and one column for each value of
    a symbolic attribute.
    """
    rows = []
    for line in lines:
        row = []
        for name, field in zip(kdd99.ATTRIBUTES, line.decode().split(","), strict=False):
            known = kdd99.SYMBOLIC.get(name)
            row += [float(field)] if known is None else [float(field == value) for value in known]
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("chunk", [7, 200_000])
def test_kdd_features_are_those_of_a_plain_loop(write, monkeypatch, chunk):
    monkeypatch.setattr(kdd99, "_CHUNK", chunk)
    lines = invented_lines(70, np.random.default_rng(1))
    for content in (
        b"".join(lines),
        b"".join(lines)[:-1],
        gzip.compress(b"".join(lines).replace(b"\n", b"\r\n")),
    ):
        built = kdd99.build(write(content), classes="five")
        np.testing.assert_array_equal(built.X_train.toarray(), features_by_a_plain_loop(lines))
        assert built.X_train.shape == (70, 127) and built.X_train.has_canonical_format
        assert built.y_train.tolist() == [(0, 2, 2, 1, 4, 3)[row % 6] for row in range(70)]
        assert built.facts == {"kinds": 6}
    assert len(set(" ".join(kdd99.ATTACKS.values()).split())) == 22


def test_kdd_kinds_and_values_that_training_has_not(write, prepare_entry):
    train = write(LINE + LINE.replace(b"181", b"281").replace(b"normal", b"smurf"), "train")
    new = LINE.replace(b",http,", b",icmp,").replace(b"0,0,8,8", b"1,0,8,8").replace(b"181", b"231")
    test = write(LINE + new + new.replace(b"normal", b"mscan") * 3, "test")
    built = kdd99.build(train, test, classes="two")
    assert (built.y_train.tolist(), built.y_test.tolist()) == ([-1, 1], [-1, -1, 1, 1, 1])
    assert built.facts == {
        "kinds": 2,
        "test_kinds_unseen_in_training": 1,
        "test_points_of_unseen_kinds": 3,
    }
    with pytest.raises(DataError, match=r"test, line 3: the kind is in none of the five classes"):
        kdd99.build(train, test, classes="five")
    source = {"builder": "kdd99", "parameters": {"classes": "two"}}
    source["files"] = {"train": {"path": str(train)}, "test": {"path": str(test)}}
    prepared = prepare_entry({"source": source, "split": {"test": "builder"}, "scaling": "minmax"})
    src_bytes = 1 + 3 + 71 + 11
    for X in (prepared.X_train, prepared.X_test):
        assert np.flatnonzero(X.any(axis=0)).tolist() == [src_bytes]
    assert prepared.X_test[:, src_bytes].tolist() == [0, *[0.5] * 4]
    assert prepared.meta["built"]["test_points_with_such_a_feature"] == 4


WRONG_LINES = [
    (b"181,", b"", "after line"),
    (b"181,", b"181,1,", "line 3"),
    (b"181", b"x", "after line"),
    (b"181", b"-1", "line 3: src_bytes"),
    (b"181", b"1e999", "line 3: src_bytes"),
    (b"http", b"htpt", "line 3: service"),
    (b"5450,0", b"5450,2", "line 3: land"),
    (b"normal.", b"normal", "line 3: the kind"),
    (LINE, b"\n", "after line"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG_LINES)
def test_kdd_wrong_line_is_named(write, old, new, message):
    with pytest.raises(DataError, match=f"points.txt.*{message}"):
        kdd99.build(write(LINE + LINE + LINE.replace(old, new, 1) + LINE), classes="five")


# MiniBooNE


def test_miniboone_values_that_were_not_measured_become_the_smallest(write):
    built = miniboone.build(
        write("  2  2\n 0.5 -0.999000E+03\n -999.0 3.0\n 1.5 -2.5e1\n 2 -999\n")
    )
    assert built.X_train.tolist() == [[0.5, -25], [0.5, 3], [1.5, -25], [2, -25]]
    assert built.y_train.tolist() == [1, 1, -1, -1]
    assert built.facts == {"events_with_unmeasured_values": 3}
    assert miniboone.build(write("1 1\n-999\n-999\n")).X_train.tolist() == [[0], [0]]


# USPS-Ext


def digit_line(digit, pixels):
    return f"{digit:.4f} " + " ".join(f"{pixel:.4f}" for pixel in pixels) + " \n"


def test_usps_each_image_is_in_each_place(write):
    rng = np.random.default_rng(4)
    pixels = np.where(rng.random((4, 256)) < 0.2, np.round(rng.uniform(-1, 1, (4, 256)), 3), -1.0)
    train = write("".join(map(digit_line, [0, 1, 7, 0], pixels)), "train")
    test = write(digit_line(1, [-1] * 256), "test")
    with pytest.raises(ConfigError, match="frame is 15"):
        usps_ext.build(train, test, frame=15)
    built = usps_ext.build(train, test, frame=18)
    assert built.y_train.tolist() == [0] * 9 + [1] * 9 + [0] * 9
    frames = built.X_train.toarray().reshape(3, 3, 3, 18, 18)
    for point, image in enumerate((0, 1, 3)):
        for down in range(3):
            for right in range(3):
                expected = np.zeros((18, 18))
                expected[down : down + 16, right : right + 16] = (
                    pixels[image].reshape(16, 16) + 1
                ) / 2
                np.testing.assert_array_equal(frames[point, down, right], expected)
    assert built.X_train.has_canonical_format
    assert (built.X_test.shape, built.X_test.nnz) == ((9, 324), 0)
    assert built.facts == {"places": 9, "training_images": 3, "test_images": 1}


@pytest.mark.parametrize(
    ("builder", "text", "message"),
    [
        (miniboone, "", "line 1"),
        (miniboone, "1 x\n1 2\n", "line 1"),
        (miniboone, "1 1\n1 2\n", "line 1 says 1 . 1 events; there are 1"),
        (miniboone, "1 1\n1 2\n3 4 5\n", "columns changed"),
        (miniboone, "1 1\n1 2\n3 x\n", "'x'"),
        (usps_ext, digit_line(0, [0] * 256) + digit_line(0, [0] * 255), "line 2"),
        (usps_ext, digit_line(0, [0] * 256) + digit_line(0, [0] * 255 + [1.5]), "image 2"),
        (
            usps_ext,
            digit_line(0, [0] * 256) + "\n" + digit_line(0, [0] * 255 + [float("nan")]),
            "line 3",
        ),
        (usps_ext, "", "the file is empty"),
    ],
)
def test_malformed_file_is_named(write, builder, text, message):
    files = [write(text)] * (2 if builder is usps_ext else 1)
    with pytest.raises(DataError, match=f"points.txt.*{message}"):
        builder.build(*files)


# Reuters


def story(number, split="TRAIN", topics=(), text="", indexed="YES"):
    topics = "".join(f"<D>{topic}</D>" for topic in topics)
    head = (
        f'<REUTERS TOPICS="{indexed}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET"'
        f' NEWID="{number}">'
    )
    body = f"<TEXT>&#2;\n<TITLE>{text}</TITLE>&#3;</TEXT>"
    return f"{head}\n<TOPICS>{topics}</TOPICS>\n{body}\n</REUTERS>\n"


HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
STORIES = [
    story(1, topics=("money-fx", "dlr"), text="The dollar fell; dealers sold the dollar"),
    story(
        2, topics=("acq",), text="&lt;ABC> Corp&#22;sold shares at 4.5 dlrs, AT&amp;T dealers said"
    ),
    story(3, topics=("money-fx",), text="Dollar shares"),
    story(4, topics=("wool",), text="wool wool"),
    story(5, topics=(), text="nothing"),
    story(6, topics=("acq",), text="dollar", indexed="NO"),
    story(7, "TEST", topics=("money-fx",), text="dollar sold"),
    story(8, "TEST", topics=("acq", "money-fx"), text="unknown words"),
    story(9, "TEST", topics=("acq",), text="shares"),
    story(10, "TEST", topics=(), text="dealers dealers shares"),
    story(11, "NOT-USED", topics=("money-fx",), text="dollar"),
]


@pytest.fixture
def archive(write):
    def pack(*texts, name="reuters.tar"):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as tar:
            files = {f"./reut2-{number:03}.sgm": text for number, text in enumerate(texts)}
            for member, text in (files | {"./README.txt": "<REUTERS>"}).items():
                info = tarfile.TarInfo(member)
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text.encode("latin-1")))
        return write(stream.getvalue(), name)

    return pack


def test_reuters_split_classes_and_terms(archive):
    built = reuters.build(
        archive(HEAD + "".join(STORIES[:5]), "".join(STORIES[5:])), min_documents=2
    )
    assert (built.y_train.tolist(), built.y_test.tolist()) == ([1, -1, 1], [1, 1, -1, -1])
    assert built.X_train.shape == (3, 4)
    dealers, dollar, shares, sold = range(4)
    on = [np.flatnonzero(row).tolist() for row in built.X_test.toarray()]
    assert on == [[dollar, sold], [], [shares], [dealers, shares]]
    assert (built.facts["stories"], built.facts["modapte_training_stories"]) == (11, 5)
    assert (built.facts["categories_in_both_parts"], built.facts["test_stories_without_terms"]) == (
        2,
        1,
    )


def test_reuters_values_are_tf_idf_of_the_training_part(archive):
    built = reuters.build(archive("".join(STORIES)), min_documents=1, topic="acq")
    terms = ["abc", "corp", "dealers", "dlrs", "dollar", "fell", "said", "shares", "sold"]
    idf = {
        term: 1 + np.log(4 / (1 + n))
        for term, n in {"dollar": 2, "fell": 1, "dealers": 2, "sold": 2}.items()
    }
    expected = np.array([2 * idf["dollar"], idf["fell"], idf["dealers"], idf["sold"]])
    row = built.X_train.toarray()[0]
    ours = [row[terms.index(term)] for term in ("dollar", "fell", "dealers", "sold")]
    np.testing.assert_allclose(ours, expected / np.linalg.norm(expected), rtol=1e-12)
    assert built.y_train.tolist() == [-1, 1, -1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</REUTERS>\n<REUTERS", "<REUTERS", "line 2: story NEWID=1"),
        (' LEWISSPLIT="TRAIN"', "", "line 2: story NEWID=1 .*LEWISSPLIT"),
        ("<TOPICS>", "<TOPIC>", "line 2: story NEWID=1 .*TOPICS"),
        ("</TEXT>", "</TEXT><TEXT></TEXT>", "line 2: story NEWID=1 .*TEXT"),
        ("<REUTERS T", "<REUTER T", "11 stories end .* 10 begin"),
    ],
)
def test_reuters_malformed_story_is_named(archive, old, new, message):
    with pytest.raises(DataError, match=rf"reuters.tar, \./reut2-000.sgm.*{message}"):
        reuters.build(archive((HEAD + "".join(STORIES)).replace(old, new, 1)))
