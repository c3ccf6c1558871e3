"""How the paper was read where it leaves something open, and what differs here."""

from studies.su.learners import N_BOOSTED, N_INNER_FOLDS, PENALTIES
from studies.su.paper import ABSENT
from studies.su.preprocess import N_BINS

_PENALTY_LIST = " or ".join(f"{penalty:g}" for penalty in PENALTIES)

READINGS = (
    f"Not here: {' and '.join(ABSENT)}.",
    "Missing cells are filled and numbers are cut inside each training fold, by scikit-learn: mean "
    f"or most frequent value, then {N_BINS} bins of equal width over the training range; test "
    "values outside fall into the outer bins, a constant column has one bin. A number on a cut "
    "belongs to the bin above it; in WEKA it belongs to the one below.",
    "The two largest classes are kept, as in the paper. Of classes of one size the first in the "
    "file count (iris, vowel, soybean), in segment brickface and sky, the first in WEKA's header: "
    "the paper does not say which it took.",
    "A column of labels has those that occur in the whole file, in rows of other classes too, as "
    "WEKA's headers declare them.",
    "Wisconsin is without its column of patients' numbers, as WEKA's copy is; zoo keeps the "
    "animals' names.",
    "FE, the networks that are boosted and DFE add one to every count when counts become "
    "probabilities, as WEKA's naive Bayes does; DFE's own steps add nothing. It runs four times "
    "through the training rows in one random order, as WEKA's Experimenter shuffles them; the "
    "order of the file is often that of the classes.",
    "ELR is the exact maximum of the penalised conditional likelihood (the logistic route) in "
    "place of a gradient ascent that is stopped early. The paper's ELR starts at the frequency "
    "estimates and finds by cross tuning how far to go from there; ours is held to the frequency "
    f"estimates by a penalty of {_PENALTY_LIST}, whichever misclassifies least in "
    f"{N_INNER_FOLDS} folds of the training rows, the larger if both do. Its time includes this "
    "choice.",
    "HGC climbs from naive Bayes by adding, deleting and reversing arcs under the K2 score, at "
    "most two parents a node, the class among them. WEKA's climber as the paper ran it may have "
    "used other moves and its own prior count of a half.",
    f"AdaBoost.M1 is scikit-learn's with {N_BOOSTED} rounds (SAMME, the same for two classes); row "
    "weights are scaled to sum to the number of rows, as WEKA does, for add-one smoothing to stay "
    "small beside them.",
    "A learning curve draws training rows at random without regard to their class; where all are "
    "of one class, every method predicts it.",
    "Which test made the paper's marks is not said. Its table 1 has NB+FE 2.51 points above NB+DFE "
    "on breast-cancer and 3.54 on labor, and calls both ties; over 100 folds the plain paired "
    "t-test would call them losses even if the accuracies of the two learners were uncorrelated. "
    "So the marks must be those of the corrected test, which WEKA's Experimenter takes by default.",
)
