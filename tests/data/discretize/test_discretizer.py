"""MDLDiscretizer as scikit-learn's and pandas' users meet it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import bnlr
from bnlr.data.intervals import interval_labels
from bnlr.data.quantile_discretizer import QuantileDiscretizer
from tests.data.discretize.test_mdl import IRIS_CUTS


@parametrize_with_checks(
    [
        bnlr.MDLDiscretizer(),
        bnlr.MDLDiscretizer(n_bins=2),
        bnlr.MDLDiscretizer(n_bins=10),
        QuantileDiscretizer(),
        QuantileDiscretizer(n_bins=2),
        QuantileDiscretizer(n_bins=30),
    ]
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def test_iris_frame_becomes_intervals_as_pandas_cuts_them(iris):
    table, y = iris
    discretizer = bnlr.MDLDiscretizer().fit(table, y)
    assert [cuts.tolist() for cuts in discretizer.cut_points_] == IRIS_CUTS
    frame = discretizer.transform(table)
    assert frame["petal length (cm)"].cat.categories.tolist() == [
        "(-inf, 2.45]",
        "(2.45, 4.75]",
        "(4.75, inf)",
    ]
    for name, cuts in zip(table, IRIS_CUTS, strict=True):
        expected = pd.cut(table[name], [-np.inf, *cuts, np.inf]).cat.codes
        assert frame[name].cat.codes.tolist() == expected.tolist()
        assert frame[name].cat.ordered
    assert list(discretizer.get_feature_names_out()) == list(table)


def test_array_becomes_the_numbers_of_the_same_intervals(iris):
    table, y = iris
    frame = bnlr.MDLDiscretizer().fit_transform(table, y)
    bins = bnlr.MDLDiscretizer().fit_transform(table.to_numpy(), y)
    assert bins.dtype == np.float64
    assert np.array_equal(bins, np.column_stack([frame[c].cat.codes for c in frame]))


def test_cut_points_belong_to_the_lower_interval():
    discretizer = bnlr.MDLDiscretizer().fit(
        pd.DataFrame({"a": [1.0] * 9 + [3.0] * 9}), [0] * 9 + [1] * 9
    )
    new = pd.DataFrame({"a": [2.0, np.nextafter(2.0, 3), -1e308, 1e308]})
    assert discretizer.transform(new)["a"].cat.codes.tolist() == [0, 1, 0, 1]


def test_missing_cells_stay_missing_and_do_not_count(iris):
    table, y = iris
    holes = table.astype("Float64")
    holes.iloc[::7, 2] = pd.NA
    fitted = bnlr.MDLDiscretizer().fit(holes, y)
    kept = holes.iloc[:, 2].notna()
    only = bnlr.MDLDiscretizer().fit(table.loc[kept], y[kept])
    assert fitted.cut_points_[2].tolist() == only.cut_points_[2].tolist()
    assert fitted.transform(holes).isna().to_numpy().tolist() == holes.isna().to_numpy().tolist()
    array = holes.to_numpy(float, na_value=np.nan)
    bins = bnlr.MDLDiscretizer().fit_transform(array, y)
    assert np.array_equal(np.isnan(bins), np.isnan(array))


def test_other_columns_pass_unchanged_and_the_frame_given_too(iris):
    table, y = iris
    table = table.assign(
        text="x",
        flag=True,
        kind=pd.Categorical(["u"] * 150),
        when=pd.Timestamp("2020"),
        mixed=pd.Series([1, "a", None] * 50, dtype=object),
    )
    before = table.copy(deep=True)
    discretizer = bnlr.MDLDiscretizer().fit(table, y)
    result = discretizer.transform(table)
    others = ["text", "flag", "kind", "when", "mixed"]
    pd.testing.assert_frame_equal(result[others], before[others])
    pd.testing.assert_frame_equal(table, before)
    assert discretizer.cut_points_[4:] == [None] * 5
    assert list(result.columns) == list(table.columns)


def test_useless_and_empty_columns_become_one_interval():
    frame = pd.DataFrame(
        {"same": [1, 1, 1], "none": np.nan, "objects": [None] * 3}, index=[5, 6, 7]
    )
    result = bnlr.MDLDiscretizer().fit(frame, ["p", "q", "p"]).transform(frame)
    for name in frame:
        assert result[name].cat.categories.tolist() == ["(-inf, inf)"]
    assert result.isna().to_numpy().tolist() == [[False, True, True]] * 3
    assert result.index.tolist() == [5, 6, 7]


@pytest.mark.parametrize("dtype", ["int8", "float32", "Int64", "Sparse[float64]", ">f8"])
def test_numbers_of_any_type(dtype):
    values = pd.Series(np.repeat([1, 2, 4], 15))
    column = values.to_numpy().astype(dtype) if dtype == ">f8" else values.astype(dtype)
    y = np.repeat(["p", "q", "r"], 15)
    discretizer = bnlr.MDLDiscretizer().fit(pd.DataFrame({"a": column}), y)
    assert discretizer.cut_points_[0].tolist() == [1.5, 3.0]


def test_whole_weights_are_repeated_rows(iris):
    table, y = iris
    weights = np.random.default_rng(0).integers(0, 4, 150)
    weighted = bnlr.MDLDiscretizer().fit(table, y, sample_weight=weights)
    rows = np.repeat(np.arange(150), weights)
    repeated = bnlr.MDLDiscretizer().fit(table.iloc[rows], y.iloc[rows])
    for one, other in zip(weighted.cut_points_, repeated.cut_points_, strict=True):
        assert one.tolist() == other.tolist()


def test_set_output_clone_pickle_and_pipeline(iris):
    table, y = iris
    array = table.to_numpy()
    discretizer = bnlr.MDLDiscretizer().set_output(transform="pandas").fit(array, y)
    assert isinstance(discretizer.transform(array), pd.DataFrame)
    with pytest.raises(NotFittedError):
        clone(discretizer).transform(array)
    twin = pickle.loads(pickle.dumps(discretizer))  # noqa: S301
    pd.testing.assert_frame_equal(twin.transform(array), discretizer.transform(array))
    pipeline = make_pipeline(bnlr.MDLDiscretizer(), CategoricalNB(min_categories=4))
    assert pipeline.fit(array, y).score(array, y) > 0.9


def test_result_feeds_the_dataset(iris):
    table, y = iris
    frame = bnlr.MDLDiscretizer().fit_transform(table, y).assign(species=y)
    data = bnlr.Dataset.from_frame(frame, "species")
    assert list(data.cards.values()) == [3, 3, 3, 3, 3]
    assert data.states["petal width (cm)"] == ("(-inf, 0.8]", "(0.8, 1.75]", "(1.75, inf)")


FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]})


@pytest.mark.parametrize(
    ("frame", "y", "words"),
    [
        (FRAME, None, "target y is None"),
        (FRAME, [0, 1], "inconsistent"),
        (FRAME, [0.5, 1.25, 2.5], "continuous"),
        (FRAME, [0, np.nan, 1], "row 1"),
        (FRAME, ["p", None, "q"], "row 1"),
        (FRAME, [[0, 1], [1, 0], [1, 1]], "1d"),
        (FRAME.iloc[:0], [], "at least one row"),
        (FRAME[[]], [0, 1, 1], "at least one row"),
        (FRAME.assign(a=[1, np.inf, 2]), [0, 1, 1], "'a' holds inf in row 1"),
        (FRAME.assign(a=[1j, 2, 3]), [0, 1, 1], "'a' is complex"),
        (FRAME.rename(columns={"a": 0}), [0, 1, 1], "string"),
        (np.array([[1, np.inf]]), [0], "infinity"),
        (np.array([1.0, 2.0]), [0, 1], "2D"),
        (np.array([["x"], ["y"]]), [0, 1], "could not convert"),
    ],
)
def test_unusable_input_is_one_typed_error_and_changes_nothing(frame, y, words):
    discretizer = bnlr.MDLDiscretizer().fit(np.arange(4.0).reshape(2, 2), [0, 1])
    before = dict(vars(discretizer))
    with pytest.raises(bnlr.DataError, match=words):
        discretizer.fit(frame, y)
    assert vars(discretizer) == before


def test_unusable_weights():
    with pytest.raises(bnlr.ParameterError, match="row 1"):
        bnlr.MDLDiscretizer().fit(FRAME, [0, 1, 1], sample_weight=[1, -1, 1])


def test_transform_wants_the_columns_of_fit():
    discretizer = bnlr.MDLDiscretizer().fit(FRAME, [0, 1, 1])
    for frame, words in (
        (FRAME[["b", "a"]], "same order"),
        (FRAME[["a"]], "missing"),
        (FRAME.assign(a=["1", "q", "r"]), r"'a' was numeric .* holds 'q' in row 1 .*\.to_numeric"),
        (FRAME.assign(a=[True, False, True]), r"'a' was numeric .* is bool now"),
    ):
        with pytest.raises(bnlr.DataError, match=words):
            discretizer.transform(frame)
    nothing_known = FRAME.assign(a=pd.Series([None] * 3, dtype=object))
    assert discretizer.transform(nothing_known)["a"].isna().all()


@pytest.mark.slow
def test_a_classifier_reads_numbers_as_transform_does(iris):
    table, y = iris
    classifier = bnlr.BNClassifier("naive-bayes", discretize="mdl", penalty=1).fit(table, y)
    cut = bnlr.MDLDiscretizer().fit(table, y).transform(table).astype(str)
    of_intervals = bnlr.BNClassifier("naive-bayes", penalty=1).fit(cut, y)
    np.testing.assert_allclose(
        classifier.predict_proba(table), of_intervals.predict_proba(cut), atol=1e-6
    )
    name = table.columns[2]
    for cell, words in (
        ("x", "was numeric in fit and holds 'x' in row 0"),
        (10**400, "was numeric in fit and holds 1000.* in row 0"),
        (np.inf, "inf"),
    ):
        with pytest.raises(bnlr.DataError, match=words):
            classifier.predict(table.assign(**{name: cell}))


def test_labels_read_back_as_the_cut_points():
    cuts = np.array([-1e-300, 0.1, 1 / 3, 2.0, 123456789.25, 1e22])
    labels = interval_labels(cuts)
    assert [float(label[1:-1].split(", ")[1]) for label in labels[:-1]] == cuts.tolist()
    assert labels[1] == "(-1e-300, 0.1]"
    assert interval_labels(np.empty(0)) == ["(-inf, inf)"]


def test_output_containers_and_names(iris):
    """Frames stay frames with index and names; arrays become what `set_output` asks for."""
    table, y = iris
    moved = table.set_axis([f"row {k}" for k in range(150)], axis=0)
    for container in ("default", "pandas"):
        discretizer = bnlr.MDLDiscretizer().set_output(transform=container).fit(moved, y)
        found = discretizer.transform(moved)
        assert list(found.index) == list(moved.index)
        assert list(found.columns) == list(discretizer.get_feature_names_out()) == list(table)
    array = table.to_numpy()
    discretizer = bnlr.MDLDiscretizer().fit(array, y)
    plain = discretizer.transform(array)
    assert isinstance(plain, np.ndarray)
    found = discretizer.set_output(transform="pandas").transform(array)
    assert list(found.columns) == ["x0", "x1", "x2", "x3"]
    np.testing.assert_array_equal(found.to_numpy(), plain)
