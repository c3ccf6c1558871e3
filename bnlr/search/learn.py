"""``learn_structure``: one door to all structure learners."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from bnlr.data.dataset import Dataset
from bnlr.errors import ParameterError
from bnlr.search.naive import naive_bayes
from bnlr.search.tan import tan
from bnlr.structure.dag import Structure

METHODS: dict[str, Callable[..., Structure]] = {"naive-bayes": naive_bayes, "tan": tan}


def learn_structure(data: Dataset, method: str = "tan", **options: Any) -> Structure:
    """Learn a structure over the columns of ``data``.

    Parameters
    ----------
    data : Dataset
    method
        "naive-bayes": the class is the only parent of every attribute; looks at no row.
        "tan": tree-augmented naive Bayes (Friedman, Geiger & Goldszmidt 1997), a maximum weighted
        spanning tree over the attributes on I(X_i; X_j | class) beside the class. Rows without a
        class are left out; with missing cells each pair is judged by the rows that show both.
    options
        For "tan": ``root``, the attribute from which the tree's arcs point away; the first
        attribute if not given. It does not change P(class | attributes) that can be reached.

    Returns
    -------
    Structure
        The class first, then the attributes in column order. Both methods give perfect canonical
        forms, so `fit` finds the global optimum.

    Raises
    ------
    ParameterError
        An unknown method or option; the message lists the known ones.
    DataError
        "tan" without rows of two classes.

    Examples
    --------
    >>> import bnlr
    >>> data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), class_name="class")
    >>> bnlr.learn_structure(data, "naive-bayes").children("class") == data.nodes[:-1]
    True
    """
    if not isinstance(data, Dataset):
        raise ParameterError(
            f"data is a {type(data).__name__}; encode a frame first: "
            "bnlr.Dataset.from_frame(frame, class_name=...)"
        )
    if not isinstance(method, str) or method not in METHODS:
        raise ParameterError(f"there is no method {method!r}; choose one of {', '.join(METHODS)}")
    learn = METHODS[method]
    _check_options(learn, method, options)
    return learn(data, **options)


def _check_options(learn: Callable[..., Structure], method: str, options: dict[str, Any]) -> None:
    parameters = signature(learn).parameters.values()
    known = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise ParameterError(
                f"method {method!r} has no option {name!r}; it has {', '.join(known) or 'none'}"
            )
