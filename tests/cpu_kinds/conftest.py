"""These tests are for `make test-kinds` (run_kinds.py here), which says on what kind of
processor they run.
"""

import os

collect_ignore_glob = [] if os.environ.get("FWSVM_KIND_RESULTS") else ["test_*.py"]
