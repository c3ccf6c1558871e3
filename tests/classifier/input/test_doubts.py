"""`BNClassifier.fit` says what the shell says: once a fit, at the user's line, with rows of X."""

import re
import shlex
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import bnlr
from bnlr import BNClassifier
from bnlr.cli import main
from bnlr.errors import BnlrWarning
from tests.width import in_full

SETTINGS = {
    "auto": {},
    "tan": {"structure": "tan"},
    "cll": {"structure": "cll", "structure_options": {"max_steps": 1}},
    "frequencies": {"structure": "naive-bayes", "learner": "frequencies"},
    "no penalty": {"structure": "fan", "penalty": 1.0},
    "holes as states": {"structure": "naive-bayes", "missing": "state"},
    "nothing cut": {"structure": "naive-bayes", "discretize": None, "penalty": 1.0},
    "given": {"structure": bnlr.Structure.naive_bayes(["v", "a"], "class"), "penalty": 1.0},
}


def rows(n_rows=60, cell="n/a", places=(11,), seed=1):
    rng = np.random.default_rng(seed)
    cells = [f"{x:.3f}" for x in rng.normal(size=n_rows)]
    for place in places:
        cells[place] = cell
    frame = pd.DataFrame({"v": cells, "a": rng.choice([*"xyz"], n_rows)})
    return frame, pd.Series(rng.choice(["no", "yes"], n_rows), name="class")


