"""The public names and how they are called, written out so that changing one is deliberate.

A line that must change here is a line for CHANGELOG.md. ``python -m tests.test_public_api`` prints
what the code says now.
"""

import enum
import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

import bnlr

SNAPSHOT = """\
BNClassifier(structure='auto', *, structure_options=None, learner='auto', space='auto', solver='auto', discretize='auto', penalty='auto', penalty_center='auto', pseudocount=None, max_iter=None, tol=1e-09, n_starts=1, random_state=None, expect_missing=None, unseen='missing', missing='sum', temperature=None, nonperfect='elr', m_step_pseudocount=0.0, class_weight=None, states=None, n_jobs=None, verbose=0)
  .explain(row)
  .explain_many(X)
  .fit(X, y, sample_weight=None)
  .load(path)
  .plot(ax=None)
  .predict(X)
  .predict_log_proba(X)
  .predict_proba(X)
  .sample(n, random_state=None)
  .save(path)
  .summary()
BayesianNetwork(structure, states, cpts, latent=())
  .cards
  .class_states
  .conditional_log_likelihood(data)
  .cpts
  .encode(data)
  .explain(row)
  .latent
  .log_likelihood(data)
  .posterior(data, node)
  .predict_log_proba(data)
  .predict_proba(data)
  .query(targets, evidence=None)
  .sample(n, random_state=None)
  .states
  .structure
  .to_frame(node)
BnlrError: Exception
BnlrWarning: UserWarning
CLLSearch(structure, criterion, score, start_score, cll, df, penalty, n_fits, n_screened, seconds, is_complete, message, _steps, _candidates, _layout, _states, _tables)
  .candidates
  .cll
  .criterion
  .df
  .is_complete
  .message
  .n_fits
  .n_screened
  .penalty
  .score
  .seconds
  .start_score
  .steps
  .structure
  .weights
CellTypeError: DataError, TypeError
CyclicStructureError: StructureError
DataError: BnlrError, ValueError
Dataset(codes, states, class_name, row_weights=None, order=<factory>)
  .cards
  .check_complete()
  .check_learnable()
  .class_codes
  .class_name
  .codes
  .column(node)
  .from_chunks(chunks, class_name, states=None, weights=None, unseen='error', store=None)
  .from_codes(codes, states, class_name, weights=None, ordered=())
  .from_dask(frame, class_name, states=None, weights=None, seconds=600.0)
  .from_frame(frame, class_name, states=None, weights=None, unseen='error')
  .from_parquet(path, class_name, columns=None, states=None, weights=None, unseen='error', store=None, batch_rows=131072)
  .has_weights
  .is_complete
  .missing_counts
  .most_frequent
  .n_missing
  .n_rows
  .nodes
  .order
  .ordered
  .row_weights
  .states
  .take(rows)
  .to_frame()
  .weights
Explanation(class_name, classes, contributions, prior, log_odds, probabilities, _logs=None, _own=('prior', ''))
  .against(label)
  .class_name
  .classes
  .contributions
  .log_odds
  .of(class_name, classes, terms, logs, probabilities)
  .prior
  .probabilities
FitResult(network, cll, start_cll, converged, n_iter, message, learner, space, solver, why, report, upper_bound=None, separation=None, penalty=0.0, coordinates=None, x=None, rows=(), log_likelihood=None, start_log_likelihood=None, center_scale=None, penalty_center='', ordered=None)
  .center_scale
  .cll
  .converged
  .coordinates
  .gap
  .learner
  .log_likelihood
  .message
  .n_iter
  .network
  .ordered
  .parameters
  .penalty
  .penalty_center
  .report
  .rows
  .separation
  .significance(data, level=0.95, space='loglinear', reference=None)
  .solver
  .space
  .start_cll
  .start_log_likelihood
  .summary()
  .to_statsmodels(data, reference=None)
  .trace
  .upper_bound
  .why
  .x
ImpossibleEvidenceError: DataError
InteropExtraError: BnlrError, ImportError
LikelihoodRatio(statistic, df, p)
  .df
  .of(small, large, df)
  .p
  .statistic
LogLinear(structure, states, reference=None)
  .basis
  .bend(x, direction, gradient)
  .check_states(data)
  .cll(x, data)
  .cll_and_gradient(x, data)
  .design(data)
  .design_frame(data)
  .diagonal(x, curvature)
  .differences(x)
  .frame(x)
  .from_network(network)
  .from_tables(tables)
  .is_linear
  .name
  .names
  .predictor_names
  .predictors_in(design)
  .predictors_per_cell
  .pull_differences(x, gradient)
  .pullback(x, gradient)
  .push(x, direction)
  .push_differences(x, direction)
  .reference
  .report
  .size
  .to_network(x, like=None)
  .to_tables(x)
MDLDiscretizer(n_bins=None)
  .fit(X, y, sample_weight=None)
  .transform(X)
MissingCellsError: DataError
ModelFileError: BnlrError, ValueError
NotPerfectError: StructureError
ParameterError: BnlrError, ValueError
ParquetExtraError: TableExtraError
PlotExtraError: BnlrError, ImportError
Pool(members, log_loss)
  .log_loss
  .members
  .networks
  .to_frame()
  .weights
PoolMember(*, network, report, result, discretizer, missing_states, rows, weight, structure, discretize, penalty_center, penalty, log_loss)
  .cut_points
  .discretize
  .discretizer
  .label
  .log_loss
  .missing_states
  .network
  .penalty
  .penalty_center
  .report
  .result
  .rows
  .structure
  .weight
QuantileDiscretizer(n_bins=5)
  .fit(X, y=None, sample_weight=None)
  .transform(X)
Query(targets, evidence=<factory>, p=None)
  .evidence
  .p
  .targets
QuerySet(queries, weights=None, n_matching=None)
  .codes(nodes, states)
  .from_frame(frame, targets, p=None, weights=None)
  .labelled_by(data)
  .labels
  .of(queries)
Recommendation(table, space, solver, report)
  .report
  .solver
  .space
  .table
Roos(structure, states)
  .basis
  .bend(x, direction, gradient)
  .check_states(data)
  .cll(x, data)
  .cll_and_gradient(x, data)
  .design(data)
  .design_frame(data)
  .diagonal(x, curvature)
  .differences(x)
  .frame(x)
  .from_network(network)
  .from_tables(tables)
  .is_linear
  .name
  .names
  .predictor_names
  .predictors_in(design)
  .predictors_per_cell
  .pull_differences(x, gradient)
  .pullback(x, gradient)
  .push(x, direction)
  .push_differences(x, direction)
  .report
  .size
  .to_network(x, like=None)
  .to_tables(x)
SeparationWarning: BnlrWarning
Significance(maximum, level, is_weighted, solver)
  .against_prior
  .aic
  .bic
  .cll
  .contrast(weights)
  .covariance
  .df
  .estimable
  .is_weighted
  .level
  .maximum
  .n_rows
  .names
  .null_cll
  .penalty
  .pseudo_r2
  .solver
  .summary()
  .table
Softmax(structure, states)
  .bend(x, direction, gradient)
  .check_states(data)
  .cll(x, data)
  .cll_and_gradient(x, data)
  .diagonal(x, curvature)
  .differences(x)
  .frame(x)
  .from_network(network)
  .is_linear
  .name
  .names
  .pull_differences(x, gradient)
  .pullback(x, gradient)
  .push(x, direction)
  .push_differences(x, direction)
  .report
  .size
  .to_network(x, like=None)
  .to_tables(x)
StateError: DataError
Structure(edges, class_name, nodes=())
  .attributes
  .children(node)
  .class_name
  .edges
  .from_networkx(graph, class_name)
  .index(node)
  .markov_blanket(latent=())
  .naive_bayes(attributes, class_name)
  .nodes
  .parent_masks
  .parents(node)
  .to_networkx()
  .topological_order
  .with_arcs(arcs)
StructureError: BnlrError, ValueError
StructureReport(structure, sizes=None)
  .canonical
  .embedding
  .is_perfect
  .n_violations
  .parameter_counts
  .satisfies_condition_1
  .sizes
  .structure
  .to_dict()
  .violations
  .whole_graph_is_perfect
  .witnesses
TableExtraError: BnlrError, ImportError
TooLargeError: BnlrError, ValueError, MemoryError
UnexpectedMissingWarning: BnlrWarning
UnseenStateWarning: BnlrWarning
analyze(structure, cards=None)
cll_search(data, *, score='cv', start='auto', max_parents=3, max_cells=20000, compound=True, n_folds=5, penalty='auto', max_steps=None, max_seconds=None, n_threads=None, verbose=0)
fit(structure, data, learner='auto', space='auto', solver='auto', start='frequencies', penalty=0.0, penalty_center='zero', tol=1e-09, max_iter=None, n_starts=1, n_threads=None, verbose=0, callback=None, random_state=None, pseudocount=None, m_step_pseudocount=0.0, shuffle=False, cross_tuning=False, nonperfect='elr', states=None, **solver_options)
fit_queries(structure, queries, states, start=None, solver='cg', n_starts=1, random_state=None, *, events=None, event_weight=0.001, tol=1e-09, max_iter=1000, n_threads=None, verbose=0, callback=None, **solver_options)
from_pgmpy(model, class_name)
from_pyagrum(model, class_name=None)
learn_structure(data, method='tan', **options)
likelihood_ratio_test(small, large, data)
list_datasets()
load(path, class_name=None, encoding=None)
load_dataset(name, **options)
plot_contributions(explanation, ax=None, *, label=None, against=None, n_terms=12)
plot_effect(network, attribute, ax=None, *, is_ordered=None)
plot_reliability(y_true, probabilities, classes=None, ax=None, *, n_bins=10, level=0.95)
plot_search(search, ax=None)
plot_structure(structure, report=None, ax=None, layout='auto')
plot_trace(results, ax=None, *, against='iterations')
query_error(network, queries)
query_error_gradient(network, queries, wrt='beta')
read_frame(path, class_name=None, *, missing=(), encoding=None, header=True, keep_na=False, delimiter=None, decimal=None, comment=None, dates=())
recommend(structure, data)
save(model, path)
show_versions()
theory.kl_divergence(p, q)
theory.sample_size_conditional_likelihood(n_nodes, n_cells, eps, delta, gamma)
theory.sample_size_events(eps, delta, lam)
theory.sample_size_events_per_condition(eps, delta)
theory.sample_size_labelled_queries(eps, delta)
theory.sample_size_likelihood(n_nodes, n_cells, eps, delta)
theory.sample_size_queries(eps, delta)
theory.sample_size_query_learning(n_nodes, n_cells, eps, delta, c)
theory.size_of(structure, states)
to_pgmpy(network)
to_pyagrum(network)
write_report(model, data, path, y=None, *, title=None, rows=())
"""  # noqa: E501  a name, a line


