"""Compile functions with numba, keep their machine code on disk, and run it on threads."""
