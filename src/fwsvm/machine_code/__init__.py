"""The compilation of functions with numba, the storage of their machine code, and its use by
threads.
"""
