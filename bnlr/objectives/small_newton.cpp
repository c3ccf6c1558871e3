// Newton's method for small problems, `small_newton` its only caller.
#include "small_newton.hpp"

#include <memory>

#include "../native/patience.hpp"
#include "newton.hpp"

namespace bnlr::objectives {

namespace {

constexpr const char* kName = "bnlr.objectives.newton.Walk";

// A number of a named tuple.
double number(nb::handle of, const char* name) { return nb::cast<double>(of.attr(name)); }

Rules rules_of(nb::handle given) {
  const auto of = [&](const char* name) { return number(given, name); };
  return {{of("flatten"), of("sufficient"), of("rounding"), static_cast<int>(of("evaluations"))},
          of("first_radius"), of("growth"), of("overconfident"), of("doubtful"), of("resolved"),
          of("easy"), of("blend"), of("least_curvature"), of("settled"),
          of("runaway"), of("most_stalls")};
}

// The arrays that a problem looks at.
struct Arrays {
  Places ends, cells, offsets;
  Codes codes;
  AnyVector classes;
  In weights;
  Places drawn;
  Table centre;
  Places rough_ends, rough_cells;
  In rough_values;
};

bool lie_within(const Index* places, Index n, Index end) {
  for (Index i = 0; i < n; ++i)
    if (places[i] < 0 || places[i] >= end) return false;
  return true;
}

bool ascend(const Index* ends, Index n) {
  for (Index i = 0; i + 1 < n; ++i)
    if (ends[i] > ends[i + 1]) return false;
  return n > 0 && ends[0] == 0;
}

// Every group cell must hold one cell of each of its group's families.
bool are_alike(const Problem& problem) {
  for (Index g = 0; g < problem.rows.n_groups; ++g) {
    const Index first = problem.rows.offsets[g], last = problem.rows.offsets[g + 1];
    for (Index cell = first; cell < last; ++cell)
      if (problem.ends[cell + 1] - problem.ends[cell] != problem.ends[first + 1] - problem.ends[first])
        return false;
  }
  return true;
}

Roughness roughness_of(const Arrays& arrays, Index n_cells) {
  if (arrays.rough_ends.size() == 0) return {};
  const Index n = rows(arrays.rough_cells);
  require(rows(arrays.rough_ends) == n_cells + 1 && ascend(arrays.rough_ends.data(), n_cells + 1) &&
              arrays.rough_ends(n_cells) == n && rows(arrays.rough_values) == n,
          "rough_ends: one a cell, and the last");
  require(lie_within(arrays.rough_cells.data(), n, n_cells), "rough_cells: rows of the parameters");
  return {arrays.rough_ends.data(), arrays.rough_cells.data(), arrays.rough_values.data()};
}

Problem problem_of(const Arrays& arrays, double strength, double modulus, Index first, Index last, Index n_cells,
                   Index k) {
  const Index n_groups = rows(arrays.codes), n_rows = columns(arrays.codes);
  require(n_cells > 0 && k > 0, "parameters: (n_cells, k)");
  require(rows(arrays.offsets) == n_groups + 1 && ascend(arrays.offsets.data(), n_groups + 1),
          "offsets: one a group, and the end");
  const Index n_grouped = arrays.offsets(n_groups);
  require(rows(arrays.ends) == n_grouped + 1 && ascend(arrays.ends.data(), n_grouped + 1) &&
              arrays.ends(n_grouped) == rows(arrays.cells),
          "ends: one a group cell, and the last");
  require(lie_within(arrays.cells.data(), rows(arrays.cells), n_cells), "cells: rows of the parameters");
  require(rows(arrays.classes) == n_rows && arrays.classes.dtype().bits <= 32, "classes: one a row");
  require(arrays.weights.size() == 0 || rows(arrays.weights) == n_rows, "weights: one a row, or none");
  require(lie_within(arrays.drawn.data(), rows(arrays.drawn), n_rows), "drawn: places of rows");
  require(!(strength > 0) || (rows(arrays.centre) == n_cells && columns(arrays.centre) == k),
          "centre: as the parameters");
  require(0 <= first && first < last && last <= n_cells, "first:last: the class's own cells");
  Problem problem{};
  problem.rows.offsets = arrays.offsets.data();
  problem.rows.codes = arrays.codes.data();
  problem.rows.bytes = sizeof(Code);
  problem.rows.classes = with_unsigned(arrays.classes, [](auto* own) {
    return design::Classes{own, static_cast<int>(sizeof *own)};
  });
  problem.rows.weights = arrays.weights.size() ? arrays.weights.data() : nullptr;
  problem.rows.n_groups = n_groups;
  problem.rows.n_rows = n_rows;
  problem.ends = arrays.ends.data();
  problem.cells = arrays.cells.data();
  problem.n_grouped = n_grouped;
  problem.n_cells = n_cells;
  problem.k = k;
  problem.drawn = arrays.drawn.data();
  problem.n_drawn = rows(arrays.drawn);
  problem.strength = strength;
  problem.modulus = modulus;
  problem.first = first;
  problem.last = last;
  problem.centre = arrays.centre.data();
  problem.rough = roughness_of(arrays, n_cells);
  require(are_alike(problem), "ends: as many cells in each cell of a group");
  return problem;
}

struct Held {
  Arrays arrays;
  std::unique_ptr<Walk> walk;
};

Walk& walk_of(const nb::capsule& handle) { return *static_cast<Held*>(handle.data(kName))->walk; }

auto told(const Walk& walk) {
  const Told& at = walk.told();
#define BNLR_NUMBER(name) at.name,
  const double numbers[] = {BNLR_TOLD(BNLR_NUMBER)};
#undef BNLR_NUMBER
  nb::object all = nb::steal(PyTuple_New(std::size(numbers)));
  for (std::size_t i = 0; i < std::size(numbers); ++i)
    PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(i), PyFloat_FromDouble(numbers[i]));
  return all;
}

}  // namespace

