"""What may be chosen by name, and which names are alike. Solvers: `bnlr.optimize.base.SOLVERS`."""

AUTO = "auto"

LEARNERS = (AUTO, "frequencies", "dfe", "lr", "elr", "em", "apn")
COUNTERS = ("frequencies", "dfe")
"""The learners that only count: they start from nothing and take no penalty."""
LIKELIHOOD = ("em", "apn")
"""The learners that climb the joint likelihood, rows without a class included."""
GENERATIVE = (*COUNTERS, *LIKELIHOOD)
"""The learners whose CPTs are estimates of frequencies; they take no penalty."""

SPACES = (AUTO, "loglinear", "roos", "softmax", "theta")
LOGISTIC_SPACES = ("loglinear", "roos")
"""Those of a logistic regression, which only perfect structures have."""
LR_SPACES = (*LOGISTIC_SPACES, "softmax")
"""Those in which learner "lr" works."""
BETA_SPACES = ("softmax", "theta")
"""Those of CPTs, which any structure has."""

SMOOTH = "smooth"
CENTRES = (AUTO, "scaled", "frequencies", "zero", SMOOTH)
"""Where a penalty shrinks to; smooth: cells of ordered attributes to their neighbours."""
CROSS_TUNINGS = ("error", "cll")
"""What "elr" may watch on rows left out, to stop in time."""
NONPERFECT = ("elr", "embed")
"""What becomes of a structure that is not perfect."""
