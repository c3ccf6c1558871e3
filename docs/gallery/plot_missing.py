"""
Cells that will be missing: train for them
==========================================

A model that was fitted to complete rows and is then asked about incomplete ones has a problem that
few notice: summing the missing cells out is exact, but its parameters were never asked to predict
from a few columns alone. How much does it lose, and what helps?
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import bnlr

warnings.simplefilter("ignore", bnlr.UnexpectedMissingWarning)  # what this page is about
frame = bnlr.load_dataset("breast-cancer-wisconsin")
X, y = frame.filter(like="mean"), frame["class"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
rng = np.random.default_rng(0)
masks = {share: rng.random(X_test.shape) < share for share in (0.0, 0.2, 0.4, 0.6)}

# %%
# Four ways
# ---------
# Naive Bayes by counting, which models all cells; its discriminative twin, fitted to complete rows;
# the same, trained for 40% of the cells to be missing; and the median in each hole.

ways = {
    "counts": bnlr.BNClassifier("naive-bayes", learner="frequencies"),
    "complete rows": bnlr.BNClassifier("naive-bayes"),
    "expect_missing=0.4": bnlr.BNClassifier("naive-bayes", expect_missing=0.4, random_state=0),
}
for way in ways.values():
    way.fit(X_train, y_train)
usual = X_train.median()
losses = {}
for share, mask in masks.items():
    holed = X_test.mask(mask)
    found = {name: log_loss(y_test, way.predict_proba(holed)) for name, way in ways.items()}
    filled = ways["complete rows"].predict_proba(holed.fillna(usual))
    found["median filled in"] = log_loss(y_test, filled)
    losses[share] = found
table = pd.DataFrame(losses).T
print(table.round(3).to_string())

# %%
# Filling in goes wrong fastest: it tells the model something that nobody saw. Training for 40% of
# holes costs a little where no cell is missing and wins from about there on. Counting is far off on
# complete rows, where ten correlated measurements say the same thing ten times, and comes nearer
# the fewer of them are there.

axes = table.plot(marker="o", xlabel="share of cells missing", ylabel="log-loss", figsize=(6, 3.6))