nb::tuple told_names() {
#define BNLR_NAME(name) #name,
  const char* names[] = {BNLR_TOLD(BNLR_NAME)};
#undef BNLR_NAME
  nb::list all;
  for (const char* name : names) all.append(name);
  return nb::tuple(all);
}

// A walk that stands at the parameters `x`, and what it tells.
//
// Rows as packed; `penalty` (strength, modulus, first, last) with the class's own cells first:last,
// strength 0 for none, modulus that of `Penalty`; `rough_…` the rows of R in `SmoothPenalty`, empty for the plain one; `drawn` the rows that
// the preconditioner is taken from; `rules` numbers by name.
nb::tuple py_begin(const Places& ends, const Places& cells, const Places& offsets, const Codes& codes,
                   const AnyVector& classes, const In& weights, const Places& drawn,
                   const std::tuple<double, double, Index, Index>& penalty, const Table& centre,
                   const Places& rough_ends, const Places& rough_cells, const In& rough_values,
                   const Table& x, const nb::object& rules, double tol, Index limit, Index memory) {
  require(0 <= memory && memory <= 1 << 20, "memory: how many steps are remembered");
  auto held = std::make_unique<Held>();
  held->arrays = {ends, cells, offsets, codes, classes, weights, drawn, centre, rough_ends, rough_cells,
                  rough_values};
  const auto [strength, modulus, first, last] = penalty;
  const Problem problem = problem_of(held->arrays, strength, modulus, first, last, rows(x), columns(x));
  const Rules how = rules_of(rules);
  {
    nb::gil_scoped_release released;
    held->walk = std::make_unique<Walk>(problem, how, x.data(), tol, limit, memory);
  }
  const auto now = told(*held->walk);
  nb::capsule handle(held.get(), kName, [](void* p) noexcept { delete static_cast<Held*>(p); });
  held.release();
  return nb::make_tuple(handle, now);
}

// Iterations until there are `last` of them, the walk ends, starts anew or goes wrong, but at least one:
// whether to go on or why not, and what the walk tells then.
nb::tuple py_advance(const nb::capsule& handle, Index last) {
  Walk& walk = walk_of(handle);
  const auto n_iter = [&walk] { return static_cast<Index>(walk.told().n_iter); };
  Outcome outcome;
  {
    nb::gil_scoped_release released;
    Patience patience;
    bool goes_on = true;
    while (goes_on) {
      const Index before = n_iter(), work = walk.work();
      outcome = walk.advance();
      goes_on = outcome == Outcome::kGoOn && before < n_iter() && n_iter() < last && walk.goes_well();
      patience.spend(walk.work() - work);
    }
  }
  return nb::make_tuple(static_cast<int>(outcome), told(walk));
}

// The parameters and the gradient there, flat.
nb::tuple py_point(const nb::capsule& handle) {
  const Walk& walk = walk_of(handle);
  return nb::make_tuple(to_numpy(Numbers(walk.x())), to_numpy(Numbers(walk.gradient())));
}

// Fill the upper half of `matrix` with what a walk factors where rows have these probabilities.
void py_curvature_matrix(const Places& ends, const Places& cells, const Places& offsets,
                         const Codes& codes, const AnyVector& classes, const In& weights,
                         const Places& drawn, double strength, const Table& probabilities, double blend,
                         double least, const Matrix<double>& matrix) {
  const Arrays arrays{ends, cells, offsets, codes, classes, weights, drawn, probabilities, {}, {}, {}};
  const Index n = rows(matrix), k = columns(probabilities);
  require(columns(matrix) == n, "matrix: (n_cells, n_cells)");
  require(rows(probabilities) == columns(codes), "probabilities: one row a row");
  Problem problem = problem_of(arrays, 0.0, 0.0, 0, 1, n, k);
  problem.strength = strength;
  Factor found(n);
  Curvature(problem, Groups(problem)).fill(probabilities.data(), blend, least, found);
  for (Index i = 0; i < n; ++i) std::copy(found.row(i) + i, found.row(i) + n, matrix.data() + i * n + i);
}

// Overwrite `b` with x, A·x = b, given A's upper half; False, `b` untouched, if A is not positive.
bool py_solve(const Table& matrix, const Vector<double>& b) {
  const Index n = rows(matrix);
  require(columns(matrix) == n && rows(b) == n && n > 0, "matrix: (n, n), b: (n)");
  Factor factor(n);
  factor.clear();
  for (Index i = 0; i < n; ++i)
    std::copy(matrix.data() + i * n + i, matrix.data() + (i + 1) * n, factor.row(i) + i);
  if (!factor.work_out()) return false;
  Aligned x(factor.stride());
  std::fill(std::copy_n(b.data(), n, x.data()), x.data() + factor.stride(), 0.0);
  factor.solve(x.data());
  std::copy_n(x.data(), n, b.data());
  return true;
}

}  // namespace bnlr::objectives
