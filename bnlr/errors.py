"""Every failure of bnlr is one of these exceptions.

BnlrError
├── StructureError (ValueError)         the graph itself: names, duplicate arcs, the class
│   ├── CyclicStructureError            not a DAG; holds the nodes of a cycle
│   └── NotPerfectError                 no free logistic regression; holds violations and embedding
├── DataError (ValueError)              the rows: empty, continuous, without the column asked for
│   ├── StateError                      a value that is no state of its variable
│   ├── MissingCellsError               a cell is missing where complete rows are needed
│   ├── ImpossibleEvidenceError         evidence of probability 0, from which nothing follows
│   └── CellTypeError (TypeError)       a cell or a container of a type that holds no states
├── ParameterError (ValueError)         CPTs, weights or options outside their domain
├── TooLargeError (ValueError, MemoryError)  tables that would not fit, refused before allocating
├── ModelFileError (ValueError)         a file that is not a valid model or structure
├── InteropExtraError (ImportError)     another package's object; that package is not installed
├── TableExtraError (ImportError)       a data file was to be read and its reader is not installed
│   └── ParquetExtraError               a Parquet file, and pyarrow
└── PlotExtraError (ImportError)        a picture was asked for and matplotlib is not installed

BnlrWarning (UserWarning)
├── SeparationWarning                   the CLL has no finite maximiser
├── UnexpectedMissingWarning            holes in prediction, for which nothing was trained
└── UnseenStateWarning                  a value the training data never showed
"""

from bnlr.printable import printable


class BnlrError(Exception):
    """Root of all errors raised on purpose by bnlr; no name in a message steers a terminal."""

    def __str__(self) -> str:
        return printable(super().__str__())


class StructureError(BnlrError, ValueError):
    """The graph is unusable as given."""


class CyclicStructureError(StructureError):
    """The arcs contain a directed cycle; ``cycle`` lists its nodes in order."""

    def __init__(self, message: str, cycle: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.cycle = cycle


class NotPerfectError(StructureError):
    """The canonical form is not perfect, so the network is no free logistic regression.

    ``violations`` holds (child, parent, parent) triples, ``embedding`` arcs that mend them.
    """

    def __init__(
        self,
        message: str,
        violations: tuple[tuple[str, str, str], ...] = (),
        embedding: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.violations = violations
        self.embedding = embedding


class DataError(BnlrError, ValueError):
    """The rows cannot be used as given."""


class StateError(DataError):
    """A value is not among the states of its variable."""


class MissingCellsError(DataError):
    """A cell is missing where complete rows are needed."""


class ImpossibleEvidenceError(DataError):
    """The evidence of a query has probability 0 under the network."""


class CellTypeError(DataError, TypeError):
    """A cell, or the whole input, is of a type that holds no states."""


class ParameterError(BnlrError, ValueError):
    """A CPT, a weight or an option lies outside its domain."""


class TooLargeError(BnlrError, ValueError, MemoryError):
    """A table would not fit in memory; raised before it is allocated."""


class ModelFileError(BnlrError, ValueError):
    """A file is not a valid model or structure."""


class ClassNotNamedError(ModelFileError):
    """A file holds a graph but does not say which of its nodes is the class."""


class InteropExtraError(BnlrError, ImportError):
    """An object of another package was asked for and that package is not installed."""


class TableExtraError(BnlrError, ImportError):
    """A data file was to be read and the package that reads it is not installed."""


class ParquetExtraError(TableExtraError):
    """A Parquet file was to be read and pyarrow is not installed."""


class PlotExtraError(BnlrError, ImportError):
    """A picture was asked for and matplotlib is not installed."""


class BnlrWarning(UserWarning):
    """Root of all warnings issued by bnlr."""


class SeparationWarning(BnlrWarning):
    """The conditional log-likelihood has no finite maximiser; the result is finite all the same."""


class UnexpectedMissingWarning(BnlrWarning):
    """Cells are missing in prediction, but the parameters were fitted to complete rows only."""


class UnseenStateWarning(BnlrWarning):
    """A value did not occur among the training data's states."""
