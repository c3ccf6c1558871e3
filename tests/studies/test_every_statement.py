"""Every statement that a study judges can hold and can fail, and is not judged from too little.

`OF` has a study's lines on made-up results that bear its statements out or contradict them, and
on too few. What judges in the sources is found there, so that a new statement cannot be left out.
"""

import ast
import sys
from itertools import chain
from pathlib import Path

import pytest

import studies
from studies.defaults import statements as of_defaults
from studies.defaults import times_page
from studies.embeddings import tables as of_embeddings
from studies.feelders_ivanovs import paper, sections
from studies.greiner import statements as of_greiner
from studies.greiner.paper import TABLE_2, TABLE_3
from studies.greiner.tasks import AGREEMENTS
from studies.queries import tables as of_queries
from studies.recommender import tables as of_recommender
from studies.sample_sizes import tables as of_samples
from studies.sample_sizes.run import PROMISES, world
from studies.su import tables as of_su
from studies.su import times as times_of_su
from studies.wettig import tables as of_wettig
from studies.wettig.truth import g
from studies.wrong_structure import tables as of_wrong
from tests.studies.defaults import test_tables as defaults
from tests.studies.defaults.makers import measured
from tests.studies.defaults.test_times_page import taken as taken_by_defaults
from tests.studies.embeddings import test_embeddings as embeddings
from tests.studies.feelders_ivanovs.test_paper import mirrored
from tests.studies.greiner import test_statements as greiner
from tests.studies.queries import test_command as queries
from tests.studies.recommender import test_recommender as recommender
from tests.studies.sample_sizes import test_promises as samples
from tests.studies.su import test_tables as su
from tests.studies.wettig import test_tables as wettig
from tests.studies.wrong_structure import test_command as wrong

pytestmark = pytest.mark.slow
HERE = Path(studies.__file__).parent
NOT_SAMPLED = ("observation 1", "lemma 1", "equation 19")
"""Checked by enumeration or on a grid: there is no too little."""


def defaults_on(losses, sets=None):
    found = defaults.made(losses) if sets is None else defaults.made(losses, sets)
    return of_defaults.statements(found)


def defaults_lines():
    rising = defaults.alternating(0.5, 2.5)
    yield defaults_on({"auto": 0.6, "fan": 0.9, "hgb": 0.7, "cll": 0.65, "pool": 0.5})
    yield defaults_on({"auto": rising, "fan": 1.1, "cll": 1.2, "pool": 1.2, "hgb": 0.9})
    yield defaults_on({"pool": 1.2, "ebm": 0.8, "auto": 1.2})
    erring = defaults.made({})
    for own in erring.values():
        own.update(auto=measured(0.5, error=0.2), pool=measured(0.5, error=0.2))
    yield of_defaults.statements(erring)
    yield from (times_page.verdicts(taken_by_defaults(lambda _, n=n: n)) for n in (1.0, 9.0))


def defaults_of_few():
    yield defaults_on({"auto": 0.5, "cll": 1.0}, ("iris", "zoo", "letter"))
    few = {data: own for data, own in taken_by_defaults(lambda _: 1.0).items() if data == "iris"}
    yield times_page.verdicts(few)


def embeddings_lines(segments=10, n=10, found=((3, 0, True), (0, 1, False))):
    for cpts, tables, last in found:
        result = {"segments": segments, "cpts": cpts, "tables": tables}
        bent = [embeddings.record("wrinkles", result, structure="TAN")]
        yield of_embeddings.statements(of_embeddings.wrinkles(bent), embeddings.grown(last, n))


def embeddings_of_few():
    """One wrinkle shows that there are some, none of few denies nothing."""
    return embeddings_lines(9, 8, [(0, 0, True)])


def feelders(*halves):
    return [
        {"statement": line["statement"], "holds": line["ours"]}
        for line in sections.statements(*halves)
    ]


def feelders_lines():
    yield feelders(paper.ITERATIONS, paper.FLOPS)
    yield feelders(mirrored(paper.ITERATIONS), mirrored(paper.FLOPS))


def feelders_of_few():
    yield feelders({name: row for name, row in paper.ITERATIONS.items() if name != "Glass"}, {})


