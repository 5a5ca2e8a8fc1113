"""Inputs made at random for every reader of files that others may have written, and what must hold of each.

A target is a strategy for its input and a function that fails if the reader does anything but read, or refuse with a
message.
"""

import json
from functools import cache, partial
from pathlib import Path

import numpy as np
import yaml
from fuzz_formats import (
    COMPRESSED,
    CSV,
    CSV_CASES,
    CSV_OPTIONS,
    CSV_WORDS,
    IDX,
    LIBSVM,
    LIBSVM_WORDS,
    Target,
    attempt,
    check_compressed,
    check_csv,
    check_idx,
    check_libsvm,
    damaged,
    folder,
)  # fmt: skip
from hypothesis import strategies as st

from fwsvm.base.result_files import read_whole_json
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.entries import entry_digest, required_files
from fwsvm.datasets.generators import checkerboard
from fwsvm.datasets.prepare import prepare
from fwsvm.datasets.storage import open_prepared
from fwsvm.estimators.model_files import load_model, save_model
from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.pipeline.config import check_config, load_config
from fwsvm.runs.records import read_runs

CHECKOUT = Path(__file__).parents[2]


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.sampled_from([10**30, -(2**63), 1e-320, 1e308, float("nan"), float("inf")]),
    st.sampled_from(["", "full", "fw", "a b", "../x", "/etc", "yes", "1e-6", "\n", "\0", "é" * 300, "iris", "mine"]),
    st.lists(st.integers(0, 2), max_size=2),
    st.dictionaries(st.sampled_from(["train", "x", "fw", "default"]), st.integers(-1, 2), max_size=2),
)


@st.composite
def changed(draw, document):
    """A document of mappings and lists, some of whose values are replaced, removed, doubled or put elsewhere."""
    document = json.loads(json.dumps(document))
    for _ in range(draw(st.integers(1, 3))):
        place, parts = document, list(_containers(document))
        place = parts[draw(st.integers(0, len(parts) - 1))]
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = draw(st.sampled_from(keys)) if len(keys) else None
        what = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if what == "remove" and key is not None:
            del place[key]
        elif what == "replace" and key is not None:
            place[key] = draw(ODD)
        elif isinstance(place, dict):
            place[draw(st.sampled_from(["extra", "task", "C", "datasets", "7"]))] = draw(ODD)
        else:
            place.append(draw(ODD))
    return document


def _containers(value):
    if isinstance(value, (dict, list)):
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from _containers(part)


CATALOGUE = yaml.safe_load("""
mine:
  task: binary
  features: 20
  source: {files: {train: {path: mine.svm}}}
  split: {fraction: 0.25, seed: 0}
  scaling: minmax
  positive: [1]
  sigma2: 2.5
  expected: {train: 10}
table:
  source:
    format: csv
    csv: {label: class, header: true, separator: ";", categorical: [c], drop: [1]}
    files:
      train: {name: a/b, url: "https://host/b", sha256: unverified}
      test: {path: t.csv}
  split: {test: file}
  scaling: {minmax: [-1, 1]}
iris: {source: {sklearn: iris}, split: {fraction: 0.3, seed: 1}, scaling: {divide: 2}, papers: [singh]}
board:
  source: {generator: checkerboard, size: 200, seed: 1, parameters: {cells: 4}}
  split: {test_size: 50}
  expected: {train: 200}
part: {source: {files: {train: {path: p.svm}}}, split: {complement_of: mine}}
built:
  source: {builder: miniboone, files: {train: {name: u/m, url: "http://h/m", sha256: unverified}}}
  split: {fraction: 0.5, seed: 3}
""")
YAML_WORDS = [
    b": ",
    b"\n  ",
    b"- ",
    b"*a ",
    b"&a ",
    b"{",
    b"[",
    b"!!python/object:x ",
    b"<<: *a",
    b"\t",
    b"'",
    b'"',
    b"? ",
    b"|",
    b"\xff",
]


def check_catalogue(case):
    """Text or a document: entries, or one message a mistake."""
    path = folder() / "catalogue.yaml"
    path.write_bytes(case if isinstance(case, bytes) else yaml.safe_dump(case, allow_unicode=True).encode())
    catalogue, refusal = attempt(load_catalogue, path)
    assert refusal is None or str(path) in refusal
    for entry in (catalogue or {}).values():
        required_files(entry, catalogue)
        entry_digest(entry, catalogue)
    return catalogue is not None


@cache
def config():
    """The smoke configuration and a catalogue of its data sets, which need no file."""
    document = yaml.safe_load((CHECKOUT / "config/smoke.yaml").read_text())
    catalogue, shipped = folder() / "small.yaml", yaml.safe_load((CHECKOUT / "config/datasets.yaml").read_text())
    catalogue.write_text(yaml.safe_dump({name: shipped[name] for name in document["datasets"]}))
    return document | {"catalogue": str(catalogue)}


