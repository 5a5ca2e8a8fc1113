"""Classify texts, which are sparse points with many features.

The points stay in scipy's CSR format from the vectorizer to the solver. The texts are random: each
has three words about one of two subjects, and forty words that are independent of the subject.
"""

import random

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from fwsvm import FrankWolfeSVC

SUBJECTS = {
    "cooking": [
        "oven",
        "flour",
        "butter",
        "salt",
        "pepper",
        "onion",
        "soup",
        "bake",
        "fry",
        "recipe",
    ],
    "sailing": [
        "sail",
        "mast",
        "harbour",
        "wind",
        "wave",
        "anchor",
        "deck",
        "crew",
        "tide",
        "compass",
    ],
}
OTHER = [f"word{number}" for number in range(3000)]

draw = random.Random(0)
texts, subjects = [], []
for number in range(600):
    subject = list(SUBJECTS)[number % 2]
    words = draw.choices(SUBJECTS[subject], k=3) + draw.choices(OTHER, k=40)
    draw.shuffle(words)
    texts.append(" ".join(words))
    subjects.append(subject)

model = make_pipeline(TfidfVectorizer(), FrankWolfeSVC(kernel="linear", C=10))
model.fit(texts[:400], subjects[:400])
points = model[0].transform(texts[:400])
share = points.nnz / (points.shape[0] * points.shape[1])
print(
    f"{points.shape[0]} texts, {points.shape[1]} words, {100 * share:.1f} % of the values are not"
    " zero"
)
print(f"test accuracy {model.score(texts[400:], subjects[400:]):.3f}")
print(model.predict(["bake the onion in butter", "the wind fills the sail"]))
