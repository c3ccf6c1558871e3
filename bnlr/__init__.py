"""Discriminative learning of Bayesian network classifiers.

Names but those of errors are loaded on first use, so that ``import bnlr`` and ``bnlr check`` stay
light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bnlr._version import __version__ as __version__
from bnlr.errors import BnlrError as BnlrError
from bnlr.errors import BnlrWarning as BnlrWarning
from bnlr.errors import CellTypeError as CellTypeError
from bnlr.errors import CyclicStructureError as CyclicStructureError
from bnlr.errors import DataError as DataError
from bnlr.errors import ImpossibleEvidenceError as ImpossibleEvidenceError
from bnlr.errors import InteropExtraError as InteropExtraError
from bnlr.errors import MissingCellsError as MissingCellsError
from bnlr.errors import ModelFileError as ModelFileError
from bnlr.errors import NotPerfectError as NotPerfectError
from bnlr.errors import ParameterError as ParameterError
from bnlr.errors import ParquetExtraError as ParquetExtraError
from bnlr.errors import PlotExtraError as PlotExtraError
from bnlr.errors import SeparationWarning as SeparationWarning
from bnlr.errors import StateError as StateError
from bnlr.errors import StructureError as StructureError
from bnlr.errors import TableExtraError as TableExtraError
from bnlr.errors import TooLargeError as TooLargeError
from bnlr.errors import UnexpectedMissingWarning as UnexpectedMissingWarning
from bnlr.errors import UnseenStateWarning as UnseenStateWarning

if TYPE_CHECKING:
    from bnlr import theory as theory
    from bnlr.classifier.estimator import BNClassifier as BNClassifier
    from bnlr.classifier.pool.pool import Pool as Pool
    from bnlr.classifier.pool.pool import PoolMember as PoolMember
    from bnlr.classifier.reporting import write_report as write_report
    from bnlr.data.builtin.load import list_datasets as list_datasets
    from bnlr.data.builtin.load import load_dataset as load_dataset
    from bnlr.data.dataset import Dataset as Dataset
    from bnlr.data.mdl_discretizer import MDLDiscretizer as MDLDiscretizer
    from bnlr.data.quantile_discretizer import QuantileDiscretizer as QuantileDiscretizer
    from bnlr.data.queries import Query as Query
    from bnlr.data.queries import QuerySet as QuerySet
    from bnlr.io import load as load
    from bnlr.io import save as save
    from bnlr.io.networks.interop import from_pgmpy as from_pgmpy
    from bnlr.io.networks.interop import from_pyagrum as from_pyagrum
    from bnlr.io.networks.interop import to_pgmpy as to_pgmpy
    from bnlr.io.networks.interop import to_pyagrum as to_pyagrum
    from bnlr.io.tables.cells import read_frame as read_frame
    from bnlr.learn.fit import fit as fit
    from bnlr.learn.queries import fit_queries as fit_queries
    from bnlr.learn.recommendation import Recommendation as Recommendation
    from bnlr.learn.recommendation import recommend as recommend
    from bnlr.learn.result import FitResult as FitResult
    from bnlr.learn.statistics.likelihood_ratio import LikelihoodRatio as LikelihoodRatio
    from bnlr.learn.statistics.likelihood_ratio import (
        likelihood_ratio_test as likelihood_ratio_test,
    )
    from bnlr.learn.statistics.standard_errors import Significance as Significance
    from bnlr.network import BayesianNetwork as BayesianNetwork
    from bnlr.network.explanation import Explanation as Explanation
    from bnlr.objectives.query_error import query_error as query_error
    from bnlr.objectives.query_error import query_error_gradient as query_error_gradient
    from bnlr.report.plots.contributions import plot_contributions as plot_contributions
    from bnlr.report.plots.effect import plot_effect as plot_effect
    from bnlr.report.plots.reliability import plot_reliability as plot_reliability
    from bnlr.report.plots.search import plot_search as plot_search
    from bnlr.report.plots.structure import plot_structure as plot_structure
    from bnlr.report.plots.trace import plot_trace as plot_trace
    from bnlr.search.cll import CLLSearch as CLLSearch
    from bnlr.search.cll import cll_search as cll_search
    from bnlr.search.learn import learn_structure as learn_structure
    from bnlr.spaces.loglinear import LogLinear as LogLinear
    from bnlr.spaces.roos import Roos as Roos
    from bnlr.spaces.softmax import Softmax as Softmax
    from bnlr.structure.dag import Structure as Structure
    from bnlr.structure.report import StructureReport as StructureReport
    from bnlr.structure.report import analyze as analyze
    from bnlr.versions import show_versions as show_versions

_HOMES = {
    "bnlr.classifier.estimator": ["BNClassifier"],
    "bnlr.classifier.pool.pool": ["Pool", "PoolMember"],
    "bnlr.classifier.reporting": ["write_report"],
    "bnlr.data.builtin.load": ["list_datasets", "load_dataset"],
    "bnlr.data.dataset": ["Dataset"],
    "bnlr.data.mdl_discretizer": ["MDLDiscretizer"],
    "bnlr.data.quantile_discretizer": ["QuantileDiscretizer"],
    "bnlr.data.queries": ["Query", "QuerySet"],
    "bnlr.io": ["load", "save"],
    "bnlr.io.tables.cells": ["read_frame"],
    "bnlr.io.networks.interop": ["from_pgmpy", "from_pyagrum", "to_pgmpy", "to_pyagrum"],
    "bnlr.learn.fit": ["fit"],
    "bnlr.learn.queries": ["fit_queries"],
    "bnlr.learn.statistics.likelihood_ratio": ["LikelihoodRatio", "likelihood_ratio_test"],
    "bnlr.learn.recommendation": ["Recommendation", "recommend"],
    "bnlr.learn.result": ["FitResult"],
    "bnlr.learn.statistics.standard_errors": ["Significance"],
    "bnlr.network": ["BayesianNetwork"],
    "bnlr.network.explanation": ["Explanation"],
    "bnlr.objectives.query_error": ["query_error", "query_error_gradient"],
    "bnlr.report.plots.contributions": ["plot_contributions"],
    "bnlr.report.plots.effect": ["plot_effect"],
    "bnlr.report.plots.reliability": ["plot_reliability"],
    "bnlr.report.plots.search": ["plot_search"],
    "bnlr.report.plots.structure": ["plot_structure"],
    "bnlr.report.plots.trace": ["plot_trace"],
    "bnlr.search.cll": ["CLLSearch", "cll_search"],
    "bnlr.search.learn": ["learn_structure"],
    "bnlr.spaces.loglinear": ["LogLinear"],
    "bnlr.spaces.roos": ["Roos"],
    "bnlr.spaces.softmax": ["Softmax"],
    "bnlr.structure.dag": ["Structure"],
    "bnlr.structure.report": ["StructureReport", "analyze"],
    "bnlr.versions": ["show_versions"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ["theory"]
_ERRORS = [
    name
    for name, value in globals().items()
    if isinstance(value, type) and issubclass(value, Exception)
]

__all__ = sorted([*_HOME_OF, *_ROOMS, *_ERRORS])  # noqa: PLE0605  of the tables above


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"bnlr.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'bnlr' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
