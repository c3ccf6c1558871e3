"""Data sets by name, made on the spot or shipped with scikit-learn; nothing is downloaded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr.arguments import whole
from bnlr.errors import DataError, ParameterError
from bnlr.words import guess, quoted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class _Source:
    """How to make a data set, and its options with their defaults."""

    make: "Callable[..., pd.DataFrame]"
    options: Mapping[str, Any] = field(default_factory=dict)


def load_dataset(name: str, **options: Any) -> "pd.DataFrame":
    """Return a built-in data set, the class in the last column, named "class".

    Parameters
    ----------
    name : str
        One of `list_datasets`. "monks-1", "monks-2", "monks-3", "mofn-3-7-10" and "tic-tac-toe"
        hold every row that can occur, once, without noise; "corral" its 128 rows. "led", "led24",
        "waveform" and "waveform-40" are generated. "breast-cancer-wisconsin" (the diagnostic
        set), "digits", "iris" and "wine" are scikit-learn's.
    n : int, optional
        Number of rows of a generated set; 1,000 for led, 5,000 for waveform.
    random_state : int, numpy.random.Generator or None, optional
        Seed of a generated set, 0 unless given; None draws a fresh one each time.

    Returns
    -------
    pandas.DataFrame
        A new frame.

    Raises
    ------
    DataError
        Unknown name.
    ParameterError
        An option that the set does not have, or outside its domain.
    """
    source = _SOURCES.get(name) if isinstance(name, str) else None
    if source is None:
        raise DataError(
            f"there is no built-in data set {quoted(name)}, only {', '.join(list_datasets())}"
            f"{guess(name, _SOURCES)}"
        )
    _check_options(name, source, options)
    return source.make(**{**source.options, **options})


def list_datasets() -> list[str]:
    """Return the names that `load_dataset` knows, sorted."""
    return sorted(_SOURCES)


def _check_options(name: str, source: _Source, options: Mapping[str, Any]) -> None:
    unknown = [option for option in options if option not in source.options]
    if unknown:
        known = ", ".join(source.options) or "none"
        raise ParameterError(f"{name} has no option {unknown[0]!r}; its options are: {known}")
    whole("n", options.get("n", 1), 1)
    seed = options.get("random_state")
    try:
        np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"random_state {quoted(seed)} is no seed: {error}") from error


def _from(module: str, function: str, **fixed: Any) -> "Callable[..., pd.DataFrame]":
    """Return a maker whose module, and pandas with it, is loaded when it is called."""

    def make(**options: Any) -> "pd.DataFrame":
        frame: pd.DataFrame = getattr(import_module(module), function)(**fixed, **options)
        return frame

    return make


def _shipped(loader: str, has_names: bool = True) -> "pd.DataFrame":
    bunch = getattr(import_module("sklearn.datasets"), loader)(as_frame=True)
    classes = bunch.target.to_numpy()
    labels = bunch.target_names[classes].astype(object) if has_names else classes
    frame: pd.DataFrame = bunch.data.assign(**{"class": labels})
    return frame


_RULES = "bnlr.data.builtin.rules"
_GENERATORS = "bnlr.data.builtin.generators"
_LED = {"n": 1000, "random_state": 0}
_WAVEFORM = {"n": 5000, "random_state": 0}

_SOURCES: Mapping[str, _Source] = {
    "breast-cancer-wisconsin": _Source(partial(_shipped, "load_breast_cancer")),
    "corral": _Source(_from(_RULES, "corral")),
    "digits": _Source(partial(_shipped, "load_digits", has_names=False)),
    "iris": _Source(partial(_shipped, "load_iris")),
    "led": _Source(_from(_GENERATORS, "led"), _LED),
    "led24": _Source(_from(_GENERATORS, "led", n_irrelevant=17), _LED),
    "mofn-3-7-10": _Source(_from(_RULES, "mofn_3_7_10")),
    "monks-1": _Source(_from(_RULES, "monks_1")),
    "monks-2": _Source(_from(_RULES, "monks_2")),
    "monks-3": _Source(_from(_RULES, "monks_3")),
    "tic-tac-toe": _Source(_from(_RULES, "tic_tac_toe")),
    "waveform": _Source(_from(_GENERATORS, "waveform"), _WAVEFORM),
    "waveform-40": _Source(_from(_GENERATORS, "waveform", n_irrelevant=19), _WAVEFORM),
    "wine": _Source(partial(_shipped, "load_wine")),
}
