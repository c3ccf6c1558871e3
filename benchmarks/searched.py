"""``python -m benchmarks.searched``: structure search by the conditional likelihood, and its cost.

On each set, in one process: one generative hill climb (HGC, K2), the same in pyAgrum if that is
installed, and the search by BIC and by held-out rows; seconds, also in hill climbs; moves screened
and models fitted a second of the whole search. Then random perfect networks of 8 attributes: which
arcs are found, how much the best move from where the search ends would change BIC, all moves being
fitted, and how the predicted gains of all arcs rank the true ones (Spearman).
"""

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

import bnlr
from benchmarks import race
from benchmarks.generated import CLASS
from benchmarks.workloads import BESIDE_CHECKOUT, MissingDataError, letter

_FULL, _SMOKE = 20_000, 1000
_N_ATTRIBUTES, _N_ARCS, _MOST_PARENTS = 8, 7, 3
_REPEATS = 3
# Of more rows only the search from naive Bayes by BIC, so that a run takes about a minute.
_LARGE = 10_000


@dataclass(frozen=True)
class SearchRow:
    """A line of the table of times; the counts are those of a search."""

    data: str
    what: str
    seconds: float
    score: float | None = None
    n_arcs: int | None = None
    n_screened: int | None = None
    n_fits: int | None = None


def main() -> int:
    """Run the command; 1 if a move is better than where a search ends, or gains rank badly."""
    args = _parser().parse_args()
    n_rows = _SMOKE if args.smoke else _FULL
    sets = _sets(Path(args.data_dir), args.smoke)
    rows = [row for name, data in sets for row in raced(name, data)]
    warnings.simplefilter("ignore", bnlr.SeparationWarning)  # the limit will do
    console = Console(width=None if sys.stdout.isatty() else 132)
    console.print(_times(rows))
    found = [network(seed, n_rows) for seed in range(1 if args.smoke else args.networks)]
    console.print(_networks(found))
    is_right = all(f["best other move"] < 0.01 and f["Spearman"] >= 0.9 for f in found)
    return 0 if is_right else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.searched",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--smoke", action="store_true", help="one small set and network, in seconds")
    add("--networks", type=int, default=3, help="random networks")
    add("--data-dir", default=str(BESIDE_CHECKOUT), help="folder of kr-vs-kp.csv and letter.csv")
    return parser


def _sets(folder: Path, smoke: bool) -> Iterator[tuple[str, bnlr.Dataset]]:
    if smoke:
        yield "corral", bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
        return
    path = folder / "kr-vs-kp.csv"
    if path.exists():
        frame = pd.read_csv(path, dtype=str)
        yield "kr-vs-kp", bnlr.Dataset.from_frame(frame, frame.columns[-1])
    try:
        yield "letter", letter(folder)
    except MissingDataError as error:
        print(f"letter is left out: {error}", file=sys.stderr)


def raced(name: str, data: bnlr.Dataset) -> Iterator[SearchRow]:
    """Time the hill climbs and the searches on one set; the searches once, as they take longer."""
    yield SearchRow(name, "HGC (K2)", _best(lambda: bnlr.learn_structure(data, "hgc")))
    theirs = _pyagrum(data)
    if theirs is not None:
        yield SearchRow(name, "pyAgrum's (K2)", _best(theirs))
    is_large = data.n_rows > _LARGE
    for score in ("bic",) if is_large else ("bic", "cv"):
        start = "naive-bayes" if is_large else "auto"
        bnlr.cll_search(data, score=score, start=start, max_steps=1)  # compiles
        search = bnlr.cll_search(data, score=score, start=start)
        counts = len(search.structure.edges), search.n_screened, search.n_fits
        yield SearchRow(name, f"cll, {score}", search.seconds, search.score, *counts)


def _best(call: Callable[[], object]) -> float:
    call()
    return race.best_time(call, _REPEATS, least=0.0)


