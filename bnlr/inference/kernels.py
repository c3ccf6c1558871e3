"""Compiled passes over a junction tree, row by row: arrays in, arrays out.

Conventions: ``s`` a `Schedule`, ``theta`` all CPTs, ``codes`` (n_rows, n) with negative codes for
missing cells. A row's observed cells fix the base address of every table; a clique's table has the
cells over its free axes only, the separator's outermost. Upwards, each clique's product is summed
over what its separator lacks, and the sums are scaled to add up to 1; what is kept is
P(others | separator), so that downwards a separator's distribution needs only to be multiplied in,
and never anything to be divided.

A product that comes near the smallest number of a double, without a factor 0, sends the row
through the same pass in logarithms: no row is held for impossible because its numbers were small.

Every function has a twin in ``twins`` that gives the same numbers.
"""

import numpy as np
from numba import njit

_TINY = 1e-290
_MANY = 8
_IMPOSSIBLE, _FINE, _TOO_SMALL = 0, 1, 2


@njit(cache=True, nogil=True, error_model="numpy")
def _folded(scale, value, logs):
    """Multiply a running product; its logarithm moves to ``logs[0]`` before it goes too far."""
    if scale < 1e-100 or scale > 1e100:
        logs[0] += np.log(scale)
        scale = 1.0
    if value < 1e-200:
        logs[0] += np.log(value)
        return scale
    return scale * value


@njit(cache=True, nogil=True, error_model="numpy")
def _read(s, codes, row, target, hidden, keep, state, free, loose):
    """Note which nodes are free in a row; barren ones (loose −1) are not, and have no table.

    To ``keep`` what the counts need, only those barren in every row are left out.
    """
    n = len(s.cards)
    for i in range(n):
        code = codes[row, i]
        free[i] = code < 0
        state[i] = max(code, 0)
        loose[i] = 0
    if hidden:
        free[target], state[target] = True, 0
    for i in s.upwards:
        barren = s.pruned[i] or (free[i] and not keep and not (hidden and i == target))
        if barren:
            for k in range(s.first_child[i], s.first_child[i + 1]):
                if loose[s.children[k]] >= 0:
                    barren = False
                    break
        if barren:
            free[i], state[i], loose[i] = False, 0, -1


@njit(cache=True, nogil=True, error_model="numpy")
def _address(s, state, free, base, loose):
    """Find where each source starts in a row, and how many of its members are free."""
    n = len(s.cards)
    for source in range(len(s.sources)):
        if source < n and loose[source] < 0:
            continue
        first, count = s.sources[source], 0
        for k in range(s.first_member[source], s.first_member[source + 1]):
            node = s.members[k]
            first += s.steps[k] * state[node]
            count += free[node]
        base[source], loose[source] = first, count


@njit(cache=True, nogil=True, error_model="numpy")
def _constants(s, work, base, loose, logs):
    """Return the product of the CPT entries of families without a free member."""
    scale = 1.0
    for i in range(len(s.cards)):
        if loose[i] == 0:
            scale = _folded(scale, work[base[i]], logs)
    return scale


@njit(cache=True, nogil=True, error_model="numpy")
def _free_axes(s, clique, free, places, widths):
    """Note a clique's free axes, last first; return their number and the cells of the others.

    The cells of a clique are those of its separator times those of the rest.
    """
    start, used, cells, outer = s.first_axis[clique], 0, 1, 1
    for k in range(s.first_axis[clique + 1] - start - 1, -1, -1):
        node = s.axes[start + k]
        if free[node]:
            width = s.cards[node]
            places[used], widths[used] = k, width
            used += 1
            if k < s.separators[clique]:
                outer *= width
            else:
                cells *= width
    return used, outer, cells


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(first, strides, stride, places, widths, start, stop, cells):
    """Fill ``cells`` with a table's addresses over the free axes ``start:stop``."""
    cells[0] = first
    n = 1
    for t in range(start, stop):
        step = strides[stride + places[t]]
        for v in range(1, widths[t]):
            shift = v * step
            for k in range(n):
                cells[v * n + k] = cells[k] + shift
        n *= widths[t]


@njit(cache=True, nogil=True, error_model="numpy")
def _fill(store, at, n, value):
    for k in range(at, at + n):
        store[k] = value


