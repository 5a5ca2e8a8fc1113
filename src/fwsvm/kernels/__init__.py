"""Kernel functions and kernel matrices."""

from fwsvm.kernels.functions import Kernel, average_squared_distance
from fwsvm.kernels.matrix import KernelMatrix

__all__ = ["Kernel", "KernelMatrix", "average_squared_distance"]
