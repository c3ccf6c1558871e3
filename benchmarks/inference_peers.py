"""The packages that answer with missing cells: pyAgrum and pgmpy, one row at a time.

Neither has a call for many rows that observe different cells. What can be got ready once, the
network in the package's own form and each row's evidence, is made outside what is timed.
"""

import logging
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import bnlr
from benchmarks.designs import Floats

Evidence = Mapping[str, int]
Question = tuple[Evidence, Evidence, float]
"""Targets, evidence, and what the answer should be."""
Counts = dict[str, Floats]


class InferencePeer(Protocol):
    """One package with one network in its own form.

    ``rows`` says on how many rows it is measured, by race; a race that is not there it does not
    run, and ``excuses`` says why. ``forms`` are its ways to infer the class.
    """

    name: str
    package: str
    forms: tuple[str, ...]
    rows: Mapping[str, int]
    excuses: Mapping[str, str]

    def __init__(self, network: bnlr.BayesianNetwork) -> None: ...

    def posteriors(self, rows: Sequence[Evidence], form: str) -> Floats:
        """P(class | evidence) of each row, (n_rows, n_classes)."""

    def contrast(self, rows: Sequence[Evidence]) -> tuple[float, Counts]:
        """Σ log P(c | e) and Σ [P(d, f | c, e) − P(d, f | e)] by node; all rows have a class."""

    def query_errors(self, questions: Sequence[Question]) -> tuple[float, Counts]:
        """Mean (B(x|y) − p)² and its derivative in each log θ, by node (Lemma 8)."""

    def em(self, data: bnlr.Dataset, steps: int) -> Any:
        """Run so many steps of EM from the network; this is what is timed."""

    def learnt(self, fitted: Any) -> bnlr.BayesianNetwork:
        """Return what `em` found as a network of bnlr."""


def evidence(data: bnlr.Dataset, *, labelled: bool) -> list[Evidence]:
    """The observed cells of each row by node, the class's only if ``labelled``."""
    nodes = [n for n in data.nodes if labelled or n != data.class_name]
    table = np.stack([data.column(n) for n in nodes], axis=1).tolist()
    return [{n: c for n, c in zip(nodes, row, strict=True) if c >= 0} for row in table]


def ready_frame(data: bnlr.Dataset) -> Any:
    """Codes as texts, "?" where missing."""
    import pandas as pd  # noqa: PLC0415  heavy

    columns = {n: data.column(n) for n in data.nodes}
    return pd.DataFrame({n: np.where(c < 0, "?", c.astype(str)) for n, c in columns.items()})