def check_config_files(case):
    """Text or a document, laid over the default: a plan of all jobs, or one message a mistake."""
    path = folder() / "config.yaml"
    path.write_bytes(case if isinstance(case, bytes) else yaml.safe_dump(case, allow_unicode=True).encode())

    def plan():
        settings = load_config(path, CHECKOUT / "config/paper.yaml")
        study = check_config(settings, CHECKOUT / "workflow/schemas/config.schema.yaml", path)
        for job in study.jobs():
            study.job_settings(job)
        for tuning_job in study.tuning_jobs():
            study.tuning_settings(*tuning_job)
        return study

    study, _ = attempt(plan)
    return study is not None


@cache
def models():
    """Two models as files, with dense and with sparse points."""
    X, y = checkerboard(80, np.random.default_rng(0), cells=2)
    model = FrankWolfeSVC(max_iter=200).fit(X, y)
    return [save_model(model, folder() / "model.npz").read_bytes()]


def check_model(content):
    """A model that predicts, or a message."""
    path = folder() / "damaged.npz"
    path.write_bytes(content)
    model, refusal = attempt(load_model, path)
    assert refusal is None or str(path) in refusal
    if model is not None:
        assert model.predict(np.zeros((2, model.n_features_in_))).shape == (2,)
    return model is not None


RESULTS = [
    (CHECKOUT / "results/released/tests.tsv").read_bytes(), b'{"C": 1.0, "rows": [1, 2], "a": {"b": null}}\n', b"[]\n",
    b"experiment\tdataset\nbenchmark\tiris\n",
]  # fmt: skip


def check_results(content):
    """Runs tables and JSON files of results."""
    readers = (
        ("runs.tsv", read_runs),
        ("a.json", partial(read_whole_json, kind=object)),
        ("a.json.gz", partial(read_whole_json, kind=object)),
        ("r.tsv.gz", read_runs),
    )
    found = False
    for name, read in readers:
        path = folder() / name
        path.write_bytes(content)
        found |= attempt(read, path)[1] is None
    return found


@cache
def prepared():
    """`meta.json` of a small prepared data set, and its folder."""
    path = folder() / "prepared"
    catalogue_file = folder() / "board.yaml"
    catalogue_file.write_text(yaml.safe_dump({"board": CATALOGUE["board"]}))
    catalogue = load_catalogue(catalogue_file)
    prepare(catalogue["board"], catalogue, folder(), path)
    return path, (path / "meta.json").read_bytes()


def check_prepared(case):
    """Prepared data of which `meta.json` or an array is damaged."""
    name, content = case
    path, meta = prepared()
    damaged_file = path / name
    whole = damaged_file.read_bytes()
    try:
        damaged_file.write_bytes(meta if content is None else content)
        return attempt(open_prepared, path)[1] is None
    finally:
        damaged_file.write_bytes(whole)


def _documents(document):
    text = yaml.safe_dump(document, sort_keys=False).encode()
    return st.one_of(changed(document), changed(document), damaged([text], YAML_WORDS))


TARGETS = {
    "libsvm": Target(
        st.tuples(damaged(LIBSVM, LIBSVM_WORDS), st.sampled_from([None, 3, 8]), st.sampled_from([1, 5, 2**24])),
        check_libsvm,
    ),
    "csv": Target(
        st.one_of(
            *(st.tuples(damaged([content], CSV_WORDS), st.just(options)) for content, options in CSV_CASES),
            st.tuples(damaged(CSV, CSV_WORDS), CSV_OPTIONS),
        ),
        check_csv,
    ),
    "idx": Target(damaged(IDX, [b"\xff\xff\xff\xff", b"\x7f\x80\0\0", b"\0\0\0\0"]), check_idx),
    "compressed": Target(damaged(COMPRESSED, [b"BZh9", b"\x1f\x8b", b"\x1f\x9d", b"\xfd7zXZ\0"]), check_compressed),
    "catalogue": Target(_documents(CATALOGUE), check_catalogue),
    "config": Target(st.deferred(lambda: _documents(config())), check_config_files),
    "model": Target(st.deferred(lambda: damaged(models(), [b"PK", b"NUMPY", b"\0\0\0\0"])), check_model),
    "results": Target(damaged(RESULTS, [b"\t", b"\n", b"{", b"null", b"\0", b"1e999"]), check_results),
    "prepared": Target(
        st.deferred(
            lambda: st.one_of(
                damaged([prepared()[1]], [b"null", b"1", b"{", b'"csr"', b"[]"]).map(lambda text: ("meta.json", text)),
                changed(json.loads(prepared()[1])).map(lambda meta: ("meta.json", json.dumps(meta).encode())),
                damaged([(prepared()[0] / "y_test.npy").read_bytes()], [b"\0"]).map(
                    lambda content: ("y_test.npy", content)
                ),
            )
        ),
        check_prepared,
    ),
}
"""Name -> target."""
