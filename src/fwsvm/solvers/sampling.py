"""Random samples of points for compiled loops. In frandi2013 sec. 5.2.3, sampling is called the
"probabilistic speed-up".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fwsvm.machine_code.compiled import compiled

if TYPE_CHECKING:
    from fwsvm.machine_code.signatures import Index
    from fwsvm.solvers.settings import Selection


class Sampler(NamedTuple):
    """The data of a sampler, for compiled loops."""

    state: np.ndarray  # the state of the random generator
    members: np.ndarray  # the points, ordered by class (positive points first)
    first_negative: int  # the position in `members` of the first negative point
    sample: np.ndarray  # memory for the points of a sample
    # two flags: whether the classes alternate, and whether points are drawn with replacement
    settings: np.ndarray


# Largest number of attempts to replace a rejected point. The loop must end even if all points are
# rejected.
_REJECTIONS = 64
# the value of the argument `rejected` of `draw` if no point is rejected
NOBODY = np.empty(0, dtype=np.int64)


def new_sampler(labels: np.ndarray, selection: Selection, rng: np.random.Generator) -> Sampler:
    """Return a new sampler that draws samples as the `selection` describes.

    The points have the `labels` -1 or +1, float64 (m,). The seed of the sampler is drawn from the
    Generator `rng`.
    """
    m, size, replace = len(labels), selection.sample_size, selection.replacement
    members = np.concatenate([np.flatnonzero(labels > 0), np.flatnonzero(labels <= 0)]).astype(
        np.int64
    )
    return Sampler(
        state=rng.integers(0, 2**63, size=1, dtype=np.uint64),
        members=members,
        first_negative=int(np.count_nonzero(labels > 0)),
        sample=np.empty(size if replace else min(size, m), dtype=np.int64),
        settings=np.array([selection.alternate, replace], dtype=np.int64),
    )


@compiled(inline=True)
def random_below(state: np.ndarray, bound: int) -> Index:
    """Draw an integer from [0, bound) with the random generator SplitMix64.

    `state` (uint64) is `Sampler.state` or `State.random`.
    """
    z = state[0] + np.uint64(0x9E3779B97F4A7C15)
    state[0] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0) * bound)


@compiled
def draw(sampler: Sampler, rejected: np.ndarray) -> int:
    """Draw a sample into `sampler.sample` and return its size.

    A point i with rejected[i] >= 0 does not enter the sample. If points are drawn with replacement,
    another point is drawn instead, at most `_REJECTIONS` times. If all of these points are
    rejected, or if points are drawn without replacement, the sample becomes smaller.
    """
    members, m = sampler.members, sampler.members.shape[0]
    alternate, replace = sampler.settings[0], sampler.settings[1]
    split = sampler.first_negative if alternate else m
    taken_low, taken_high, size = 0, 0, 0
    for place in range(sampler.sample.shape[0]):
        low = (place % 2 == 0 or split == m) if alternate else True
        if split == 0:
            low = False
        if not replace and alternate:
            if low and taken_low == split:
                low = False
            elif not low and taken_high == m - split:
                low = True
        begin, end = (0, split) if low else (split, m)
        if not replace:
            first = begin + (taken_low if low else taken_high)
            other = first + random_below(sampler.state, end - first)
            members[first], members[other] = members[other], members[first]
            chosen = members[first]
            if low:
                taken_low += 1
            else:
                taken_high += 1
            if rejected.shape[0] > 0 and rejected[chosen] >= 0:
                continue
        else:
            chosen = members[begin + random_below(sampler.state, end - begin)]
            if rejected.shape[0] > 0:
                tries = 0
                while rejected[chosen] >= 0 and tries < _REJECTIONS:
                    chosen = members[begin + random_below(sampler.state, end - begin)]
                    tries += 1
                if rejected[chosen] >= 0:
                    continue
        sampler.sample[size] = chosen
        size += 1
    return size


@compiled(inline=True)
def sampled_vertex(sampler: Sampler, rejected: np.ndarray, s: np.ndarray) -> tuple[int, int]:
    """Draw a sample.

    Return the point of the sample with the lowest gradient, and the size of the sample. Among tied
    points, the one with the smallest index is returned. For an empty sample, return -1 as the
    point.
    """
    size, lowest = draw(sampler, rejected), -1
    for t in range(size):
        r = sampler.sample[t]
        if lowest < 0 or s[r] < s[lowest] or (s[r] == s[lowest] and r < lowest):
            lowest = r
    return lowest, size
