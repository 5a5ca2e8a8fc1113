"""Names of the types that signatures of compiled functions use."""

from typing import Any, TypeAlias

import numpy as np

Record: TypeAlias = Any
"""A record of a structured array, whose fields are attributes."""
Index: TypeAlias = Any
"""An int or np.int64. Some integers are np.int64, because numba gives a literal such as -1 a type
of its own.
"""
Precision: TypeAlias = type[np.float32] | type[np.float64]
"""The type of the numbers in an array. Compiled functions call the type to convert a number."""
CsrArrays: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
"""The arrays (indptr, indices, data) of a CSR matrix."""
