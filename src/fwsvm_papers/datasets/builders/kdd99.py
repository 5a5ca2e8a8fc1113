"""KDD Cup 1999: normal connections and attacks in a computer network (frandi2013 sec. 5.2).

Each line describes a connection by 41 attributes and the kind of the connection. Each of the 34
continuous attributes is a feature. The 7 symbolic attributes are one-hot encoded, with a feature
for each value that occurs in any file of KDD Cup 1999. Three attributes have more than 2 values:
protocol_type (3), service (71) and flag (11). Each of the other four has 2 values. In total, there
are 34 + 93 = 127 features. A value has a feature even if no training point has this value.
Therefore, the number of features does not depend on the split.

If `classes` is "five", the labels are those of the original classes: 0 (normal), 1 (probe), 2
(dos), 3 (u2r) and 4 (r2l). If `classes` is "two", the label is -1 for normal connections and 1 for
attacks.

The papers describe neither the encoding nor the scaling. We chose an encoding that gives the number
of features in the papers. The scaling is also our choice. The papers' random split of the 10 % file
is not available. Therefore, the sizes of our largest and smallest classes differ slightly from the
sizes in the papers.
"""

from __future__ import annotations

import csv
import warnings
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from fwsvm.inputs.data_files import open_content
from fwsvm.inputs.errors import ConfigError, DataError
from fwsvm_papers.datasets.storage import Built

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

CLASSES = {"normal": 0, "probe": 1, "dos": 2, "u2r": 3, "r2l": 4}
ATTACKS = {
    "probe": "ipsweep nmap portsweep satan",
    "dos": "back land neptune pod smurf teardrop",
    "u2r": "buffer_overflow loadmodule perl rootkit",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
}
_KNOWN_KINDS = {"normal": 0} | {
    kind: CLASSES[name] for name, kinds in ATTACKS.items() for kind in kinds.split()
}
_SERVICES = """
    IRC X11 Z39_50 aol auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i
    ecr_i efs exec finger ftp ftp_data gopher harvest hostnames http http_2784 http_443 http_8001
    icmp imap4 iso_tsap klogin kshell ldap link login mtp name netbios_dgm netbios_ns netbios_ssn
    netstat nnsp nntp ntp_u other pm_dump pop_2 pop_3 printer private red_i remote_job rje shell
    smtp sql_net ssh sunrpc supdup systat telnet tftp_u tim_i time urh_i urp_i uucp uucp_path vmnet
    whois
"""
SYMBOLIC = {
    "protocol_type": ("icmp", "tcp", "udp"),
    "service": tuple(_SERVICES.split()),
    "flag": ("OTH", "REJ", "RSTO", "RSTOS0", "RSTR", "S0", "S1", "S2", "S3", "SF", "SH"),
    **dict.fromkeys(("land", "logged_in", "is_host_login", "is_guest_login"), ("0", "1")),
}
_ATTRIBUTES = """
    duration protocol_type service flag src_bytes dst_bytes land wrong_fragment urgent hot
    num_failed_logins logged_in num_compromised root_shell su_attempted num_root num_file_creations
    num_shells num_access_files num_outbound_cmds is_host_login is_guest_login count srv_count
    serror_rate srv_serror_rate rerror_rate srv_rerror_rate same_srv_rate diff_srv_rate
    srv_diff_host_rate dst_host_count dst_host_srv_count dst_host_same_srv_rate
    dst_host_diff_srv_rate dst_host_same_src_port_rate dst_host_srv_diff_host_rate
    dst_host_serror_rate dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate
"""
ATTRIBUTES = tuple(_ATTRIBUTES.split())
_WIDTHS = [len(SYMBOLIC.get(name, "1")) for name in ATTRIBUTES]
_FIRST_FEATURE = np.cumsum([0, *_WIDTHS[:-1]], dtype=np.int32)
FEATURES = sum(_WIDTHS)
_CHUNK = 200_000  # number of lines that pandas reads at a time


