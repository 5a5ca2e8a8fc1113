"""One module per sub-command of `fwsvm`; each offers `configure(parser)` and `run(args) -> int`."""
