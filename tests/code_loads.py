"""A script that other processes run first: `loaded` then lists the compiled functions that a
process loads from its cache.
"""

LIST_LOADS = """
from fwsvm.machine_code.code_cache import CodeCache

loaded, load = [], CodeCache.load_overload

def listing(self, sig, context):
    loaded.append(f"{self._function.__module__}.{self._function.__qualname__} {sig}")
    return load(self, sig, context)

CodeCache.load_overload = listing
"""
