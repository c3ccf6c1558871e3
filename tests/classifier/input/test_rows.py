"""X, y and weights as rows to learn from."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.classifier.input.features import read_features
from bnlr.classifier.input.rows import read_rows

X = pd.DataFrame({"a": ["p", "q", "p", "q"], "b": [1, 2, 3, 4]}, index=list("wxyz"))


def test_all_rows_count_without_weights():
    rows = read_rows(X, pd.Series([2, 1, 2, 1], X.index, name="c"), None)
    assert rows.frame is rows.features.frame
    assert (rows.places, rows.weights, rows.class_name) == (None, None, "c")
    assert (rows.classes.tolist(), rows.codes.tolist()) == ([1, 2], [1, 0, 1, 0])
    assert list(rows.class_column) == [2, 1, 2, 1]


def test_rows_of_weight_0_do_not_count():
    rows = read_rows(X, ["u", "v", "t", "t"], [1, 0.5, 0, 2])
    assert rows.frame["b"].tolist() == [1, 2, 4]
    assert (rows.places.tolist(), rows.weights.tolist()) == ([0, 1, 3], [1, 0.5, 2])
    assert rows.classes.tolist() == ["t", "u", "v"]


@pytest.mark.parametrize(
    ("name", "class_name"),
    [("c", "c"), ("a", "class"), (None, "class"), ("", "class"), (3, "class")],
)
def test_the_class_has_y_s_name_where_that_can_be_a_node_s(name, class_name):
    assert read_rows(X, pd.Series([1, 2, 1, 2], X.index, name=name), None).class_name == class_name
    taken = X.rename(columns={"b": "class"})
    if class_name == "class":
        assert read_rows(taken, [1, 2, 1, 2], None).class_name == "class_"


@pytest.mark.parametrize(
    ("table", "columns", "are_named"),
    [
        (X, ["a", "b"], True),
        (X.to_numpy(), ["x0", "x1"], False),
        (X.set_axis([7, 8], axis=1), ["x0", "x1"], False),
        ([["p", 1], ["q", 2]], ["x0", "x1"], False),
    ],
)
def test_features_have_text_names(table, columns, are_named):
    features = read_features(table)
    assert (list(features.frame), features.are_named) == (columns, are_named)
    assert list(features.as_given) == (columns if are_named else [0, 1])
    assert (features.index is None) == (not isinstance(table, pd.DataFrame))


def test_numbers_of_another_byte_order_are_the_machine_s():
    features = read_features(pd.DataFrame({"a": np.array([1.5, 2.5], dtype=">f8")}))
    assert features.frame["a"].dtype == np.dtype("f8")
    assert features.frame["a"].tolist() == [1.5, 2.5]


def test_a_name_in_the_place_of_y_is_told_how_the_column_is_given():
    X = pd.DataFrame({"a": ["p", "q"] * 5})
    with pytest.raises(bnlr.DataError, match=r"y is 'kind'; give the column.*frame\['kind'\]"):
        bnlr.BNClassifier("naive-bayes").fit(X, "kind")
