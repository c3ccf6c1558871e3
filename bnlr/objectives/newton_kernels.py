"""``NewtonWalk`` compiled: the same rules, without Python between the products.

Imported by ``small_newton`` alone; shapes, ``rows`` and ``penalty`` as in ``small_kernels``. What a
walk knows is the vector ``s`` of numbers at the places below; what it holds are
``held`` = (x, gradient, probabilities) and the remembered ``pairs`` = (steps, changes), each
(memory, n, k). Counts, flags and numbers are all floats in ``s``. What is called at one place only
is inlined: compiled by itself and again in all that call it, it would take seconds more.
"""

from math import inf, sqrt

import numpy as np
from numba import njit
from numba.extending import register_jitable

from bnlr.objectives.small_kernels import (
    add,
    at,
    clear,
    cost_along,
    evaluate,
    improved,
    inner,
    largest,
    put,
    remember,
    scores_of,
    times_hessian,
)
from bnlr.optimize import decrement, line_search, newton
from bnlr.optimize.line_search import ROUNDING, Step
from bnlr.optimize.newton import EASY, FIRST_RADIUS, FLATTEN, GROWTH, OVERCONFIDENT

VALUE, LARGEST, RADIUS, LONGEST, FORCING, LENGTH, DECREMENT, DECREASE = range(8)
TOL, LIMIT, N_ITER, STALLS, HARD, FULL, N_PAIRS, RENEW, CUT = range(8, 17)
N_CLL, N_GRADIENT, N_HVP, TASK, N_NUMBERS = range(17, 22)

GO_ON, CONVERGED, LOST, MISLED, START, SHRINK = range(6)
_OPEN, _EXACT, _BOUNDARY, _NEGATIVE, _FLAT, _INDEFINITE, _CUT = range(7)
_EPS = 2.0**-52
_EVALUATIONS = 25

_certainty = register_jitable(decrement.certainty)
_is_progress = register_jitable(newton.is_progress)
_forcing = register_jitable(newton.forcing)
_is_finite = register_jitable(line_search.is_finite)
_decreases = register_jitable(line_search.decreases)
_is_flat = register_jitable(line_search.is_flat)
register_jitable(line_search.cubic)
_beyond = register_jitable(line_search.beyond)
_between = register_jitable(line_search.between)


@njit(cache=True, nogil=True, error_model="numpy")
def advance(rows, penalty, centre, held, pairs, upper, s):
    """Evaluate the start, if that is to be done, or make one iteration.

    At a start, GO_ON or, if its scores are too large, SHRINK. With SHRINK as the task, x is moved
    along −x; GO_ON if it did not move. Of an iteration GO_ON, CONVERGED, LOST if no step lowers F,
    or MISLED if none does by the pairs.
    """
    x, gradient, probabilities = held
    if s[TASK] == START:
        s[VALUE] = evaluate(rows, penalty, centre, x, probabilities, gradient)
        s[LARGEST] = largest(x) + 0.0 * largest(gradient)
        s[N_CLL] += 1
        s[N_GRADIENT] += 1
        return SHRINK if inner(gradient, x) > OVERCONFIDENT * abs(s[VALUE]) else GO_ON
    gap = s[TOL] * max(1.0, abs(s[VALUE]))
    p, length, converged = -x, 0.0, False
    if s[TASK] == GO_ON:
        s[RENEW], s[CUT] = 0, 0
        length, converged = _solve(rows, penalty, held, pairs, upper, s, gap, p)
    step = _search(rows, penalty, centre, held, pairs, p, s)
    if s[TASK] == SHRINK:
        return SHRINK if step > 0 else GO_ON
    if step > 0:
        moved = step * length
        s[LONGEST] = max(s[LONGEST], moved)
        if step >= 1:
            s[RADIUS] = max(s[RADIUS], GROWTH * moved)
        elif step < 0.5:
            s[RADIUS] = 1.5 * moved
    if converged:
        return CONVERGED
    if step > 0:
        return GO_ON
    return MISLED if s[N_PAIRS] > 0 else LOST


