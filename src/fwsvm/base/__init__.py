"""Provide what every other package may import: errors, files, compilation, and checks of arguments."""