class PyAgrum:
    """Three exact engines; families' posteriors by lazy propagation."""

    name = "pyAgrum"
    package = "pyagrum"
    forms = ("LazyPropagation", "ShaferShenoyInference", "VariableElimination")
    rows: Mapping[str, int] = {"posterior": 1000, "gradient": 100, "em": 50, "queries": 200}
    excuses: Mapping[str, str] = {}

    def __init__(self, network: bnlr.BayesianNetwork) -> None:
        import pyagrum  # noqa: PLC0415  a peer

        self._gum, self._network = pyagrum, network
        self._own = self._converted()
        self._id = self._own.idFromName
        self._engines: dict[str, Any] = {}
        self._families = _families(network)

    def posteriors(self, rows: Sequence[Evidence], form: str) -> Floats:
        """Set evidence, propagate and read the class, row by row."""
        if form not in self._engines:
            self._engines[form] = getattr(self._gum, form)(self._own)
            self._engines[form].setTargets({self._id(self._network.structure.class_name)})
        engine, own = self._engines[form], self._id(self._network.structure.class_name)
        found = []
        for row in rows:
            engine.setEvidence(row)
            engine.makeInference()
            found.append(engine.posterior(own).tolist())
        return np.array(found)

    def contrast(self, rows: Sequence[Evidence]) -> tuple[float, Counts]:
        """Two propagations a row, with its class and without."""
        engine, own = self._family_engine(), self._network.structure.class_name
        counts = _zeros(self._network)
        cll = 0.0
        for row in rows:
            without = {n: c for n, c in row.items() if n != own}
            self._add(engine, row, 1.0, counts)
            self._add(engine, without, -1.0, counts)
            cll += float(np.log(engine.posterior(self._id(own)).toarray()[row[own]]))
        return cll, counts

    def query_errors(self, questions: Sequence[Question]) -> tuple[float, Counts]:
        """Two propagations a question, with its targets and without."""
        engine, total, counts = self._family_engine(), 0.0, _zeros(self._network)
        for targets, evidence, p in questions:
            parts, seen = [], []
            for row in ({**targets, **evidence}, evidence):
                part = _zeros(self._network)
                self._add(engine, row, 1.0, part)
                parts.append(part)
                seen.append(engine.evidenceProbability())
            answer = seen[0] / seen[1]
            total += (answer - p) ** 2
            slope = 2.0 * (answer - p) * answer
            for node in counts:
                counts[node] += slope * (parts[0][node] - parts[1][node])
        n = len(questions)
        return total / n, {node: table / n for node, table in counts.items()}

    def _family_engine(self) -> Any:
        if "families" not in self._engines:
            engine = self._engines["families"] = self._gum.LazyPropagation(self._own)
            engine.eraseAllTargets()
            engine.addTarget(self._id(self._network.structure.class_name))
            for family in self._families.values():
                places = {self._id(n) for n in family}
                if len(places) == 1:
                    engine.addTarget(*places)
                else:
                    engine.addJointTarget(places)
        return self._engines["families"]

    def _add(self, engine: Any, row: Evidence, sign: float, counts: Counts) -> None:
        engine.setEvidence(row)
        engine.makeInference()
        for node, family in self._families.items():
            hidden = [n for n in family if n not in row]
            cells = tuple(row.get(n, slice(None)) for n in family)
            if not hidden:
                counts[node][cells] += sign
            elif len(family) == 1:
                counts[node] += sign * engine.posterior(self._id(node)).toarray()
            else:
                joint = engine.jointPosterior({self._id(n) for n in family})
                counts[node][cells] += sign * _turned(joint, hidden)

    def em(self, data: bnlr.Dataset, steps: int) -> Any:
        """Without noise or prior, from the network's own CPTs."""
        learner = self._gum.BNLearner(ready_frame(data), self._own, ["?"])
        learner.useNoPrior()
        learner.useEM(1e-300, 0.0)
        learner.EMsetMaxIter(steps)
        return learner.learnParameters(self._own)

    def learnt(self, fitted: Any) -> bnlr.BayesianNetwork:
        """Turn the axes of its CPTs."""
        tables = {n: _turned(fitted.cpt(n), family) for n, family in self._families.items()}
        return bnlr.BayesianNetwork(self._network.structure, self._network.states, tables)

    def _converted(self) -> Any:
        network, own = self._network, self._gum.BayesNet()
        for node, card in network.cards.items():
            own.add(self._gum.RangeVariable(node, node, 0, card - 1))
        for node, family in _families(network).items():
            for parent in family[:-1]:
                own.addArc(parent, node)
        for node, family in _families(network).items():
            table = own.cpt(node)
            axes = [family.index(n) for n in reversed(table.names)]
            table[:] = np.ascontiguousarray(network.cpts[node].transpose(axes))
        return own


