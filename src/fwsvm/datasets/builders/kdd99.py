"""KDD Cup 1999: connections in a computer network, normal ones and attacks (frandi2013 sec. 5.2).

Recipe: each line of the files is a connection, 41 attributes and its kind. The 34 continuous attributes are one
feature each. The 7 that the cup's documentation calls symbolic are one-hot over all their values in the cup's
files: protocol_type 3, service 71, flag 11, and 2 each for land, logged_in, is_host_login, is_guest_login. That
makes 34 + 93 = 127 features, in the order of the attributes. A value that no training point has (a service that is
not in the 10 % file, say) keeps its feature, so that n does not depend on the split; `scaling: minmax` of the
entry, fitted on the training part, makes it zero in the test part too, and `meta.json` counts such test points.

Classes, by `classes`
  five  0 normal, 1 probe, 2 dos, 3 u2r, 4 r2l: numbers and grouping of the cup's task description, see ATTACKS
  two   -1 normal, 1 any attack, known to the task description or not

The papers give neither encoding nor scaling; both are ours, the encoding deduced from their 127 features. Their
random split of the 10 % version is lost, so that its largest and smallest classes differ a little.
"""

import csv
import io
import re
import warnings

import numpy as np
import scipy.sparse

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets.builders.base import Built
from fwsvm.datasets.formats import line_blocks, open_content
from fwsvm.datasets.schema import did_you_mean

CLASSES = {"normal": 0, "probe": 1, "dos": 2, "u2r": 3, "r2l": 4}
ATTACKS = {
    "probe": "ipsweep nmap portsweep satan",
    "dos": "back land neptune pod smurf teardrop",
    "u2r": "buffer_overflow loadmodule perl rootkit",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
}
_KNOWN_KINDS = {"normal": 0} | {kind: CLASSES[name] for name, kinds in ATTACKS.items() for kind in kinds.split()}
_SERVICES = """
    IRC X11 Z39_50 aol auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i ecr_i efs exec
    finger ftp ftp_data gopher harvest hostnames http http_2784 http_443 http_8001 icmp imap4 iso_tsap klogin
    kshell ldap link login mtp name netbios_dgm netbios_ns netbios_ssn netstat nnsp nntp ntp_u other pm_dump pop_2
    pop_3 printer private red_i remote_job rje shell smtp sql_net ssh sunrpc supdup systat telnet tftp_u tim_i
    time urh_i urp_i uucp uucp_path vmnet whois
"""
SYMBOLIC = {
    "protocol_type": ("icmp", "tcp", "udp"),
    "service": tuple(_SERVICES.split()),
    "flag": ("OTH", "REJ", "RSTO", "RSTOS0", "RSTR", "S0", "S1", "S2", "S3", "SF", "SH"),
    **dict.fromkeys(("land", "logged_in", "is_host_login", "is_guest_login"), ("0", "1")),
}
_ATTRIBUTES = """
    duration protocol_type service flag src_bytes dst_bytes land wrong_fragment urgent hot num_failed_logins
    logged_in num_compromised root_shell su_attempted num_root num_file_creations num_shells num_access_files
    num_outbound_cmds is_host_login is_guest_login count srv_count serror_rate srv_serror_rate rerror_rate
    srv_rerror_rate same_srv_rate diff_srv_rate srv_diff_host_rate dst_host_count dst_host_srv_count
    dst_host_same_srv_rate dst_host_diff_srv_rate dst_host_same_src_port_rate dst_host_srv_diff_host_rate
    dst_host_serror_rate dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate
"""
ATTRIBUTES = tuple(_ATTRIBUTES.split())
_WIDTHS = [len(SYMBOLIC.get(name, "1")) for name in ATTRIBUTES]
_FIRST_FEATURE = np.cumsum([0, *_WIDTHS[:-1]], dtype=np.int32)
FEATURES = sum(_WIDTHS)
_FIELDS = (*ATTRIBUTES, "kind")
_NUMBER = re.compile(r"\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_KIND = re.compile(r"[a-z][a-z0-9_]*\.")
BLOCK = 1 << 24


def build(train, test=None, *, classes):
    """Points of one file, for the entry's split to divide, or both parts from two files.

    Parameters
    ----------
    train, test : paths
        Lines of 42 fields with commas between them.
    classes : {"five", "two"}

    Returns
    -------
    Built
        CSR matrices of 127 columns, not scaled.

    Raises
    ------
    ConfigError
        `classes` is none of the two.
    DataError
        A line is wrong; the message names it.
    """
    if classes not in ("five", "two"):
        raise ConfigError(f"builder kdd99: classes is {classes!r}; 'five' or 'two' is wanted")
    X_train, y_train, kinds = read_connections(train, classes)
    if test is None:
        return Built(X_train, y_train, facts={"kinds": len(kinds)})
    X_test, y_test, test_kinds = read_connections(test, classes)
    unseen = {kind: rows for kind, rows in test_kinds.items() if kind not in kinds}
    facts = {
        "kinds": len(kinds),
        "test_kinds_unseen_in_training": len(unseen),
        "test_points_of_unseen_kinds": sum(unseen.values()),
    }
    return Built(X_train, y_train, X_test, y_test, facts)


def read_connections(path, classes):
    """Read a file in blocks, each of which leaves only its part of the sparse matrix.

    Returns
    -------
    X : scipy.sparse.csr_matrix of shape (m, 127)
    y : int64 ndarray of shape (m,)
    kinds : dict
        Number of lines of each kind, by its name.
    """
    labels, row_sizes, indices, data, counts = [], [], [], [], {}
    for first_line, block in _blocks(path):
        try:
            values, features, kinds = _parse(block)
            labels.append(np.array([_label(str(kind), classes) for kind in kinds.categories])[kinds.codes])
        except ValueError as error:
            raise _explained(error, path, first_line, block, classes) from error
        stored = values != 0
        row_sizes.append(stored.sum(axis=1))
        indices.append(features[stored])
        data.append(values[stored])
        for kind, rows in zip(kinds.categories, np.bincount(kinds.codes), strict=True):
            name = kind.removesuffix(".")
            counts[name] = counts.get(name, 0) + int(rows)
    if not labels:
        raise DataError(f"{path}: the file is empty: there is no connection in it")
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(row_sizes))])
    data, indices = _joined(data), _joined(indices)
    X = scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, FEATURES))
    return X, np.concatenate(labels), counts


