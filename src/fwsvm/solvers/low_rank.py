"""A first guess for FCFW: the L2-SVM over all points with a low-rank kernel, solved by Newton's method in the primal.

With landmarks L and their kernel matrix W = R'R, z(x) = K_xL R^-1 are features whose dot products approximate K
(Nystroem; Williams and Seeger 2001). The L2-SVM in these features is linear: minimise
|w|^2 / 2 + sum_i max(0, 1 - y_i w'z_i)^2 / (2 D_i). A Newton step solves one equation per landmark (Mangasarian 2002;
Keerthi and DeCoste 2005). The decision values tell which points will carry weight, and how much.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from fwsvm.base.threads import tiles

# Landmarks are this many times the square root of the number of points.
_PER_ROOT = 2.0
# Fewer landmarks do not help; 1024 points or fewer need no guess.
_LEAST_LANDMARKS, _FEW_POINTS = 32, 1024
# float32 cannot hold the squares of larger kernel values.
_LARGE = 1e15
_ROWS = 2048
_JITTER = 1e-5
_MOST_STEPS, _LAST_DECREASE = 15, 1e-5


def guessed_values(problem, dtype, room_mb, rng, workers):
    """Decision values f_i = y_i h(x_i) in units of the margin, and the number of kernel values computed.

    None if a guess would not help. Raises LinAlgError if the kernel values are not positive semidefinite within their
    precision. `room_mb` bounds the memory of the features.
    """
    m = problem.size
    rank = int(min(_PER_ROOT * np.sqrt(m), room_mb * 1e6 / (4 * m)))
    if m <= _FEW_POINTS or rank < _LEAST_LANDMARKS or problem.largest_diagonal > _LARGE:
        return None, 0
    landmarks = np.sort(rng.choice(m, rank, replace=False))
    features = _features(problem, landmarks, dtype, workers)
    return _solve(features, problem, workers), m * rank


def nystroem_factor(corner):
    """Lower Cholesky factor of the landmarks' kernel matrix (r, r) with a little added."""
    corner = 0.5 * (corner + corner.T)
    corner[np.diag_indices(len(corner))] += _JITTER * (1.0 + corner.diagonal())
    return np.linalg.cholesky(corner)


def _features(problem, landmarks, dtype, workers):
    """y_i times the features of x_i and the bias, float32 (m, r + 1)."""
    root = nystroem_factor(problem.matrix.submatrix(landmarks))
    root = solve_triangular(root, np.eye(len(root)), lower=True).T.astype(np.float32)
    features = np.empty((problem.size, len(landmarks) + 1), np.float32)
    against = problem.matrix.against(landmarks, dtype)

    def work(tile):
        signs = problem.labels[tile, None]
        features[tile, :-1] = against(np.arange(tile.start, tile.stop)) @ root
        features[tile, :-1] *= signs
        features[tile, -1:] = np.sqrt(problem.offset) * signs

    workers.each(work, tiles(problem.size, _ROWS))
    return features


def _solve(features, problem, workers):
    """The decision values at the minimum, by Newton steps with exact line searches."""
    weights = 1.0 / np.broadcast_to(problem.ridge_at(slice(None)), problem.size)
    w, f = np.zeros(features.shape[1]), np.zeros(problem.size)
    for _ in range(_MOST_STEPS):
        slack = np.maximum(1.0 - f, 0.0)
        gradient, hessian = _derivatives(features, slack, weights, workers)
        gradient += w
        hessian[np.diag_indices(len(w))] += 1.0 + 1e-7 * hessian.diagonal()
        d = -solved(hessian, gradient)
        change = _times(features, d, workers)
        length = line_search(f, change, weights, float(w @ d), float(d @ d))
        value = 0.5 * (w @ w + weights @ slack**2)
        w += length * d
        f += length * change
        if -float(gradient @ d) <= _LAST_DECREASE * value:
            break
    return f


def _derivatives(features, slack, weights, workers):
    """Gradient and Hessian of the squared slacks, float64, added up tile by tile in their order."""

    def share(tile):
        below = tile.start + np.flatnonzero(slack[tile])
        rows = features[below] * np.sqrt(weights[below]).astype(np.float32)[:, None]
        scaled = (np.sqrt(weights[below]) * slack[below]).astype(np.float32)
        return np.vstack([-scaled @ rows, rows.T @ rows])

    both = workers.sum(share, tiles(len(features), _ROWS))
    return both[0], both[1:]


def _times(features, d, workers):
    out, d = np.empty(len(features)), d.astype(np.float32)

    def work(tile):
        out[tile] = features[tile] @ d

    workers.each(work, tiles(len(features), _ROWS))
    return out


def solved(matrix, target):
    """x with matrix x = target, for a positive definite matrix that is overwritten."""
    factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
    return cho_solve(factor, target, check_finite=False)


def line_search(f, change, weights, constant, slope):
    """The t > 0 that minimises t constant + t^2 slope / 2 + sum_i weights_i max(0, 1 - f_i - t change_i)^2 / 2."""
    low, high, length = 0.0, np.inf, 1.0
    for _ in range(60):
        below = f + length * change < 1.0
        own = change[below]
        weighted = own * weights[below]
        rise = constant + length * slope - float((1.0 - f[below] - length * own) @ weighted)
        low, high = (length, high) if rise <= 0.0 else (low, length)
        following = length - rise / max(slope + float(own @ weighted), 1e-300)
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - length) <= 1e-12 * length:
            break
        length = following
    return length
