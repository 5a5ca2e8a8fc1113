"""Kernel functions and kernel matrices."""

from fwsvm.kernels.matrix import Kernel, KernelMatrix, average_squared_distance

__all__ = ["Kernel", "KernelMatrix", "average_squared_distance"]
