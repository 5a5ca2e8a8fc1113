"""The glossary that the pages of the report show."""

WORDS = (
    (
        "L2-SVM",
        "A support vector machine whose loss is the sum of the squared slacks. Its training"
        " minimises a quadratic function over the unit simplex.",
    ),
    (
        "CVM, LibCVM",
        "CVM is the core vector machine. Each step adds a point to a small set, the coreset, and"
        " solves a quadratic program over the coreset. LibCVM is the program of CVM's authors.",
    ),
    (
        "FW, MFW, SWAP, SWAP-2o",
        "FW is the Frank-Wolfe method. MFW also has away steps, which reduce the weight of one"
        " point. SWAP also has swap steps, which move weight from one point to another. SWAP-2o"
        " chooses the point that loses weight so that the objective decreases most.",
    ),
    (
        "auto",
        "Our default method. It starts with SWAP-2o. If SWAP-2o is slow, it continues with working"
        " sets or with FCFW, which takes Newton steps on the active points (the points with a"
        " positive weight).",
    ),
    (
        "inferred settings",
        "The settings of the papers' experiments, as we infer them from a program that two of the"
        " authors published.",
    ),
    (
        "inner tolerance",
        "The accuracy to which CVM solves the small quadratic program of each of its steps.",
    ),
    (
        "patience, sample",
        "A method looks for the point of its next step in a random sample of 59 or 60 points. A run"
        " ends after a fixed number of samples in a row in which no point violates the stopping"
        " rule. This number is the patience.",
    ),
    (
        "relative gap",
        "The duality gap over all training points, divided by the objective. The gap is an upper"
        " bound on the relative distance of the objective from the optimum. If the gap is above 1,"
        " the model is far from the optimum.",
    ),
    (
        "gain kept",
        "(accuracy - b) / (CVM's accuracy - b), where b is the accuracy of always predicting the"
        " largest class.",
    ),
    (
        "Web, Adult",
        "Two series of nested data sets. Each data set contains the points of all smaller data sets"
        " of its series.",
    ),
    (
        "stand-in",
        "A data set that replaces a file that is no longer available. The stand-in has the"
        " size of the original.",
    ),
    ("speed-up", "CVM's CPU time divided by the CPU time of the method."),
)