def _joined(pieces):
    """The pieces as one array; each is let go as soon as it is copied, so that they are not there twice."""
    whole = np.empty(sum(map(len, pieces)), dtype=pieces[0].dtype)
    start = 0
    pieces.reverse()
    while pieces:
        piece = pieces.pop()
        whole[start : start + len(piece)] = piece
        start += len(piece)
    return whole


def _blocks(path):
    """Number of the first line, and bytes of whole lines, again and again."""
    line = 1
    with open_content(path) as stream:
        for block in line_blocks(stream, BLOCK):
            yield line, block if block.endswith(b"\n") else block + b"\n"
            line += block.count(b"\n")


def _parse(block):
    """Values and features of the attributes, both of shape (rows, 41), and the kinds as a pandas Categorical.

    Too many fields in one line and too few in another leave a kind empty, which `_label` refuses.

    Raises
    ------
    ValueError
        Anything is wrong.
    """
    import pandas as pd

    rows = block.count(b"\n")
    if block.count(b",") != len(ATTRIBUTES) * rows:
        raise ValueError("not every line has 42 fields")
    symbolic = {name: pd.CategoricalDtype(values) for name, values in SYMBOLIC.items()}
    with warnings.catch_warnings(action="ignore"):  # about values that are not in a dtype, which are met below
        frame = pd.read_csv(
            io.BytesIO(block),
            header=None,
            names=_FIELDS,
            index_col=False,
            dtype={**dict.fromkeys(ATTRIBUTES, np.float64), **symbolic, "kind": "category"},
            na_filter=False,
            quoting=csv.QUOTE_NONE,
            encoding="latin-1",
            low_memory=False,
        )
    if len(frame) != rows:
        raise ValueError("there are empty lines")
    values = np.ones((rows, len(ATTRIBUTES)))
    features = np.tile(_FIRST_FEATURE, (rows, 1))
    for column, name in enumerate(ATTRIBUTES):
        if name in SYMBOLIC:
            codes = frame[name].array.codes
            if codes.min() < 0:
                raise ValueError(f"{name} has an unknown value")
            features[:, column] += codes
        else:
            values[:, column] = frame[name]
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError("a value is negative or not finite")
    return values, features, frame["kind"].array


def _label(kind, classes):
    name = kind.removesuffix(".")
    if not _KIND.fullmatch(kind):
        raise ValueError(f"the kind {kind!r} is not a word that ends with a dot")
    if classes == "two":
        return -1 if name == "normal" else 1
    if name not in _KNOWN_KINDS:
        raise ValueError(f"the kind {name!r} is in none of the five classes; known: {', '.join(_KNOWN_KINDS)}")
    return _KNOWN_KINDS[name]


def _explained(error, path, first_line, block, classes):
    """The error of the first wrong line of a block."""
    for number, line in enumerate(block.split(b"\n")[:-1], start=first_line):
        try:
            _check_line(line.decode("latin-1").rstrip("\r").split(","), classes)
        except ValueError as reason:
            return DataError(f"{path}, line {number}: {reason}")
    return DataError(f"{path}, from line {first_line} on: cannot be parsed: {error}")


def _check_line(fields, classes):
    """The definition of what is right, line by line."""
    if len(fields) != len(_FIELDS):
        raise ValueError(f"there are {len(fields)} fields; {len(_FIELDS)} are wanted")
    for name, field in zip(ATTRIBUTES, fields, strict=False):
        known = SYMBOLIC.get(name)
        if known and field not in known:
            raise ValueError(f"{name} is {field!r}; {did_you_mean(field, known)}")
        if not known and not (_NUMBER.fullmatch(field) and np.isfinite(float(field))):
            raise ValueError(f"{name} is {field!r}, which is not a finite number from 0 on")
    _label(fields[-1], classes)
