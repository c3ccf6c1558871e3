"""The part of the page that matters most: what nothing is set of, against each peer."""

from collections.abc import Mapping, Sequence
from functools import partial

from studies.common.pages import Html, drawn
from studies.defaults import strips
from studies.defaults.compare import ALL, HELD_OUT, Comparison
from studies.defaults.learners import LABELS, OURS, PEERS
from studies.defaults.standings import NOTHING, part_table
from studies.defaults.tables import Results

PARTS = (HELD_OUT, ALL)


def peer_parts(found: Results, listed: Mapping[str, Sequence[Comparison]]) -> list[str]:
    """The figure of all sets, and ratios on the held-out half and on all sets."""
    rows = [
        (part, own)
        for first in OURS
        for peer in PEERS
        for part in PARTS
        for own in listed.get(part, ())
        if (own.first, own.second) == (first, peer)
    ]
    if not rows:
        return [NOTHING]
    caption = (
        "Geometric mean of the ratios of log-losses; sets with the smaller, the same and the "
        "larger log-loss; p-values over the sets, by seed; mean error of the first less that of "
        "the second. How long fits and predictions take stands in `times.html`."
    )
    return [part_table(rows, caption), *_figure(found)]


def _figure(found: Results) -> list[Html]:
    peers = [peer for peer in PEERS if any(peer in own for own in found.values())]
    ours = [name for name in OURS if any(name in own for own in found.values())]
    names = " and ".join(LABELS[name] for name in ours)
    caption = (
        f"Log-loss of {names} per that of each peer on every set, means over the seeds: left of "
        "the line the peer loses more. Diamonds are geometric means, arrows go on. Sets that share "
        "their source with another one are in no mean."
    )
    alt = "A panel a peer, a line a data set, dots left and right of a line at 1"
    return [drawn(partial(strips.against_peers, found, ours, peers), caption, alt)]
