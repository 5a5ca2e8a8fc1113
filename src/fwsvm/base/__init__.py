"""Provide what every other package may import: errors, files, compilation, checks of arguments."""
