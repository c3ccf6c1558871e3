// Kernels of inference: the rows of `bnlr.inference.trees`, whose NumPy twins are `tree_twins`.
#include "kernels.hpp"

#include <cstring>

#include "../native/arrays.hpp"
#include "../native/patience.hpp"
#include "cliques.hpp"
#include "fragments.hpp"
#include "trees.hpp"

namespace bnlr::inference {

namespace {

using In = Vector<const double>;
using Out = Vector<double>;
using Table = Matrix<const double>;
using Sums = Matrix<double>;
using Places = Vector<const Index>;
using Codes = Matrix<const std::int32_t>;
using Flags = Vector<bool>;

// An array of a NamedTuple, as it is; apart, for fifty calls take long to compile in place.
template <class A>
BNLR_APART A attribute(const nb::handle& of, const char* name) {
  A found;
  if (!nb::try_cast<A>(of.attr(name), found, false)) throw nb::type_error(name);
  return found;
}

// The forest of a `Tree`, checked; `n_laid` cells of its tables and `k` classes.
BNLR_APART Forest forest_of(const nb::handle& tree, Index n_laid, Index k) {
  const auto parents = attribute<Places>(tree, "parents"), cards = attribute<Places>(tree, "cards");
  const auto starts = attribute<Places>(tree, "starts"), states = attribute<Places>(tree, "states");
  const auto messages = attribute<Places>(tree, "messages");
  const Index n = rows(parents) - 1;
  require(n >= 0 && rows(cards) == n + 1 && rows(starts) == n + 1 && rows(states) == n + 2 &&
              rows(messages) == n + 1,
          "tree: one entry a node, and the ends");
  require(k > 0, "tables: one column a class");
  require(starts(n) == n_laid, "tables: the cells of the tree");
  Forest forest{std::vector<Node>(n + 1), states(n + 1), messages(n)};
  bool fits = parents(n) == n && starts(0) == 0 && states(0) == 0 && messages(0) == 0;
  for (Index v = 0; v <= n && fits; ++v) {
    fits = cards(v) > 0 && states(v + 1) - states(v) == cards(v);
    if (v == n) {
      forest.nodes[v] = {n, cards(n), k, 0, states(n) * k, 0};
      continue;
    }
    const Index above = parents(v);
    fits = fits && v < above && above <= n && messages(v + 1) - messages(v) == cards(above) &&
           starts(v + 1) - starts(v) == (cards(v) + 1) * cards(above);
    if (!fits) break;
    forest.nodes[v] = {above,         cards(v),      cards(above) * k,
                       starts(v) * k, states(v) * k, messages(v) * k};
  }
  require(fits, "tree: children before parents, and room for each");
  return forest;
}

void check_rows(const Codes& codes, const Forest& forest, const Table& tables, const Table& logs,
                const Sums& totals, const Flags& unsafe) {
  const Index n = rows(codes), k = columns(tables);
  require(columns(codes) == forest.n_nodes() + 1, "rows: one column a node, and one of 0");
  require(rows(logs) == rows(tables) && columns(logs) == k, "logs: as tables");
  require(rows(totals) == n && columns(totals) == k, "totals: (n_rows, k)");
  require(rows(unsafe) == n, "unsafe: one a row");
}

const std::int32_t* row_of(const Codes& codes, Index i) {
  const std::int32_t* row = codes.data() + i * columns(codes);
  require(row[columns(codes) - 1] == 0, "rows: the last column is 0");
  return row;
}

// f(passes): loops over one and two classes know their length.
template <class F>
void with_passes(const Forest& forest, const Table& tables, const Table& logs, F&& f) {
  const Index k = columns(tables);
  if (k == 1) f(Passes<1>(forest, k, tables.data(), logs.data()));
  else if (k == 2) f(Passes<2>(forest, k, tables.data(), logs.data()));
  else f(Passes<0>(forest, k, tables.data(), logs.data()));
}

void py_total_rows(const Codes& codes, const nb::handle& tree, const Table& tables, const Table& logs,
                   const Sums& totals, const Flags& unsafe) {
  const Forest forest = forest_of(tree, rows(tables), columns(tables));
  check_rows(codes, forest, tables, logs, totals, unsafe);
  const nb::gil_scoped_release released;
  with_passes(forest, tables, logs, [&](auto passes) {
    const Index n = rows(codes), n_nodes = forest.n_nodes(), k = columns(tables);
    Patience patience;
    for (Index i = 0; i < n; ++i) {
      patience.spend(n_nodes * k);
      const std::int32_t* row = row_of(codes, i);
      unsafe.data()[i] = !passes.up(row, Every{}, n_nodes, totals.data() + i * k);
    }
  });
}

void py_count_rows(const Codes& codes, const Places& labels, const In& weights, const nb::handle& tree,
                   const Table& tables, const Table& logs, const Sums& counts, const Sums& totals,
                   const Flags& unsafe) {
  const Index n = rows(codes), k = columns(tables);
  const Forest forest = forest_of(tree, rows(tables), k);
  const Index n_nodes = forest.n_nodes();
  check_rows(codes, forest, tables, logs, totals, unsafe);
  require(rows(labels) == n && rows(weights) == n, "labels, weights: one a row");
  require(rows(counts) == rows(tables) && columns(counts) == k, "counts: as tables");
  const nb::gil_scoped_release released;
  with_passes(forest, tables, logs, [&](auto passes) {
    Patience patience;
    for (Index i = 0; i < n; ++i) {
      patience.spend(2 * n_nodes * k);
      require(labels(i) < k, "labels: classes, or −1");
      const std::int32_t* row = row_of(codes, i);
      double* total = totals.data() + i * k;
      const bool is_safe = passes.up(row, Every{}, n_nodes, total);
      unsafe.data()[i] = !is_safe;
      if (is_safe && passes.weigh(total, labels(i), weights(i)))
        passes.down(row, Every{}, n_nodes, counts.data());
    }
  });
}

void py_normalise(const Table& totals, const Sums& posterior, const Out& log_evidence) {
  const Index n = rows(totals), k = columns(totals);
  require(k > 0, "totals: one column a class");
  require(rows(posterior) == n && columns(posterior) == k, "posterior: as totals");
  require(rows(log_evidence) == n, "log_evidence: one a row");
  normalise(totals.data(), n, k, posterior.data(), log_evidence.data());
}

void py_share_any(const nb::handle& tree, const Table& tables, const Sums& counts) {
  const Forest forest = forest_of(tree, rows(tables), columns(tables));
  require(rows(counts) == rows(tables) && columns(counts) == columns(tables), "counts: as tables");
  share_any(forest, tables.data(), columns(tables), counts.data());
}

// What `take_apart` adds to and `found` empties, out of Python's sight.
constexpr const char* kFragments = "bnlr.inference.Fragments";

nb::capsule py_begin() {
  return nb::capsule(new Fragments, kFragments,
                     [](void* held) noexcept { delete static_cast<Fragments*>(held); });
}

Fragments& fragments_of(const nb::capsule& held) {
  require(held.name() && !std::strcmp(held.name(), kFragments), "fragments: what begin returned");
  return *static_cast<Fragments*>(held.data());
}

// Adds the rows' fragments to those held, and families that a row observes in full, with its weight,
// to `complete` (n_laid, K). Returns how many nodes all fragments have.
Index py_take_apart(const nb::capsule& held, const Codes& codes, const Places& labels,
                    const In& weights, const nb::handle& tree, const Sums& complete) {
  Fragments& fragments = fragments_of(held);
  const Index n = rows(codes), k = columns(complete);
  const Forest forest = forest_of(tree, rows(complete), k);
  require(columns(codes) == forest.n_nodes() + 1, "rows: one column a node, and one of 0");
  require(rows(labels) == n && rows(weights) == n, "labels, weights: one a row");
  const nb::gil_scoped_release released;
  for (Index i = 0; i < n; ++i) {
    require(0 <= labels(i) && labels(i) < k, "labels: classes");
    fragments.add(row_of(codes, i), labels(i), weights(i), forest, k, complete.data());
  }
  return static_cast<Index>(fragments.nodes.size());
}

// Fragments in the order of their classes: (ends of the classes, outer codes, weights, first nodes and
// the end, nodes, own codes).
auto py_found(const nb::capsule& held, Index n_classes) {
  const Fragments& all = fragments_of(held);
  const std::size_t n = all.classes.size();
  std::vector<Index> ends(n_classes + 1), outers, starts{0};
  std::vector<double> weights;
  std::vector<std::int32_t> nodes, owns;
  outers.reserve(n), weights.reserve(n), starts.reserve(n + 1);
  nodes.reserve(all.nodes.size()), owns.reserve(all.nodes.size());
  for (Index c = 0; c < n_classes; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      if (all.classes[i] != c) continue;
      outers.push_back(all.outers[i]);
      weights.push_back(all.weights[i]);
      const Index first = all.starts[i], stop = all.starts[i + 1];
      nodes.insert(nodes.end(), all.nodes.begin() + first, all.nodes.begin() + stop);
      owns.insert(owns.end(), all.owns.begin() + first, all.owns.begin() + stop);
      starts.push_back(static_cast<Index>(nodes.size()));
    }
    ends[c + 1] = static_cast<Index>(outers.size());
  }
  return nb::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(outers)),
                        to_numpy(std::move(weights)), to_numpy(std::move(starts)),
                        to_numpy(std::move(nodes)), to_numpy(std::move(owns)));
}

