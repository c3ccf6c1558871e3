"""
A network from what one knows: does learning stay easy?
=======================================================

A machine overheats when its fan fails or its load is high; heat makes noise, and so does a worn
bearing, which vibrates too. The graph is drawn by hand. Which parts of it make learning hard, what
would mend it, and is the expert's graph worth anything beside one that was learnt?
"""

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

import bnlr

arcs = [
    ("fan", "heat"),
    ("load", "heat"),
    ("heat", "noise"),
    ("bearing", "noise"),
    ("bearing", "vibration"),
]
expert = bnlr.Structure(arcs, class_name="bearing")
print(bnlr.analyze(expert))

# %%
axes = bnlr.plot_structure(expert, bnlr.analyze(expert))

# %%
# Heat and bearing are parents of noise and not joined: the posterior of the bearing is no free
# logistic regression. One arc mends it, and says that hot machines may have worn bearings.
#
# Rows
# ----
# Drawn from a network of this graph.

yes_no = ("no", "yes")
truth = bnlr.BayesianNetwork(
    expert,
    dict.fromkeys(expert.nodes, yes_no),
    {
        "fan": [0.9, 0.1],
        "load": [0.6, 0.4],
        "heat": [[[0.95, 0.05], [0.5, 0.5]], [[0.3, 0.7], [0.1, 0.9]]],
        "bearing": [0.8, 0.2],
        "noise": np.array([[[0.95, 0.05], [0.5, 0.5]], [[0.4, 0.6], [0.2, 0.8]]]),
        "vibration": [[0.9, 0.1], [0.3, 0.7]],
    },
)
print("parents of noise:", expert.parents("noise"))
train, test = truth.sample(2000, random_state=0), truth.sample(5000, random_state=1)

# %%
# Four fits
# ---------
# A local optimum of the expert's graph with its bound; the global optimum of the graph with the arc
# added; naive Bayes; and the truth, which no fit can beat but by chance.

data = bnlr.Dataset.from_frame(train, "bearing", truth.states)
naive = bnlr.Structure.naive_bayes([n for n in expert.nodes if n != "bearing"], "bearing")
fits = {
    "expert, local (ELR)": bnlr.fit(expert, data, n_starts=3, random_state=0),
    "expert, embedded": bnlr.fit(expert, data, nonperfect="embed"),
    "naive Bayes": bnlr.fit(naive, data),
}
asked = test.drop(columns="bearing")
lines = {
    name: {
        "CLL": result.cll,
        "upper bound": result.upper_bound,
        "log-loss of new rows": log_loss(test["bearing"], result.network.predict_proba(asked)),
    }
    for name, result in fits.items()
}
lines["the truth"] = {"log-loss of new rows": log_loss(test["bearing"], truth.predict_proba(asked))}
print(pd.DataFrame(lines).T.round(3).to_string())

# %%
# The bound proves that the local optimum is the best that tables of the expert's graph can reach;
# no climb could tell that by itself. Naive Bayes cannot say that heat explains noise.
#
# And a network answers other questions than the one it was fitted for. P(bearing is sound, is worn)
# where there is noise, and where there is noise and heat:

print(truth.query(["bearing"], evidence={"noise": "yes"}).round(3))
print(truth.query(["bearing"], evidence={"noise": "yes", "heat": "yes"}).round(3))

# %%
# Noise speaks less for the bearing where heat explains it already.
