"""A fitted classifier in words."""

from collections.abc import Mapping, Sequence

from bnlr._typing import FloatArray
from bnlr.classifier.fitted import Fitted
from bnlr.learn.choices import AUTO, SMOOTH
from bnlr.printable import printable
from bnlr.structure.dag import Structure
from bnlr.words import counted, joined, listed, quoted

_SHOWN_COLUMNS = 8
_SHOWN_CANDIDATES = 5


def describe(fitted: Fitted) -> str:
    """Return class, structure and verdict, intervals, penalty, rows, and how the fit went."""
    network = fitted.network
    structure = network.structure
    origin = _origin(fitted)
    lines = [
        f"class        {printable(structure.class_name, keep='')}: {listed(network.class_states)}",
        *_pool(fitted),
        f"structure    {origin}: {counted(len(structure.attributes), 'attribute')}, "
        f"{counted(len(structure.edges), 'arc')}",
        *(f"             {line}" for line in str(fitted.best.report).splitlines()),
        *_latent(fitted),
        f"intervals    {intervals(fitted.cut_points)}",
        *_selection(fitted),
        *_penalty(fitted),
        f"trained on   {trained_on(fitted)}",
        fitted.result.summary(),
    ]
    return printable("\n".join(lines))


def _origin(fitted: Fitted) -> str:
    """Where the structure is from; of "auto" what it came to."""
    asked, table = fitted.parameters.structure, fitted.selection
    if fitted.pool is not None:
        return fitted.pool.members[0].structure
    if isinstance(asked, Structure):
        return "given"
    if table is None or asked != AUTO:
        return str(asked)
    return str(table["structure"].iloc[0]) if len(table) else "fan"


def _latent(fitted: Fitted) -> list[str]:
    """Which nodes no column shows."""
    network = fitted.network
    nodes = [
        f"{quoted(node)} of {counted(network.cards[node], 'state')}" for node in network.latent
    ]
    if not nodes:
        return []
    return [
        f"latent       {joined(nodes, _SHOWN_COLUMNS)}: summed out, so that the optimum is a local "
        "one, and the class depends on what the latent depends on"
    ]


def _pool(fitted: Fitted) -> list[str]:
    """Whose the predictions are, and of which of them the rest tells."""
    if fitted.pool is None:
        return []
    first, *members = repr(fitted.pool).splitlines()
    lines = [
        f"{first}; predictions are the pool's",
        *(line.strip() for line in members),
        "what follows is of the first",
    ]
    return _under("pool", lines)


def _under(head: str, lines: Sequence[str]) -> list[str]:
    return [f"{head if k == 0 else '':<13}{line}" for k, line in enumerate(lines)]


def _selection(fitted: Fitted) -> list[str]:
    """The best of each structure and way to cut, a line each."""
    table = fitted.selection
    if table is None or table.empty:
        return []
    best = table.drop_duplicates(["structure", "discretize"]).head(_SHOWN_CANDIDATES)
    lines = [
        f"{row.structure}, {row.discretize}, penalty {row.penalty:g}: "
        f"{row.log_loss:.4f} ± {row.standard_error:.4f}"
        for row in best.itertuples()
    ]
    return _under("log-loss", lines)


def trained_on(fitted: Fitted) -> str:
    """Return which rows the parameters were learnt from."""
    if fitted.best.rows == "masked":
        return f"masked copies of the rows, for a share of {_share(fitted)} missing"
    if fitted.best.rows == "holed":
        return "rows with missing cells, which are summed out"
    return "complete rows"


def _share(fitted: Fitted) -> str:
    expected = fitted.parameters.expect_missing
    if not isinstance(expected, Mapping):
        return str(expected)
    shares = [f"{quoted(name)} {share:g}" for name, share in sorted(expected.items())]
    rest = f" and {len(shares) - _SHOWN_COLUMNS} more" if len(shares) > _SHOWN_COLUMNS else ""
    return ", ".join(shares[:_SHOWN_COLUMNS]) + rest


def _penalty(fitted: Fitted) -> tuple[str, ...]:
    result = fitted.result
    if result.center_scale is not None:
        return ()  # the result says it
    if result.penalty == 0:
        return ("penalty      none",)
    center = _center(fitted)
    towards = "on differences of neighbours" if center == SMOOTH else f"towards {center}"
    return (f"penalty      {result.penalty:g} {towards}",)


def _center(fitted: Fitted) -> str:
    """The centre of a penalty that is not "scaled", which has a scale."""
    asked = fitted.parameters.penalty_center
    if fitted.pool is not None:
        return fitted.pool.members[0].penalty_center
    if asked != AUTO:
        return asked
    table = fitted.selection
    is_smooth = table is not None and len(table) and table["penalty_center"].iloc[0] == SMOOTH
    return SMOOTH if is_smooth else "zero"


def intervals(cut_points: dict[str, FloatArray]) -> str:
    """Return which columns were cut into how many intervals."""
    if not cut_points:
        return "no column was cut"
    counts = [f"{quoted(name)} into {len(cuts) + 1}" for name, cuts in cut_points.items()]
    rest = len(counts) - _SHOWN_COLUMNS
    more = f" and {rest} more columns" if rest > 0 else ""
    return ", ".join(counts[:_SHOWN_COLUMNS]) + more
