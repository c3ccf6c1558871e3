"""A fitted classifier in words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bnlr._typing import FloatArray
from bnlr.classifier.structures import AUTO
from bnlr.structure.dag import Structure
from bnlr.words import listed, quoted

if TYPE_CHECKING:
    from bnlr.classifier.estimator import BNClassifier

_SHOWN_COLUMNS = 8
_SHOWN_CANDIDATES = 5


def describe(classifier: "BNClassifier") -> str:
    """Return class, structure and verdict, intervals, penalty, rows, and how the fit went."""
    network = classifier.network_
    structure = network.structure
    origin = _origin(classifier)
    lines = [
        f"class        {structure.class_name}: {listed(network.class_states)}",
        f"structure    {origin}: {_counted(len(structure.attributes), 'attribute')}, "
        f"{_counted(len(structure.edges), 'arc')}",
        *(f"             {line}" for line in str(classifier.report_).splitlines()),
        f"intervals    {intervals(classifier._cut_points())}",
        *_selection(classifier),
        *_penalty(classifier),
        f"trained on   {trained_on(classifier)}",
        classifier.result_.summary(),
    ]
    return "\n".join(lines)


def _origin(classifier: "BNClassifier") -> str:
    """Where the structure is from; of "auto" what it came to."""
    asked, table = classifier._asked["structure"], classifier.selection_
    if isinstance(asked, Structure):
        return "given"
    if table is None or asked != AUTO:
        return str(asked)
    return str(table["structure"].iloc[0]) if len(table) else "fan"


def _selection(classifier: "BNClassifier") -> list[str]:
    """The best of each structure and way to cut, a line each."""
    table = classifier.selection_
    if table is None or table.empty:
        return []
    best = table.drop_duplicates(["structure", "discretize"]).head(_SHOWN_CANDIDATES)
    lines = [
        f"{row.structure}, {row.discretize}, penalty {row.penalty:g}: "
        f"{row.log_loss:.4f} ± {row.standard_error:.4f}"
        for row in best.itertuples()
    ]
    heads = ["log-loss", *[""] * len(lines)]
    return [f"{head:<13}{line}" for head, line in zip(heads, lines, strict=False)]


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def trained_on(classifier: "BNClassifier") -> str:
    """Return which rows the parameters were learnt from."""
    if classifier._rows == "masked":
        return f"masked copies of the rows, for a share of {_share(classifier)} missing"
    if classifier._rows == "holed":
        return "rows with missing cells, which are summed out"
    return "complete rows"


def _share(classifier: "BNClassifier") -> str:
    expected = classifier._asked["expect_missing"]
    if not isinstance(expected, Mapping):
        return str(expected)
    shares = [f"{quoted(name)} {share:g}" for name, share in sorted(expected.items())]
    rest = f" and {len(shares) - _SHOWN_COLUMNS} more" if len(shares) > _SHOWN_COLUMNS else ""
    return ", ".join(shares[:_SHOWN_COLUMNS]) + rest


def _penalty(classifier: "BNClassifier") -> tuple[str, ...]:
    result = classifier.result_
    if result.center_scale is not None:
        return ()  # the result says it
    if result.penalty == 0:
        return ("penalty      none",)
    asked = classifier._asked["penalty_center"]
    center = "zero" if asked == AUTO else asked  # "scaled" has a scale
    return (f"penalty      {result.penalty:g} towards {center}",)


def intervals(cut_points: dict[str, FloatArray]) -> str:
    """Return which columns were cut into how many intervals."""
    if not cut_points:
        return "no column was cut"
    counts = [f"{quoted(name)} into {len(cuts) + 1}" for name, cuts in cut_points.items()]
    rest = len(counts) - _SHOWN_COLUMNS
    more = f" and {rest} more columns" if rest > 0 else ""
    return ", ".join(counts[:_SHOWN_COLUMNS]) + more