def told(act):
    """The warnings of bnlr's own but those about the optimum, and whether all point here."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    own = [one for one in caught if one.category is BnlrWarning]
    assert {one.filename for one in own} <= {__file__}
    return [str(one.message) for one in own]


@pytest.mark.parametrize("setting", SETTINGS)
def test_one_word_a_fit(setting):
    X, y = rows()
    X.loc[3, "a"] = None if setting == "holes as states" else "x"
    model = BNClassifier(**SETTINGS[setting])
    (text,) = told(lambda: model.fit(X, y))
    assert text.startswith("column 'v' holds numbers but for 'n/a' (row 11), so that all its cells")
    assert told(lambda: model.predict(X)) == []


@pytest.mark.parametrize(
    "container",
    [
        lambda X: X.to_numpy(),
        lambda X: X.to_numpy().tolist(),
        lambda X: X.astype("string"),
        lambda X: X.astype("category"),
        lambda X: X.astype("string[pyarrow]"),
        lambda X: X.set_axis([*range(100, 160)]),
    ],
)
def test_any_container(container):
    X, y = rows()
    (text,) = told(lambda: BNClassifier("tan", penalty=1.0).fit(container(X), y.to_numpy()))
    assert re.match("column '(v|x0)' holds numbers but for 'n/a' \\(row 11\\)", text)


def test_rows_are_those_of_x_whatever_weighs_nothing():
    X, y = rows(200, places=(150,))
    weights = np.ones(200)
    weights[20:100] = 0
    (text,) = told(lambda: BNClassifier("tan", penalty=1.0).fit(X, y, weights))
    assert "'n/a' (row 150)" in text
    weights[150] = 0
    (text,) = told(lambda: BNClassifier("tan", penalty=1.0).fit(X, y, weights))
    assert "'v' holds numbers as text" in text


@pytest.mark.slow
def test_once_a_fit_through_scikit_learn():
    X, y = rows(90, "?", places=range(0, 90, 10))
    model = BNClassifier("naive-bayes", penalty=1.0)
    pipeline = make_pipeline(FunctionTransformer(), clone(model))
    assert len(told(lambda: pipeline.fit(X, y))) == 1
    for n_folds in (3, 5):
        texts = told(lambda n=n_folds: cross_val_score(pipeline, X, y, cv=n))
        assert len(texts) == n_folds
    search = GridSearchCV(model, {"penalty": [1.0, 3.0]}, cv=3)
    assert len(told(lambda: search.fit(X, y))) == 7


def test_columns_that_a_given_structure_lacks_are_not_spoken_of():
    X, y = rows()
    structure = bnlr.Structure.naive_bayes(["a"], "class")
    fit = BNClassifier(structure, penalty=1.0).fit
    assert told(lambda: fit(X.assign(**{"class 2": y}), y)) == []


@pytest.mark.slow
def test_the_class_left_among_the_columns():
    X, y = rows(places=())
    X = X[["a"]]
    fit = BNClassifier("naive-bayes", penalty=1.0).fit
    for copy in (y, y == "yes", y.map({"no": 0, "yes": 1}), y.map({"no": -0.5, "yes": 2.5})):
        (text,) = told(lambda copy=copy: fit(X.assign(b=copy), y))
        assert text.startswith("column 'b' tells the class in every row, as a copy of it does")
    (text,) = told(lambda: fit(X.assign(**{"class": y}), y))
    assert text.startswith("column 'class' has the name of y")
    (text,) = told(lambda: fit(X.assign(**{"class": np.linspace(0, 1, 60)}), y))
    assert text.startswith("column 'class' has the name of y")
    (text,) = told(lambda: fit(X.assign(b=y, c=y), y))
    assert text.startswith("columns 'b', 'c', each of which tells the class")


def test_what_tells_the_class_but_is_no_copy_of_it():
    """Measurements that a cut separates; few rows; more labels; one row that differs."""
    X, y = rows(places=())
    X = X[["a"]]
    fit = BNClassifier("naive-bayes", penalty=1.0).fit
    separated = np.random.default_rng(0).random(60) + (y == "yes") * 2
    assert told(lambda: fit(X.assign(b=separated), y)) == []
    assert told(lambda: fit(X.assign(b=y).iloc[:8], y[:8])) == []
    assert told(lambda: fit(X.assign(b=y + X["a"]), y)) == []
    other = y.copy()
    other[17] = "yes" if y[17] == "no" else "no"
    assert told(lambda: fit(X.assign(b=other), y)) == []


def test_numbers_of_rows_are_cut_unless_told_otherwise():
    X, y = rows(places=())
    X = X[["a"]].assign(id=range(1000, 1060))
    model = BNClassifier("tan", penalty=1.0)
    assert told(lambda: model.fit(X, y)) == []
    assert len(model.network_.states["id"]) < 5
    model = BNClassifier("tan", penalty=1.0, discretize=None)
    (text,) = told(lambda: model.fit(X, y))
    assert text.startswith(
        "column 'id' (60 labels in 60 rows) has more labels than can be learnt from"
    )
    assert model.network_.structure.children("id") == ()


def test_prediction_names_the_cell_that_is_no_number():
    X, y = rows(places=())
    X = X.assign(v=X["v"].astype(float))
    model = BNClassifier("naive-bayes", penalty=1.0).fit(X, y)
    later = X.astype({"v": object})
    later.loc[23, "v"] = "n/a"
    with pytest.raises(
        bnlr.errors.DataError, match=r"'v' was numeric in fit and holds 'n/a' in row 23"
    ):
        model.predict(later)


def in_shell(capsys, *argv):
    code = main(["fit", "d.csv", "--class", "class", "--structure", "fan", *argv])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    "token", [*in_full("n/a", "NULL", "--", "1,5"), "12%", "$5", "1e3x", "#N/A", "∞"]
)
def test_the_shell_says_the_same_words_once(token, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = rows(cell=token, places=(0, 30))
    frame = X.assign(**{"class": y})
    # Rows without a class count in the numbers of rows.
    holed = pd.concat([frame.iloc[:30], frame.iloc[:5].assign(**{"class": None}), frame.iloc[30:]])
    holed.iloc[0, 0] = "0.5"
    holed.to_csv("d.csv", index=False)
    kept = holed.dropna().reset_index(drop=True)
    (text,) = told(lambda: BNClassifier("fan").fit(kept[["v", "a"]], kept["class"]))
    words = re.fullmatch(r"column ('v' .*) \(row 30\)(.*: )pandas\.to_numeric\(.*\)", text)
    code, said = in_shell(capsys)
    remedy = said.rpartition(": ")[2].rstrip("\n")
    assert [text.strip() for text in shlex.split(remedy)] == ["--na", token]
    assert code == 0
    assert said == (f"bnlr: warning: d.csv: {words[1]} (data row 36){words[2]}{remedy}\n")
    assert in_shell(capsys, *shlex.split(remedy))[1] == ""


@pytest.mark.slow
def test_the_shell_tells_of_names_and_copies(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = rows(places=())
    frame = X[["a"]].assign(name=[f"patient {k}" for k in range(60)], b=y.map({"no": 0, "yes": 1}))
    frame.assign(**{"class": y}).to_csv("d.csv", index=False)
    code, said = in_shell(capsys)
    assert code == 0
    name, copy = said.splitlines()
    assert re.search(r"'name' \(60 labels in 60 rows\) .* --ignore name leaves it out", name)
    assert re.search(r"'b' tells the class in every row.* --ignore b leaves it out", copy)
    assert in_shell(capsys, "--ignore", "name", "--ignore", "b")[1] == ""
    semicolons = [str(x).replace(".", ",") for x in np.random.default_rng(1).normal(size=60)]
    semicolons[7] = "k. A."
    X.assign(v=semicolons, **{"class": y}).to_csv("d.csv", index=False, sep=";")
    assert re.search(r"'v' holds numbers but for 'k\. A\.' \(data row 8\)", in_shell(capsys)[1])
