"""
One case in fifty: rare classes
===============================

Of 8,000 rows one in fifty is a case. Accuracy is of no use: who always says "no" is right in 98% of
them. What one wants is a probability that means what it says, and a threshold that follows from
what the two mistakes cost.
"""

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

import bnlr

rng = np.random.default_rng(1)
n = 8000
X = pd.DataFrame(
    {
        "country": rng.choice(["A", "B", "C", "D"], n, p=[0.5, 0.3, 0.15, 0.05]),
        "amount": np.round(np.exp(rng.normal(4, 1, n)), 2),
        "hour": rng.integers(0, 24, n),
        "new device": rng.random(n) < 0.1,
    }
)
odds = -5.6 + 1.0 * (np.log(X["amount"]) - 4) + 2.0 * X["new device"] + 1.5 * (X["hour"] < 5)
odds += 1.0 * (X["country"] == "D")
y = pd.Series(np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "case", "no"), name="class")
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
print(y.value_counts().to_string())

# %%
# As it is, and weighted
# ----------------------
# Weights that make both classes count the same are a usual remedy. They do not help to rank, and
# the probabilities that come of them are not those of the world.

plain = bnlr.BNClassifier("naive-bayes", discretize="quantile-10", penalty_center="smooth")
fits = {
    "as it is": plain.fit(X_train, y_train),
    "balanced": clone(plain).set_params(class_weight="balanced").fit(X_train, y_train),
}
found = {}
for name, fit in fits.items():
    p = fit.predict_proba(X_test)[:, 0]
    is_case = y_test == "case"
    found[name] = {
        "log-loss": log_loss(is_case, p),
        "AUC": roc_auc_score(is_case, p),
        "average precision": average_precision_score(is_case, p),
        "mean probability": p.mean(),
    }
print(pd.DataFrame(found).T.round(3).to_string())
print(f"share of cases {is_case.mean():.3f}")

# %%
# Decide by what mistakes cost
# ----------------------------
# A missed case costs 50, a false alarm 1: an alarm pays where P(case) > 1 / 51.

p = fits["as it is"].predict_proba(X_test)[:, 0]
costs = {}
for threshold in (1 / 51, 0.1, 0.5):
    alarm = p > threshold
    costs[round(threshold, 3)] = 50 * (is_case & ~alarm).sum() + (~is_case & alarm).sum()
print(pd.Series(costs, name="cost").to_string())

# %%
axes = bnlr.plot_effect(fits["as it is"].network_, "amount")
