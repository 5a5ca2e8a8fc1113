"""The glossary that the pages of the report show."""

WORDS = (
    (
        "L2-SVM",
        "A support vector machine whose loss is the sum of the squared slacks. The slack of a"
        " training point is the amount by which the point is on the wrong side of its margin."
        " Training gives each point a weight, which is at least 0. The weights sum to 1, and they"
        " minimise a quadratic function, the objective.",
    ),
    (
        "CVM, LibCVM",
        "CVM is the core vector machine. Each step adds a point to a small set, the coreset, and"
        " solves a quadratic program over the coreset. LibCVM is the program of CVM's authors.",
    ),
    (
        "FW, MFW, SWAP, SWAP-2o",
        "FW is the Frank-Wolfe method. Each of its steps moves weight towards one point. MFW also"
        " has away steps, which reduce the weight of one point. SWAP has the steps of FW, and also"
        " swap steps, which move weight from one point to another. SWAP-2o is like SWAP, but it"
        " chooses the point that loses weight so that the objective decreases most.",
    ),
    (
        "auto",
        "Our default method. It starts with SWAP-2o. If SWAP-2o is slow, auto continues with a"
        " low-rank approximation of the kernel matrix, with working sets or with FCFW. A working"
        " set is a small set of points over which auto solves a quadratic program. FCFW takes"
        " Newton steps on the active points (the points with a positive weight).",
    ),
    (
        "inferred settings",
        "The papers do not state all settings of their experiments. We infer these settings from a"
        " program that two of the authors published.",
    ),
    (
        "inner tolerance",
        "The tolerance to which CVM solves the quadratic program of a step. This quadratic program"
        " is called the inner problem.",
    ),
    (
        "patience, sample",
        "A sample is a set of 59 or 60 random points, in which a method looks for the point of its"
        " next step. A run ends after a fixed number of consecutive samples in which all"
        " points satisfy the stopping rule. This number is the patience.",
    ),
    (
        "relative gap",
        "The duality gap over all training points, divided by the objective. The duality gap is an"
        " upper bound on the distance of the objective from the optimum. If the relative gap is"
        " above 1, the model is far from the optimum.",
    ),
    (
        "gain kept",
        "The gain of a method is its accuracy minus the accuracy of always predicting the most"
        " frequent class. The gain kept is the method's gain as a percentage of CVM's gain.",
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
    ("tie", "A comparison in which the 95 % interval of the median speed-up contains 1."),
)
