"""Train classifiers and one-class models with scikit-learn's interface, and find minimum
enclosing balls.
"""
