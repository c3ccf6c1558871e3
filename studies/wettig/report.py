"""The study's result files: the suprema, who reaches which, and the way round them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import (
    Column,
    Html,
    Section,
    bullets,
    drawn,
    failures,
    foot,
    page,
    statements,
    table,
    whole,
)
from studies.common.study import Files
from studies.wettig import figures
from studies.wettig.run import KINDS
from studies.wettig.tables import (
    Ends,
    bounds,
    checks,
    embeddings,
    ends,
    flat,
    levels,
    surface_checks,
)
from studies.wettig.truth import MOST_COPIES, SAMPLES

TITLE = "Local maxima where Condition 1 fails, and none where it holds"
_READINGS = (
    "n1 … n4 are copies of (X1, X0, X2) = (1,1,1), (1,1,2), (2,2,1), (2,2,2); D″ has one copy of "
    "each other row. The paper prints no numbers; its n are chosen here.",
    "The four are suprema: two CPT entries go to 0 in a fixed ratio. Unlike the paper says, they "
    "stay suprema with the four extra rows of D″.",
    "CLLs within 10⁻⁴ count as equal.",
    "The bound is the maximum of free tables for the same families (the L-model), proven by every "
    "fit of complete rows; the embedding has the arc that makes Condition 1 hold.",
)


def report(outcome: Outcome) -> Files:
    """Tables, checks and page; what is not finished is missing in them."""
    said = [*surface_checks(), *checks(outcome.done)]
    return {
        "ends.csv": csv_text(flat(outcome.done)),
        "checks.json": json_text({"statements": said}),
        "index.html": _page(outcome, said),
    }


def _page(outcome: Outcome, said: Sequence[Mapping[str, Any]]) -> str:
    intro = [
        "H. Wettig, P. Grünwald, T. Roos, P. Myllymäki and H. Tirri (2003), Theorem 4: the "
        "conditional likelihood of X0 → X2 ← X1, class X0, can have local maxima that are not "
        "global. ELR is started many times on the samples of their proof; then the one arc is "
        "added that makes the network a logistic regression, which has one optimum.",
    ]
    sections = [
        Section("Suprema", _suprema_parts(outcome)),
        Section("Where starts lead", _start_parts(ends(outcome.done))),
        Section("The surface", [_surface()]),
        Section(
            "What is claimed",
            [statements(said, "What the fits bear out.")] if said else ["Not all has ended."],
        ),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))


def _suprema_parts(outcome: Outcome) -> list[str]:
    parts = failures(outcome)
    proven, added = bounds(outcome.done), embeddings(outcome.done)
    heads: list[Column | str] = ["sample", "n1 … n4", "e"]
    heads += [Column(f"{k}", ".3f", group="suprema") for k in range(1, 5)]
    heads += [Column("L-model", ".3f"), Column("bound", ".3f"), Column("embedding", ".3f"), "arc"]
    rows = []
    for name, sample in SAMPLES.items():
        one = added.get(name)
        rows.append(
            [
                name,
                whole(" ".join(map(str, sample.n))),
                sample.e,
                *sample.suprema.values(),
                sample.l_model,
                _plain(proven.get(name)),
                None if one is None else _plain(one.cll),
                None if one is None else whole(", ".join(one.arcs)),
            ]
        )
    caption = (
        "CLLs (natural log, sums over the rows): the four suprema and the L-model's maximum by "
        "their closed forms, the bound that the fits prove, and what the embedding reaches."
    )
    return [*parts, table(heads, rows, caption)]


def _start_parts(every: Sequence[Ends]) -> list[str]:
    if not every:
        return ["No start has ended."]
    rows = [
        [one.sample.name, one.kind, one.n, *_counts(one), one.n_elsewhere, one.n_best / one.n]
        for one in every
    ]
    heads: list[Column | str] = ["sample", "starts", "n", *(f"at {k}" for k in range(1, 5))]
    heads += ["elsewhere", Column("reach the best", ".0%")]
    caption = (
        "How many starts end at each supremum, best first; equal ones are one (all four of D are "
        "the same)."
    )
    bars = drawn(
        partial(figures.where_starts_lead, every),
        "Shares of the starts that end at each supremum.",
        "Shares at the best supremum: "
        + ", ".join(f"{one.sample.name} {one.kind} {one.n_best / one.n:.0%}" for one in every),
    )
    other = f"n1 … n4 from 1 to {MOST_COPIES}, e 0 or 1"
    parts = [f"The statements on the frequency estimates are of drawn samples: {other}."]
    kinds = [f"{kind}: {words}." for kind, words in KINDS.items()]
    return [bars, table(heads, rows, caption), bullets(kinds), *parts]


def _plain(cll: float | None) -> float | None:
    """Without the sign of what rounds to 0."""
    return None if cll is None else round(cll, 4) + 0.0


def _counts(one: Ends) -> list[int | None]:
    own: list[int | None] = [one.n_at[level] for level in levels(one.sample)]
    return own + [None] * (4 - len(own))


def _surface() -> Html:
    return drawn(
        figures.figure_3,
        "Figure 3. g(x, y, z) at x = 0.5: for one value of X1, y and z are P(X2 = 2) in the two "
        "classes. It nears its supremum ln x at two corners, apart from each other.",
        "A saddle between two corners where the function is largest",
    )
