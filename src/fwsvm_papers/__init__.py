"""The reproduction of five papers on Frank-Wolfe training of kernel support vector machines, with
the solvers of `fwsvm`.

`datasets` prepares the data sets of a catalogue, and `baselines` has other training methods.
`studies` has the experiments, tables and figures of each paper. `pipeline` has the functions that
the Snakefile imports. These modules need further packages, which are installed with the extra
`papers` of `fwsvm`.

>>> from fwsvm_papers.datasets import load_catalogue
>>> load_catalogue()["a1a"].features
123
"""
