"""Reproduce five papers on Frank-Wolfe training of kernel support vector machines, with the solvers
of `fwsvm`.

`datasets` prepares the data sets of a catalogue, and `baselines` has other training methods.
`studies` has the experiments, tables and figures of each paper. `pipeline` has the functions that
the Snakefile imports. To install the packages that these modules need, install `fwsvm` with the
extra `papers`.

>>> from fwsvm_papers.datasets import load_catalogue
>>> load_catalogue()["a1a"].features
123
"""
