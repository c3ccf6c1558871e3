"""
Tumours: good probabilities from numbers
========================================

569 tumours, thirty measurements of cell nuclei each, benign or malignant. (Breast Cancer Wisconsin,
shipped with scikit-learn.) The numbers are cut into intervals inside ``fit``, so that
cross-validation sees no label that it should not. How good are the probabilities?
"""

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bnlr

frame = bnlr.load_dataset("breast-cancer-wisconsin")
X, y = frame.drop(columns="class"), frame["class"]
y.value_counts()

# %%
# Five contenders
# ---------------
# All on the same five folds; every row is predicted by a model that has not seen it.

contenders = {
    "naive Bayes, frequencies": bnlr.BNClassifier("naive-bayes", learner="frequencies"),
    "naive Bayes, discriminative": bnlr.BNClassifier("naive-bayes"),
    "chosen by cross-validation": bnlr.BNClassifier(),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "boosted trees": HistGradientBoostingClassifier(early_stopping=True, random_state=0),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
probabilities = {
    name: cross_val_predict(contender, X, y, cv=folds, method="predict_proba")
    for name, contender in contenders.items()
}
last = sorted(y.unique())[1]
pd.DataFrame(
    {
        name: {
            "log-loss": log_loss(y, p),
            "Brier": brier_score_loss(y, p[:, 1], pos_label=last),
            "errors": int((p.argmax(axis=1) != (y == last)).sum()),
        }
        for name, p in probabilities.items()
    }
).T.round(3)

# %%
# The classes are all but linear in the numbers themselves, which suits logistic regression best;
# what cuts numbers into intervals has to pay for it. Choosing by cross-validation is no guarantee
# either: from 455 rows the folds cannot tell candidates apart that differ by less than their noise.
#
# Calibration
# -----------
# Frequency estimates count what thirty correlated measurements say thirty times: their
# probabilities crowd at 0 and 1 and are wrong there. The same graph with discriminative parameters
# says what it knows.

for name in list(contenders)[:2]:
    axes = bnlr.plot_reliability(y, probabilities[name])
    axes.figure.suptitle(name)

# %%
# What the model is
# -----------------

classifier = bnlr.BNClassifier().fit(X, y)
print(classifier.summary())