def described() -> str:
    lines: list[str] = []
    for name in bnlr.__all__:
        value = getattr(bnlr, name)
        if inspect.ismodule(value):
            own = {member: getattr(value, member) for member in value.__all__}
            lines += [f"{name}.{member}{call(function)}" for member, function in own.items()]
        elif not inspect.isclass(value):
            lines.append(name + call(value))
        elif issubclass(value, BaseException):
            lines.append(f"{name}: {', '.join(bases(value))}")
        else:
            lines += [name + call(value), *(f"  .{line}" for line in members(value))]
    return "\n".join(lines) + "\n"


def members(cls: type) -> Iterator[str]:
    """Public attributes that bnlr itself defines: a name, with its call if it is a function."""
    names = {n for base in own_bases(cls) for n in (*vars(base), *annotated(base))}
    for name in sorted(n for n in names if not n.startswith(("_", *GENERATED))):
        value = inspect.getattr_static(cls, name, None)
        function = getattr(value, "__func__", value)
        yield name + call(function, bound=True) if inspect.isfunction(function) else name


def own_bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.partition(".")[0] == "bnlr"]


def annotated(cls: type) -> list[str]:
    return [] if issubclass(cls, enum.Enum) else list(inspect.get_annotations(cls))


def bases(error: type) -> list[str]:
    return [base.__name__ for base in error.__bases__]


