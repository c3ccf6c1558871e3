"""Pools made by hand, whatever folds would say."""

import bnlr

WAYS = [
    ("tan", "mdl", 3.0, "scaled", 0.4), ("naive-bayes", "quantile-5", 10.0, "scaled", 0.3),
    ("tan", "quantile-5", 30.0, "zero", 0.7), ("naive-bayes", "mdl", 1.0, "zero", 0.1),
]  # fmt: skip
"""Structure, way to cut, strength, centre and weight: each of the first two in both."""


def pool_of_four(X, y):
    """A fitted classifier with a pool of `WAYS`."""
    made = [(_fitted(X, y, *way), way) for way in WAYS]
    classifier, _ = made[0]
    classifier.set_params(structure="pool")
    members = tuple(_member(one, *way) for one, way in made)
    classifier.pool_ = bnlr.Pool(members, 0.4)
    return classifier


def _fitted(X, y, structure, discretize, penalty, center, _):
    options = {"discretize": discretize, "penalty": penalty, "penalty_center": center}
    return bnlr.BNClassifier(structure, **options).fit(X, y)


def _member(one, structure, discretize, penalty, center, weight):
    return bnlr.PoolMember(
        network=one.network_, report=one.report_, result=one.result_,
        discretizer=one.discretizer_, missing_states=one.missing_states_, rows="complete",
        weight=weight, structure=structure, discretize=discretize, penalty=penalty,
        penalty_center=center, log_loss=0.5 + weight,
    )  # fmt: skip