// Adds what the fragments start:stop, of one class, expect to `counts` (n_laid), and fills their
// natural log-probabilities into `sums`; `tables` and `logs` (n_laid, 1) are of that class. Tells
// whether nothing may have been lost to underflow.
bool py_count(const nb::handle& found, Index start, Index stop, const nb::handle& tree,
              const Table& tables, const Table& logs, const Out& counts, const Out& sums) {
  const auto outers = attribute<Places>(found, "outers"), starts = attribute<Places>(found, "starts");
  const auto weights = attribute<In>(found, "weights");
  const auto nodes = attribute<Vector<const std::int32_t>>(found, "nodes");
  const auto owns = attribute<Vector<const std::int32_t>>(found, "owns");
  const Forest forest = forest_of(tree, rows(tables), columns(tables));
  const Index n = rows(outers), n_nodes = forest.n_nodes();
  require(rows(weights) == n && rows(starts) == n + 1 && rows(nodes) == rows(owns),
          "found: one a fragment, and one a node");
  require(0 <= start && start <= stop && stop <= n, "start:stop lies outside the fragments");
  require(columns(tables) == 1 && columns(logs) == 1 && rows(logs) == rows(tables),
          "tables, logs: of one class");
  require(rows(counts) == rows(tables), "counts: one a cell");
  require(rows(sums) == stop - start, "sums: one a fragment");
  const nb::gil_scoped_release released;
  Passes<1> passes(forest, 1, tables.data(), logs.data());
  std::vector<std::int32_t> row(n_nodes + 1);
  for (Index i = start; i < stop; ++i) {
    const Index first = starts(i), length = starts(i + 1) - first;
    require(0 <= first && 0 < length && first + length <= rows(nodes), "starts: ever more nodes");
    const std::int32_t* visited = nodes.data() + first;
    for (Index j = 0; j < length; ++j) {
      require((j ? visited[j - 1] : -1) < visited[j] && visited[j] < n_nodes, "nodes: children first");
      row[visited[j]] = owns(first + j);
    }
    row[forest.nodes[visited[length - 1]].parent] = static_cast<std::int32_t>(outers(i));
    double* total = sums.data() + (i - start);
    if (!passes.up(row.data(), visited, length, total)) return false;
    if (passes.weigh(total, -1, weights(i))) passes.down(row.data(), visited, length, counts.data());
  }
  return true;
}

