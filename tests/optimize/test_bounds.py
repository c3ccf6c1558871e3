"""L-BFGS with a lower bound, and without a Hessian."""

import numpy as np
import pytest

import bnlr
from bnlr.optimize.base import Status, minimise


class Bowl:
    """‖x − a‖² / 2, without second derivatives."""

    def __init__(self, a):
        self.a = np.asarray(a, float)
        self.lowest = np.inf

    def value(self, x):
        return self.value_and_gradient(x)[0]

    def value_and_gradient(self, x):
        self.lowest = min(self.lowest, float(x.min()))
        r = x - self.a
        return 0.5 * float(r @ r), r


@pytest.mark.parametrize("scale", [None, np.array([0.1, 1.0, 7.0])])
def test_no_coordinate_falls_below_the_bound(scale):
    bowl = Bowl([-3.0, 0.5, 2.0])
    x0 = np.array([-1.0, 1.0, 1.0])
    result = minimise(bowl, x0, solver="l-bfgs", estimate_gap=False, lower=0.25, scale=scale)
    np.testing.assert_allclose(result.x, [0.25, 0.5, 2.0], atol=1e-6)
    assert bowl.lowest >= 0.25 - 1e-12
    assert result.status is Status.CONVERGED
    assert result.decrement is None
    assert "not estimated" in result.detail


def test_bad_bounds_are_named():
    for lower in (np.nan, "0", True):
        with pytest.raises(bnlr.ParameterError, match="lower is"):
            minimise(Bowl([1.0]), np.ones(1), solver="l-bfgs", lower=lower, estimate_gap=False)
