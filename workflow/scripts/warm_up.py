"""Compile the solvers into the disk cache, once."""

import signal
from pathlib import Path

from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.pipeline.warm_up import warm_up

# a KeyboardInterrupt within a callback of LLVM would be lost
signal.signal(signal.SIGINT, signal.SIG_DFL)
with logging_to(snakemake.log[0]):
    warm_up([snakemake.wildcards.part])
    Path(snakemake.output[0]).touch()
