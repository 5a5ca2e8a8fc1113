"""Reproduce five papers on Frank-Wolfe training of kernel support vector machines, with the solvers
of `fwsvm`.

`datasets` prepares the data sets of a catalogue, `baselines` has other trainers, `studies` the
experiments, tables and figures of each paper, and `pipeline` what the Snakefile imports. The
packages that these need are the extra `papers`.

>>> from fwsvm_papers.datasets import load_catalogue
>>> load_catalogue()["a1a"].features
123
"""
