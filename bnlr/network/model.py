"""``BayesianNetwork``: structure, states and CPTs, and what one asks of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.arguments import check_kind
from bnlr.data.dataset import Dataset
from bnlr.data.latent import with_latent
from bnlr.errors import DataError, ParameterError, StateError, TooLargeError
from bnlr.network import posteriors
from bnlr.network.conditional_query import check_node, query
from bnlr.network.factorization import Factorization
from bnlr.network.validate import ReadOnly, checked_cpts, checked_latent, checked_states
from bnlr.structure.dag import Structure, check_structure
from bnlr.words import counted, described

if TYPE_CHECKING:
    import pandas as pd

    from bnlr.network.explanation import Explanation


class BayesianNetwork(Factorization):
    """Structure, states and conditional probability tables; immutable.

    Every answer is exact, whatever cells are missing: they are summed out. Where the class's
    Markov blanket is observed no inference is needed; what it costs elsewhere depends on the
    graph alone (trees given the class, such as naive Bayes and TAN, are fast), and what would not
    fit in memory is refused with `TooLargeError` before any of it is allocated.

    Parameters
    ----------
    structure : Structure
    states
        {node: tuple of labels} for every node.
    cpts
        {node: array}, axes the node's parents in ``structure.parents(node)`` order, then the
        node; the last axis sums to 1.
    latent
        The nodes that rows do not show, such as those that `bnlr.fit` was given states of. A frame
        or a `Dataset` need have no column of them; one that it has is looked at as any other.

    Raises
    ------
    StateError
        A node has no states, or the same label twice.
    ParameterError
        A CPT is missing, of the wrong shape, negative, not finite, or does not sum to 1; a latent
        node that is no attribute.
    TooLargeError
        A node of more than 59 parents.
    """

    __slots__ = ()

    def __init__(
        self,
        structure: Structure,
        states: States,
        cpts: Mapping[str, FloatArray],
        latent: Iterable[str] = (),
    ) -> None:
        check_structure(structure)
        check_kind("states", states, Mapping, "{node: its labels}")
        check_kind("cpts", cpts, Mapping, "{node: its table}")
        checked = {node: checked_states(states, node) for node in structure.nodes}
        flat, shapes = checked_cpts(structure, checked, cpts)
        self._fill(structure, ReadOnly(checked), flat, shapes, checked_latent(structure, latent))

    def predict_proba(self, data: "Dataset | pd.DataFrame") -> FloatArray:
        """P(class | the row's other cells), (n_rows, n_classes), in ``class_states`` order.

        Missing cells are summed out. The class column is not looked at and may be absent. A row
        that the network holds for impossible gets the class's own CPT given its parents (those
        that are observed), with one warning.

        Raises
        ------
        StateError
            A value is no state of its node.
        TooLargeError
            The tables that exact inference needs would not fit in memory.
        """
        return posteriors.class_posteriors(self, self.encode(data), in_logs=False)

    def predict_log_proba(self, data: "Dataset | pd.DataFrame") -> FloatArray:
        """Natural logarithm of ``predict_proba``; −inf where a probability is exactly 0."""
        return posteriors.class_posteriors(self, self.encode(data), in_logs=True)

    def posterior(self, data: "Dataset | pd.DataFrame", node: str) -> FloatArray:
        """P(node | the row's other cells), (n_rows, states of the node).

        `predict_proba` for any node: the row's own cell of ``node`` is not looked at. The columns
        of ``node`` and of the class may be absent from a frame.

        Raises
        ------
        ParameterError
            The network has no such node.
        StateError, TooLargeError
            As `predict_proba`.
        """
        check_node(self, node)
        other, name = self._about(node), self.structure.class_name
        if isinstance(data, Dataset):
            data = self.encode(data)
        elif name not in getattr(data, "columns", [name]):
            data = data.assign(**{name: None}) if hasattr(data, "assign") else data
        encoded = other.encode(data)
        rows = replace(encoded, class_name=node)
        return posteriors.class_posteriors(other, rows, in_logs=False)

    def conditional_log_likelihood(self, data: "Dataset | pd.DataFrame") -> float:
        """CLL = Σ weight · log P(class | other cells) over the rows with a class, natural log.

        Raises
        ------
        DataError
            No row has a class and a weight.
        StateError, TooLargeError
            As `predict_proba`.
        """
        cll, n_labelled = self.encode(data)._total(posteriors.summed_class_logs, self)
        if n_labelled == 0:
            name = self.structure.class_name
            raise DataError(f"no row has a value of the class {name!r}; the CLL needs the classes")
        return float(cll)

    def log_likelihood(self, data: "Dataset | pd.DataFrame") -> float:
        """LL = Σ weight · log P(observed cells, the class's included), natural log.

        Raises
        ------
        StateError, TooLargeError
            As `predict_proba`.
        """
        return float(self.encode(data)._total(posteriors.summed_row_logs, self))

    def query(
        self, targets: Sequence[str], evidence: Mapping[str, State] | None = None
    ) -> FloatArray:
        """P(targets | evidence), exact.

        Parameters
        ----------
        targets : sequence of str
            One or several nodes. One that is in the evidence too has its state for certain.
        evidence : mapping, optional
            {node: its state}; nodes that are in neither are summed out.

        Returns
        -------
        Array with one axis a target, in the order given, states in the order of ``states``; sums
        to 1.

        Raises
        ------
        ParameterError
            A node that the network does not have, a target named twice.
        StateError
            A value that is no state of its node.
        ImpossibleEvidenceError
            P(evidence) is 0.
        TooLargeError
            The tables that exact inference needs would not fit in memory.

        Examples
        --------
        >>> import numpy as np
        >>> s = Structure([("c", "a")], class_name="c")
        >>> cpts = {"c": [0.5, 0.5], "a": [[0.9, 0.1], [0.4, 0.6]]}
        >>> net = BayesianNetwork(s, {"c": (0, 1), "a": ("no", "yes")}, cpts)
        >>> net.query(["a"], evidence={"c": 1}).tolist()
        [0.4, 0.6]
        """
        return query(self, targets, {} if evidence is None else evidence)

    def explain(
        self, row: "Dataset | pd.DataFrame | pd.Series[Any] | Mapping[str, Any]"
    ) -> "Explanation":
        """Take the log posterior odds of one row apart, family by family; exact.

        Parameters
        ----------
        row
            What `predict_proba` takes, with one row; or one row of a frame, or a dictionary of
            nodes and their states. Missing cells are summed out; the class's is not looked at.

        Raises
        ------
        DataError
            Not exactly one row, or a node is absent.
        StateError, TooLargeError
            As `predict_proba`.

        Examples
        --------
        >>> s = Structure([("c", "a")], class_name="c")
        >>> cpts = {"c": [0.5, 0.5], "a": [[0.9, 0.1], [0.4, 0.6]]}
        >>> net = BayesianNetwork(s, {"c": (0, 1), "a": ("no", "yes")}, cpts)
        >>> net.explain({"a": "yes"}).log_odds.round(3).tolist()  # log(0.6 / 0.1)
        [0.0, 1.792]
        """
        from bnlr.network.contributions import explain, one_row  # noqa: PLC0415  loads inference

        return explain(self, self.encode(one_row(row)))

    def to_frame(self, node: str) -> "pd.DataFrame":
        """Return a node's CPT as a table: a row for each states of the parents, a column a state.

        The index has a level for each parent, in ``structure.parents(node)`` order; that of a node
        without parents is 0.

        Raises
        ------
        ParameterError
            The network has no such node.

        Examples
        --------
        >>> s = Structure([("c", "a")], class_name="c")
        >>> cpts = {"c": [0.5, 0.5], "a": [[0.9, 0.1], [0.4, 0.6]]}
        >>> BayesianNetwork(s, {"c": (0, 1), "a": ("no", "yes")}, cpts).to_frame("a")
        a   no  yes
        c
        0  0.9  0.1
        1  0.4  0.6
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only here

        check_node(self, node)
        parents, cpt = self.structure.parents(node), self.cpts[node]
        columns = pd.Index(list(self.states[node]), dtype=object, name=node)
        index: pd.Index | None = None
        if len(parents) == 1:
            index = pd.Index(list(self.states[parents[0]]), dtype=object, name=parents[0])
        elif parents:
            levels = [pd.Index(list(self.states[parent]), dtype=object) for parent in parents]
            index = pd.MultiIndex.from_product(levels, names=parents)
        return pd.DataFrame(cpt.reshape(-1, cpt.shape[-1]), index, columns)

    def sample(self, n: int, random_state: int | None = None) -> "pd.DataFrame":
        """Draw ``n`` complete rows in topological order; a frame with the nodes as columns.

        The same whole number as ``random_state`` gives the same rows; None: others each time.

        Raises
        ------
        ParameterError
            ``n`` or ``random_state`` is no whole number from 0 on.
        TooLargeError
            The rows do not fit in memory.
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only here

        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise ParameterError(f"n is {described(n)}; it must be a whole number, 0 or larger")
        try:
            rng = np.random.default_rng(random_state)
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"random_state is {described(random_state)}; give a whole number from 0 on, or None"
            ) from error
        try:
            return pd.DataFrame(self._drawn(int(n), rng))
        except (MemoryError, ValueError, OverflowError) as error:  # as lengths have bounds too
            raise TooLargeError(
                f"{described(n)} rows of {len(self.states)} nodes do not fit in memory; draw fewer "
                "at a time"
            ) from error

    def _drawn(self, n: int, rng: np.random.Generator) -> dict[str, Any]:
        codes: dict[str, CodeArray] = {}
        for node in self.structure.topological_order:
            parents = tuple(codes[parent] for parent in self.structure.parents(node))
            cumulated = self.cpts[node][parents].cumsum(axis=-1)
            draws = rng.random((n, 1)) * cumulated[..., -1:]
            below = (draws >= np.broadcast_to(cumulated, (n, cumulated.shape[-1]))).sum(axis=1)
            codes[node] = np.minimum(below, cumulated.shape[-1] - 1)
        return {node: _labels(self.states[node], codes[node]) for node in self.structure.nodes}

    def encode(self, data: "Dataset | pd.DataFrame") -> Dataset:
        """Give ``data`` as a Dataset in this network's states."""
        if not isinstance(data, Dataset):
            absent = self._absent(getattr(data, "columns", self.states))
            known = {node: self.states[node] for node in self.states if node not in absent}
            rows = Dataset.from_frame(data, self.structure.class_name, states=known)
            return with_latent(rows, absent)
        data = with_latent(data, self._absent(data.states))
        for node in self.structure.nodes:
            if node not in data.states:
                raise StateError(f"node {node!r} of the network is not a column of the data")
            if tuple(data.states[node]) != self.states[node]:
                raise StateError(
                    f"column {node!r} has states {data.states[node]!r}, the network "
                    f"{self.states[node]!r}; encode the frame with states=network.states"
                )
        return data

    def _absent(self, columns: Collection[str]) -> dict[str, tuple[State, ...]]:
        """The latent nodes that rows of these columns do not have, with their states."""
        return {node: self.states[node] for node in self.latent if node not in columns}

    def _repr_html_(self) -> str:
        """Return a picture of the structure and the size for notebooks."""
        from bnlr.notebook import card, words  # noqa: PLC0415  for notebooks alone
        from bnlr.structure.svg import svg  # noqa: PLC0415  as above

        return card("BayesianNetwork", svg(self.structure), words(repr(self).strip("<>")))

    def __repr__(self) -> str:
        n_cells = sum(cpt.size for cpt in self.cpts.values())
        return (
            f"<BayesianNetwork: class {self.structure.class_name!r} with "
            f"{counted(len(self.class_states), 'state')}, "
            f"{counted(len(self.structure.attributes), 'attribute')}, "
            f"{counted(len(self.structure.edges), 'arc')}, {counted(n_cells, 'CPT cell')}>"
        )


def _labels(states: tuple[State, ...], codes: CodeArray) -> np.ndarray:
    labels = np.empty(len(states), dtype=object)
    labels[:] = states
    return labels[codes]
