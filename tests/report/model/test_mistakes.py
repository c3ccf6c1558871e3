"""Where the model errs: groups of rows against pandas and SciPy."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bnlr
from bnlr.report.model import Evaluation
from bnlr.report.model.mistakes import groups, mistakes_section


def example(seed=0, n=300, flip="x"):
    """Rows whose class follows a, but in those with b = flip, where it is a coin's."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.choice(["p", "q"], n), "b": rng.choice(list("xyz"), n)})
    coin = rng.choice(["p", "q"], n)
    frame["c"] = np.where((frame["b"] == flip) | (rng.random(n) < 0.05), coin, frame["a"])
    s = bnlr.Structure.naive_bayes(["a", "b"], "c")
    network = bnlr.fit(s, bnlr.Dataset.from_frame(frame, "c"), penalty=1.0).network
    holed = frame.copy()
    holed.loc[::7, "a"] = None
    return Evaluation(network, bnlr.Dataset.from_frame(holed, "c", network.states)), holed


@pytest.mark.parametrize("seed", [0, 1])
def test_groups_are_those_of_pandas_and_welch_s_test(seed):
    evaluation, frame = example(seed)
    p = evaluation.known_probabilities
    frame["loss"] = -np.log(p[np.arange(len(p)), evaluation.codes])
    frame["wrong"] = p.argmax(axis=1) != evaluation.codes
    found = groups(evaluation)
    assert {(g.attribute, g.code) for g in found} == {
        ("a", -1), ("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2),
    }  # fmt: skip
    for g in found:
        states = evaluation.network.states[g.attribute]
        column = frame[g.attribute]
        here = column.isna() if g.code < 0 else column == states[g.code]
        test = stats.ttest_ind(frame["loss"][here], frame["loss"][~here], equal_var=False)
        expected = here.sum(), frame["loss"][here].mean(), frame["loss"][~here].mean()
        assert (g.n, g.loss, g.elsewhere) == pytest.approx(expected)
        assert g.z == pytest.approx(test.statistic)
        assert g.wrong == pytest.approx(frame["wrong"][here].mean())
    assert [g.z for g in found] == sorted((g.z for g in found), reverse=True)
    assert (found[0].attribute, states[found[0].code]) == ("b", "x")


def test_the_worst_group_heads_the_table():
    evaluation, _ = example()
    text = "".join(mistakes_section(evaluation).parts)
    cells = re.sub(r"<[^>]*>", "", re.findall(r"<tbody>\n<tr>.*?</td>", text)[0])
    assert cells.strip() == "b = x"


def test_sure_rows_and_what_one_may_expect_of_them():
    evaluation, _ = example()
    top = evaluation.known_probabilities.max(axis=1)
    wrong = evaluation.known_probabilities.argmax(axis=1) != evaluation.codes
    sure = top >= 0.9
    told = re.sub(r"<[^>]*>", "", mistakes_section(evaluation).parts[0])
    expected = f"In {sure.sum()} of 300 rows", f"wrong in {(sure & wrong).sum()} of them"
    assert all(part in told for part in expected)
    assert f"expect {(1 - top[sure]).sum():.1f}." in told


def test_without_groups_and_without_classes():
    evaluation, _ = example(n=300, flip="no")
    few = Evaluation(evaluation.network, evaluation.data.take(slice(0, 12)))
    assert "Of 0 groups" in mistakes_section(few).parts[1]
    codes = np.array(evaluation.data.codes)
    codes[:, evaluation.data.nodes.index("c")] = -1
    blind = bnlr.Dataset.from_codes(codes, evaluation.data.states, "c")
    assert mistakes_section(Evaluation(evaluation.network, blind)) is None


@pytest.mark.parametrize("seed", range(8))
def test_losses_that_do_not_vary_are_no_rounding_errors(seed):
    """One attribute, a class that is the same or its copy: each of its groups has one loss."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.6, 0.95)
    tables = {"c": np.array([0.5, 0.5]), "a": np.array([[share, 1 - share], [1 - share, share]])}
    s = bnlr.Structure.naive_bayes(["a"], "c")
    network = bnlr.BayesianNetwork(s, {"c": ("p", "q"), "a": ("p", "q")}, tables)
    sizes = rng.integers(10, 60, 2)
    a = np.repeat(["p", "q"], sizes)
    for truth, first in (("p", -np.inf), ("q", np.inf), (a, 0.0)):
        frame = pd.DataFrame({"a": a, "c": truth})
        evaluation = Evaluation(network, bnlr.Dataset.from_frame(frame, "c", network.states))
        z = {group.code: group.z for group in groups(evaluation)}
        assert z == {0: first, 1: -first}
        text = "".join(mistakes_section(evaluation).parts)
        assert ("none is predicted worse" in text) == (first == 0.0)
        assert ("∞" in text) == (first != 0.0)
