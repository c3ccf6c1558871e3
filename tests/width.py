"""How far searches go: narrowly by default, in full where slow tests are asked for.

``-m slow`` and ``-m ""`` search in full; pyproject's default, ``-m "not slow"``, narrowly.
"""

import pytest
from hypothesis import settings

_NARROWER, _LEAST = 8, 3
_chosen = {"is full": True}


def choose(*, is_full):
    """Called once, before any test is imported."""
    _chosen["is full"] = is_full


def width(full, narrow):
    """One of two sizes of a search whose test is marked ``wide``."""
    return full if _chosen["is full"] else narrow


def in_full(*cases):
    """Cases of a parametrized test that are slow ones: of those beside them some are run always."""
    return [
        pytest.param(*case, marks=pytest.mark.slow)
        if isinstance(case, tuple)
        else pytest.param(case, marks=pytest.mark.slow)
        for case in cases
    ]


def examples(n):
    """Settings of a property that is searched for in ``n`` examples."""
    return settings(max_examples=width(n, narrowed(n)), deadline=None)


def narrowed(n):
    return max(_LEAST, n // _NARROWER)
