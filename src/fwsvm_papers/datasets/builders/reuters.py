"""The data set Reuters, which separates newswire stories of the category money-fx from all other
stories (Reuters-21578, "ModApte" split).

The data set is built from the SGML files of the distribution:

* The training part has 7,770 stories, as in the papers' table. They have LEWISSPLIT="TRAIN",
  TOPICS="YES", and at least one of the 90 categories that have a training story and a test story.
* The test part has 3,299 stories, including those without a category. They have LEWISSPLIT="TEST"
  and TOPICS="YES".
* The class is +1 if money-fx is among the categories. This is so for 538 training stories and 179
  test stories. For all other stories, the class is -1.
* Words are sequences of two or more letters a-z in the TEXT element. Words are in lower case. Tags
  and entities are left out.
* Terms are words that are not stop words of scikit-learn, and that occur in at least
  `min_documents` training stories.
* Values are tf-idf values as `TfidfVectorizer` computes them. Each story is scaled to length 1.

The papers used data from the web page of LibCVM, which no longer exists. These data had the same
number of stories, and 8,315 terms. We do not know how the terms were stemmed and weighted. With
`min_documents` = 4, our data have 8,343 terms.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.inputs.data_files import open_content
from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets.storage import Built

if TYPE_CHECKING:
    from pathlib import Path

_MEMBER = re.compile(r"(?:.*/)?reut2-\d{3}\.sgm")
_STORY = re.compile(r"<REUTERS\b([^>]*)>(.*?)(</REUTERS>|(?=<REUTERS\b)|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TOPIC = re.compile(r"<D>([^<>]+)</D>")
_TEXT = re.compile(r"<TEXT\b[^>]*>(.*?)</TEXT>", re.DOTALL)
_NO_WORDS = re.compile(r"</?[A-Z][^>]*>|&(?:#\d+|lt|gt|amp);")
_WORD = "[a-z]{2,}"


class Story(NamedTuple):
    """One story, with its part of the ModApte split (such as ``TRAIN`` or ``TEST``, or None without
    TOPICS="YES"), its categories, and its plain text in lower case.
    """

    part: str | None
    topics: frozenset
    text: str


def build(archive: str | Path, *, topic: str = "money-fx", min_documents: int = 4) -> Built:
    """Return a data set whose class is +1 for stories of the category `topic`, and -1 for all other
    stories.

    The features are terms that occur in at least `min_documents` training stories.
    """
    if not (isinstance(min_documents, int) and min_documents >= 1):
        raise ConfigError(
            f"builder reuters: min_documents must be an integer >= 1, got {min_documents!r}"
        )
    stories, digest = read_archive(archive)
    parts = {part: [story for story in stories if story.part == part] for part in ("TRAIN", "TEST")}
    known = [frozenset().union(*(story.topics for story in part)) for part in parts.values()]
    shared = known[0] & known[1]
    if topic not in shared:
        raise DataError(f"{archive}: no training story or no test story has the category {topic!r}")
    training = [story for story in parts["TRAIN"] if story.topics & shared]
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        lowercase=False, token_pattern=_WORD, stop_words="english", min_df=min_documents
    )
    try:
        X_train = vectorizer.fit_transform(story.text for story in training)
    except ValueError as error:
        raise DataError(
            f"{archive}: no terms remain with min_documents = {min_documents}: {error}"
        ) from error
    X_test = vectorizer.transform(story.text for story in parts["TEST"])
    for X in (X_train, X_test):
        X.sort_indices()
    y_train, y_test = (
        np.array([1 if topic in story.topics else -1 for story in part])
        for part in (training, parts["TEST"])
    )
    facts = {
        "stories": len(stories),
        "modapte_training_stories": len(parts["TRAIN"]),
        "categories_in_both_parts": len(shared),
        "terms": X_train.shape[1],
        "training_stories_without_terms": int((np.diff(X_train.indptr) == 0).sum()),
        "test_stories_without_terms": int((np.diff(X_test.indptr) == 0).sum()),
        "sha256_of_sgml": digest,
    }
    return Built(X_train, y_train, X_test, y_test, facts)


def read_archive(path: str | Path) -> tuple[list[Story], str]:
    """Return the stories of all SGML files in an archive, in the order of the file names. Also
    return one sha256 checksum over the content of all these files.
    """
    stories, digest = [], hashlib.sha256()
    with open_content(path, is_archive=True) as stream:
        try:
            with tarfile.open(fileobj=io.BytesIO(stream.read()), mode="r:") as archive:
                members = [
                    one
                    for one in archive.getmembers()
                    if one.isfile() and _MEMBER.fullmatch(one.name)
                ]
                for member in sorted(members, key=lambda member: member.name):
                    file = archive.extractfile(member)
                    assert file is not None  # the members are regular files
                    content = file.read()
                    digest.update(content)
                    stories += parse_sgml(content, f"{path}, {member.name}")
        except tarfile.TarError as error:
            raise DataError(f"{path} is not a complete tar archive: {error}") from error
    if not stories:
        raise DataError(f"{path} contains no file reut2-*.sgm with a story")
    return stories, digest.hexdigest()


def parse_sgml(content: bytes, where: str) -> list[Story]:
    """Return the stories of one SGML file. `content` has the bytes of the file.

    The bytes are decoded as Latin-1, because one file has a byte that is not ASCII.
    """
    content, stories = content.decode("latin-1"), []
    for match in _STORY.finditer(content):
        head, body, end = match.groups()
        attributes = dict(_ATTRIBUTE.findall(head))
        topics = _TOPICS.findall(body)
        texts = _TEXT.findall(body)
        if not (
            end and {"LEWISSPLIT", "TOPICS"} <= attributes.keys() and len(topics) == len(texts) == 1
        ):
            line = content.count("\n", 0, match.start()) + 1
            needed = (
                "the attributes LEWISSPLIT and TOPICS, one TOPICS element, one TEXT element and"
                " </REUTERS>"
            )
            raise DataError(
                f"{where}, line {line}: story NEWID={attributes.get('NEWID', '?')} must have"
                f" {needed}"
            )
        part = attributes["LEWISSPLIT"] if attributes["TOPICS"] == "YES" else None
        stories.append(
            Story(part, frozenset(_TOPIC.findall(topics[0])), _NO_WORDS.sub(" ", texts[0]).lower())
        )
    if len(stories) != content.count("</REUTERS>"):
        raise DataError(
            f"{where}: {content.count('</REUTERS>')} stories end in this file, but {len(stories)}"
            " begin"
        )
    return stories
