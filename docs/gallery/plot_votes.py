"""
Votes in Congress: what gives a member's party away
===================================================

In 1984 the Congressional Quarterly noted how each member of the U.S. House of Representatives
stood on sixteen key votes; 392 cells are empty, for members who took no position that was known.
(Congressional Voting Records, UCI Machine Learning Repository.) We ask how well the votes tell the
party, whether an empty cell tells something too, and what decides about a single member.
"""

from pathlib import Path

import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_validate

import bnlr

# sphinx-gallery runs the script in its own folder.
frame = pd.read_csv(Path("data") / "votes.csv")
X, y = frame.drop(columns="class"), frame["class"]
X.isna().sum().sort_values().tail(3)

# %%
# Structure
# ---------
# Votes hang together beyond party, such as those on aid to El Salvador and on aid to the Nicaraguan
# Contras. TAN joins each vote to the one that it depends on most, given the party; FAN keeps the
# arcs that are worth their parameters. Both are convex for complete rows; with holes summed out the
# fit is a local optimum.

classifier = bnlr.BNClassifier("fan").fit(X, y)
print(classifier.report_)
classifier.plot()

# %%
# Is a hole informative?
# ----------------------
# Summing a missing vote out assumes that it is missing at random. The other reading makes it a
# third answer. Five folds compare the two, beside naive Bayes with frequency estimates, the usual
# baseline. Log-loss is in nats a row.

candidates = {
    "naive Bayes, frequencies": bnlr.BNClassifier("naive-bayes", learner="frequencies"),
    "naive Bayes": bnlr.BNClassifier("naive-bayes"),
    "FAN, holes summed out": bnlr.BNClassifier("fan"),
    "FAN, a hole is an answer": bnlr.BNClassifier("fan", missing="state"),
    "chosen by cross-validation": bnlr.BNClassifier(),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
scores = {}
for name, candidate in candidates.items():
    scoring = ("neg_log_loss", "accuracy")
    found = cross_validate(candidate, X, y, cv=folds, scoring=scoring)
    loss = -found["test_neg_log_loss"]
    scores[name] = {
        "log-loss": loss.mean(),
        "± se": loss.std(ddof=1) / len(loss) ** 0.5,
        "accuracy": found["test_accuracy"].mean(),
    }
pd.DataFrame(scores).T.round(3)

# %%
# Discriminative parameters make the difference, not the arcs and not the holes: what is missing
# here tells nothing that the other votes do not.
#
# One member
# ----------
# The first row is a Republican. Each bar is what one vote, given the vote it hangs on, adds to the
# log-odds of the party; together they are exactly the posterior's.

explanation = classifier.explain(X.iloc[[0]])
print(explanation)
bnlr.plot_contributions(explanation)
