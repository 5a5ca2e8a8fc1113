"""`make bench`: the solver's speed and memory beside the machine's limits and its peers, measured side by side.

One section per module: `kernels`, `peers`, `libcvm`, `race`, `growth`, `memory`. A section lists its cases and turns
a case into rows; `runner` does what all have in common, `report` and `figure` show the rows.
"""
