"""What a page says of data that contradict its own, it says of any: that may be no result."""

import re
from html.parser import HTMLParser
from importlib import import_module

import pytest

from studies.__main__ import COMMANDS
from studies.common import Options, Outcome, Record, run_study
from studies.common.options import common_parser

pytest.importorskip("matplotlib")

_RESULTS = {
    *("rise", "rises", "fall", "falls", "stay", "stays", "settle", "settles", "near", "close"),
    *("flat", "slightly", "always", "best", "lowest", "highest", "better", "worse", "none"),
    *("win", "wins", "lose", "loses", "beat", "beats", "same", "equal", "never", "robust"),
}
"""Words that tell what came out."""

_TRUE_OF_ANY_DATA = {
    "BFGS) in three parameter spaces of the same Bayesian network classifier (log-linear, LR;",
    "One-sided paired t-tests across the sets that the first system is the better;",
    "below the line the system along x is the better.",
    "Mean error against m, the number of attributes that are one and the same;",
    "Here are the same networks, trained with holes and asked about whole test rows:",
    "the error that a share of 1 − δ of the tries stays below, in units of ε.",
    "clauses that the best assignment leaves false.",
    "The folds of one data set share most of their training rows, so the plain paired t-test over "
    "them finds differences where there are none;",
    "Wins/ties/losses of the learner at 0.05, by the corrected resampled t-test (Nadeau & Bengio "
    "2003) and by the plain paired t-test over all folds;",
    "Shares at the best supremum:",
    "How many starts end at each supremum, best first;",
    "equal ones are one (all four of D are the same).",
    "five binary attributes, of which the first m are one and the same, are learnt as if they were "
    "independent given the class, from 400 rows, whole or with 50% of their cells missing.",
    "three numbers count the samples in which ELR's error is lower, equal and higher.",
    "Three numbers count samples in which ELR's error is lower, equal and higher.",
    "How far ELR, 25% expected, is behind the best, in nats, ± the paired standard error.",
    "How far ELR, the rate expected, is behind the best, in nats, ± the paired standard error.",
    "only on another set of the same source.",
    "left of the line the peer loses more.",
    "Friedman's test that all learners are equal:",
    "Which classifier predicts class probabilities best if nothing is set? bnlr's defaults meet "
    "generative Bayesian networks, logistic regression, boosting, forests and pyAgrum:",
    "Dots with bars, a line a learner, the best mean rank on top",
    "the same where it is significant by the corrected resampled t-test over the folds;",
    "not near zero:",
    "sets with the smaller, the same and the larger log-loss;",
}
"""Definitions of what is drawn and tabled."""

_WORDS = {
    "greiner": ("--sets", "corral"),
    "defaults": ("--sets", "corral,iris", "--learners", "auto,pool,nb-counts,lr,hgb"),
}
"""So that each is quick."""


def study_of(name):
    module = import_module(COMMANDS[name].module)
    parser = common_parser(name, "", without=getattr(module, "UNHEEDED", ()))
    if hasattr(module, "add_options"):
        module.add_options(parser)
    return module.build(parser.parse_args(["--quick", *_WORDS.get(name, ())]))


def turned(value, depth=0):
    """A result with the figures of its learners, samples and the like in the reverse order."""
    if isinstance(value, list):
        is_plain = all(isinstance(one, int | float | str) for one in value)
        return value if is_plain else [turned(one, depth + 1) for one in value]
    if not isinstance(value, dict):
        return value
    own = {name: turned(one, depth + 1) for name, one in value.items()}
    kinds = {type(one) for one in own.values()}
    if depth and len(kinds) == 1 and kinds <= {int, float, list}:
        return dict(zip(own, reversed(own.values()), strict=True))
    return own


def shape(value):
    if isinstance(value, dict):
        return tuple((name, shape(one)) for name, one in value.items())
    if isinstance(value, list):
        return "list", len(value)
    return "number" if isinstance(value, int | float) else type(value).__name__


def contradicted(records):
    """Each result, turned, as that of another task of its kind: first as last, last as first."""
    alike = {}
    for record in records:
        alike.setdefault((shape(record.result), record.task.get("data")), []).append(record)
    found = {
        record.task: Record(record.task, turned(other.result), seconds=record.seconds)
        for own in alike.values()
        for record, other in zip(own, reversed(own), strict=True)
    }
    return tuple(found[record.task] for record in records)


class Said(HTMLParser):
    """Sentences of paragraphs, captions and alternative texts."""

    def __init__(self, page):
        super().__init__()
        self.sentences, self._words = set(), None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag in {"p", "caption", "figcaption"}:
            self._words = []
        self._keep(dict(attrs).get("alt") or "")

    def handle_data(self, data):
        if self._words is not None:
            self._words.append(data)

    def handle_endtag(self, tag):
        if tag in {"p", "caption", "figcaption"} and self._words is not None:
            self._keep("".join(self._words))
            self._words = None

    def _keep(self, text):
        self.sentences |= set(re.split(r"(?<=[.;:]) ", " ".join(text.split())))


def results_in(one, other):
    """Sentences of both pages that tell what came out, and are not the paper's word."""
    return {
        sentence
        for sentence in Said(one).sentences & Said(other).sentences - _TRUE_OF_ANY_DATA
        if _RESULTS & set(re.findall(r"[a-z]+", sentence.lower())) and "paper" not in sentence
    }


def test_a_result_that_is_typed_in_is_found():
    pages = [
        f'<p>Rows: {n}. ELR stays below.</p><img alt="OFE rises"><p>It has {n} wins.</p>'
        "<p>The paper says that ELR is better.</p>"
        for n in (1, 2)
    ]
    assert results_in(*pages) == {"ELR stays below.", "OFE rises"}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_page_says_of_contradicting_data_what_came_out(name, tmp_path):
    study = study_of(name)
    outcome = run_study(study, Options(tmp_path / "out", jobs=0, quiet=True))
    assert outcome.exit_code == 0
    before = study.report(outcome)["index.html"]
    other = Outcome(study, contradicted(outcome.records), outcome.folder)
    after = study.report(other)["index.html"]
    assert before != after
    assert results_in(before, after) == set()
