"""Reuters: small invented archives, and the real one where a mirror has it."""

import gzip
import io
import tarfile

import numpy as np
import pytest
from entry_contract import check_prepared

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.builders import build, reuters

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'


def story(number, split="TRAIN", topics=("acq",), text="shares rose", indexed="YES"):
    names = "".join(f"<D>{topic}</D>" for topic in topics)
    return (
        f'<REUTERS TOPICS="{indexed}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="9" NEWID="{number}">\n'
        f"<DATE>1</DATE>\n<TOPICS>{names}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n"
        f"<TEXT>&#2;\n<TITLE>{text}</TITLE></TEXT>\n</REUTERS>\n"
    )


@pytest.fixture
def archive(tmp_path):
    """Write texts as the SGML files of an archive, beside a file that is none of them."""

    def write(*texts, name="reuters.tar"):
        with tarfile.open(tmp_path / name, "w") as tar:
            for number, text in enumerate(texts):
                _add(tar, f"./reut2-{number:03}.sgm", text.encode("latin-1"))
            _add(tar, "./README.txt", b"<REUTERS>")
        return tmp_path / name

    return write


def _add(tar, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


SMALL = [
    story(1, topics=("money-fx", "dlr"), text="The dollar fell; dealers sold the dollar"),
    story(2, topics=("acq",), text="&lt;ABC> Corp&#22;sold shares at 4.5 dlrs, AT&amp;T dealers said"),
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


def test_split_classes_and_terms(archive):
    built = build("reuters", {"archive": archive(HEAD + "".join(SMALL[:5]), "".join(SMALL[5:]))}, {"min_documents": 2})
    assert built.y_train.tolist() == [1, -1, 1]
    assert built.y_test.tolist() == [1, 1, -1, -1]
    assert built.X_train.shape == (3, 4)
    on = [np.flatnonzero(row).tolist() for row in built.X_test.toarray()]
    dealers, dollar, shares, sold = range(4)
    assert on == [[dollar, sold], [], [shares], [dealers, shares]]
    assert built.facts["stories"] == 11
    assert built.facts["modapte_training_stories"] == 5
    assert built.facts["categories_in_both_parts"] == 2
    assert built.facts["test_stories_without_terms"] == 1


def test_values_are_tf_idf_of_the_training_part(archive):
    built = build("reuters", {"archive": archive("".join(SMALL))}, {"min_documents": 1, "topic": "acq"})
    terms = ["abc", "corp", "dealers", "dlrs", "dollar", "fell", "said", "shares", "sold"]
    assert built.X_train.shape == (3, len(terms))
    idf = {term: 1 + np.log(4 / (1 + documents)) for term, documents in {"dollar": 2, "fell": 1, "dealers": 2}.items()}
    idf["sold"] = idf["dealers"]
    expected = np.array([2 * idf["dollar"], idf["fell"], idf["dealers"], idf["sold"]])
    row = built.X_train.toarray()[0]
    ours = [row[terms.index(term)] for term in ("dollar", "fell", "dealers", "sold")]
    np.testing.assert_allclose(ours, expected / np.linalg.norm(expected), rtol=1e-12)
    assert built.y_train.tolist() == [-1, 1, -1]


def test_packing_does_not_matter(archive):
    one = archive(HEAD + "".join(SMALL))
    other = archive(HEAD + "".join(SMALL), "", name="other.tar")
    assert one.read_bytes() != other.read_bytes()
    assert reuters.read_archive(one) == reuters.read_archive(other)
    packed = one.with_name("packed.tar.gz")
    packed.write_bytes(gzip.compress(one.read_bytes()))
    assert reuters.read_archive(packed) == reuters.read_archive(one)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</REUTERS>\n<REUTERS", "<REUTERS", r"line 2, story NEWID=1: </REUTERS> is missing"),
        (' LEWISSPLIT="TRAIN"', "", r"line 2, story NEWID=1: the attribute LEWISSPLIT is missing"),
        ("<TOPICS>", "<TOPIC>", r"line 2, story NEWID=1: there are 0 elements TOPICS; one is wanted"),
        ("</TEXT>", "", r"line 2, story NEWID=1: there are 0 elements TEXT"),
        ("</TEXT>", "</TEXT><TEXT></TEXT>", r"line 2, story NEWID=1: there are 2 elements TEXT"),
        ('NEWID="1"', "", r"line 2, story NEWID=\?: the attribute NEWID is missing"),
        ("<REUTERS T", "<REUTER T", r"11 stories end there and 10 begin"),
    ],
)
def test_malformed_story_is_named(archive, old, new, message):
    text = (HEAD + "".join(SMALL)).replace(old, new, 1)
    with pytest.raises(DataError, match=rf"reuters.tar, \./reut2-000.sgm.*{message}"):
        reuters.build(archive(text))


