"""What the guide promises, where no other test asks it as a whole; and that its links hold."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnlr
from tests.width import in_full

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "guide" / "promises.md"
OPTIONS = [
    {}, {"penalty": 1.0}, {"penalty": 1e12}, {"penalty": "cv", "penalty_center": "scaled"},
    {"penalty": 1.0, "penalty_center": "smooth"},
    {"learner": "elr"}, {"learner": "frequencies"}, {"learner": "dfe"}, {"learner": "em"},
    {"learner": "apn"}, {"space": "loglinear"}, {"solver": "l-bfgs"},
]  # fmt: skip


def run(program, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        check=True,
        env={**os.environ, **environment},
        text=True,
    ).stdout


@pytest.mark.slow
def test_no_socket_no_process_and_the_same_model_file_for_any_hash_seed(tmp_path):
    program = """
        import sys
        seen = []
        watched = ("socket.", "subprocess.", "os.system", "os.exec", "os.spawn", "urllib.")
        sys.addaudithook(lambda event, args: event.startswith(watched) and seen.append(event))
        import bnlr
        frame = bnlr.load_dataset("monks-1")
        X, y = frame.drop(columns="class"), frame["class"]
        classifier = bnlr.BNClassifier("tan").fit(X, y)
        classifier.save(sys.argv[1])
        bnlr.BNClassifier.load(sys.argv[1]).predict_proba(X)
        print(seen)
    """
    for seed in ("0", "4711"):
        said = run(program, str(tmp_path / f"{seed}.json"), PYTHONHASHSEED=seed)
        assert said.strip() == "[]"
    assert (tmp_path / "0.json").read_bytes() == (tmp_path / "4711.json").read_bytes()


def plain():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    return pd.DataFrame({f"a{k}": (y + rng.integers(0, 3, 60)) % 3 for k in range(3)}).assign(y=y)


def tortured():
    """Rows and weights on which sums, logarithms or divisions may fail."""
    rows, ones, first = plain(), np.ones(60), np.arange(60) == 0
    texts = rows.assign(a0=["only", *rows["a0"][1:].astype(str)])
    tiny = pd.DataFrame({"a": list("pqr"), "b": list("uuv"), "y": [0, 1, 2]})
    rng = np.random.default_rng(1)
    many = pd.DataFrame({"a": rng.integers(0, 9, 90), "b": rng.integers(0, 2, 90)})
    return {
        "complete separation": (rows.assign(a0=rows["y"]), None),
        "only one class of three": (rows.assign(a0=np.where(rows["y"] == 0, "z", "p")), None),
        "copied attribute": (rows.assign(b=rows["a0"]), None),
        "constant attribute": (rows.assign(b="c"), None),
        "class never seen": (rows.assign(y=pd.Categorical(rows["y"], [0, 1, 2])), None),
        "one row a class": (tiny, None),
        "same x, different y": (pd.DataFrame({"a": "p", "b": "q", "y": [0, 1, 2] * 3}), None),
        "26 classes": (many.assign(y=np.arange(90) % 26), None),
        "weights of 1e-300": (rows, 1e-300 * ones),
        "weights of 1e300": (rows, 1e300 * ones),
        "the least weight": (rows, 5e-324 * ones),
        "weights 1e300 and 1e-300": (rows, np.where(first, 1e300, 1e-300)),
        "a weight of 0 takes a level away": (texts, np.where(first, 0.0, 1.0)),
        "a prior of 1e-6": (rows, np.where(rows["y"] == 1, 1e-6, 1.0)),
    }  # fmt: skip


@pytest.mark.parametrize("name", tortured())
@pytest.mark.parametrize("method", ["tan", *in_full("naive-bayes")])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_finite_or_refused(name, method):
    rows, weights = tortured()[name]
    data = bnlr.Dataset.from_frame(rows, "y", weights=weights)
    s = bnlr.learn_structure(data, method)
    n_fitted = 0
    for options in OPTIONS:
        try:
            result = bnlr.fit(s, data, **options)
        except bnlr.BnlrError as error:
            refusal = str(error)
        else:
            n_fitted += 1
            refusal = ""
            found = result.network.predict_proba(data)
            assert np.isfinite(found).all()
            np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-9)
            assert all(np.isfinite(cpt).all() for cpt in result.network.cpts.values())
            assert result.upper_bound is None or np.isfinite(result.upper_bound)
        assert "nan" not in refusal
    assert n_fitted >= len(OPTIONS) - 1


def test_the_links_hold():
    if not GUIDE.is_file():
        pytest.skip("no guide beside these tests")
    links = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", GUIDE.read_text("utf-8"))
    assert len(links) >= 25
    lost = [f"{path}::{name}" for path, name in links if not defines(ROOT / path, name)]
    assert lost == []


def defines(path, name):
    return path.is_file() and f"def {name}(" in path.read_text("utf-8")
