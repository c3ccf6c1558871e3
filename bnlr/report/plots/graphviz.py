"""Where Graphviz's ``dot``, if it is installed, puts nodes and arcs: parents left of children.

It gets numbers for names and boxes of a given size, and is asked for plain text: no binding is
needed, and what it says is read as numbers only.
"""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bnlr._typing import Arc

Point = tuple[float, float]

_PATIENCE = 30.0
_LOOK = "rankdir=LR;nodesep=0.06;ranksep=0.4;node[shape=box,fixedsize=true];edge[dir=none];"


class Plan(NamedTuple):
    """A layout in inches: its size, each node's middle, and the Bézier points of each arc."""

    size: Point
    places: Mapping[str, Point]
    paths: Mapping[Arc, Sequence[Point]]


def is_there() -> bool:
    """Whether ``dot`` is on the path."""
    return shutil.which("dot") is not None


def planned(sizes: Mapping[str, Point], arcs: Sequence[Arc], added: Sequence[Arc]) -> Plan | None:
    """Return what ``dot`` makes of boxes and arcs, None where it is not there or fails.

    Parameters
    ----------
    sizes
        Width and height of each node, in inches.
    arcs
    added
        Further arcs, which do not say what stands left.
    """
    program = shutil.which("dot")
    if program is None:
        return None
    number = {node: k for k, node in enumerate(sizes)}
    boxes = [f"{number[node]}[width={w:.4f},height={h:.4f}];" for node, (w, h) in sizes.items()]
    lines = [f"{number[a]}->{number[b]};" for a, b in arcs]
    lines += [f"{number[a]}->{number[b]}[constraint=false];" for a, b in added]
    graph = f"digraph{{{_LOOK}{''.join(boxes)}{''.join(lines)}}}"
    try:
        done = subprocess.run(  # noqa: S603  the graph holds numbers alone
            [program, "-Tplain"],
            input=graph, capture_output=True, text=True, check=True, timeout=_PATIENCE,
        )  # fmt: skip
        return _read(done.stdout, list(sizes))
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None


def _read(text: str, nodes: Sequence[str]) -> Plan:
    """Read ``graph 1 w h``, ``node k x y …`` and ``edge k l n x1 y1 … xn yn …``."""
    size, places, paths = (0.0, 0.0), {}, {}
    for kind, *words in map(str.split, filter(None, text.splitlines())):
        if kind == "graph":
            size = float(words[1]), float(words[2])
        elif kind == "node":
            places[nodes[int(words[0])]] = float(words[1]), float(words[2])
        elif kind == "edge":
            numbers = list(map(float, words[3 : 3 + 2 * int(words[2])]))
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            paths[nodes[int(words[0])], nodes[int(words[1])]] = points
    if len(places) < len(nodes):
        raise ValueError("dot has not placed all nodes")
    return Plan(size, places, paths)