def _pyagrum(data: bnlr.Dataset) -> Callable[[], object] | None:
    """Its greedy hill climbing under the same score and limit, from naive Bayes; None if absent."""
    try:
        import pyagrum  # noqa: PLC0415  a peer
    except ImportError:
        return None
    frame = data.to_frame().astype(str)
    with _files_deleted():
        learner: Any = pyagrum.BNLearner(frame)
    learner.useGreedyHillClimbing()
    learner.useScoreK2()
    learner.useNoPrior()
    learner.setMaxIndegree(2)
    dag = pyagrum.DAG()
    for _ in data.nodes:
        dag.addNode()
    own = data.nodes.index(data.class_name)
    for node in range(len(data.nodes)):
        if node != own:
            dag.addArc(own, node)
    learner.setInitialDAG(dag)
    learn: Callable[[], object] = learner.learnDAG
    return learn


@contextmanager
def _files_deleted() -> Iterator[None]:
    """Through a file pyAgrum reads a frame, and leaves it behind."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before


def network(seed: int, n_rows: int) -> dict[str, float]:
    """Search from rows of a random network by BIC, and fit every move from where that ends."""
    drawn = random_network(seed)
    frame = drawn.sample(n_rows, random_state=seed)
    data = bnlr.Dataset.from_frame(frame, CLASS, states=drawn.states)
    true = _between(drawn.structure)
    search = bnlr.cll_search(data, score="bic")
    found = _between(search.structure)
    absent = sorted(set(drawn.structure.attributes) - set(search.structure.attributes))
    moves = [bic(graph, data) for graph in _neighbours(_graph(search.structure), absent)]
    n_right = len(true & found)
    return {
        "seed": seed,
        "recall": n_right / len(true),
        "precision": n_right / max(len(found), 1),
        "moves, all fitted": len(moves),
        "best other move": max(moves) - search.score,
        "Spearman": _rank(data),
    }


def random_network(seed: int) -> bnlr.BayesianNetwork:
    """Draw a perfect network of 8 attributes, 7 arcs between them, without small probabilities."""
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(_N_ATTRIBUTES)]
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(names)
    while graph.number_of_edges() < _N_ARCS:
        u, v = (str(name) for name in rng.choice(names, 2, replace=False))
        other = nx.Graph(graph)
        other.add_edge(u, v)
        graph = other if nx.is_chordal(other) else graph
    structure = _structure(graph)
    cards = {v: int(rng.integers(2, 4)) for v in structure.nodes}
    cpts = {}
    for v in structure.nodes:
        above = [cards[p] for p in structure.parents(v)]
        cpts[v] = 0.9 * rng.dirichlet(np.ones(cards[v]), size=above or None) + 0.1 / cards[v]
    states = {v: tuple(range(card)) for v, card in cards.items()}
    return bnlr.BayesianNetwork(structure, states, cpts)


def _rank(data: bnlr.Dataset) -> float:
    """Correlate predicted and true gains of all arcs that may join naive Bayes."""
    first = bnlr.cll_search(data, score="bic", start="naive-bayes", max_steps=1).candidates
    first = first[first["move"] == "add arc"]
    start = bnlr.Structure.naive_bayes([n for n in data.nodes if n != CLASS], CLASS)
    arcs = [tuple(arc.split(" – ")) for arc in first["arc"]]
    gains = [bnlr.fit(start.with_arcs([arc]), data).cll for arc in arcs]
    return float(spearmanr(first["gain_predicted"], gains).statistic)


def _between(structure: bnlr.Structure) -> set[frozenset[str]]:
    own = structure.class_name
    return {frozenset(arc) for arc in structure.edges if own not in arc}


def _graph(structure: bnlr.Structure) -> "nx.Graph[str]":
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(structure.children(structure.class_name))
    graph.add_edges_from(tuple(arc) for arc in _between(structure))
    return graph


def _neighbours(graph: "nx.Graph[str]", absent: list[str]) -> Iterator["nx.Graph[str]"]:
    """Yield all chordal graphs one edge away, and those with or without one vertex of one clique.

    A vertex comes in alone or beside one other.
    """
    for u, v in combinations(sorted(graph), 2):
        other = graph.copy()
        (other.remove_edge if graph.has_edge(u, v) else other.add_edge)(u, v)
        if nx.is_chordal(other) and max(map(len, nx.find_cliques(other))) <= _MOST_PARENTS + 1:
            yield other
    for v in list(graph):
        if _is_clique(graph, list(graph[v])):
            yield nx.Graph(graph.subgraph(set(graph) - {v}))
    for v in absent:
        for beside in ([], *([u] for u in graph)):
            other = graph.copy()
            other.add_node(v)
            other.add_edges_from((v, u) for u in beside)
            yield other


def bic(graph: "nx.Graph[str]", data: bnlr.Dataset) -> float:
    """BIC by `bnlr.fit` of the perfect network that a chordal graph of attributes stands for."""
    structure = _structure(graph)
    frame, n_cells = data.to_frame(), 1
    for v in structure.children(CLASS):
        above = [p for p in structure.parents(v) if p != CLASS]
        n_cells += len(frame[[*above, v]].drop_duplicates())
        n_cells -= len(frame[above].drop_duplicates()) if above else 1
    df = n_cells * (data.cards[CLASS] - 1)
    return bnlr.fit(structure, data).cll - 0.5 * df * log(data.n_rows)


def _structure(graph: "nx.Graph[str]") -> bnlr.Structure:
    """Point the edges of a chordal graph such that any two parents are joined."""
    arcs: list[tuple[str, str]] = []
    for part in nx.connected_components(graph):
        order = _from_the_root(graph.subgraph(part))
        for k, v in enumerate(order):
            arcs += [(CLASS, v), *((u, v) for u in order[:k] if graph.has_edge(u, v))]
    return bnlr.Structure(arcs, CLASS, [CLASS])


def _from_the_root(graph: "nx.Graph[str]") -> list[str]:
    """Order vertices such that each one's neighbours before it are a clique."""
    rest, last = nx.Graph(graph), []
    while rest:
        last.append(next(v for v in sorted(rest) if _is_clique(rest, list(rest[v]))))
        rest.remove_node(last[-1])
    return last[::-1]