@njit(cache=True, nogil=True, error_model="numpy")
def _multiply(work, cells, n, store, at, fresh):
    """Multiply a table into a clique; return whether a product got too small."""
    small = False
    if fresh:
        for k in range(n):
            value = work[cells[k]]
            store[at + k] = value
            small |= (value < _TINY) & (value > 0.0)
    else:
        for k in range(n):
            value, present = work[cells[k]], store[at + k]
            product = value * present
            store[at + k] = product
            small |= (product < _TINY) & (value > 0.0) & (present > 0.0)
    return small


@njit(cache=True, nogil=True, error_model="numpy")
def _add_logs(work, cells, n, store, at, is_log):
    for k in range(n):
        value = work[cells[k]]
        store[at + k] += value if is_log else np.log(value)


@njit(cache=True, nogil=True, error_model="numpy")
def _rescale(n, store, at):
    """Divide a clique's product by its largest number, which is returned."""
    top = 0.0
    for k in range(n):
        top = max(top, store[at + k])
    if top > 0.0:
        for k in range(n):
            store[at + k] /= top
    return top


@njit(cache=True, nogil=True, error_model="numpy")
def _send(work, cells, outer, inner, store, at, keep, sums):
    """Sum out a clique and send the sums, scaled to add up to 1; return their own sum."""
    total = 0.0
    for j in range(outer):
        own = 0.0
        for k in range(at + j * inner, at + (j + 1) * inner):
            own += store[k]
        sums[j] = own
        total += own
        if keep and own > 0.0:
            share = 1.0 / own
            for k in range(at + j * inner, at + (j + 1) * inner):
                store[k] *= share
    if total > 0.0:
        share = 1.0 / total
        for j in range(outer):
            work[cells[j]] = sums[j] * share
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _log_sum(values, start, stop):
    top = -np.inf
    for k in range(start, stop):
        top = max(top, values[k])
    if top == -np.inf:
        return top
    total = 0.0
    for k in range(start, stop):
        total += np.exp(values[k] - top)
    return top + np.log(total)


@njit(cache=True, nogil=True, error_model="numpy")
def _send_logs(work, cells, outer, inner, store, at, sums):
    """As `_send`, in logarithms, though what is kept is not; return the sum's logarithm."""
    for j in range(outer):
        start, stop = at + j * inner, at + (j + 1) * inner
        sums[j] = _log_sum(store, start, stop)
        for k in range(start, stop):
            store[k] = np.exp(store[k] - sums[j]) if sums[j] > -np.inf else 0.0
    total = _log_sum(sums, 0, outer)
    for j in range(outer):
        work[cells[j]] = sums[j] - total
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _multiply_in(sums, cells, outer, inner, store, at):
    """Multiply P(others | separator) by the separator's distribution."""
    for j in range(outer):
        down = sums[cells[j]]
        for k in range(at + j * inner, at + (j + 1) * inner):
            store[k] *= down


@njit(cache=True, nogil=True, error_model="numpy")
def _add_to(sums, cells, n, store, at, anew):
    """Add a clique's distribution up over what a source lacks, to its sums or from 0 on."""
    if anew:
        for k in range(n):
            sums[cells[k]] = 0.0
    for k in range(n):
        sums[cells[k]] += store[at + k]


# Only few functions unpack the arrays of `rooms`, once a row: each time counts references to all of
# them, which for small cliques takes longer than the arithmetic.


@njit(cache=True, nogil=True, error_model="numpy")
def _collect(s, work, free, base, loose, keep, scale, logs, rooms):
    """Pass messages to the root; add log P to ``logs[0]`` and return how it went."""
    store, sums, cells, starts, places, widths = rooms
    n, at = len(s.cards), 0
    for clique in range(len(s.separators)):
        used, outer, inner = _free_axes(s, clique, free, places, widths)
        starts[clique] = at
        if used == 0:
            continue
        n_axes, count = s.first_axis[clique + 1] - s.first_axis[clique], 0
        stride = s.first_stride[s.first_factor[clique] + clique]
        for f in range(s.first_factor[clique], s.first_factor[clique + 1]):
            source = s.factors[f]
            if loose[source] > 0:
                _spread(base[source], s.strides, stride, places, widths, 0, used, cells)
                if _multiply(work, cells, outer * inner, store, at, count == 0):
                    return _TOO_SMALL
                count += 1
                if count % _MANY == 0:
                    top = _rescale(outer * inner, store, at)
                    scale = _folded(scale, top, logs)
            stride += n_axes
        if count == 0:
            _fill(store, at, outer * inner, 1.0)
        first = used - loose[n + clique]
        _spread(base[n + clique], s.strides, stride, places, widths, first, used, cells)
        total = _send(work, cells, outer, inner, store, at, keep, sums)
        if total == 0.0:
            return _IMPOSSIBLE
        scale = _folded(scale, total, logs)
        if keep:
            at += outer * inner
    logs[0] += np.log(scale)
    return _FINE


