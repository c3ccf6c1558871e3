"""
Customers who leave: text, numbers, holes and an id in one table
================================================================

2,000 customers of a telephone company that does not exist: contract, payment, months, charges,
calls to the hotline, with cells missing and a customer number. They are drawn here, so that the
truth is known: long contracts keep customers, and calls to the hotline drive away those
who pay by the month, and hold the others.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import bnlr

rng = np.random.default_rng(0)
n = 2000
contract = rng.choice(["monthly", "yearly", "two years"], n, p=[0.55, 0.25, 0.2])
months = np.round(rng.gamma(2.0, 12.0, n)).astype(int)
calls = rng.poisson(1.2, n)
charge = np.round(20 + 60 * rng.random(n) + 10 * (contract == "monthly"), 2)
odds = -1.4 - 0.04 * months + 0.02 * (charge - 50) - 1.5 * (contract != "monthly")
odds += np.where(contract == "monthly", 1.0, -0.6) * np.minimum(calls, 4)
rows = pd.DataFrame(
    {
        "customer": [f"C{k:05d}" for k in range(n)],
        "contract": contract,
        "payment": rng.choice(["card", "transfer", "cheque"], n),
        "months": months,
        "charge": charge,
        "calls": np.minimum(calls, 4),
        "left": np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "left", "stayed"),
    }
)
for column in ("payment", "months", "charge"):
    rows.loc[rng.random(n) < 0.05, column] = None
print(rows.head(3).to_string())

# %%
# One fit
# -------
# The customer number tells nothing about other customers, so it goes; leave it in, and a warning
# names it. Nothing else is prepared: text stays text, numbers are cut inside ``fit``, and a hole is
# an answer of its own. "score-fan" looks for arcs that help to tell who leaves.

X, y = rows.drop(columns=["customer", "left"]), rows["left"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
settings = {"missing": "state", "discretize": "quantile-10", "penalty_center": "smooth"}
losses = {}
for structure in ("naive-bayes", "score-fan"):
    classifier = bnlr.BNClassifier(structure, **settings).fit(X_train, y_train)
    losses[structure] = log_loss(y_test, classifier.predict_proba(X_test))
share = (y_test == "left").mean()
losses["shares of the classes"] = -share * np.log(share) - (1 - share) * np.log(1 - share)
print(pd.Series(losses).round(3).to_string())

# %%
# The arc that was planted is found: calls matter where the contract is monthly.

inner = [arc for arc in classifier.network_.structure.edges if "left" not in arc]
print("arcs among the columns:", *(f"{a} - {b}" for a, b in inner))
axes = classifier.plot()

# %%
# What each value speaks for
# --------------------------

axes = bnlr.plot_effect(classifier.network_, "months")

# %%
axes = bnlr.plot_effect(classifier.network_, "contract")

# %%
# Are the probabilities right?
# ----------------------------

axes = bnlr.plot_reliability(y_test, classifier.predict_proba(X_test))
