"""Names of the data sets that come with the project: whatever else is in the catalogue, a user has added."""

_NAMES = """
    a1a a2a a3a a4a a5a a6a a7a a8a a9a w1a w2a w3a w4a w5a w6a w7a w8a ijcnn1 usps pendigits letter protein shuttle
    mnist reuters usps-ext kdd99-10pc kdd99-full covtype australian breast-cancer diabetes german heart ionosphere
    iris iris-setosa mushrooms sonar magic miniboone checkerboard two-circles fourclass satimage breast_cancer digits
    checkerboard-1m two-circles-3000
"""
SHIPPED_NAMES = _NAMES.split()
