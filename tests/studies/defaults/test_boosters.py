"""Optional peers: one thread, no files, no words, the same probabilities twice."""

import numpy as np
import pandas as pd
import pytest

from studies.defaults import boosters
from studies.defaults.learners import CATBOOST, EBM, LEARNERS, LIGHTGBM

INSTALLED = [name for name in (LIGHTGBM, CATBOOST, EBM) if LEARNERS[name].is_available]


@pytest.fixture(scope="module")
def rows():
    """An interaction of a label and a number, which has a name that JSON would mark up."""
    rng = np.random.default_rng(0)
    number, label = rng.normal(size=200), rng.choice(["u", "v"], 200)
    classes = ((number > 0) == (label == "u")).astype(np.int64)
    frame = pd.DataFrame({"x: [1]": number, "l": pd.Series(label).astype("str")})
    frame.loc[::11, "l"] = np.nan
    frame.loc[::13, "x: [1]"] = np.nan
    return frame, classes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", INSTALLED)
def test_they_see_an_interaction_of_a_label_and_a_number(name, rows, tmp_path, monkeypatch, capfd):
    frame, classes = rows
    monkeypatch.chdir(tmp_path)
    first, again = (
        LEARNERS[name].make().fit(frame, classes).predict_proba(frame) for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first.argmax(1) == classes).mean() > 0.85
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().out == ""


def test_catboost_gets_text_in_every_cell_of_text_and_nothing_else(rows, monkeypatch):
    frame, classes = rows
    seen = {}

    class Booster:
        def fit(self, X, _):
            seen["trained"] = X
            return self

        def predict_proba(self, X):
            return X

    def made(module, name, **options):
        seen.update(options)
        return Booster()

    monkeypatch.setattr(boosters, "_made", made)
    given = boosters.catboost().fit(frame, classes).predict_proba(frame.head(1))
    assert seen["cat_features"] == ["l"]
    assert seen["thread_count"] == 1
    assert seen["trained"]["l"].map(type).eq(str).all()
    assert given["l"].tolist() == ["(missing)"]
    assert seen["trained"]["x: [1]"].isna().sum() == frame["x: [1]"].isna().sum()
