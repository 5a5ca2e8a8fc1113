"""Define the sub-commands of `fwsvm`. For each, a function adds the options to a parser and sets `run(args)`."""
