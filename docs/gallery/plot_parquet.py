"""
A large Parquet file: read by batches, fitted on codes
======================================================

Rows that do not fit in memory as a data frame fit as codes: a byte a cell, or a file on disk that
is paged in as needed. Here 200,000 rows, so that the page is quickly built; 100 million go the same
way (`python -m benchmarks.larger`).
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import bnlr

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "rows.parquet"
rng = np.random.default_rng(0)
n, k = 200_000, 12
codes = rng.integers(0, 4, (n, k))
odds = 0.5 * (codes[:, 0] > 1) - 0.8 * (codes[:, 1] == 2) + 0.9 * (codes[:, 2] == codes[:, 3])
frame = pd.DataFrame({f"a{j:02d}": np.array(list("wxyz"))[codes[:, j]] for j in range(k)})
frame["class"] = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
frame.to_parquet(path, row_group_size=20_000)
del frame, codes

# %%
# Read
# ----
# ``store`` keeps the codes in a file; without it they lie in memory.

data = bnlr.Dataset.from_parquet(path, "class", store=Path(folder.name) / "codes.bin")
print(f"{data.n_rows:,} rows, {len(data.nodes)} columns, codes of {data.codes.nbytes:,} bytes")

# %%
# Learn
# -----
# A forest of arcs, then the global optimum with its proof. The planted interaction of a02 and a03
# is what the structure learner that asks what an arc tells of the class finds.

tan = bnlr.learn_structure(data, "score-fan")
print("arcs among the columns:", *(arc for arc in tan.edges if "class" not in arc))
results = {
    "naive Bayes": bnlr.fit(bnlr.learn_structure(data, "naive-bayes"), data),
    "score-fan": bnlr.fit(tan, data),
}
for name, result in results.items():
    proven = result.gap < 1e-9 * abs(result.cll)
    print(f"{name:12s} CLL {result.cll:,.1f}; proven to nine digits: {proven}")

# %%
# Is the arc worth its parameters? With so many rows the test leaves no doubt.

small, large = results["naive Bayes"], results["score-fan"]
print(bnlr.likelihood_ratio_test(small, large, data))
axes = bnlr.plot_trace(results)

# %%
folder.cleanup()
