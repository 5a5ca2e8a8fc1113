"""Define the sub-commands of `fwsvm`. Each has a function for its options and one that runs it."""
