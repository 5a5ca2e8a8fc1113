"""`python -m fwsvm` runs the command line."""

import sys

from fwsvm.cli import main

if __name__ == "__main__":
    sys.exit(main())
