"""``bnlr fit --scheduler`` and ``--workers`` against the estimator on the same rows."""

import pytest

import bnlr
from tests.cli.commands import refused, run
from tests.cluster.clusters import COLUMNS, distributed, mixed

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    frame = mixed(900)
    frame.loc[5, "class"] = None
    for k in range(3):
        frame.iloc[300 * k : 300 * (k + 1)].to_parquet(folder / f"{k}.parquet")
    return folder, frame.dropna(subset=["class"])


@pytest.fixture(scope="module")
def scheduler():
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"}
    with distributed.LocalCluster(dashboard_address=None, **options) as cluster:
        yield cluster.scheduler_address


def fitted(capsys, files, *options):
    folder, _ = files
    model = folder / "model.json"
    words = ["fit", folder / "*.parquet", "--class", "class", "--structure", "tan", "-o", model]
    code, out, err = run(capsys, *words, "--weight", "w", "--penalty", "2", *options)
    assert (code, err) == (0, "")
    return bnlr.BNClassifier.load(model), out


def same_as_here(model, files):
    _, frame = files
    here = bnlr.BNClassifier("tan", penalty=2.0).fit(frame[COLUMNS], frame["class"], frame["w"])
    assert model.network_.structure == here.network_.structure
    assert model.network_.states == here.network_.states
    assert model.result_.cll == pytest.approx(here.result_.cll, rel=1e-9)


def test_rows_on_a_cluster_are_learnt_from_as_here(capsys, files, scheduler):
    model, out = fitted(capsys, files, "--scheduler", scheduler)
    same_as_here(model, files)
    assert "workers      2, dashboard" in out
    assert "3 partitions, 6 columns" in out
    assert out.endswith("model.json\n")


def test_files_of_a_store_are_read(capsys, files, scheduler):
    folder, _ = files
    store = pytest.importorskip("fsspec").filesystem("memory")
    store.put(str(folder / "0.parquet"), "/rows/0.parquet")
    words = ["fit", "memory://rows/*.parquet", "--class", "class", "--structure", "naive-bayes"]
    code, out, err = run(capsys, *words, "--learner", "frequencies", "--scheduler", scheduler)
    assert (code, err) == (0, "")
    assert "1 partition, 6 columns" in out


@pytest.mark.slow  # starts processes
def test_workers_of_this_machine_are_started(capsys, files):
    model, _ = fitted(capsys, files, "--workers", "2", "--missing", "state", "--quiet")
    assert model.missing_states_


def test_what_workers_cannot_read_is_refused(capsys, files, scheduler):
    folder, _ = files
    words = ["fit", folder / "*.parquet", "--class"]
    far = ["--scheduler", scheduler, "--quiet"]
    for asked, told in {
        (*words, "class", "--workers", "0"): "--workers is 0",
        (*words, "class", "--workers", "2", "--scheduler", scheduler): "give one of them",
        **{
            (*words, "class", *option, *far): " ".join(option)
            for option in (["--na=-9"], ["--keep-na"], ["--no-header"], ["--encoding", "latin-1"])
        },
        (*words, "class", "--ignore", "class", *far): "that is the class",
        (*words, "class", "--weight", "class", *far): "that is the class",
        (*words, "class", "--weight", "a", "--ignore", "a", *far): "that is the weight",
        ("fit", "-", "--class", "class", *far): "standard input",
        (*words, "klass", *far): "no column 'klass'",
        ("fit", folder / "none" / "*.parquet", "--class", "class", *far): "cannot be read",
        ("fit", "dropbox://rows.parquet", "--class", "class", *far): "another package.*dropbox",
    }.items():
        refused(run(capsys, *asked), told)


@pytest.mark.slow  # it is waited for
def test_a_scheduler_that_is_not_there_is_told_of(capsys, files):
    folder, _ = files
    words = ["fit", folder / "*.parquet", "--class", "class", "--scheduler", "tcp://127.0.0.1:1"]
    refused(run(capsys, *words), "no Dask scheduler answers")