// Whether places rise from 0 to n, with `n_lists` of them before the end.
BNLR_APART bool are_firsts(const Places& firsts, Index n_lists, Index n) {
  if (rows(firsts) != n_lists + 1 || firsts(0) != 0 || firsts(n_lists) != n) return false;
  for (Index i = 0; i < n_lists; ++i)
    if (firsts(i) > firsts(i + 1)) return false;
  return true;
}

BNLR_APART bool are_below(const Places& places, Index n) {
  return std::all_of(places.data(), places.data() + rows(places),
                     [n](Index i) { return 0 <= i && i < n; });
}

// A `Schedule`, which must outlive what is returned; checked, and its sizes worked out.
BNLR_APART Schedule schedule_of(const nb::handle& given, Index n_theta) {
  const auto get = [&](const char* name) { return attribute<Places>(given, name); };
  const Places cards = get("cards"), sources = get("sources"), separators = get("separators");
  const Places first_member = get("first_member"), members = get("members"), steps = get("steps");
  const auto pruned = attribute<Vector<const bool>>(given, "pruned");
  const Places upwards = get("upwards"), first_child = get("first_child"), children = get("children");
  const Places first_axis = get("first_axis"), axes = get("axes");
  const Places first_factor = get("first_factor"), factors = get("factors");
  const Places first_stride = get("first_stride"), strides = get("strides"), sizes = get("sizes");
  const Index n = rows(cards), n_cliques = rows(separators), n_sources = n + n_cliques;
  require(n > 0 && n_cliques > 0 && rows(sizes) == 4 && rows(pruned) == n && rows(sources) == n_sources,
          "schedule: one entry a node, a clique, a source");
  require(rows(members) == rows(steps) && are_firsts(first_member, n_sources, rows(members)) &&
              are_firsts(first_child, n, rows(children)) &&
              are_firsts(first_axis, n_cliques, rows(axes)) &&
              are_firsts(first_factor, n_cliques, rows(factors)) &&
              are_firsts(first_stride, rows(factors) + n_cliques, rows(strides)),
          "schedule: lists do not end where the next ones start");
  require(are_below(members, n) && are_below(upwards, n) && are_below(children, n) &&
              are_below(axes, n) && are_below(factors, n_sources) && are_below(sources, sizes(0)),
          "schedule: nodes and sources that there are");
  require(n_theta <= sizes(0) && sizes(0) <= std::numeric_limits<Address>::max(),
          "schedule: work holds theta, and fewer than 2^31 cells");
  Schedule s{};
  s.cards = cards.data(), s.sources = sources.data();
  s.first_member = first_member.data(), s.members = members.data(), s.steps = steps.data();
  s.pruned = pruned.data(), s.upwards = upwards.data();
  s.first_child = first_child.data(), s.children = children.data();
  s.first_axis = first_axis.data(), s.axes = axes.data(), s.separators = separators.data();
  s.first_factor = first_factor.data(), s.factors = factors.data();
  s.first_stride = first_stride.data(), s.strides = strides.data();
  s.n = n, s.n_upwards = rows(upwards), s.n_cliques = n_cliques, s.n_cells = sizes(0);
  const auto reaches = [&](Index source, const Index* nodes, const Index* by, Index count) {
    Index last = sources(source);
    for (Index k = 0; k < count; ++k) last += by[k] * (cards(nodes[k]) - 1);
    return last < sizes(0) && std::all_of(by, by + count, [](Index step) { return step >= 0; });
  };
  bool fits = true;
  for (Index i = 0; i < n_sources && fits; ++i)
    fits = reaches(i, members.data() + first_member(i), steps.data() + first_member(i),
                   first_member(i + 1) - first_member(i));
  for (Index c = 0; c < n_cliques && fits; ++c) {
    const Index n_axes = first_axis(c + 1) - first_axis(c), *own = axes.data() + first_axis(c);
    Index cells = 1;
    for (Index k = 0; k < n_axes; ++k) cells *= cards(own[k]);
    s.n_kept += cells;
    s.largest = std::max(s.largest, cells);
    fits = 0 <= separators(c) && separators(c) <= n_axes && cells > 0 && cells <= sizes(2);
    for (Index f = first_factor(c); f <= first_factor(c + 1) && fits; ++f) {
      const Index source = f < first_factor(c + 1) ? factors(f) : n + c;
      fits = first_stride(f + c + 1) - first_stride(f + c) == n_axes &&
             reaches(source, own, strides.data() + first_stride(f + c), n_axes);
    }
  }
  require(fits, "schedule: tables reach beyond work");
  return s;
}

