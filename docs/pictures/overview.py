"""The picture of the README and of the site's first page: what its five lines of Python find.

``python docs/pictures/overview.py`` draws it anew, beside this file.
"""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import bnlr

HERE = Path(__file__).parent
_TITLE: dict[str, Any] = {"loc": "left", "fontsize": 10, "fontweight": "bold"}


def overview() -> Figure:
    """Draw network, calibration, one row explained and two attributes' effects."""
    frame = bnlr.load_dataset("breast-cancer-wisconsin").sample(frac=1, random_state=0)
    cells, labels = frame.filter(like="mean"), frame["class"]
    classifier = bnlr.BNClassifier("fan").fit(cells[:400], labels[:400])
    figure = Figure(figsize=(11, 6.6), layout="constrained")
    grid = figure.add_gridspec(2, 4, height_ratios=(1.25, 1))
    graph, terms = figure.add_subplot(grid[0, :2]), figure.add_subplot(grid[0, 2:])
    bnlr.plot_structure(classifier.network_.structure, classifier.report_, graph)
    bnlr.plot_contributions(classifier.explain(cells.iloc[400]), terms, n_terms=5)
    terms.set_title(f"One row explained: {terms.get_title(loc='left')}", **_TITLE)
    for place, name in enumerate(("mean area", "mean concave points")):
        bnlr.plot_effect(classifier.network_, name, figure.add_subplot(grid[1, place]))
    seen = classifier.predict_proba(cells[400:])
    bnlr.plot_reliability(labels[400:], seen, ax=figure.add_subplot(grid[1, 2:]))
    return figure


if __name__ == "__main__":
    overview().savefig(HERE / "overview.png", dpi=100)