def greiner_lines(n=10, of=25, n_natural=20, skipped=()):
    """Whole results; fewer samples and sets with smaller numbers."""
    for system in ("NB+OFE", "TAN+OFE"):
        for apart in (0, of):
            ours = greiner.moved(TABLE_2, system, 30.0, apart, of)
            yield of_greiner.statements({"complete": ours}, [])
    for rows, better, worse in of_greiner._ORDERINGS:
        printed = TABLE_2 if rows == "complete" else TABLE_3
        for system in (worse, better):
            yield of_greiner.statements({rows: greiner.moved(printed, system, 10.0, of, of)}, [])
    for learner in ("ELR", "APN"):
        for ahead in (1.0, -1.0):
            ours = dict(list(greiner.in_two_spaces(learner, ahead).items())[:of])
            yield of_greiner.statements({"incomplete": ours}, [])
    for records in (*complex_records(n), *figure_8_records(n)):
        yield of_greiner.statements({}, records)
    for gain in (5, -5):
        records = greiner.natural_records({"naive-bayes": gain, "tan": -gain}, n_natural)
        yield of_greiner.statements({}, records)
    for away in ((3, 1), (1, 3)):
        records = [r for r in greiner.tpda_records(*away) if r.task["data"] not in skipped]
        yield of_greiner.statements({}, records)


def complex_records(n):
    for rows in ("complete", "incomplete"):
        for elr in (0.3, 0.1):
            part = "irrelevant attributes"
            for agreement in AGREEMENTS:
                yield greiner.complex_records(part, rows, elr, n, k=6, agreement=agreement, size=20)
            yield greiner.complex_records("superfluous links", rows, elr, n, m=2)


def figure_8_records(n):
    for rows, rivals in (("complete", ("ofe",)), ("incomplete", ("em", "apn"))):
        for theirs, ours in (
            (greiner.growing, greiner.small),
            (greiner.small, greiner.growing),
        ):
            errors = {**dict.fromkeys(rivals, theirs), "elr-tuned": ours, "elr": ours}
            yield greiner.figure_8_records(errors, rows, n)


def greiner_of_few():
    yield from greiner_lines(n=9, of=24, n_natural=19, skipped=greiner.VARIED[:1])


def queries_lines(n_seeds=10):
    for errors in (queries.GOOD, {name: own[::-1] for name, own in queries.GOOD.items()}):
        made = queries.records(errors, n_seeds)
        yield of_queries.statements(of_queries.points(made))


def recommender_lines():
    cheap = [90.0, 20.0, 80.0, 70.0, 10.0, 30.0, 40.0, 50.0, 60.0]
    races = [recommender.race("judge", k, cheap, cheap) for k in range(30)]
    yield of_recommender.statements(of_recommender.judged(races))
    yield recommender.told(recommender.UP[::-1])


def samples_lines(tries=100):
    for n_failed in (0, tries):
        made = [samples.record(promise, 1.0, n_failed, tries) for promise in PROMISES]
        yield of_samples.statements(of_samples.points(made))
    yield [of_samples.observation(), of_samples.observation(world().other)]


def su_lines():
    for of_set in (su.bearing_out, su.contradicting):
        yield of_su.verdicts(su.many(of_set))
    yield from (of_su.epoch_verdicts(*su.epochs_of(*own)) for own in ((("vowel",), 0), ((), 2.0)))
    yield from (of_su.ingredient_verdicts(su.without(gap)) for gap in (10.0, 0.0))
    yield [times_of_su.verdict(su.taken({"NB+DFE parameters": s})) for s in (0.3, 0.5)]


def su_of_few():
    def of(found):
        return {data: own for data, own in found.items() if data != "iris"}

    yield of_su.verdicts(of(su.many(su.bearing_out)))
    every, long = su.epochs_of(("vowel",))
    few = {(data, kind): one for (data, kind), one in long.items() if data != "sick"}
    yield of_su.epoch_verdicts(of(every), few)
    yield of_su.ingredient_verdicts(of(su.without(10.0)))
    yield [times_of_su.verdict(of(su.taken({})))]


def wettig_lines():
    yield of_wettig.checks(wettig.supporting())
    yield of_wettig.checks(wettig.changed(lambda _: True, cll=-99.0, bound=-1.0))
    yield of_wettig.surface_checks()
    yield of_wettig.surface_checks(lambda x, y, z: g(x, y, z) + 0.1)


