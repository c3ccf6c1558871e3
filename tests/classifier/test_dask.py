"""`BNClassifier` on Dask frames, against the same rows as a pandas frame."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.classifier.input import dask_rows
from tests.cluster.clusters import COLUMNS, dd, distributed, mixed

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of


@pytest.fixture(scope="module")
def client():
    """Workers that are threads of this process: quick, and enough where none is killed."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(dashboard_address=None, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


ASKED = [
    pytest.param({"structure": "tan"}, marks=pytest.mark.slow),
    {"structure": "tan", "penalty": 1.0, "discretize": "quantile-5"},
    {"structure": "fan", "missing": "state", "penalty": 1.0},
    {"structure": "kdb", "learner": "frequencies"},
    {"structure": "tan", "learner": "frequencies", "temperature": "auto", "missing": "state"},
    # A search, and penalties by folds, take seconds.
    pytest.param({"structure": "cll", "missing": "state", "penalty": 1.0}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("weighted", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_it_learns_and_predicts_as_from_a_pandas_frame(client, asked, weighted):
    frame = mixed(600)
    weights = frame["w"] if weighted else None
    here = bnlr.BNClassifier(**asked).fit(frame[COLUMNS], frame["class"], weights)
    far = dd.from_pandas(frame, npartitions=3)
    there = bnlr.BNClassifier(**asked)
    there.fit(far[COLUMNS], far["class"], far["w"] if weighted else None)
    assert there.network_.structure == here.network_.structure
    assert there.network_.states == here.network_.states
    np.testing.assert_array_equal(there.classes_, here.classes_)
    assert there.classes_.dtype == here.classes_.dtype
    assert there.result_.cll == pytest.approx(here.result_.cll, rel=1e-9)
    found = there.predict_proba(far[COLUMNS])
    assert isinstance(found, dd.DataFrame)
    expected = here.predict_proba(frame[COLUMNS])
    np.testing.assert_allclose(found.compute(), expected, atol=1e-8)
    np.testing.assert_array_equal(there.predict(far[COLUMNS]), here.predict(frame[COLUMNS]))


@pytest.mark.parametrize("asked", ["balanced", {"no": 3.0, "yes": 0.5, "maybe": 1.0}], ids=str)
@pytest.mark.parametrize("kind", [object, "category"])
def test_weights_of_classes_are_refused_with_a_remedy_that_gives_the_same_model(
    client, asked, kind
):
    frame = mixed(400)
    labels = np.array(["no", "yes", "maybe"])[pd.factorize(frame["class"])[0] % 3]
    frame = frame.assign(**{"class": pd.Series(labels, frame.index).astype(kind)})
    asked = asked if asked == "balanced" else {name: asked[name] for name in set(labels.tolist())}
    own = {"structure": "naive-bayes", "penalty": 1.0, "class_weight": asked}
    here = bnlr.BNClassifier(**own).fit(frame[COLUMNS], frame["class"])
    far = dd.from_pandas(frame, npartitions=3)
    X, y = far[COLUMNS], far["class"]
    with pytest.raises(bnlr.ParameterError, match="in its place: ") as caught:
        bnlr.BNClassifier(**own).fit(X, y)
    remedy = str(caught.value).partition("in its place: ")[2].removesuffix(", of the same frame")
    scope = {"y": y}
    exec(remedy, scope)  # noqa: S102  what users are told to type
    there = bnlr.BNClassifier(**{**own, "class_weight": None})
    there.fit(X, y, sample_weight=scope["sample_weight"])
    expected = here.predict_proba(frame[COLUMNS])
    np.testing.assert_allclose(there.predict_proba(X).compute(), expected, atol=1e-8)


def test_predictions_are_lazy_and_keep_index_names_and_empty_partitions(client):
    frame = mixed(300).set_index(np.arange(300) * 2)
    here = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(frame[COLUMNS], frame["class"])
    far = dd.from_pandas(frame[COLUMNS], npartitions=3)
    far = far.map_partitions(lambda part: part[part.index < 200])  # the last one is empty
    labels, logs = here.predict(far), here.predict_log_proba(far)
    assert isinstance(labels, dd.Series)
    whole = frame[COLUMNS].iloc[:100]
    pd.testing.assert_series_equal(
        labels.compute(), pd.Series(here.predict(whole), whole.index, name="class")
    )
    assert list(logs.columns) == list(here.classes_)
    np.testing.assert_array_equal(logs.compute(), here.predict_log_proba(whole))
    with pytest.raises(ValueError, match="columns of fit"):
        here.predict(far[["x", "s"]])


def test_a_sample_chooses_and_all_rows_teach(client, monkeypatch):
    frame = mixed(900)
    frame.loc[890:, "class"], frame.loc[890:, "s"] = "rare", "only there"
    monkeypatch.setattr(dask_rows, "SAMPLE_ROWS", 200)
    fits = []
    for n_partitions in (1, 4):
        far = dd.from_pandas(frame, npartitions=n_partitions)
        fits.append(bnlr.BNClassifier("tan", penalty=1.0).fit(far[COLUMNS], far["class"]))
    one, other = fits
    assert one.classes_.tolist() == ["may", "no", "rare", "yes"]
    assert "only there" in one.network_.states["s"]
    assert one.result_.cll == other.result_.cll
    for column, cuts in zip(COLUMNS[:2], one.discretizer_.cut_points_, strict=True):
        assert one.network_.states[column] == other.network_.states[column]
        assert len(cuts) < 20


def test_rows_that_cannot_be_paired_or_used_are_refused(client):
    frame = mixed(200)
    far = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(bnlr.DataError, match="same Dask"):
        bnlr.BNClassifier("tan").fit(far[COLUMNS], frame["class"])
    with pytest.raises(bnlr.DataError, match="one class"):
        bnlr.BNClassifier("tan").fit(far[COLUMNS], far["class"].str[:0])
    holed = frame.assign(**{"class": frame["class"].where(frame.index != 150)})
    far = dd.from_pandas(holed, npartitions=2)
    with pytest.raises(bnlr.DataError, match=r"partition 1: y is missing .* row 50"):
        bnlr.BNClassifier("tan").fit(far[COLUMNS], far["class"])


def test_columns_where_frames_should_stand_and_frames_where_columns_should_are_refused(client):
    frame = mixed(60)
    far = dd.from_pandas(frame, npartitions=2)
    model = bnlr.BNClassifier("naive-bayes", penalty=1.0).fit(frame[["s"]], frame["class"])
    for ask in (
        lambda: bnlr.BNClassifier().fit(far["s"], far["class"]),
        lambda: model.predict(far["s"]),
        lambda: model.predict_proba(far["s"]),
        lambda: model.predict_log_proba(far["s"]),
    ):
        with pytest.raises(bnlr.DataError, match=r"X is the Dask column 's'.*X\.to_frame\(\)"):
            ask()
    with pytest.raises(bnlr.DataError, match="y is a DataFrame; take a column"):
        bnlr.BNClassifier().fit(far[COLUMNS], far[["class"]])
    with pytest.raises(bnlr.DataError, match="sample_weight is a DataFrame; take a column"):
        bnlr.BNClassifier().fit(far[COLUMNS], far["class"], far[["w"]])
    with pytest.raises(bnlr.ParameterError, match=r"a frame of dask\.dataframe, not Series"):
        bnlr.Dataset.from_dask(far["s"], "class")
