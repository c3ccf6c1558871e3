// Kernels of inference: the rows of `bnlr.inference.trees`, whose NumPy twins are `tree_twins`.
#include "kernels.hpp"

#include <cstring>

#include "../native/patience.hpp"
#include "expected_counts.hpp"
#include "trees.hpp"

namespace bnlr::inference {

namespace {

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
                const Sums& totals) {
  const Index n = rows(codes), k = columns(tables);
  require(columns(codes) == forest.n_nodes() + 1, "rows: one column a node, and one of 0");
  require(rows(logs) == rows(tables) && columns(logs) == k, "logs: as tables");
  require(rows(totals) == n && columns(totals) == k, "totals: (n_rows, k)");
}

const std::int32_t* row_of(const Codes& codes, Index i) {
  const std::int32_t* row = codes.data() + i * columns(codes);
  require(row[columns(codes) - 1] == 0, "rows: the last column is 0");
  return row;
}

constexpr Index kWideCost = 10;  // times that of a double

// f(passes, wide): loops over one and two classes know their length; `wide` are for unsafe rows.
template <class F>
void with_passes(const Forest& forest, const Table& tables, const Table& logs, F&& f) {
  const Index k = columns(tables);
  Passes<0, Wide> wide(forest, k, tables.data(), logs.data());
  if (k == 1) f(Passes<1>(forest, k, tables.data(), logs.data()), wide);
  else if (k == 2) f(Passes<2>(forest, k, tables.data(), logs.data()), wide);
  else f(Passes<0>(forest, k, tables.data(), logs.data()), wide);
}

}  // namespace

void py_total_rows(const Codes& codes, const nb::handle& tree, const Table& tables, const Table& logs,
                   const Sums& totals) {
  const Forest forest = forest_of(tree, rows(tables), columns(tables));
  check_rows(codes, forest, tables, logs, totals);
  const nb::gil_scoped_release released;
  with_passes(forest, tables, logs, [&](auto passes, auto& wide) {
    const Index n = rows(codes), n_nodes = forest.n_nodes(), k = columns(tables);
    Patience patience;
    for (Index i = 0; i < n; ++i) {
      patience.spend(n_nodes * k);
      const std::int32_t* row = row_of(codes, i);
      double* total = totals.data() + i * k;
      if (passes.up(row, Every{}, n_nodes, total)) continue;
      patience.spend(kWideCost * n_nodes * k);
      wide.up(row, Every{}, n_nodes, total);
    }
  });
}

void py_count_rows(const Codes& codes, const Places& labels, const In& weights, const nb::handle& tree,
                   const Table& tables, const Table& logs, const Sums& counts, const Sums& totals) {
  const Index n = rows(codes), k = columns(tables);
  const Forest forest = forest_of(tree, rows(tables), k);
  const Index n_nodes = forest.n_nodes();
  check_rows(codes, forest, tables, logs, totals);
  require(rows(labels) == n && rows(weights) == n, "labels, weights: one a row");
  require(rows(counts) == rows(tables) && columns(counts) == k, "counts: as tables");
  const nb::gil_scoped_release released;
  with_passes(forest, tables, logs, [&](auto passes, auto& wide) {
    Patience patience;
    for (Index i = 0; i < n; ++i) {
      patience.spend(2 * n_nodes * k);
      require(labels(i) < k, "labels: classes, or −1");
      const std::int32_t* row = row_of(codes, i);
      const auto count = [&](auto& own) {
        double* total = totals.data() + i * k;
        if (!own.up(row, Every{}, n_nodes, total)) return false;
        if (own.weigh(total, labels(i), weights(i))) own.down(row, Every{}, n_nodes, counts.data());
        return true;
      };
      if (count(passes)) continue;
      patience.spend(2 * kWideCost * n_nodes * k);
      count(wide);
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

namespace {

#ifdef BNLR_BASELINE
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
#endif

}  // namespace

#ifdef BNLR_BASELINE
void bind_fragments(nb::module_& m) {
  m.def("begin", &py_begin);
  m.def("take_apart", &py_take_apart, "fragments"_a, array("rows"), array("labels"), array("weights"),
        "tree"_a, array("complete"));
  m.def("found", &py_found, "fragments"_a, "n_classes"_a);
  m.def("count", &py_count, "found"_a, "start"_a, "stop"_a, "tree"_a, array("tables"), array("logs"),
        array("counts"), array("sums"));
}
#endif

}  // namespace bnlr::inference