@njit(inline="always")
def _solve(rows, penalty, held, pairs, upper, s, gap, p):
    """Fill ``p`` with the step; its length, and whether its small decrease may be believed."""
    for _ in range(2):
        ended, length = _system(rows, penalty, held, pairs, upper, s, gap, p)
        if not (ended == _BOUNDARY and s[DECREASE] <= gap):
            break
        s[RADIUS] = inf
    return length, (ended in (_OPEN, _EXACT)) and s[DECREASE] <= gap


@njit(inline="always")
def _system(rows, penalty, held, pairs, upper, s, gap, p):
    _, gradient, probabilities = held
    residual, direction = -gradient, np.empty(gradient.shape)
    n_pairs = int(s[N_PAIRS]) if s[HARD] > 0 else 0
    for _ in range(2):
        improved(upper, *pairs, n_pairs, residual, direction)
        rho = inner(residual, direction)
        ended = _checked(rho, rho)
        if not (ended == _INDEFINITE and s[N_PAIRS] > 0):
            break
        s[N_PAIRS], n_pairs = 0, 0
    gradient_length = sqrt(max(rho, 0.0))
    s[FORCING] = _forcing(s[FORCING], s[LENGTH], gradient_length)
    s[LENGTH] = gradient_length
    if s[RADIUS] == 0:
        s[RADIUS] = FIRST_RADIUS * gradient_length
    certain = _certainty(gap, s[VALUE], gradient_length, s[LONGEST])
    limits = (s[RADIUS], certain, s[FORCING] * gradient_length, gap, s[LIMIT])
    clear(p)
    ended, products, decrease, rho, length = _conjugate_gradients(
        rows,
        probabilities,
        penalty,
        upper,
        (*pairs, n_pairs),
        (p, residual, direction),
        rho,
        ended,
        limits,
    )
    s[DECREASE], s[DECREMENT] = decrease, decrease + 0.5 * max(rho, 0.0)
    s[N_HVP] += products
    if ended == _CUT:
        s[CUT], ended = 1, _OPEN
    if products > EASY:
        s[HARD] = 1
    if ended == _INDEFINITE:
        s[N_PAIRS], s[RENEW], s[RADIUS] = 0, 1, 0.0
    return ended, length


@njit(cache=True, nogil=True, error_model="numpy")
def _checked(rho, rho0):
    if rho > (_EPS * _EPS) * rho0:
        return _OPEN
    return _EXACT if rho >= -(_EPS * rho0) else _INDEFINITE


@njit(inline="always")
def _conjugate_gradients(rows, probabilities, penalty, upper, memory, vectors, rho, ended, limits):
    """What ``NewtonSystem.step`` does until the system is solved, left or cut off."""
    radius, certain, enough, gap, most = limits
    (steps, changes, n_pairs), (p, residual, direction) = memory, vectors
    product, z = np.empty(p.shape), np.empty(p.shape)
    rho0, pp, pd, dd, decrease, steepest, n = rho, 0.0, 0.0, rho, 0.0, 0.0, 0
    while ended == _OPEN:
        left = sqrt(max(rho, 0.0))
        if left <= certain or (decrease > gap and left <= enough):
            break
        if n >= most:
            ended = _CUT
            break
        times_hessian(rows, probabilities, penalty, direction, product)
        n += 1
        bend = inner(direction, product)
        steepest = max(steepest, bend / dd)
        alpha = rho / bend
        longer = pp + alpha * (2.0 * pd + alpha * dd)
        if not bend / dd > 4 * _EPS * steepest:
            ended = _NEGATIVE if bend < 0 else _FLAT
        elif not longer < radius * radius:
            ended = _BOUNDARY
        if ended != _OPEN:
            tau = _room(radius, pp, pd, dd)
            add(tau, direction, p)
            decrease += tau * rho - 0.5 * tau * tau * bend
            pp = radius * radius if radius < inf else pp
            break
        add(alpha, direction, p)
        add(-alpha, product, residual)
        decrease += 0.5 * alpha * rho
        improved(upper, steps, changes, n_pairs, residual, z)
        fresh = inner(residual, z)
        beta = fresh / rho
        pd, pp, dd = beta * (pd + alpha * dd), longer, fresh + beta * beta * dd
        add(beta, direction, z)
        put(z, direction)
        rho = fresh
        ended = _checked(rho, rho0)
    return ended, n, decrease, rho, sqrt(max(pp, 0.0))


