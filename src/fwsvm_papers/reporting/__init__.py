"""Functions that build tables and charts and write them to files, and the style that all of them
have. This package contains nothing about a particular paper.
"""