// The target may be observed in all rows, and the root empty, unless it is `hidden`.
BNLR_APART Cliques cliques_of(const nb::handle& given, const In& theta, const Codes& codes, Index target,
                   bool hidden, bool keep) {
  const Schedule s = schedule_of(given, rows(theta));
  require(columns(codes) == s.n, "codes: one column a node");
  require(0 <= target && target < s.n, "target: a node");
  const Index first = s.first_member[s.root()], n_members = s.first_member[s.root() + 1] - first;
  require(n_members == 0 ? !hidden : n_members == 1 && s.members[first] == target,
          "schedule: the root is the target's");
  return Cliques(s, theta.data(), rows(theta), keep);
}

// Fills `log_evidence` (n_rows) with log P(observed cells), −inf where it is impossible. With `hidden`
// the target's cells are not looked at, and `posterior` (n_rows, d_target) is filled with
// P(target | the others), 0 where they are impossible.
void py_evidence(const nb::handle& schedule, const In& theta, const Codes& codes, Index target,
                 bool hidden, const Sums& posterior, const Out& log_evidence) {
  Cliques cliques = cliques_of(schedule, theta, codes, target, hidden, false);
  const Index n = rows(codes), width = cliques.n_states(target);
  require(rows(log_evidence) == n, "log_evidence: one a row");
  require(!hidden || (rows(posterior) == n && columns(posterior) == width),
          "posterior: (n_rows, d_target)");
  const nb::gil_scoped_release released;
  for (Index i = 0; i < n; ++i) {
    const auto went = cliques.up(codes.data() + i * columns(codes), target, hidden);
    log_evidence.data()[i] = cliques.log;
    if (!hidden) continue;
    double* own = posterior.data() + i * width;
    for (Index c = 0; c < width; ++c)
      own[c] = went == Cliques::Went::kImpossible ? 0.0 : cliques.known(went, c);
  }
}