def build(train: str | Path, test: str | Path | None = None, *, classes: str) -> Built:
    """Read a training file and a test file. Without a test file, the split in the entry later
    divides the points of the training file.

    Return a `Built` with unscaled points as CSR matrices.
    """
    if classes not in ("five", "two"):
        raise ConfigError(f"builder kdd99: classes is {classes!r}; it must be 'five' or 'two'")
    X_train, y_train, kinds = read_connections(train, classes)
    if test is None:
        return Built(X_train, y_train, facts={"kinds": len(kinds)})
    X_test, y_test, test_kinds = read_connections(test, classes)
    unseen = [rows for kind, rows in test_kinds.items() if kind not in kinds]
    facts = {
        "test_kinds_unseen_in_training": len(unseen),
        "test_points_of_unseen_kinds": sum(unseen),
    }
    return Built(X_train, y_train, X_test, y_test, {"kinds": len(kinds)} | facts)


def read_connections(
    path: str | Path, classes: str
) -> tuple[scipy.sparse.csr_matrix, np.ndarray, Counter]:
    """Return the points as a CSR matrix with 127 columns, the labels of the points, and a Counter
    of the kinds of connections.
    """
    import pandas as pd

    symbolic = {name: pd.CategoricalDtype(values) for name, values in SYMBOLIC.items()}
    points, labels = [], []
    kinds: Counter = Counter()
    # Ignore pandas' warning about unknown values of a symbolic attribute, since `_encode` raises an
    # error for such values.
    with open_content(path) as stream, warnings.catch_warnings(action="ignore"):
        # ParserWarning means that a line has too many values, so it is treated as an error.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            tables = pd.read_csv(
                stream,
                names=[*ATTRIBUTES, "kind"],
                index_col=False,
                dtype={**dict.fromkeys(ATTRIBUTES, np.float64), **symbolic, "kind": "str"},
                na_filter=False,
                skip_blank_lines=False,
                quoting=csv.QUOTE_NONE,
                encoding="latin-1",
                chunksize=_CHUNK,
            )
            for table in tables:
                points.append(_encode(table, path))
                labels.append(_label(table["kind"], classes, path))
                kinds.update(table["kind"].str.removesuffix("."))
        except (ValueError, pd.errors.ParserWarning) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{path}: after line {sum(map(len, labels))}: {error}") from error
    return scipy.sparse.vstack(points, format="csr"), np.concatenate(labels), kinds


def _encode(table: pd.DataFrame, path: str | Path) -> scipy.sparse.csr_matrix:
    """Return the features of the connections in a table as a CSR matrix."""
    values = np.ones((len(table), len(ATTRIBUTES)))
    features = np.tile(_FIRST_FEATURE, (len(table), 1))
    for column, name in enumerate(ATTRIBUTES):
        if name in SYMBOLIC:
            codes = table[name].cat.codes.to_numpy()
            _refuse(table, codes < 0, path, f"{name} must be one of {', '.join(SYMBOLIC[name])}")
            features[:, column] += codes
        else:
            values[:, column] = table[name]
            is_wrong = ~(np.isfinite(values[:, column]) & (values[:, column] >= 0))
            _refuse(table, is_wrong, path, f"{name} must be a finite number >= 0")
    stored = values != 0
    starts = np.concatenate([[0], np.cumsum(stored.sum(axis=1))])
    return scipy.sparse.csr_matrix(
        (values[stored], features[stored], starts), shape=(len(table), FEATURES)
    )


def _label(kinds: pd.Series, classes: str, path: str | Path) -> np.ndarray:
    names = kinds.str.removesuffix(".")
    _refuse(
        kinds,
        ~kinds.str.fullmatch(r"[a-z][a-z0-9_]*\."),
        path,
        "the kind must be a word with a dot at its end",
    )
    if classes == "two":
        return np.where(names == "normal", -1, 1)
    known = ", ".join(_KNOWN_KINDS)
    _refuse(
        kinds,
        ~names.isin(_KNOWN_KINDS),
        path,
        f"the kind is in none of the five classes; known kinds: {known}",
    )
    return names.map(_KNOWN_KINDS).to_numpy(np.int64)


def _refuse(table: pd.DataFrame, is_wrong: np.ndarray, path: str | Path, what: str) -> None:
    if np.any(is_wrong):
        raise DataError(f"{path}, line {table.index[np.argmax(is_wrong)] + 1}: {what}")
