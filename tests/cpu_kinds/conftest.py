"""Collect these tests only if `run_kinds.py` runs them (`make test-kinds`).

This program sets an environment variable that names the kind of processor.
"""

import os

collect_ignore_glob = [] if os.environ.get("FWSVM_KIND_RESULTS") else ["test_*.py"]
