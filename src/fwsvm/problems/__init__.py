"""The quadratic programs of SVMs, and caches for the columns of their matrices Q."""
