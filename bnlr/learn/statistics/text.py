"""A significance table as text, in the layout of statsmodels' Logit and MNLogit."""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Protocol

from bnlr._typing import BoolArray, FloatArray
from bnlr.learn.statistics.fisher_information import Maximum
from bnlr.learn.statistics.likelihood_ratio import LikelihoodRatio
from bnlr.spaces.loglinear import LogLinear

if TYPE_CHECKING:
    import pandas as pd

_WIDTH, _NUMBER = 78, 10
_LONGEST_NAME, _LONGEST_CLASS = 48, 19
_LABEL, _HALF = 18, 38
_DIGITS = (4, 3, 3, 3, 3, 3)
_COLUMNS = ["estimate", "std err", "z", "p", "lower", "upper"]


class Estimates(Protocol):
    """What is printed; see `bnlr.Significance`."""

    @property
    def maximum(self) -> Maximum: ...  # noqa: D102
    @property
    def table(self) -> "pd.DataFrame": ...  # noqa: D102
    @property
    def estimable(self) -> BoolArray: ...  # noqa: D102
    @property
    def against_prior(self) -> LikelihoodRatio: ...  # noqa: D102
    @property
    def solver(self) -> str: ...  # noqa: D102
    @property
    def level(self) -> float: ...  # noqa: D102
    @property
    def is_weighted(self) -> bool: ...  # noqa: D102
    @property
    def n_rows(self) -> float: ...  # noqa: D102
    @property
    def df(self) -> float: ...  # noqa: D102
    @property
    def penalty(self) -> float: ...  # noqa: D102
    @property
    def cll(self) -> float: ...  # noqa: D102
    @property
    def null_cll(self) -> float: ...  # noqa: D102
    @property
    def pseudo_r2(self) -> float: ...  # noqa: D102
    @property
    def aic(self) -> float: ...  # noqa: D102
    @property
    def bic(self) -> float: ...  # noqa: D102


def printed(found: Estimates) -> str:
    """Head, a block of coefficients a class, and notes."""
    names = [_cut(name, _LONGEST_NAME) for name in found.maximum.space.predictor_names]
    name_width = max(_WIDTH - len(_COLUMNS) * _NUMBER, *(len(name) + 1 for name in names))
    width = name_width + len(_COLUMNS) * _NUMBER
    lines = [
        f"{_title(found):^{width}}".rstrip(),
        "=" * width,
        *_head(found, width),
        "=" * width,
        *_blocks(found, names, name_width, width),
        *_notes(found, width),
    ]
    return "\n".join(lines)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _title(found: Estimates) -> str:
    kind = "Logit" if found.maximum.space.layout.n_classes == 2 else "MNLogit"
    return f"{kind} Regression Results"


def _figure(value: float) -> str:
    """Five digits, or all before the point."""
    return f"{value:#.5g}" if abs(value) < 1e5 else f"{value:.0f}"


def _head(found: Estimates, width: int) -> Iterator[str]:
    space = found.maximum.space
    df_model = found.df - found.maximum.null_rank
    left = {
        "Dep. Variable": _cut(space.structure.class_name, _LONGEST_CLASS),
        "Model": f"{space.name} space",
        "Method": f"{'penalised' if found.penalty else 'MLE'}, {found.solver}",
        "Not estimable": f"{(~found.estimable).sum()} of {space.size}",
        "AIC": _figure(found.aic),
        "BIC": _figure(found.bic),
        "Covariance Type": "Laplace" if found.penalty else "nonrobust",
    }
    right = {
        "No. Observations": f"{found.n_rows:.12g}",
        "Df Residuals": f"{found.n_rows - found.df:{'.4g' if found.penalty else '.12g'}}",
        "Df Model": f"{df_model:.4g}" if found.penalty else str(int(df_model)),
        "Pseudo R-squ.": f"{found.pseudo_r2:.4g}",
        "Log-Likelihood": _figure(found.cll),
        "LL-Null": _figure(found.null_cll),
        "LLR p-value": "none" if found.penalty else f"{found.against_prior.p:.4g}",
    }
    rest = width - _HALF - _LABEL - 2
    for (one, its), (other, value) in zip(left.items(), right.items(), strict=True):
        yield (
            f"{one + ':':<{_LABEL}}{its:>{_HALF - _LABEL}}  {other + ':':<{_LABEL}}{value:>{rest}}"
        )


def _blocks(found: Estimates, names: list[str], name_width: int, width: int) -> Iterator[str]:
    """The coefficients of each class against the reference, which is its first state."""
    space = found.maximum.space
    class_name, labels = space.structure.class_name, space.states[space.structure.class_name]
    numbers = found.table[_COLUMNS].to_numpy().reshape(len(names), len(labels) - 1, -1)
    for c, label in enumerate(labels[1:]):
        own = f"{class_name}={label}" if len(labels) > 2 else ""
        tail = (1.0 - found.level) / 2.0
        heads = ["coef", "std err", "z", "P>|z|", f"[{tail:.4g}", f"{1.0 - tail:.4g}]"]
        title = _cut(own, name_width - 1).rjust(name_width - 1) + " "
        yield title + "".join(f"{head:>{_NUMBER}}" for head in heads)
        yield "-" * width
        for name, row in zip(names, numbers[:, c], strict=True):
            yield f"{name:<{name_width}}" + _cells(row)
        yield ("=" if c == len(labels) - 2 else "-") * width


def _cells(row: FloatArray) -> str:
    if row[0] != row[0]:
        return f"{'not estimable':>{2 * _NUMBER}}"
    return "".join(
        f"{f'{value:.{digits}f}':>{_NUMBER}}" for value, digits in zip(row, _DIGITS, strict=True)
    )


def _notes(found: Estimates, width: int) -> Iterator[str]:
    space = found.maximum.space
    class_name = space.structure.class_name
    references = [f"{class_name}={space.states[class_name][0]}"]
    if isinstance(space, LogLinear):
        coded = [pair for pair in space.reference.items() if len(space.states[pair[0]]) > 1]
        references += [f"{node}={state}" for node, state in coded]
    yield from wrap(f"Reference: {', '.join(references)}.", width)
    if found.penalty:
        yield from wrap(
            f"Errors are the inverse of the penalised information (Laplace), penalty "
            f"{found.penalty:g}: the estimates are drawn to its centre, and the intervals hold if "
            "that is a fair guess. Degrees of freedom are effective ones.",
            width,
        )
    if found.is_weighted:
        yield "Weights count as frequencies: a row of weight 2 is two rows."
    if not found.estimable.all():
        yield _open(found)


def _open(found: Estimates) -> str:
    """Why some numbers are left out."""
    if isinstance(found.maximum.space, LogLinear):
        return "Not estimable: no rows show the configurations that would tell; the rest stands."
    return "Not estimable: only contrasts are, such as of two cells of a family; see contrast()."
