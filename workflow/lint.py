"""Run Snakemake's linter, but do not require a conda environment or container per rule.

The Snakefile imports fwsvm, so Snakemake itself runs in the one environment that all rules need
(`environment.yml`).
"""

import re
import subprocess
import sys

PASSED_OVER = "Specify a conda environment or container for each rule."


def lints(arguments=("--configfile", "config/smoke.yaml")):
    """List the linter's findings in the current folder, or its whole output if it cannot run."""
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--workflow-profile",
        "none",
        "--lint",
        "text",
        *arguments,
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.findall(r"^    \* (.*):$", done.stdout, re.MULTILINE)
    if done.returncode and not found:
        return [done.stdout]
    return [title for title in found if title != PASSED_OVER]


if __name__ == "__main__":
    sys.exit("\n".join(lints()) or None)
