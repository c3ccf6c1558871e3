"""
Heart disease: which findings the rows support
==============================================

303 patients of the Cleveland Clinic, thirteen findings, and whether a coronary artery is narrowed
by half or more. (Heart Disease, UCI Machine Learning Repository; the version of WEKA.) This is a
statistician's question: which findings matter, with standard errors, and do they interact?
"""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import bnlr

frame = pd.read_csv(Path("data") / "heart.csv").dropna(ignore_index=True)
frame["narrowed"] = pd.Categorical(frame.pop("class").map({"<50": "no", ">50_1": "yes"}))

# %%
# Intervals
# ---------
# Numbers become intervals where cuts tell of the class (Fayyad & Irani 1993); findings that are not
# cut at all carry, by that rule, no information of their own.

numeric = ["age", "trestbps", "chol", "thalach", "oldpeak", "ca"]
cutter = bnlr.MDLDiscretizer().fit(frame[numeric], frame["narrowed"])
cut = cutter.transform(frame[numeric])
for name, points in zip(numeric, cutter.cut_points_, strict=True):
    print(f"{name:10s}", points)

# %%
# The model
# ---------
# Sex, chest pain, angina under exercise, vessels coloured by fluoroscopy, thallium scan. As a naive
# Bayes graph this is a logistic regression, whose maximum is unique and proven.

used = ["sex", "cp", "exang", "ca", "thal"]
vessels = np.asarray(cut)[:, numeric.index("ca")].astype(str)
rows = frame[["sex", "cp", "exang", "thal", "narrowed"]].assign(ca=vessels)
data = bnlr.Dataset.from_frame(rows, class_name="narrowed")
main = bnlr.fit(bnlr.Structure.naive_bayes(used, class_name="narrowed"), data)
print(main)

# %%
statistics = main.significance(data)
print(statistics.summary())

# %%
# Odds ratios with their intervals, against each finding's most frequent state:

table = statistics.table.set_index("parameter")[["estimate", "lower", "upper", "p"]]
table.assign(**{c: np.exp(table[c]) for c in ("estimate", "lower", "upper")}).round(3)

# %%
# And what each type of chest pain adds to the log-odds, as a picture:

axes = bnlr.plot_effect(main.network, "cp")

# %%
# Do findings interact?
# ---------------------
# An arc between two attributes adds their interaction. A likelihood-ratio test for every pair, with
# Holm's correction, as ten tests find something by chance. Where some combination of findings
# occurs with one outcome only there is no finite maximum, and no test: bnlr says which.

warnings.simplefilter("ignore", bnlr.SeparationWarning)  # the refusal below says the same
pairs = [(a, b) for i, a in enumerate(used) for b in used[i + 1 :]]
tests = []
for a, b in pairs:
    larger = bnlr.Structure([*main.network.structure.edges, (a, b)], class_name="narrowed")
    try:
        test = bnlr.likelihood_ratio_test(main, bnlr.fit(larger, data), data)
        tests.append((a, b, test.statistic, test.df, test.p))
    except bnlr.DataError as error:
        print(f"{a} × {b}: {error}")
found = pd.DataFrame(tests, columns=["one", "other", "statistic", "df", "p"]).sort_values("p")
steps = np.arange(len(found), 0, -1)
found.assign(holm=np.minimum(1.0, np.maximum.accumulate(found["p"] * steps))).round(4)
