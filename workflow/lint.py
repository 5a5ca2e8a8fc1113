"""Run Snakemake's linter, but ignore its advice to give each rule a conda environment or container.

The Snakefile imports fwsvm. Therefore, Snakemake runs in the same environment as all rules
(`environment.yml`).
"""

import re
import subprocess
import sys

PASSED_OVER = "Specify a conda environment or container for each rule."


def lints(arguments=("--configfile", "config/smoke.yaml")):
    """List the linter's findings in the current folder, without the ignored advice. If the linter
    fails and names no finding, list its whole output.
    """
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