void add_to(const Cliques& cliques, const Out& counts) {
  for (Index cell = 0; cell < rows(counts); ++cell) counts.data()[cell] += cliques.sums()[cell];
}

// Adds Σ weight · P(d, f | row) to `counts`; fills `log_evidence` as `evidence` does.
void py_expect(const nb::handle& schedule, const In& theta, const Codes& codes, const In& weights,
               Index target, const Out& counts, const Out& log_evidence) {
  Cliques cliques = cliques_of(schedule, theta, codes, target, false, true);
  const Index n = rows(codes), width = cliques.n_states(target);
  require(rows(weights) == n && rows(log_evidence) == n, "weights, log_evidence: one a row");
  require(rows(counts) == rows(theta), "counts: as theta");
  const nb::gil_scoped_release released;
  for (Index i = 0; i < n; ++i) {
    const auto went = cliques.up(codes.data() + i * columns(codes), target, false);
    log_evidence.data()[i] = cliques.log;
    const double weight = weights(i);
    if (went == Cliques::Went::kImpossible || weight == 0.0) continue;
    cliques.add_constants(weight);
    if (cliques.root_is_loose())
      for (Index c = 0; c < width; ++c) cliques.root()[c] = weight * cliques.known(went, c);
    cliques.down(weight);
  }
  add_to(cliques, counts);
}

// Adds Σ weight · [P(d, f | c, e) − P(d, f | e)] to `counts`; fills log P(c | e). The root holds the
// target, so that the difference of the two distributions of the target, sent down once, becomes that
// of every family. Rows without the target give 0 and no counts.
void py_contrast(const nb::handle& schedule, const In& theta, const Codes& codes, const In& weights,
                 Index target, const Out& counts, const Out& log_conditional) {
  Cliques cliques = cliques_of(schedule, theta, codes, target, true, true);
  const Index n = rows(codes), width = cliques.n_states(target);
  require(rows(weights) == n && rows(log_conditional) == n, "weights, log_conditional: one a row");
  require(rows(counts) == rows(theta), "counts: as theta");
  const nb::gil_scoped_release released;
  for (Index i = 0; i < n; ++i) {
    const std::int32_t* row = codes.data() + i * columns(codes);
    const Index label = row[target];
    double& log = log_conditional.data()[i];
    log = label < 0 ? 0.0 : kImpossible;
    if (label < 0) continue;
    require(label < width, "codes: states of the target");
    const auto went = cliques.up(row, target, true);
    if (went == Cliques::Went::kImpossible) continue;
    log = cliques.log_known(went, label);
    if (log == kImpossible || weights(i) == 0.0) continue;
    for (Index c = 0; c < width; ++c)
      cliques.root()[c] = weights(i) * ((c == label ? 1.0 : 0.0) - cliques.known(went, c));
    cliques.down(0.0);
  }
  add_to(cliques, counts);
}

}  // namespace

void bind_cliques(nb::module_& m) {
  m.def("evidence", &py_evidence, "schedule"_a, array("theta"), array("codes"), "target"_a, "hidden"_a,
        array("posterior"), array("log_evidence"));
  m.def("expect", &py_expect, "schedule"_a, array("theta"), array("codes"), array("weights"), "target"_a,
        array("counts"), array("log_evidence"));
  m.def("contrast", &py_contrast, "schedule"_a, array("theta"), array("codes"), array("weights"),
        "target"_a, array("counts"), array("log_conditional"));
}

void bind_trees(nb::module_& m) {
  m.def("total_rows", &py_total_rows, array("rows"), "tree"_a, array("tables"), array("logs"),
        array("totals"), array("unsafe"));
  m.def("count_rows", &py_count_rows, array("rows"), array("labels"), array("weights"), "tree"_a,
        array("tables"), array("logs"), array("counts"), array("totals"), array("unsafe"));
  m.def("normalise", &py_normalise, array("totals"), array("posterior"), array("log_evidence"),
        Released());
  m.def("share_any", &py_share_any, "tree"_a, array("tables"), array("counts"));
}

void bind_fragments(nb::module_& m) {
  m.def("begin", &py_begin);
  m.def("take_apart", &py_take_apart, "fragments"_a, array("rows"), array("labels"), array("weights"),
        "tree"_a, array("complete"));
  m.def("found", &py_found, "fragments"_a, "n_classes"_a);
  m.def("count", &py_count, "found"_a, "start"_a, "stop"_a, "tree"_a, array("tables"), array("logs"),
        array("counts"), array("sums"));
}

}  // namespace bnlr::inference
