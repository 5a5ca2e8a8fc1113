"""The sub-commands of `fwsvm` that work on files.

Each sub-command has a module with two functions: `configure` adds its options to a parser, and
`run` executes it.
"""