class Pgmpy:
    """Variable elimination in the order that opt_einsum finds, its fastest."""

    name = "pgmpy"
    package = "pgmpy"
    forms = ("VariableElimination, greedy",)
    rows: Mapping[str, int] = {"posterior": 200, "gradient": 10}
    excuses: Mapping[str, str] = {
        "em": "its EM drops rows with missing cells",
        "queries": "it is slower than pyAgrum in every other race by far",
    }

    def __init__(self, network: bnlr.BayesianNetwork) -> None:
        from pgmpy.inference import VariableElimination  # noqa: PLC0415  a peer

        logging.getLogger("pgmpy").setLevel(logging.ERROR)
        self._network, self._families = network, _families(network)
        self._engine = VariableElimination(self._converted())

    def posteriors(self, rows: Sequence[Evidence], form: str) -> Floats:  # noqa: ARG002
        """One query a row."""
        own = [self._network.structure.class_name]
        return np.array([self._joint(own, row) for row in rows])

    def contrast(self, rows: Sequence[Evidence]) -> tuple[float, Counts]:
        """A query for each family with a hidden node, with the row's class and without."""
        own, counts = self._network.structure.class_name, _zeros(self._network)
        cll = 0.0
        for row in rows:
            without = {n: c for n, c in row.items() if n != own}
            self._add(row, 1.0, counts)
            self._add(without, -1.0, counts)
            cll += float(np.log(self._joint([own], without)[row[own]]))
        return cll, counts

    def query_errors(self, questions: Sequence[Question]) -> tuple[float, Counts]:
        """Refuse; see ``excuses``."""
        raise NotImplementedError(self.excuses["queries"])

    def em(self, data: bnlr.Dataset, steps: int) -> Any:
        """Refuse; see ``excuses``."""
        raise NotImplementedError(self.excuses["em"])

    def learnt(self, fitted: Any) -> bnlr.BayesianNetwork:
        """Refuse; see ``excuses``."""
        raise NotImplementedError(self.excuses["em"])

    def _add(self, row: Evidence, sign: float, counts: Counts) -> None:
        for node, family in self._families.items():
            hidden = [n for n in family if n not in row]
            cells = tuple(row.get(n, slice(None)) for n in family)
            counts[node][cells] += sign * (self._joint(hidden, row) if hidden else 1.0)

    def _joint(self, nodes: list[str], row: Evidence) -> Floats:
        found = self._engine.query(
            nodes, dict(row), elimination_order="greedy", show_progress=False
        )
        axes = [found.variables.index(n) for n in nodes]
        return np.asarray(found.values).transpose(axes)

    def _converted(self) -> Any:
        from pgmpy.factors.discrete import TabularCPD  # noqa: PLC0415  a peer
        from pgmpy.models import DiscreteBayesianNetwork  # noqa: PLC0415

        cards, own = self._network.cards, DiscreteBayesianNetwork()
        own.add_nodes_from(self._families)
        for node, family in self._families.items():
            above = list(family[:-1])
            own.add_edges_from((parent, node) for parent in above)
            table = np.moveaxis(self._network.cpts[node], -1, 0).reshape(cards[node], -1)
            sizes = [cards[n] for n in above]
            own.add_cpds(TabularCPD(node, cards[node], table, above or None, sizes or None))
        return own


INFERENCE_PEERS: dict[str, type[InferencePeer]] = {"pyagrum": PyAgrum, "pgmpy": Pgmpy}


def excuse(peer: type[InferencePeer], race: str) -> str | None:
    """Why a peer is left out of a race; None if it is not."""
    if find_spec(peer.package) is None:
        return "it is not installed"
    return peer.excuses.get(race)


def _families(network: bnlr.BayesianNetwork) -> dict[str, tuple[str, ...]]:
    structure = network.structure
    return {node: (*structure.parents(node), node) for node in structure.nodes}


def _zeros(network: bnlr.BayesianNetwork) -> Counts:
    return {node: np.zeros(cpt.shape) for node, cpt in network.cpts.items()}


def _turned(tensor: Any, nodes: Sequence[str]) -> NDArray[np.float64]:
    """Axes of pyAgrum's tensor in the order of ``nodes``; its arrays have the last name first."""
    names = list(reversed(tensor.names))
    array = tensor.toarray()
    # A family's observed members keep an axis, whose one state of positive probability is theirs.
    left = [n for n in names if n not in nodes]
    array = array.sum(axis=tuple(names.index(n) for n in left)) if left else array
    kept = [n for n in names if n in nodes]
    return np.asarray(array).transpose([kept.index(n) for n in nodes])
