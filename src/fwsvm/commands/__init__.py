"""The sub-commands of `fwsvm`: functions that declare the options of a parser and set its `run(args)`."""
