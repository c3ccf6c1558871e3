// The way from tables back to CPTs, `bnlr.spaces.backmap` its only caller. `twins.py` gives the same
// numbers with NumPy, but for rounding.
//
// `tables` stacked, (n_cells, n_classes), changed in place; `scopes` are a `Scopes` with the class's
// own family first.
#include "kernels.hpp"

#include <algorithm>
#include <limits>

#include "../design/cll_passes.hpp"
#include "../native/arrays.hpp"

namespace bnlr::spaces {

namespace {

using Places = Vector<const Index>;
using Tables = Matrix<double>;

constexpr Index kAlike = 64;  // numbers that one look tells to be the same
constexpr Index kBlock = 512;  // numbers whose exponentials and logarithms are taken side by side

Places places(nb::handle scopes, const char* name) {
  Places found;
  if (!nb::try_cast<Places>(scopes.attr(name), found, false)) throw nb::type_error(name);
  return found;
}

struct Scopes {
  Places axes, cards, ends, offsets;

  Scopes(nb::handle scopes, Index n_cells)
      : axes(places(scopes, "axes")), cards(places(scopes, "cards")), ends(places(scopes, "ends")),
        offsets(places(scopes, "offsets")) {
    const Index n = n_families();
    require(n >= 1 && rows(ends) == n + 1, "ends and offsets: one a family, and the end");
    require(rows(cards) == rows(axes), "cards: one an axis");
    require(ends(0) == 0 && ends(n) == rows(axes), "ends: from 0 to the number of axes");
    require(offsets(0) == 0 && offsets(n) == n_cells, "offsets: from 0 to the number of cells");
    for (Index f = 0; f < n; ++f) {
      require(ends(f) <= ends(f + 1) && ends(f + 1) <= rows(axes), "ends: increasing");
      Index size = 1;
      for (Index k = ends(f); k < ends(f + 1); ++k) {
        require(cards(k) > 0 && cards(k) <= n_cells / size, "offsets: fewer cells than the cards make");
        size *= cards(k);
      }
      require(offsets(f + 1) - offsets(f) == size, "offsets: as many cells as the cards make");
    }
  }

