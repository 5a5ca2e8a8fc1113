"""Collect these tests only for `make test-kinds`, which runs `run_kinds.py`.

This program sets an environment variable that names the kind of processor.
"""

import os

collect_ignore_glob = [] if os.environ.get("FWSVM_KIND_RESULTS") else ["test_*.py"]