def call(function: object, bound: bool = False) -> str:
    """Return the signature without annotations, and without the object it is bound to."""
    parameters = list(inspect.signature(function).parameters.values())  # type: ignore[arg-type]
    kept = parameters[1:] if bound and parameters[:1] and parameters[0].name in SELF else parameters
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in kept]
    return str(inspect.Signature(bare))


SELF = ("self", "cls")
GENERATED = ("set_", "get_metadata_")  # scikit-learn adds these, each release its own


def test_public_names_and_signatures():
    assert described() == SNAPSHOT


def test_names_are_sorted_so_that_two_changes_meet_in_a_merge():
    assert list(bnlr.__all__) == sorted(bnlr.__all__)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("bnlr.data.dataset", "Dataset"),
        ("bnlr.data.mdl_discretizer", "MDLDiscretizer"),
        ("bnlr.data.quantile_discretizer", "QuantileDiscretizer"),
        ("bnlr.data.queries", "Query"),
        ("bnlr.data.queries", "QuerySet"),
        ("bnlr.structure.dag", "Structure"),
        ("bnlr.structure.report", "StructureReport"),
    ],
)
def test_pickles_of_0_1_0_find_their_classes(module, name):
    assert getattr(import_module(module), name) is getattr(bnlr, name)


if __name__ == "__main__":
    print(described(), end="")  # noqa: T201
