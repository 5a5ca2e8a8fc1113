"""Estimators in the manner of scikit-learn: classification, one class, the minimum enclosing ball."""
