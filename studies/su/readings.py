"""How the paper was read where it leaves something open, and what differs here."""

from studies.su.learners import MOST_ITERATIONS, N_BOOSTED, N_INNER_FOLDS, PENALTIES
from studies.su.paper import TABLE_1
from studies.su.preprocess import N_BINS

_PENALTY_LIST = " or ".join(f"{penalty:g}" for penalty in PENALTIES)


def _ahead(data: str) -> str:
    """By how much the paper has FE above DFE."""
    return f"{TABLE_1[data]['NB+FE'].mean - TABLE_1[data]['NB+DFE'].mean:.2f}"


READINGS = (
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
    "NB+ELR is the paper's: conjugate gradients in β from the frequency estimates, of which cross "
    "tuning by error finds how many iterations to make: five folds of up to "
    f"{MOST_ITERATIONS} iterations, then the median of their best numbers on all training rows.",
    "NB+LR is ours and has no column in the paper: the exact maximum of the penalised conditional "
    "likelihood (the logistic route), held to the frequency estimates by a penalty of "
    f"{_PENALTY_LIST}, whichever misclassifies least in {N_INNER_FOLDS} folds of the training "
    "rows, the larger if both do. Its time includes this choice, as ELR's includes its tuning.",
    "DFE without equation 2 has the entries themselves where probabilities should stand. As the "
    "paper gives no formula, both readings are tried: their product as in the network, and the "
    "perceptron's, e to the power of their sum. Without equation 3 every loss is 1.",
    "HGC climbs from naive Bayes by adding, deleting and reversing arcs under the K2 score, at "
    "most two parents a node, the class among them. WEKA's climber as the paper ran it may have "
    "used other moves and its own prior count of a half.",
    f"AdaBoost.M1 is scikit-learn's with {N_BOOSTED} rounds (SAMME, the same for two classes); row "
    "weights are scaled to sum to the number of rows, as WEKA does, for add-one smoothing to stay "
    "small beside them.",
    "A learning curve draws training rows at random without regard to their class; where all are "
    "of one class, every method predicts it.",
    "Which test made the paper's marks is not said. Its table 1 has NB+FE "
    f"{_ahead('breast-cancer')} points above NB+DFE on breast-cancer and {_ahead('labor')} on "
    "labor, and calls both ties; over 100 folds the plain paired "
    "t-test would call them losses even if the accuracies of the two learners were uncorrelated. "
    "So the marks must be those of the corrected test, which WEKA's Experimenter takes by default.",
)
