"""Objects of the wrong kind at every public function: an error of bnlr, which names the argument.

Each argument of each function is given each of many objects. What comes out is a result or a
`BnlrError`; an object that no argument of its name can be is refused, and the text names the
argument or says what is expected.
"""

import warnings
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import BNClassifier, Dataset, Query, QuerySet, Structure

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("matplotlib.pyplot")

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.integers(0, 2, (40, 3)), columns=list("abc"))
X, Y = FRAME[["a", "b"]], FRAME["c"]
STRUCTURE = Structure([("c", "a"), ("c", "b")], "c")
DATA = Dataset.from_frame(FRAME, "c")


class Estimator:
    """What looks like another library's model."""

    def fit(self, X, y):  # noqa: ARG002  as others have it
        return self


WRONG = {
    "None": None,
    "a frame": FRAME,
    "a series": Y,
    "an array": X.to_numpy(),
    "text": "no such thing",
    "bytes": b"no such thing",
    "a whole number": 3,
    "a number": 2.5,
    "NaN": float("nan"),
    "a boolean": True,
    "a dictionary": {"a": 1},
    "an empty dictionary": {},
    "a list": [1, 2],
    "a list of text": ["a", "b"],
    "an empty list": [],
    "a tuple": (None, 1),
    "a set": {1, 2},
    "an object": object(),
    "a class": Structure,
    "a function": len,
    "an estimator": Estimator(),
    "a structure": STRUCTURE,
    "a data set": DATA,
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Away from the checkout, for a text may name a file to be written."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Objects that cost some time, each made once."""
    folder = tmp_path_factory.mktemp("wrong")
    result = bnlr.fit(STRUCTURE, DATA, penalty=1)
    small = bnlr.fit(Structure([("c", "a")], "c", ["a", "b", "c"]), DATA)
    free = bnlr.fit(STRUCTURE, DATA)
    FRAME.to_csv(folder / "rows.csv", index=False)
    FRAME.to_parquet(folder / "rows.parquet")
    bnlr.save(result.network, folder / "model.json")
    classifier = BNClassifier("naive-bayes").fit(X, Y)
    classifier.save(folder / "classifier.json")
    network = result.network
    queries = QuerySet([Query({"a": 0}, {"c": 1}, 0.3)])
    return MappingProxyType(
        {
            "folder": folder,
            "result": result,
            "small": small,
            "free": free,
            "network": network,
            "classifier": classifier,
            "queries": queries,
            "states": dict(network.states),
            "search": bnlr.cll_search(DATA, score="bic"),
            "explanation": network.explain(FRAME.iloc[0]),
        }
    )


def entries(m):
    """{name: (function, its good arguments)}."""
    network, folder = m["network"], m["folder"]
    roos = bnlr.Roos(STRUCTURE, m["states"])
    fitted = {"structure": STRUCTURE, "data": DATA}
    return {
        "fit": (bnlr.fit, {**fitted, **OPTIONS}),
        "analyze": (bnlr.analyze, {"structure": STRUCTURE, "cards": DATA.cards}),
        "learn_structure": (bnlr.learn_structure, {"data": DATA, "method": "tan"}),
        "kdb": (lambda k, threshold: bnlr.learn_structure(DATA, "kdb", k=k, threshold=threshold),
                {"k": 1, "threshold": 0.0}),
        "tan": (lambda root: bnlr.learn_structure(DATA, "tan", root=root), {"root": "a"}),
        "hgc": (lambda **o: bnlr.learn_structure(DATA, "hgc", **o),
                {"score": "bic", "max_parents": 2, "start": STRUCTURE}),
        "cll_search": (bnlr.cll_search, {"data": DATA, "score": "cv", **SEARCH}),
        "likelihood_ratio_test": (
            bnlr.likelihood_ratio_test, {"small": m["small"], "large": m["free"], "data": DATA}),
        "fit_queries": (bnlr.fit_queries, {
            "structure": STRUCTURE, "queries": m["queries"], "states": m["states"],
            "start": network, "solver": "cg", "n_starts": 1, "random_state": 0, "events": DATA,
            "event_weight": 0.1, "tol": 1e-3, "max_iter": 2}),
        "query_error": (bnlr.query_error, {"network": network, "queries": m["queries"]}),
        "query_error_gradient": (
            bnlr.query_error_gradient,
            {"network": network, "queries": m["queries"], "wrt": "beta"}),
        "save": (bnlr.save, {"model": network, "path": folder / "other.json"}),
        "load": (bnlr.load, {"path": folder / "model.json", "class_name": "c"}),
        "read_frame": (bnlr.read_frame, {
            "path": folder / "rows.csv", "class_name": "c", "missing": ["x"], "encoding": "utf-8"}),
        "load_dataset": (bnlr.load_dataset, {"name": "monks-1"}),
        "write_report": (bnlr.write_report, {
            "model": m["result"], "data": DATA, "path": folder / "report.html"}),
        "write_report of a classifier": (
            lambda model, data, y: bnlr.write_report(model, data, folder / "report.html", y=y),
            {"model": m["classifier"], "data": X, "y": Y}),
        "plot_structure": (bnlr.plot_structure, {
            "structure": STRUCTURE, "report": bnlr.analyze(STRUCTURE), "ax": None}),
        "plot_trace": (bnlr.plot_trace, {
            "results": {"one": m["free"]}, "ax": None, "against": "iterations"}),
        "plot_search": (bnlr.plot_search, {"search": m["search"], "ax": None}),
        "plot_contributions": (bnlr.plot_contributions, {
            "explanation": m["explanation"], "ax": None, "n_terms": 3}),
        "plot_effect": (bnlr.plot_effect, {
            "network": network, "attribute": "a", "ax": None, "is_ordered": None}),
        "plot_reliability": (bnlr.plot_reliability, {
            "y_true": Y, "probabilities": network.predict_proba(DATA), "ax": None}),
        "from_frame": (Dataset.from_frame, {
            "frame": FRAME, "class_name": "c", "states": m["states"], "weights": np.ones(40),
            "unseen": "error"}),
        "from_chunks": (Dataset.from_chunks, {
            "chunks": [FRAME], "class_name": "c", "states": m["states"], "weights": None,
            "unseen": "error", "store": None}),
        "from_parquet": (Dataset.from_parquet, {
            "path": folder / "rows.parquet", "class_name": "c", "columns": ["a", "c"],
            "states": None, "weights": None, "unseen": "error", "batch_rows": 10}),
        "from_codes": (Dataset.from_codes, {
            "codes": DATA.codes, "states": m["states"], "class_name": "c", "weights": np.ones(40)}),
        "column": (DATA.column, {"node": "a"}),
        "take": (DATA.take, {"rows": [0, 1]}),
        "Structure": (Structure, {"edges": [("c", "a")], "class_name": "c", "nodes": ["a", "c"]}),
        "naive_bayes": (Structure.naive_bayes, {"attributes": ["a"], "class_name": "c"}),
        "parents": (STRUCTURE.parents, {"node": "a"}),
        "with_arcs": (STRUCTURE.with_arcs, {"arcs": [("a", "b")]}),
        "from_networkx": (Structure.from_networkx, {
            "graph": STRUCTURE.to_networkx(), "class_name": "c"}),
        "BayesianNetwork": (bnlr.BayesianNetwork, {
            "structure": STRUCTURE, "states": m["states"], "cpts": dict(network.cpts)}),
        "predict_proba": (network.predict_proba, {"data": FRAME}),
        "predict_log_proba": (network.predict_log_proba, {"data": FRAME}),
        "log_likelihood": (network.log_likelihood, {"data": FRAME}),
        "conditional_log_likelihood": (network.conditional_log_likelihood, {"data": FRAME}),
        "posterior": (network.posterior, {"data": FRAME, "node": "a"}),
        "query": (network.query, {"targets": ["a"], "evidence": {"c": 1}}),
        "explain": (network.explain, {"row": FRAME.iloc[0]}),
        "sample": (network.sample, {"n": 3, "random_state": 0}),
        "against": (m["explanation"].against, {"label": 0}),
        "significance": (m["free"].significance, {
            "data": DATA, "level": 0.9, "space": "loglinear", "reference": None}),
        "to_statsmodels": (m["free"].to_statsmodels, {"data": DATA, "reference": None}),
        "design_frame": (roos.design_frame, {"data": DATA}),
        "recommend": (bnlr.recommend, fitted),
        "Query": (Query, {"targets": {"a": 0}, "evidence": {"c": 1}, "p": 0.5}),
        "QuerySet": (QuerySet, {"queries": m["queries"], "weights": [1.0]}),
        "queries of a frame": (QuerySet.from_frame, {"frame": FRAME, "targets": ["a"]}),
        "labelled_by": (m["queries"].labelled_by, {"data": DATA}),
        "Roos": (bnlr.Roos, {"structure": STRUCTURE, "states": m["states"]}),
        "LogLinear": (bnlr.LogLinear, {
            "structure": STRUCTURE, "states": m["states"], "reference": {"a": 0}}),
        "Softmax": (bnlr.Softmax, {"structure": STRUCTURE, "states": m["states"]}),
        "cll of a space": (roos.cll, {"x": roos.from_network(network), "data": DATA}),
        "from_network": (roos.from_network, {"network": network}),
        "to_network": (roos.to_network, {"x": roos.from_network(network), "like": network}),
        "MDLDiscretizer": (bnlr.MDLDiscretizer().fit, {"X": X, "y": Y}),
        "QuantileDiscretizer": (bnlr.QuantileDiscretizer().fit, {"X": X}),
        "BNClassifier.fit": (
            BNClassifier("naive-bayes").fit, {"X": X, "y": Y, "sample_weight": np.ones(40)}),
        "BNClassifier.predict": (m["classifier"].predict, {"X": X}),
        "BNClassifier.explain": (m["classifier"].explain, {"row": X.iloc[0]}),
        "BNClassifier.save": (m["classifier"].save, {"path": folder / "again.json"}),
        "BNClassifier.load": (BNClassifier.load, {"path": folder / "classifier.json"}),
        "structure of BNClassifier": (
            lambda structure: BNClassifier(structure).fit(X, Y), {"structure": STRUCTURE}),
        "to_pgmpy": (bnlr.to_pgmpy, {"network": network}),
        "to_pyagrum": (bnlr.to_pyagrum, {"network": network}),
        "from_pgmpy": (bnlr.from_pgmpy, {"model": object(), "class_name": "c"}),
        "from_pyagrum": (bnlr.from_pyagrum, {"model": object(), "class_name": "c"}),
        "kl_divergence": (bnlr.theory.kl_divergence, {"p": network, "q": network}),
        "size_of": (bnlr.theory.size_of, {"structure": STRUCTURE, "states": m["states"]}),
        "sample_size_events": (
            bnlr.theory.sample_size_events, {"eps": 0.1, "delta": 0.1, "lam": 0.1}),
    }  # fmt: skip


OPTIONS = {
    "learner": "lr", "space": "roos", "solver": "newton", "start": "frequencies", "penalty": 1.0,
    "penalty_center": "zero", "tol": 1e-6, "max_iter": 5, "n_starts": 1, "n_threads": 1,
    "verbose": 0, "callback": None, "random_state": 0, "pseudocount": 1.0,
    "m_step_pseudocount": 0.0, "shuffle": False, "cross_tuning": False, "nonperfect": "elr",
}  # fmt: skip
SEARCH = {
    "start": "auto", "max_parents": 2, "max_cells": 100, "compound": False, "n_folds": 2,
    "penalty": 1.0, "max_steps": 1, "max_seconds": 5.0, "n_threads": 1, "verbose": 0,
}  # fmt: skip

# Whose own errors come out of functions given by the user, or that need what is not installed.
THEIR_OWN = {
    ("fit", "callback", "a class"), ("fit", "callback", "a function"),
    ("hgc", "score", "a class"), ("hgc", "score", "a function"),
}  # fmt: skip
# What messages call an argument, where not by its name.
CALLED = {
    "arcs": ("arc", "edges"),
    "attributes": ("node",),
    "cards": ("numbers of states",),
    "chunks": ("chunk",),
    "class_name": ("class", "variable", "column", "pyagrum", "pgmpy"),
    "columns": ("column",),
    "compound": ("compound",),
    "data": ("data", "frame", "X ", "column", "rows", "2D array", "container", "feature"),
    "edges": ("arc",),
    "label": ("class",),
    "model": ("takes a", "expected a"),
    "name": ("data set",),
    "network": ("network", "pip install"),
    "nodes": ("node",),
    "p": ("p ", "kl_divergence"),
    "path": ("path", "file", "read", "write", "folder", "page"),
    "probabilities": ("probabilities", "y_true"),
    "q": ("q ", "kl_divergence"),
    "queries": ("quer", "weights"),
    "row": ("row", "frame", "X ", "column", "feature", "2D array", "container"),
    "sample_weight": ("weight", "y has one class"),
    "states": ("states", "state", "class"),
    "targets": ("target", "node", "column"),
    "X": ("X ", "2D array", "container", "feature", "column", "frame", "float", "convert"),
    "weights": ("weights", "column"),
    "y": ("y ", "label", "class", "1d", "1D", "samples"),
}
ENTRIES = [
    "fit", "analyze", "learn_structure", "kdb", "tan", "hgc", "cll_search",
    "likelihood_ratio_test", "fit_queries", "query_error", "query_error_gradient", "save", "load",
    "read_frame", "load_dataset", "write_report", "write_report of a classifier",
    "plot_structure", "plot_trace", "plot_search", "plot_contributions", "plot_effect",
    "plot_reliability", "from_frame", "from_chunks", "from_parquet", "from_codes", "column", "take",
    "Structure",
    "naive_bayes", "parents", "with_arcs", "from_networkx", "BayesianNetwork", "predict_proba",
    "predict_log_proba", "log_likelihood", "conditional_log_likelihood", "posterior", "query",
    "explain", "sample", "against", "significance",
    "to_statsmodels", "design_frame", "recommend", "Query", "QuerySet", "queries of a frame",
    "labelled_by", "Roos", "LogLinear", "Softmax", "cll of a space", "from_network", "to_network",
    "MDLDiscretizer", "QuantileDiscretizer", "BNClassifier.fit", "BNClassifier.predict",
    "BNClassifier.explain", "BNClassifier.save", "BNClassifier.load", "structure of BNClassifier",
    "to_pgmpy", "to_pyagrum", "from_pgmpy", "from_pyagrum", "kl_divergence", "size_of",
    "sample_size_events",
]  # fmt: skip


def test_every_entry_is_tried(made):
    assert list(entries(made)) == ENTRIES
    tried = {*ENTRIES, "theory", "list_datasets", "show_versions"}
    functions = {name for name in bnlr.__all__ if type(getattr(bnlr, name)) is type(entries)}
    assert functions <= tried


DEAR = ("write_report", "write_report of a classifier")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in DEAR)) for name in ENTRIES],
)
def test_one_of_our_errors_or_a_result(name, made, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    act, good = entries(made)[name]
    found = []
    for argument in good:
        called = (argument, *CALLED.get(argument, ()))
        for what, wrong in WRONG.items():
            if (name, argument, what) in THEIR_OWN:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    act(**{**good, argument: wrong})
            except bnlr.BnlrError as error:
                said = str(error)
                names_it = any(word.lower() in said.lower() for word in called)
                if not names_it or len(said) > 1000:
                    found.append((argument, what, said[:200]))
            except Exception as error:
                found.append((argument, what, repr(error)[:200]))
            finally:
                matplotlib.pyplot.close("all")
    assert found == []


# What can only be of one kind, and what else it must not be taken for.
ONE_KIND = {
    "fit": {"structure": ["a structure"], "data": ["a data set"], "learner": [], "space": []},
    "analyze": {"structure": ["a structure"]},
    "learn_structure": {"data": ["a data set"], "method": []},
    "cll_search": {"data": ["a data set"], "score": []},
    "likelihood_ratio_test": {"small": [], "large": [], "data": ["a data set"]},
    "fit_queries": {"structure": ["a structure"], "queries": [], "states": [], "solver": []},
    "query_error": {"network": [], "queries": []},
    "to_statsmodels": {"data": ["a data set"]},
    "design_frame": {"data": ["a data set"]},
    "recommend": {"structure": ["a structure"], "data": ["a data set"]},
    "save": {"model": []},
    "write_report": {"model": []},
    "plot_structure": {"structure": ["a structure"], "ax": ["None"], "report": ["None"]},
    "plot_trace": {"results": ["an empty dictionary"], "ax": ["None"], "against": []},
    "plot_search": {"search": [], "ax": ["None"]},
    "plot_contributions": {"explanation": [], "ax": ["None"]},
    "plot_effect": {"network": [], "attribute": [], "ax": ["None"]},
    "from_frame": {"frame": ["a frame"], "class_name": [], "unseen": []},
    "predict_proba": {"data": ["a frame", "a data set"]},
    "BayesianNetwork": {"structure": ["a structure"], "states": [], "cpts": []},
    "Roos": {"structure": ["a structure"], "states": []},
    "from_network": {"network": []},
    "to_network": {"x": [], "like": ["None"]},
    "structure of BNClassifier": {"structure": ["a structure"]},
}


@pytest.mark.parametrize(
    ("name", "argument"), [(name, argument) for name in ONE_KIND for argument in ONE_KIND[name]]
)
def test_wrong_kinds_are_refused(name, argument, made):
    act, good = entries(made)[name]
    for what, wrong in WRONG.items():
        if what not in ONE_KIND[name][argument]:
            with pytest.raises(bnlr.BnlrError):
                act(**{**good, argument: wrong})


@pytest.mark.parametrize("X_", [X, X.to_numpy(), X.to_numpy().tolist(), Estimator(), None])
@pytest.mark.parametrize("y", [Y, Y.to_numpy(), Y.tolist()])
def test_fit_as_an_estimator_is_told_what_to_do(X_, y):
    with pytest.raises(bnlr.ParameterError) as caught:
        bnlr.fit(X_, y)
    for words in ("structure is", "Dataset.from_frame", "BNClassifier().fit(X, y)"):
        assert words in str(caught.value)
