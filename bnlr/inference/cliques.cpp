// Kernels of inference in junction trees, whose NumPy twins are in `twins.py`.
#include "cliques.hpp"

#include "../native/patience.hpp"
#include "kernels.hpp"

namespace bnlr::inference {

namespace {

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

// Adds weight · v·vᵀ to the lower triangle of a square matrix; the cells of v rise.
BNLR_APART void add_square(const std::vector<Address>& cells, const std::vector<double>& values,
                           double weight, Index n, double* __restrict matrix) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double* __restrict row = matrix + cells[i] * n;
    const double scaled = weight * values[i];
    for (std::size_t j = 0; j <= i; ++j) row[cells[j]] += scaled * values[j];
  }
}

// Adds Σ weight · Cov(counts | c, e), the covariance over c, distributed as P(c | e), of what class c
// and the row's other cells expect of the families, to the lower triangle of `matrix` (cells, cells).
void py_information(const nb::handle& schedule, const In& theta, const Codes& codes, const In& weights,
                    Index target, const Sums& matrix) {
  Cliques cliques = cliques_of(schedule, theta, codes, target, true, true);
  const Index n = rows(theta), width = cliques.n_states(target);
  require(rows(weights) == rows(codes), "weights: one a row");
  require(rows(matrix) == n && columns(matrix) == n, "matrix: as theta, squared");
  const nb::gil_scoped_release released;
  std::vector<Address> cells, met;
  std::vector<double> values, mean(n), means;
  Patience patience;
  for (Index i = 0; i < rows(codes); ++i) {
    const auto went = cliques.up(codes.data() + i * columns(codes), target, true);
    if (went == Cliques::Went::kImpossible || weights(i) == 0.0) continue;
    for (Index c = 0; c < width; ++c) {
      const double probability = cliques.known(went, c);
      if (probability == 0.0) continue;
      for (Index other = 0; other < width; ++other) cliques.root()[other] = other == c ? 1.0 : 0.0;
      cliques.down(0.0);
      cliques.take_sums(n, cells, values);
      patience.spend(n + static_cast<Index>(cells.size() * cells.size()));
      add_square(cells, values, weights(i) * probability, n, matrix.data());
      for (std::size_t k = 0; k < cells.size(); ++k) mean[cells[k]] += probability * values[k];
    }
    met.clear(), means.clear();
    for (Index cell = 0; cell < n; ++cell) {
      if (mean[cell] == 0.0) continue;
      met.push_back(static_cast<Address>(cell));
      means.push_back(mean[cell]);
      mean[cell] = 0.0;
    }
    patience.spend(n + static_cast<Index>(met.size() * met.size()));
    add_square(met, means, -weights(i), n, matrix.data());
  }
}

}  // namespace

void bind_cliques(nb::module_& m) {
  m.def("evidence", &py_evidence, "schedule"_a, array("theta"), array("codes"), "target"_a, "hidden"_a,
        array("posterior"), array("log_evidence"));
  m.def("expect", &py_expect, "schedule"_a, array("theta"), array("codes"), array("weights"), "target"_a,
        array("counts"), array("log_evidence"));
  m.def("contrast", &py_contrast, "schedule"_a, array("theta"), array("codes"), array("weights"),
        "target"_a, array("counts"), array("log_conditional"));
  m.def("information", &py_information, "schedule"_a, array("theta"), array("codes"), array("weights"),
        "target"_a, array("matrix"));
}

}  // namespace bnlr::inference
