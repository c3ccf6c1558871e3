"""A network as another program's file tells it, before it is believed.

The readers of BIF, XMLBIF, Hugin NET, XDSL and UAI fill a `ParsedNetwork`; what it means is checked
here once for all: the graph without NumPy, for ``bnlr check``, and the probabilities on demand.
Names and states that a format cannot carry stand in properties that `bnlr.io.networks.escapes`
describes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from bnlr.errors import BnlrError, BnlrWarning, ModelFileError
from bnlr.io.graph import build_structure
from bnlr.io.networks.escapes import CLASS, LATENT, NAME, STATES, decode_label, decode_name
from bnlr.io.networks.potentials import Potential, flat_cells
from bnlr.structure.names import unknown
from bnlr.warn import warn
from bnlr.words import joined, quoted

if TYPE_CHECKING:
    from bnlr._typing import FloatArray, State
    from bnlr.network import BayesianNetwork
    from bnlr.structure.dag import Structure


@dataclass(frozen=True)
class Variable:
    """A node: its name and states as written, and what else the file says of it."""

    name: str
    labels: tuple[str, ...]
    line: int
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ParsedNetwork:
    """What a file says: its variables, their tables, and properties of the whole.

    With ``are_weights`` the tables' columns may sum to anything.
    """

    source: str
    variables: Sequence[Variable]
    potentials: Sequence[Potential]
    properties: Mapping[str, str] = field(default_factory=dict)
    are_weights: bool = False

    def structure(self, class_name: str | None = None) -> "Structure":
        """Return the graph.

        Parameters
        ----------
        class_name
            Overrides the class that the file names.

        Raises
        ------
        ModelFileError
            No valid structure, or one without a class.
        """
        true = self._true_names
        nodes = [true[variable.name] for variable in self.variables]
        arcs = [
            (true[parent], true[variable.name])
            for variable in self.variables
            for parent in self._tables[variable.name].parents
        ]
        if class_name is None:
            class_name = self._class(nodes)
        return build_structure(arcs, class_name, nodes, self.source)

    @cached_property
    def states(self) -> "dict[str, tuple[State, ...]]":
        """{node: its states}, checked for the format's own sake: some, and none twice."""
        return {self._true_names[v.name]: self._states_of(v) for v in self.variables}

    def network(self, class_name: str | None = None) -> "BayesianNetwork":
        """Return the network; ``class_name`` as for `structure`.

        Raises
        ------
        ModelFileError
            No valid structure, or probabilities that are none, with node and column.
        """
        from bnlr.io.networks.probabilities import checked_cpt  # noqa: PLC0415  loads NumPy
        from bnlr.network import BayesianNetwork  # noqa: PLC0415  as above

        states = self.states
        structure = self.structure(class_name)
        cpts: dict[str, FloatArray] = {}
        rounded: list[str] = []
        for variable in self.variables:
            node = self._true_names[variable.name]
            table = self._tables[variable.name]
            axes = (*structure.parents(node), node)
            cells = flat_cells(table, self._labels, self.source)
            where = f"{self.source}:{table.line}"
            cpts[node] = checked_cpt(
                *(cells, axes, states, where),
                is_exact=self._is_bnlr,
                are_weights=self.are_weights,
                rounded=rounded,
            )
        if rounded:
            warn(
                f"{self.source}: {joined(rounded, 3)}; rounded digits explain that, and each such "
                "column was divided by its sum",
                BnlrWarning,
            )
        try:
            return BayesianNetwork(
                structure, self._checked_states(structure), cpts, self._latent(structure)
            )
        except BnlrError as error:
            raise ModelFileError(f"{self.source}: {error}") from error

    @property
    def _is_bnlr(self) -> bool:
        """Whether bnlr wrote the file, so that its numbers are meant to the last bit."""
        return CLASS in self.properties

    def _class(self, nodes: Sequence[str]) -> str | None:
        written = self.properties.get(CLASS)
        if written is None:
            return None
        name = decode_name(written, self.source)
        return written if name not in nodes and written in nodes else name

    def _latent(self, structure: "Structure") -> list[str]:
        """The nodes that are latent; the class is none, whichever node the reader has made it."""
        key, yes = LATENT
        nodes = [
            self._true_names[variable.name]
            for variable in self.variables
            if variable.properties.get(key) == yes
        ]
        return [node for node in nodes if node != structure.class_name]

    def _checked_states(self, structure: "Structure") -> "dict[str, tuple[State, ...]]":
        from bnlr.data.labels import check_states  # noqa: PLC0415  loads NumPy

        return check_states(self.states, structure.class_name)

    @cached_property
    def _true_names(self) -> dict[str, str]:
        """{name as written: name of the node}."""
        names: dict[str, str] = {}
        lines: dict[str, int] = {}
        for variable in self.variables:
            written = variable.properties.get(NAME)
            where = f"{self.source}:{variable.line}"
            name = variable.name if written is None else decode_name(written, where)
            if variable.name in names or name in lines:
                line = lines.get(name, "before")
                self._fail(variable.line, f"{quoted(name)} is defined already (line {line}); once")
            names[variable.name] = name
            lines[name] = variable.line
        if not names:
            raise ModelFileError(f"{self.source}: no variables; is the file complete?")
        return names

    @cached_property
    def _labels(self) -> dict[str, dict[str, int]]:
        """{name as written: {label as written: its code}}."""
        return {v.name: {label: k for k, label in enumerate(v.labels)} for v in self.variables}

    def _states_of(self, variable: Variable) -> "tuple[State, ...]":
        labels = variable.labels
        if not labels:
            self._fail(variable.line, f"the node {quoted(variable.name)} has no states; list them")
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            self._fail(
                variable.line,
                f"the node {quoted(variable.name)} lists the state {quoted(twice)} twice; once",
            )
        written = variable.properties.get(STATES)
        if written is None:
            return labels
        where = f"{self.source}:{variable.line}"
        states = tuple(decode_label(word, where) for word in written.split())
        if len(states) != len(labels):
            self._fail(
                variable.line,
                f"{STATES} of {quoted(variable.name)} has {len(states)} states, the node "
                f"{len(labels)}; make them agree, or remove the property",
            )
        return states

    @cached_property
    def _tables(self) -> dict[str, Potential]:
        """{child: its table}, names as written."""
        tables: dict[str, Potential] = {}
        for table in self.potentials:
            for name in (table.child, *table.parents):
                if name not in self._true_names:
                    self._fail(table.line, unknown("the node", name, self._true_names, "defined"))
            if table.child in tables:
                first = tables[table.child].line
                self._fail(
                    table.line,
                    f"probabilities of {quoted(table.child)} stand in line {first} already; "
                    "remove one",
                )
            tables[table.child] = table
        for variable in self.variables:
            # Without this, a file that was cut short would be one with fewer arcs.
            if variable.name not in tables:
                name = quoted(variable.name)
                self._fail(variable.line, f"the node {name} has no probabilities; add its block")
        return tables

    def _fail(self, line: int, message: str) -> NoReturn:
        raise ModelFileError(f"{self.source}:{line}: {message}")
