"""Train classifiers and one-class models like scikit-learn's estimators, and find minimum enclosing balls."""
