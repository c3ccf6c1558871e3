"""Whether the estimator's parameters can be meant, before a row is looked at."""

from collections.abc import Mapping

from bnlr.arguments import amount, is_number, is_whole, one_of, verbosity
from bnlr.classifier.input.class_weight import check_class_weight
from bnlr.classifier.input.discretizers import discretizer_of
from bnlr.classifier.parameters import AS_SEEN, Expected, Parameters, choices
from bnlr.errors import ParameterError
from bnlr.learn.auto_learner import meant_method
from bnlr.learn.choices import AUTO, GENERATIVE
from bnlr.learn.request import limits
from bnlr.words import quoted


def check(asked: Parameters) -> None:
    """Refuse parameters outside their domain, and two that do not go together.

    Raises
    ------
    ParameterError
        With the value and what may be given instead.
    """
    for name, known in choices().items():
        one_of(name, getattr(asked, name), known)
    meant_method(asked.learner, asked.space, asked.solver)
    limits(asked.learner, asked.max_iter, asked.pseudocount)
    amount("m_step_pseudocount", asked.m_step_pseudocount)
    if asked.discretize is not None:
        discretizer_of(asked.discretize)
    _check_expected(asked.expect_missing, asked.learner)
    _check_penalty(asked.penalty, asked.learner)
    _check_missing(asked.missing, asked.expect_missing)
    _check_temperature(asked.temperature, asked.learner)
    _check_latent(asked)
    _check_jobs(asked.n_jobs)
    verbosity(asked.verbose)
    check_class_weight(asked.class_weight)


def _check_expected(expected: Expected, learner: str) -> None:
    """Refuse an ``expect_missing`` that is no share, or a learner that cannot train for it."""
    if expected is None:
        return
    if learner not in (AUTO, "elr"):
        raise ParameterError(
            f"expect_missing is {quoted(expected)}, for which learner 'elr' trains (or 'auto'), "
            f"not {quoted(learner)}; leave one of them out"
        )
    if isinstance(expected, str) and expected == AS_SEEN:
        return
    shares = expected.items() if isinstance(expected, Mapping) else [("", expected)]
    for column, share in shares:
        if not _is_share(share):
            where = f" for column {quoted(column)}" if isinstance(expected, Mapping) else ""
            raise ParameterError(
                f"expect_missing is {quoted(share)}{where}; give the share of cells that will be "
                f"missing, from 0 to below 1, a dictionary of columns and shares, {AS_SEEN!r} or "
                "None"
            )


def _is_share(value: object) -> bool:
    return is_number(value) and 0 <= float(value) < 1  # type: ignore[arg-type]


def _check_penalty(penalty: float | str, learner: str) -> None:
    """Refuse what is no penalty, and any but 0 and "auto" where the learner has none."""
    is_named = isinstance(penalty, str) and penalty in {AUTO, "cv"}
    if not is_named:
        amount("penalty", penalty, ", 'auto' or 'cv'")
    is_none = penalty == AUTO if is_named else penalty == 0
    if learner in GENERATIVE and not is_none:
        raise ParameterError(
            f"penalty is {quoted(penalty)}, but learner {quoted(learner)} takes none; leave "
            "penalty out, or choose learner 'auto', 'lr' or 'elr'"
        )


def _check_missing(missing: str, expected: Expected) -> None:
    """Refuse states for missing cells together with training for summing them out."""
    if missing == "state" and expected is not None:
        raise ParameterError(
            f"expect_missing is {quoted(expected)}, which trains for summing out, but missing "
            "is 'state'; leave one of them out"
        )


def _check_temperature(temperature: str | None, learner: str) -> None:
    """Refuse what is no temperature, and "auto" where there are no frequencies to scale."""
    if temperature is None:
        return
    if not (isinstance(temperature, str) and temperature == AUTO):
        raise ParameterError(f"temperature is {quoted(temperature)}; choose 'auto' or None")
    if learner != "frequencies":
        raise ParameterError(
            f"temperature is 'auto', which scales learner 'frequencies', not {quoted(learner)}; "
            "leave one of them out"
        )


def _check_latent(asked: Parameters) -> None:
    """Refuse to scale frequencies of what no row shows."""
    if asked.states is not None and asked.temperature is not None:
        raise ParameterError(
            f"temperature is {quoted(asked.temperature)}, which scales what learner 'frequencies' "
            "counts, and states gives latent nodes, which it cannot count; leave one of them out"
        )


def _check_jobs(n_jobs: int | None) -> None:
    """Refuse what joblib takes for no number of processes."""
    if n_jobs is None or (is_whole(n_jobs) and n_jobs != 0):
        return
    raise ParameterError(
        f"n_jobs is {quoted(n_jobs)}; give a number of processes, -1 for one a processor, or None"
    )
