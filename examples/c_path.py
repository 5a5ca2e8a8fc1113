"""Choose C from several values.

`fit_c_path` fits a model for each value of C, and computes kernel columns only once for all of
them.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from fwsvm import FrankWolfeSVC, fit_c_path

X, y = load_digits(return_X_y=True)
X, y = X / 16, y % 2
X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.5, random_state=0)
X_valid, X_test, y_valid, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=0)

models = fit_c_path(FrankWolfeSVC(gamma=0.05), X_train, y_train, [0.1, 1, 10, 100])
for model in models:
    accuracy = model.score(X_valid, y_valid)
    print(
        f"C = {model.C:g}: {len(model.support_)} support vectors, validation accuracy"
        f" {accuracy:.3f}"
    )

best = max(models, key=lambda model: model.score(X_valid, y_valid))
print(f"C = {best.C:g} has the test accuracy {best.score(X_test, y_test):.3f}")
