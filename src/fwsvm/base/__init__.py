"""Provide what all other packages may import: errors, files, compilation, and checks of arguments."""