@njit(cache=True, nogil=True, error_model="numpy")
def _collect_logs(s, work, free, base, loose, keep, logs, rooms):
    """As `_collect`, with messages in logarithms."""
    store, sums, cells, starts, places, widths = rooms
    n, at = len(s.cards), 0
    for clique in range(len(s.separators)):
        used, outer, inner = _free_axes(s, clique, free, places, widths)
        starts[clique] = at
        if used == 0:
            continue
        n_axes = s.first_axis[clique + 1] - s.first_axis[clique]
        stride = s.first_stride[s.first_factor[clique] + clique]
        _fill(store, at, outer * inner, 0.0)
        for f in range(s.first_factor[clique], s.first_factor[clique + 1]):
            source = s.factors[f]
            if loose[source] > 0:
                _spread(base[source], s.strides, stride, places, widths, 0, used, cells)
                _add_logs(work, cells, outer * inner, store, at, source >= n)
            stride += n_axes
        first = used - loose[n + clique]
        _spread(base[n + clique], s.strides, stride, places, widths, first, used, cells)
        logs[0] += _send_logs(work, cells, outer, inner, store, at, sums)
        if logs[0] == -np.inf:
            return _IMPOSSIBLE
        if keep:
            at += outer * inner
    return _FINE


@njit(cache=True, nogil=True, error_model="numpy")
def _block(s, clique, loose):
    """Mark everything below a clique as reached by no free node."""
    for f in range(s.first_factor[clique], s.first_factor[clique + 1]):
        if s.factors[f] >= len(s.cards):
            loose[s.factors[f]] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def _distribute(s, sums, free, base, loose, weight, rooms):
    """Pass distributions down from the root's in ``sums``, and add up every family's.

    ``weight`` is the sum of each of them: 0 for a difference, which ends at a separator without a
    free node.
    """
    store, _, cells, starts, places, widths = rooms
    n = len(s.cards)
    for clique in range(len(s.separators) - 1, -1, -1):
        own, at = n + clique, starts[clique]
        if loose[own] == 0:
            sums[base[own]] = weight
            if weight == 0.0:
                _block(s, clique, loose)
                continue
        used, outer, inner = _free_axes(s, clique, free, places, widths)
        if used == 0:
            continue
        n_axes = s.first_axis[clique + 1] - s.first_axis[clique]
        stride = s.first_stride[s.first_factor[clique + 1] + clique]
        first = used - loose[own]
        _spread(base[own], s.strides, stride, places, widths, first, used, cells)
        _multiply_in(sums, cells, outer, inner, store, at)
        stride = s.first_stride[s.first_factor[clique] + clique]
        for f in range(s.first_factor[clique], s.first_factor[clique + 1]):
            source = s.factors[f]
            if loose[source] > 0:
                _spread(base[source], s.strides, stride, places, widths, 0, used, cells)
                _add_to(sums, cells, outer * inner, store, at, source >= n)
            stride += n_axes


@njit(cache=True, nogil=True, error_model="numpy")
def _upward(s, work, codes, row, target, hidden, keep, nodes, rooms, logs):
    """Pass a row up to the root; return how it went, and ``logs[0]`` = log P(its cells)."""
    state, free, base, loose = nodes
    _read(s, codes, row, target, hidden, keep, state, free, loose)
    _address(s, state, free, base, loose)
    logs[0] = 0.0
    scale = _constants(s, work, base, loose, logs)
    constant = logs[0]
    if constant == -np.inf:
        return _IMPOSSIBLE
    went = _collect(s, work, free, base, loose, keep, scale, logs, rooms)
    if went == _TOO_SMALL:
        logs[0] = constant + np.log(scale)
        if _collect_logs(s, work, free, base, loose, keep, logs, rooms) == _IMPOSSIBLE:
            went = _IMPOSSIBLE
    if went == _IMPOSSIBLE:
        logs[0] = -np.inf
    return went


