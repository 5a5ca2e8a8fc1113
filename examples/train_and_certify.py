"""Train a classifier and read its certificate.

The certified duality gap bounds the distance of the objective from its minimum: no weights have an
objective below `objective_ - gap_`. (With more than two classes, each pair of classes has an
objective and a gap, in `pair_solutions_`.)
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from fwsvm import FrankWolfeSVC

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

for eps in (0.1, 0.001, 1e-6):
    model = FrankWolfeSVC(C=10, eps=eps).fit(X_train, y_train)
    least = model.objective_ - model.gap_
    print(
        f"eps = {eps:g}: objective {model.objective_:.8f}, optimum at least {least:.8f}, "
        f"{len(model.support_)} support vectors, accuracy {model.score(X_test, y_test):.3f}"
    )