def test_last_story_that_is_cut_off_is_named(archive):
    with pytest.raises(DataError, match=r"reut2-000.sgm, line 64, story NEWID=10: </REUTERS> is missing"):
        reuters.build(archive("".join(SMALL[:10])[:-30]))


def test_archive_that_is_none(archive, tmp_path):
    path = tmp_path / "x.tar"
    for content, message in [
        (b"", "is not a whole tar archive"),
        (b"x" * 2000, "is not a whole tar archive"),
        (archive("".join(SMALL)).read_bytes()[:2000], "is not a whole tar archive"),
        (archive("").read_bytes(), "there is no file reut2-"),
    ]:
        path.write_bytes(content)
        with pytest.raises(DataError, match=f"x.tar: {message}"):
            reuters.build(path)
    with pytest.raises(DataError, match=r"absent.tar: there is no such file"):
        reuters.build(tmp_path / "absent.tar")


def test_parameters_that_cannot_be_used(archive):
    path = archive("".join(SMALL))
    with pytest.raises(DataError, match="no training story, or no test story, is of the category 'wool'"):
        reuters.build(path, topic="wool")
    with pytest.raises(DataError, match="no terms are left with min_documents 99"):
        reuters.build(path, min_documents=99)
    with pytest.raises(ConfigError, match="min_documents is 0; a whole number from 1 on is wanted"):
        reuters.build(path, min_documents=0)


@pytest.fixture(scope="module")
def prepared(mirror, tmp_path_factory):
    return load_dataset("reuters", load_catalogue(), tmp_path_factory.mktemp("data"), mirror)


def test_sizes_are_the_printed_ones(prepared):
    check_prepared("reuters", prepared, load_catalogue())
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["K"]) == (7770, 3299, 2)
    assert prepared.meta["n"] == 8343  # printed: 8,315, from a vocabulary that is lost
    assert prepared.meta["classes"] == [-1, 1]
    assert prepared.meta["class_counts"] == {"train": [7770 - 538, 538], "test": [3299 - 179, 179]}
    assert prepared.meta["built"]["modapte_training_stories"] == 9603
    assert prepared.meta["built"]["categories_in_both_parts"] == 90


def test_rows_have_length_one(prepared):
    for X in (prepared.X_train, prepared.X_test):
        np.testing.assert_allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1, rtol=1e-12)


def raw_archive(prepared):
    return prepared.folder.parents[1] / "raw" / prepared.meta["sources"][0]["name"]


def test_known_stories(prepared):
    stories, _ = reuters.read_archive(raw_archive(prepared))
    by_id = {int(story.attributes["NEWID"]): story for story in stories}
    assert len(by_id) == len(stories) == 21_578
    assert by_id[1].topics == {"cocoa"}
    assert "bahia cocoa zone" in by_id[1].text
    assert by_id[96].topics == {"acq"}
    assert " cyl> " in by_id[96].text
    assert (by_id[96].part, by_id[14826].part, by_id[21578].part) == ("TRAIN", "TEST", None)
    assert "trade" in by_id[14826].topics
    assert not any("&#" in story.text or "<" in story.text[:50] for story in stories[:2000])


@pytest.mark.exhaustive
def test_same_bytes_twice(prepared):
    archive = raw_archive(prepared)
    first, second = reuters.build(archive), reuters.build(archive)
    for X, again in ((first.X_train, second.X_train), (first.X_test, second.X_test)):
        assert X.data.tobytes() == again.data.tobytes()
        assert X.indices.tobytes() == again.indices.tobytes()
    assert first.X_train.data.tobytes() == prepared.X_train.data.tobytes()