@njit(cache=True, nogil=True, error_model="numpy")
def _rooms(s, keep):
    """Room for cliques' numbers, sums and addresses, for where they start, and for free axes."""
    largest, most = max(s.sizes[2], 1), max(s.sizes[3], 1)
    return (
        np.empty(max(s.sizes[1], 1) if keep else largest),
        np.empty(largest),
        np.empty(largest, np.int64),
        np.empty(len(s.separators), np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _nodes(s):
    """Room for what a row says: states, which nodes are free; base and free axes of sources."""
    n, n_sources = len(s.cards), len(s.sources)
    return (
        np.zeros(n, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(n_sources, np.int64),
        np.zeros(n_sources, np.int64),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _workspace(s, theta):
    # Loops compile ten times as fast as slices, which bring the words of their errors along.
    work = np.zeros(s.sizes[0])
    for cell in range(len(theta)):
        work[cell] = theta[cell]
    return work


@njit(cache=True, nogil=True, error_model="numpy")
def evidence(s, theta, codes, target, hidden, posterior, log_evidence):
    """Fill ``log_evidence`` (n_rows,) with log P(observed cells), −inf where it is impossible.

    With ``hidden`` the target's cells are not looked at, and ``posterior`` (n_rows, d_target) is
    filled with P(target | the others), 0 where they are impossible.
    """
    work, nodes, rooms, logs = _workspace(s, theta), _nodes(s), _rooms(s, False), np.zeros(1)
    base, root = nodes[2], len(s.sources) - 1
    for row in range(len(codes)):
        went = _upward(s, work, codes, row, target, hidden, False, nodes, rooms, logs)
        log_evidence[row] = logs[0]
        if hidden:
            for c in range(s.cards[target]):
                if went == _IMPOSSIBLE:
                    posterior[row, c] = 0.0
                else:
                    value = work[base[root] + c]
                    posterior[row, c] = value if went == _FINE else np.exp(value)


@njit(cache=True, nogil=True, error_model="numpy")
def expect(s, theta, codes, weights, target, counts, log_evidence):
    """Add Σ weight · P(d, f | row) to ``counts``; fill ``log_evidence`` as `evidence` does."""
    work, nodes, rooms, logs = _workspace(s, theta), _nodes(s), _rooms(s, True), np.zeros(1)
    _, free, base, loose = nodes
    sums, n, root = np.zeros(s.sizes[0]), len(s.cards), len(s.sources) - 1
    for row in range(len(codes)):
        went = _upward(s, work, codes, row, target, False, True, nodes, rooms, logs)
        log_evidence[row] = logs[0]
        weight = weights[row]
        if went == _IMPOSSIBLE or weight == 0.0:
            continue
        for i in range(n):
            if loose[i] == 0:
                sums[base[i]] += weight
        if loose[root] > 0:
            for c in range(s.cards[target]):
                value = work[base[root] + c]
                sums[base[root] + c] = weight * (value if went == _FINE else np.exp(value))
        _distribute(s, sums, free, base, loose, weight, rooms)
    for cell in range(len(counts)):
        counts[cell] += sums[cell]


@njit(cache=True, nogil=True, error_model="numpy")
def contrast(s, theta, codes, weights, target, counts, log_conditional):
    """Add Σ weight · [P(d, f | c, e) − P(d, f | e)] to ``counts``; fill log P(c | e).

    The root holds the target, so that the difference of the two distributions of the target, sent
    down once, becomes that of every family. Rows without the target give 0 and no counts.
    """
    work, nodes, rooms, logs = _workspace(s, theta), _nodes(s), _rooms(s, True), np.zeros(1)
    _, free, base, loose = nodes
    sums, root = np.zeros(s.sizes[0]), len(s.sources) - 1
    for row in range(len(codes)):
        label = codes[row, target]
        if label < 0:
            log_conditional[row] = 0.0
            continue
        went = _upward(s, work, codes, row, target, True, True, nodes, rooms, logs)
        log_conditional[row] = -np.inf
        if went == _IMPOSSIBLE:
            continue
        first = base[root]
        value = work[first + label]
        log_conditional[row] = np.log(value) if went == _FINE else value
        if log_conditional[row] == -np.inf or weights[row] == 0.0:
            continue
        for c in range(s.cards[target]):
            value = work[first + c]
            known = value if went == _FINE else np.exp(value)
            sums[first + c] = weights[row] * ((c == label) - known)
        _distribute(s, sums, free, base, loose, 0.0, rooms)
    for cell in range(len(counts)):
        counts[cell] += sums[cell]
