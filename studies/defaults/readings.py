"""How the study was done where it could have been done otherwise."""

from studies.defaults.datasets import MOST_ROWS, N_FOLDS
from studies.defaults.run import FLOOR
from studies.defaults.tables import LEAST_LOSS, NEAR_ZERO

READINGS = (
    f"Sets of more than {MOST_ROWS:,} rows are cut once, in proportion to the classes, to the same "
    "rows for all seeds; a seed shuffles the folds.",
    f"Classes of fewer than {N_FOLDS} rows are left out, so that every class is in every training "
    "part and a log-loss is defined without a rule for classes never seen.",
    "Columns are numbers where the folder's manifest says so, else labels. A learner knows the "
    "labels of its training rows alone; columns that identify a row are left out, as are columns "
    "without any value in the training rows.",
    "Nothing is learnt from test rows: intervals, structures, penalties and codes are those of the "
    "training rows of a fold.",
    "Missing cells are summed out by bnlr's defaults; boosting handles them itself; for all others "
    "missing is a label of its own.",
    f"A class of probability exactly 0 counts as {FLOOR:g}; no other probability is touched.",
    f"In ratios, wins and losses a log-loss below {LEAST_LOSS:g} counts as that. Near "
    f"zero: the log-loss of some ranked learner is below {NEAR_ZERO:g}.",
    "Wilcoxon's test and the t-test look at the logarithms of the ratios, a value a set, for each "
    "seed; the sign test and wins and losses at the means over the seeds.",
    "Significant on a set: the corrected resampled t-test (Nadeau and Bengio 2003) over the "
    f"{N_FOLDS} folds of all seeds, two-sided, at 5 %.",
    "Ranks, critical difference: Demšar (2006). Sets of one source count once.",
    "No published figures of other Bayesian network classifiers stand beside these. Of selective "
    "k-DB with hierarchical Dirichlet processes (Petitjean et al. 2018: five times two folds, 68 "
    "sets, 0-1 loss and RMSE) wins and losses were to be had, but nothing set by set.",
)