  Index n_families() const { return rows(offsets) - 1; }
  Index card(Index family) const { return cards(ends(family + 1) - 1); }
};

BNLR_APART void logarithms_of_each(Index n, double* __restrict v) {
  for (Index i = 0; i < n; ++i) v[i] = math::log(v[i]);
}

BNLR_APART void exponentials_of_each(Index n, double* __restrict v) {
  for (Index i = 0; i < n; ++i) v[i] = math::exp(v[i]);
}

// A function of each number, of one alone where as many are alike as where no row speaks.
template <class Function>
void of_each(Index n, double* v, Function function) {
  for (Index first = 0; first < n; first += kAlike) {
    const Index size = std::min(kAlike, n - first);
    double* own = v + first;
    const bool alike = std::all_of(own, own + size, [own](double one) { return one == own[0]; });
    function(alike ? 1 : size, own);
    if (alike) std::fill_n(own, size, own[0]);
  }
}

void logarithms(Index n, double* v) { of_each(n, v, logarithms_of_each); }
void exponentials(Index n, double* v) { of_each(n, v, exponentials_of_each); }

// Gives every row of `tables` the average of the logarithms of that of `like`; 0 if none.
//
// `like` has the shape of `tables`, or no rows; less than `least` counts as that.
void py_in_gauge(const Tables& tables, const Matrix<const double>& like, double least) {
  const Index n_cells = rows(tables), n_classes = columns(tables);
  require(!rows(like) || (rows(like) == n_cells && columns(like) == n_classes),
          "like: as tables, or none");
  require(least >= std::numeric_limits<double>::min(), "least: a normal positive number");
  require(n_classes > 0, "tables: at least one class");
  const Index step = std::max<Index>(1, kBlock / n_classes);
  std::vector<double> logs(step * n_classes);
  for (Index first = 0; first < n_cells; first += step) {
    const Index n = std::min(first + step, n_cells) - first;
    if (rows(like)) {
      const double* lent = like.data() + first * n_classes;
      for (Index j = 0; j < n * n_classes; ++j) logs[j] = std::max(lent[j], least);
      logarithms(n * n_classes, logs.data());
    }
    for (Index i = 0; i < n; ++i) {
      double *row = tables.data() + (first + i) * n_classes, mean = 0.0, wanted = 0.0;
      for (Index c = 0; c < n_classes; ++c) {
        mean += row[c];
        wanted += logs[i * n_classes + c];
      }
      mean /= static_cast<double>(n_classes);
      wanted /= static_cast<double>(n_classes);
      for (Index c = 0; c < n_classes; ++c) row[c] = (row[c] - mean) + wanted;
    }
  }
}

// Makes the columns of `cells` (n_columns, card, width) sum to one; what was subtracted goes to `mass`
// (n_columns, width).
void columns_to_one(double* cells, Index n_columns, Index card, Index width, double* mass) {
  const Index size = card * width, step = std::max<Index>(1, kBlock / size);
  std::vector<double> powers(step * size), totals(step * width);
  for (Index first = 0; first < n_columns; first += step) {
    const Index n = std::min(first + step, n_columns) - first;
    double *own = cells + first * size, *tops = mass + first * width;
    std::fill_n(tops, n * width, -std::numeric_limits<double>::infinity());
    for (Index f = 0; f < n; ++f) {
      double* top = tops + f * width;
      for (Index s = 0; s < card; ++s)
        for (Index c = 0; c < width; ++c) top[c] = std::max(top[c], own[f * size + s * width + c]);
      for (Index s = 0; s < card; ++s)
        for (Index c = 0; c < width; ++c)
          powers[f * size + s * width + c] = own[f * size + s * width + c] - top[c];
    }
    exponentials(n * size, powers.data());
    for (Index f = 0; f < n; ++f)
      for (Index c = 0; c < width; ++c) {
        double total = 0.0;
        for (Index s = 0; s < card; ++s) total += powers[f * size + s * width + c];
        totals[f * width + c] = total;
      }
    logarithms(n * width, totals.data());
    for (Index j = 0; j < n * width; ++j) tops[j] += totals[j];
    for (Index f = 0; f < n; ++f)
      for (Index s = 0; s < card; ++s)
        for (Index c = 0; c < width; ++c) own[f * size + s * width + c] -= tops[f * width + c];
  }
}

// Adds each column's mass to the witness's cells that are consistent with it.
void move(const double* mass, const Scopes& scopes, Index child, Index witness, Index width,
          double* tables) {
  const Index start = scopes.ends(witness), n_axes = scopes.ends(witness + 1) - start;
  std::vector<Index> strides(n_axes), digits(n_axes);
  Index stride = 1;
  for (Index k = scopes.ends(child + 1) - 2; k >= scopes.ends(child); --k) {
    for (Index axis = 0; axis < n_axes; ++axis)
      if (scopes.axes(start + axis) == scopes.axes(k)) {
        require(scopes.cards(start + axis) == scopes.cards(k), "cards: those of the axes");
        strides[axis] = stride;
      }
    stride *= scopes.cards(k);
  }
  Index column = 0;
  for (Index cell = scopes.offsets(witness); cell < scopes.offsets(witness + 1); ++cell) {
    design::add_row(mass + column * width, width, tables + cell * width);
    for (Index axis = n_axes - 1; axis >= 0; --axis) {
      column += strides[axis];
      if (++digits[axis] < scopes.cards(start + axis)) break;
      column -= strides[axis] * digits[axis];
      digits[axis] = 0;
    }
  }
}

// Turns tables into log-CPTs, child by child.
//
// What makes a column of `children[k]` sum to one is added to each cell of its witness, family
// `witnesses[k]`, that is consistent with the column.
void py_normalise(const Tables& tables, nb::handle given, const Places& children,
                  const Places& witnesses) {
  const Scopes scopes(given, rows(tables));
  const Index n_classes = columns(tables), n_own = scopes.offsets(1), n_families = scopes.n_families();
  require(n_classes > 0, "tables: at least one class");
  require(rows(children) == rows(witnesses), "witnesses: one a child");
  Index most = n_own;
  for (Index k = 0; k < rows(children); ++k) {
    const Index child = children(k), witness = witnesses(k);
    require(0 <= child && child < n_families && scopes.ends(child) < scopes.ends(child + 1) &&
                0 <= witness && witness < n_families,
            "children and witnesses: families");
    most = std::max(most, scopes.offsets(child + 1) - scopes.offsets(child));
  }
  nb::gil_scoped_release released;
  std::vector<double> mass(most * n_classes);
  for (Index k = 0; k < rows(children); ++k) {
    const Index child = children(k), first = scopes.offsets(child), card = scopes.card(child);
    columns_to_one(tables.data() + first * n_classes, (scopes.offsets(child + 1) - first) / card, card,
                   n_classes, mass.data());
    move(mass.data(), scopes, child, witnesses(k), n_classes, tables.data());
  }
  columns_to_one(tables.data(), n_own, n_classes, 1, mass.data());
}

// Divides the columns of `cells` (n_columns, card, width) by their sums.
void divide(double* cells, Index n_columns, Index card, Index width) {
  for (Index f = 0; f < n_columns; ++f, cells += card * width)
    for (Index c = 0; c < width; ++c) {
      double total = 0.0;
      for (Index s = 0; s < card; ++s) total += cells[s * width + c];
      for (Index s = 0; s < card; ++s) cells[s * width + c] /= total;
    }
}

// Turns log-CPTs into CPTs whose columns sum to one, which rounding alone keeps them from.
void py_exponentiate(const Tables& logs, nb::handle given) {
  const Scopes scopes(given, rows(logs));
  const Index n_classes = columns(logs), n = static_cast<Index>(logs.size());
  for (Index f = 1; f < scopes.n_families(); ++f)
    require(scopes.ends(f) < scopes.ends(f + 1), "scopes: each child is an axis of its own");
  nb::gil_scoped_release released;
  double before[kBlock];
  for (Index first = 0; first < n; first += kBlock) {
    double* own = logs.data() + first;
    const Index here = std::min(kBlock, n - first);
    std::copy_n(own, here, before);
    exponentials(here, own);
    for (Index i = 0; i < here; ++i)  // a small probability is not yet none
      if (before[i] < math::kLeast) own[i] = std::exp(before[i]);
  }
  divide(logs.data(), scopes.offsets(1), n_classes, 1);
  for (Index f = 1; f < scopes.n_families(); ++f) {
    const Index first = scopes.offsets(f), card = scopes.card(f);
    divide(logs.data() + first * n_classes, (scopes.offsets(f + 1) - first) / card, card, n_classes);
  }
}

}  // namespace

void bind_spaces(nb::module_& m) {
  m.def("in_gauge", &py_in_gauge, array("tables"), array("like"), "least"_a, Released());
  m.def("normalise", &py_normalise, array("tables"), "scopes"_a, array("children"), array("witnesses"));
  m.def("exponentiate", &py_exponentiate, array("logs"), "scopes"_a);
}

}  // namespace bnlr::spaces