@njit(cache=True, nogil=True, error_model="numpy")
def _room(radius, pp, pd, dd):
    """How far along the direction the boundary is; nowhere without one."""
    if radius == inf:
        return 0.0
    room = radius * radius - pp
    root = sqrt(max(pd * pd + dd * room, 0.0))
    return room / (pd + root) if pd > 0 else (root - pd) / dd


@njit(inline="always")
def _search(rows, penalty, centre, held, pairs, d, s):
    """Go along ``d`` as far as a line search says; how far, 0 for not at all."""
    x, gradient, _ = held
    slope = inner(gradient, d)
    if not slope < 0:
        return 0.0
    step = 0.0
    if s[FULL] > 0:
        step = _stand(rows, penalty, centre, held, pairs, 1.0, d, s, slope)
    if step == 0:
        step = _line_search(rows, cost_along(penalty, centre, x, d), x, d, slope, s)
        if step > 0:
            step = _stand(rows, penalty, centre, held, pairs, step, d, s, -inf)
    s[FULL] = step == 1
    return step


@njit(inline="always")
def _stand(rows, penalty, centre, held, pairs, step, d, s, slope):
    """Go to x + step·d; not if the line from there were searched on, ``slope`` being finite."""
    x, gradient, probabilities = held
    there, change, fresh = x.copy(), np.empty(x.shape), np.empty(probabilities.shape)
    add(step, d, there)
    value = evaluate(rows, penalty, centre, there, fresh, change)
    s[N_CLL] += 1
    s[N_GRADIENT] += 1
    if slope > -inf:
        end = Step(1.0, value, inner(change, d))
        if not (_decreases(end, s[VALUE], slope) and _is_flat(end, slope, FLATTEN)):
            return 0.0
    if not _is_progress(s[VALUE], value, inner(gradient, gradient), inner(change, change)):
        return 0.0
    s[N_PAIRS] = remember(there - x, change - gradient, *pairs, int(s[N_PAIRS]))
    s[STALLS] = s[STALLS] + 1 if value >= s[VALUE] else 0
    put(there, x)
    put(change, gradient)
    put(fresh, probabilities)
    s[VALUE] = value
    s[LARGEST] = largest(x) + 0.0 * largest(gradient)
    s[N_ITER] += 1
    return step


@njit(inline="always")
def _line_search(rows, cost, x, d, slope, s):
    """``line_search`` from ``x`` along ``d``; 0 where it finds no step."""
    value = s[VALUE]
    scores = scores_of(rows, x)
    steps = -scores if s[TASK] == SHRINK else scores_of(rows, d)  # d is −x then
    low, high, best = Step(0.0, value, slope), Step(inf, inf, inf), Step(0.0, value, slope)
    s[N_CLL] += 1
    size = 1.0
    for _ in range(_EVALUATIONS):
        trial = Step(size, *at(rows, scores, steps, cost, size))
        s[N_CLL] += 1
        if not _is_finite(trial):
            trial = Step(size, inf, inf)
        sufficient = _decreases(trial, value, slope)
        if sufficient and _is_flat(trial, slope, FLATTEN):
            return size
        if sufficient and (best.s == 0 or trial.value <= best.value):
            best = trial
        previous = low
        if sufficient and trial.slope < 0 and trial.value <= low.value + ROUNDING * abs(value):
            low = trial
        else:
            high = trial
        size = _beyond(previous, low) if high.s == inf else _between(low, high)
        if not low.s < size < high.s:
            break
    return best.s if best.value < value else 0.0
