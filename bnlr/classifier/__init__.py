"""The scikit-learn estimator."""

from bnlr.classifier.estimator import BNClassifier

__all__ = ["BNClassifier"]
