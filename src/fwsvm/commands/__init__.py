"""Define the sub-commands of `fwsvm`. Each module declares the options of a parser and sets its `run(args)`."""
