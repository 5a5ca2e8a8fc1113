"""Define the glossary that the pages of the report show."""

WORDS = (
    (
        "L2-SVM",
        "Support vector machine with squared slacks. Training minimises a quadratic function over"
        " the unit simplex.",
    ),
    (
        "CVM, LibCVM",
        "Core vector machine: it solves quadratic programs over a growing set of points, the"
        " coreset. LibCVM is the program of its authors.",
    ),
    (
        "FW, MFW, SWAP, SWAP-2o",
        "The Frank-Wolfe method; with away steps; with swap steps, which move weight between two"
        " points; with swap steps whose second point decreases the objective most.",
    ),
    (
        "auto",
        "The solver's default: SWAP-2o, then working sets or FCFW (Newton steps on the active"
        " points) where SWAP-2o is not quick.",
    ),
    (
        "authors' settings",
        "The settings that we infer for the papers' own runs, from a program that two authors"
        " published.",
    ),
    (
        "inner tolerance",
        "How precisely CVM solves the small quadratic program of each of its steps.",
    ),
    (
        "patience, sample",
        "A method looks at a random sample of 59 or 60 points for its next step. Patience is the"
        " number of samples in a row that must meet the stopping rule.",
    ),
    (
        "relative gap",
        "The duality gap over all training points, divided by the objective. It bounds the relative"
        " distance from the optimum; above 1 (100 %) the model is far from it.",
    ),
    (
        "gain kept",
        "(accuracy - b) / (CVM's accuracy - b), where b is the accuracy of always predicting the"
        " largest class.",
    ),
    (
        "Web, Adult",
        "Two series of nested data sets: each set contains the points of the smaller ones.",
    ),
    (
        "stand-in",
        "A data set of the right size that replaces a file that is no longer available.",
    ),
    ("speed-up", "CVM's CPU time divided by the method's."),
)
