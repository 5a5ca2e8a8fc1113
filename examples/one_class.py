"""Find outliers with a one-class model, and the smallest ball that encloses the other points."""

import numpy as np

from fwsvm import FrankWolfeOneClass, minimum_enclosing_ball

rng = np.random.default_rng(0)
# the last ten points are far from the others
X = np.vstack([rng.normal(size=(500, 2)), rng.uniform(5, 9, size=(10, 2))])

model = FrankWolfeOneClass(C=0.1, contamination=0.02, gamma=0.02).fit(X)
outliers = np.flatnonzero(model.predict(X) == -1)
print(f"{len(outliers)} outliers, {np.sum(outliers >= 500)} of them among the last ten points")

ball = minimum_enclosing_ball(X[model.predict(X) == 1])
print(
    f"the other points are in a ball of radius {ball.radius:.4f}; none has a radius below"
    f" {ball.lower_bound:.4f}"
)
