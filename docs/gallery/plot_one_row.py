"""
Why this row? One prediction taken apart
========================================

A chemist asks why a wine was taken for the second cultivar and not for the third. (Wine, shipped
with scikit-learn: 178 wines of three cultivars, thirteen measurements.) The posterior is taken
apart into terms that add up exactly, a class against another, and then cells are changed or hidden
to see what would become of it.
"""

import warnings

import pandas as pd

import bnlr

warnings.simplefilter("ignore", bnlr.UnexpectedMissingWarning)  # cells are hidden on purpose
frame = bnlr.load_dataset("wine")
X, y = frame.drop(columns="class"), frame["class"]
is_test = frame.index % 3 == 0
classifier = bnlr.BNClassifier("naive-bayes", discretize="quantile-8", penalty_center="smooth")
classifier.fit(X[~is_test], y[~is_test])
p = pd.DataFrame(classifier.predict_proba(X[is_test]), X[is_test].index, classifier.classes_)
print(f"right in {classifier.score(X[is_test], y[is_test]):.1%} of the others")

# %%
# The least certain of them
# -------------------------

doubtful = p.max(axis=1).idxmin()
row = X.loc[doubtful]
explanation = classifier.explain(row)
print(f"wine {doubtful}, in truth {y[doubtful]}")
print(explanation)

# %%
# The two most probable classes against each other, as a picture. Blue speaks for the first.

first, second = p.loc[doubtful].sort_values(ascending=False).index[:2]
axes = bnlr.plot_contributions(explanation, label=first, against=second, n_terms=8)

# %%
# What if?
# --------
# What speaks loudest against the verdict is hidden, then the next: a hidden cell is summed out.

against = explanation.against(second)
loudest = against[first].sort_values().index[:3]
asked = row.copy()
for family in loudest:
    column = family.split(" | ")[0]
    asked[column] = None
    new = classifier.explain(asked)
    best = new.probabilities.max()
    print(f"without {column:30s} P = {best:.3f}")

# %%
# The terms are exact: their sum is the log posterior odds, to rounding.

total = explanation.contributions.drop(columns="value").sum().to_numpy() + explanation.prior
print(bool(abs(total - explanation.log_odds).max() < 1e-9))
