"""Compile the solvers once, so that all jobs find the compiled code in the cache on the disk."""

import signal
from pathlib import Path

from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.pipeline.warm_up import warm_up

# A KeyboardInterrupt during a callback of LLVM would be lost, so Ctrl-C ends the process directly.
signal.signal(signal.SIGINT, signal.SIG_DFL)
with logging_to(snakemake.log[0]):
    warm_up([snakemake.wildcards.part])
    Path(snakemake.output[0]).touch()
