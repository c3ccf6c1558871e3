"""The flop model, by numbers worked out by hand."""

import pytest

from bnlr.flops import (
    Costs,
    bfgs_iteration,
    bn_cost_cll,
    bn_cost_gradient,
    bn_cost_hvp,
    cg_iteration,
    lr_cost_cll,
    lr_cost_gradient,
    lr_cost_hvp,
)

# Two attributes with 3 and 2 states, 3 classes, 10 rows, 25 ones in the design matrix.
ONES, ROWS, CLASSES, CARDS = 25, 10, 3, (3, 2)
BETA = 3 + 9 + 6  # naive Bayes: class, 3 × 3, 3 × 2


def test_logistic_regression():
    assert lr_cost_cll(ONES, ROWS, CLASSES) == 100  # 25·2 + 10·5
    assert lr_cost_gradient(ONES, ROWS, CLASSES) == 135  # 25·3 + 2·10·3
    assert lr_cost_hvp(ONES, ROWS, CLASSES) == 150  # 2·25·2 + 10·5


def test_one_row_counted_out():
    """One row with 2 ones and 2 classes, every operation listed.

    CLL: 1 addition of two weights, exp, 1 +, log, own score minus, add to the sum: 6.
    Product: 1 addition for u, 1 for p·u (one free class), u − mean and times p: 2, then 2
    additions to the parameters: 6.
    """
    assert lr_cost_cll(2, 1, 2) == 6
    assert lr_cost_hvp(2, 1, 2) == 6


def test_network():
    assert BETA == 18
    assert bn_cost_cll(BETA, ROWS, 2, CLASSES) == 194  # 54 + 10·(6 + 6 + 2)
    # 54 + 10·(12 + 2 + 7·(3 + 5)) = 54 + 10·70
    assert bn_cost_gradient(BETA, ROWS, CARDS, CLASSES) == 754
    assert bn_cost_hvp(BETA, ROWS, 2, CLASSES) == 422  # 162 + 10·(12 + 15 − 1)


def test_iterations():
    # r = 5, three CLL evaluations: 12·25 + 40 + (20 + 100)·3 + 135
    assert bfgs_iteration(5, 3, 100, 135) == 835
    # 50 + (20 + 100)·3 + 135
    assert cg_iteration(5, 3, 100, 135) == 545


@pytest.mark.parametrize("n_cll", [1, 2, 7])
def test_costs_repeat_the_papers_formulas(n_cll):
    for solver, formula in {
        "bfgs": bfgs_iteration,
        "scipy-bfgs": bfgs_iteration,
        "cg": cg_iteration,
        "cg-brent": cg_iteration,
        "scipy-cg": cg_iteration,
    }.items():
        costs = Costs(5, cll=100, gradient=135, solver=solver)
        assert costs.iteration(n_cll, 1, 0) == formula(5, n_cll, 100, 135)


def test_three_spaces_by_three_solvers():
    """Naive Bayes as above; two CLL evaluations and one gradient an iteration.

    LR: r = 2·4 = 8, CLL 100, gradient 135. Roos: every row has 3 ones (both attributes and the
    class's empty configuration), so |Z| = 30: r = 2·(1 + 3 + 2) = 12, CLL 30·2 + 10·5 = 110,
    gradient 30·3 + 60 = 150. Network: r = 18, CLL 194, gradient 754.
    """
    assert (lr_cost_cll(30, ROWS, CLASSES), lr_cost_gradient(30, ROWS, CLASSES)) == (110, 150)
    expected = {
        (8, 100, 135): (479, 479, 768 + 64 + 264 + 135),  # 80 + (32 + 100)·2 + 135
        (12, 110, 150): (586, 586, 1728 + 96 + 316 + 150),  # 120 + (48 + 110)·2 + 150
        (18, 194, 754): (1466, 1466, 3888 + 144 + 532 + 754),  # 180 + (72 + 194)·2 + 754
    }
    for (r, cll, gradient), flops in expected.items():
        for solver, hand in zip(("cg", "cg-brent", "bfgs"), flops, strict=True):
            assert Costs(r, cll, gradient, solver=solver).iteration(2, 1, 0) == hand


def test_our_extensions():
    # newton: 4·5 + 11·5·2 + (20 + 100)·3 + 135 + 2·150, with 8·10·5·2 for ten remembered steps
    newton = Costs(5, 100, 135, 150, solver="newton")
    assert newton.iteration(3, 1, 2) == 20 + 110 + 800 + 360 + 135 + 300
    # l-bfgs: 8·4·5 + 7·5 + (20 + 100)·2 + 2·135
    assert Costs(5, 100, 135, solver="l-bfgs", memory=4).iteration(2, 2, 0) == 160 + 35 + 240 + 270
    assert newton.start(1, 1) == 235


def test_a_gradient_only_restart_is_no_iteration():
    """It costs its gradient, without an update direction (see MATH: flops add up)."""
    costs = Costs(5, 100, 135, solver="cg")
    assert costs.start(0, 1) == 135
    # The iteration after it: 50 + (20 + 100)·3 + 2·135
    assert costs.iteration(3, 2, 0) == costs.iteration(3, 1, 0) + 135 == 680