def wettig_of_few():
    yield of_wettig.checks([r for r in wettig.supporting() if r.task["sample"] != "D″"][:-25])


def wrong_lines(n_seeds=10):
    for generative, ours in ((wrong.BAD, wrong.BAYES), (wrong.BAYES, wrong.BAD)):
        errors = {
            (rows, name): own
            for rows in ("complete", "incomplete")
            for name, own in {
                **dict.fromkeys(of_wrong.GENERATIVE, generative),
                **dict.fromkeys(of_wrong.DISCRIMINATIVE, ours),
            }.items()
        }
        yield of_wrong.statements(of_wrong.curves(wrong.records(errors, n_seeds)))


OF = {
    "defaults": (defaults_lines, defaults_of_few),
    "embeddings": (embeddings_lines, embeddings_of_few),
    "feelders_ivanovs": (feelders_lines, feelders_of_few),
    "greiner": (greiner_lines, greiner_of_few),
    "queries": (queries_lines, lambda: queries_lines(9)),
    "recommender": (recommender_lines, lambda: [recommender.told(recommender.UP, 29)]),
    "sample_sizes": (samples_lines, lambda: samples_lines(19)),
    "su": (su_lines, su_of_few),
    "wettig": (wettig_lines, wettig_of_few),
    "wrong_structure": (wrong_lines, lambda: wrong_lines(9)),
}


def verdicts(made):
    """{title: verdicts that it had}."""
    found = {}
    for line in chain.from_iterable(made):
        found.setdefault(line["statement"], set()).add(line["holds"])
    return found


@pytest.mark.parametrize("study", OF)
def test_each_statement_can_hold_and_can_fail(study):
    lines, _ = OF[study]
    lacking = {title: own for title, own in verdicts(lines()).items() if not own >= {True, False}}
    assert lacking == {}


@pytest.mark.parametrize("study", OF)
def test_no_statement_is_judged_from_too_little(study):
    """It has no verdict then, or is not printed."""
    lines, of_few = OF[study]
    few = verdicts(of_few())
    assert few
    assert few.keys() <= verdicts(lines()).keys()
    judged = {title: own for title, own in few.items() if own != {None}}
    assert [title for title in judged if not title.startswith(NOT_SAMPLED)] == []


def judging(path):
    """Functions of a module that say whether something holds, or hand it to one that passes it."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    own = {f.name for f in functions if any(map(_is_verdict, ast.walk(f)))}
    passing = {
        f.name for f in functions if f.name in own and "holds" in {a.arg for a in f.args.args}
    }
    calling = {
        f.name
        for f in functions
        if passing & {getattr(n.func, "id", "") for n in ast.walk(f) if isinstance(n, ast.Call)}
    }
    return own | calling


def _is_verdict(node):
    return isinstance(node, ast.Dict) and any(
        isinstance(key, ast.Constant) and key.value == "holds" for key in node.keys
    )


def test_a_verdict_in_the_sources_is_found(tmp_path):
    (tmp_path / "a.py").write_text(
        "def line(x, holds):\n    return {'statement': x, 'holds': holds}\n"
        "def one():\n    return line('a', 1 > 2)\n"
        "def two(line):\n    return {**line, 'holds': None}\n"
        "def other():\n    return {'said': one()}\n"
    )
    assert judging(tmp_path / "a.py") == {"line", "one", "two"}


def called(lines):
    """(file, function) of what runs of the studies while the lines are made."""
    found = set()

    def note(frame, event, _):
        if event == "call":
            found.add((frame.f_code.co_filename, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        for one in lines():
            list(one)
    finally:
        sys.setprofile(None)
    return found


STUDIES = sorted({p.parent.name for p in HERE.glob("*/*.py") if p.parent.name != "common"})


@pytest.mark.parametrize("study", STUDIES)
def test_all_that_judges_in_the_sources_is_tried(study):
    wanted = {(str(path), name) for path in (HERE / study).glob("*.py") for name in judging(path)}
    if study in OF:
        assert wanted - called(OF[study][0]) == set()
        assert wanted or study == "feelders_ivanovs"
    else:
        assert wanted == set()