def _is_clique(graph: "nx.Graph[str]", vertices: list[str]) -> bool:
    return all(graph.has_edge(a, b) for a, b in combinations(vertices, 2))


def _times(rows: list[SearchRow]) -> Table:
    table = Table(title="Searches", title_justify="left")
    for head in ("data", "method"):
        table.add_column(head)
    for head in ("seconds", "× HGC", "score", "arcs", "screened", "a second", "fitted", "a second"):
        table.add_column(head, justify="right")
    climbs = {row.data: row.seconds for row in rows if row.what == "HGC (K2)"}
    for row in rows:
        cells = [row.data, row.what, f"{row.seconds:.3g}", f"{row.seconds / climbs[row.data]:.3g}"]
        if row.n_screened is not None and row.n_fits is not None:
            cells += [f"{row.score:.6g}", str(row.n_arcs), f"{row.n_screened:,}"]
            cells += [f"{row.n_screened / row.seconds:,.0f}"]
            cells += [f"{row.n_fits:,}", f"{row.n_fits / row.seconds:.3g}"]
        table.add_row(*cells)
    return table


def _networks(found: list[dict[str, float]]) -> Table:
    title = f"Random perfect networks of {_N_ATTRIBUTES} attributes and {_N_ARCS} arcs, BIC"
    table = Table(title=title, title_justify="left")
    for head in found[0]:
        table.add_column(head, justify="right")
    for one in found:
        table.add_row(*(f"{value:.6g}" for value in one.values()))
    return table


if __name__ == "__main__":
    sys.exit(main())
