"""Define the sub-commands of `fwsvm`. For each, one function defines the options and another executes it."""
