"""Reproduce five papers on Frank-Wolfe training of kernel support vector machines, with the solvers
of `fwsvm`.

`datasets` prepares the data sets of a catalogue, and `baselines` has other trainers. `studies` has
the experiments, tables and figures of each paper. `pipeline` has the functions that the Snakefile
imports. The extra `papers` installs the packages that these need.

>>> from fwsvm_papers.datasets import load_catalogue
>>> load_catalogue()["a1a"].features
123
"""
