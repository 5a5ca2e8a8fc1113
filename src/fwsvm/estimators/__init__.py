"""Classifiers and one-class models with scikit-learn's interface, and minimum enclosing balls."""
