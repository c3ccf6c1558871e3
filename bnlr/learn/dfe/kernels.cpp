// Passes of discriminative frequency estimates, `bnlr.learn.dfe.estimates` their only caller. `twins.py`
// gives the same numbers with NumPy, up to rounding, and says what the arrays are.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>

#include "../../design/columns.hpp"
#include "../../native/patience.hpp"
#include "../../native/vector_math.hpp"

namespace bnlr::learn {

namespace {

// Products below this may have lost digits, or all of them, to underflow.
constexpr double kLeastExact = 1e-200;
// A loss, or a raise, below these is none: 1 − P would round to 0 long before.
constexpr double kLeastLoss = 1e-40, kLeastRaise = 1e-250;
constexpr int kLeastExponent = -1100;
constexpr Index kFewFamilies = 16;
constexpr Index kBlock = 64;

template <class A>
void check_shape(const A& places, Index n_rows, Index n_columns, const char* message) {
  require(rows(places) == n_rows && columns(places) == n_columns, message);
}

template <class Code>
BNLR_APART void join(const Code* __restrict codes, std::uint32_t card, Index n,
                     std::uint32_t* __restrict config) {
  for (Index i = 0; i < n; ++i) config[i] = config[i] * card + static_cast<std::uint32_t>(codes[i]);
}

void put(const std::uint32_t* config, Index start, Index n, Index stride, std::uint32_t* out) {
  for (Index i = 0; i < n; ++i) out[i * stride] = static_cast<std::uint32_t>(start) + config[i];
}

}  // namespace

// Fills `cells` and `columns` for rows of `codes` (n_nodes, n_rows).
//
// Family f looks at the nodes `axes[ends[f]:ends[f + 1]]` with `cards` states, its own last.
void py_place(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
              const Places& cell_starts, const Places& members, const Places& column_starts,
              const Found& cells, const Found& columns) {
  const design::Columns data = design::columns_of(codes);
  const Index n_families = rows(ends) - 1, n_groups = rows(members) - 1;
  require(n_families >= 0 && n_groups >= 0, "ends and members: with the end");
  require(rows(axes) == rows(cards) && ends(n_families) == rows(axes),
          "axes, cards and ends do not fit");
  require(rows(cell_starts) == n_families + 1, "cell_starts: one a family, and the end");
  require(rows(column_starts) == n_groups + 1, "column_starts: one a group, and the end");
  check_shape(cells, data.n_rows, n_families, "cells: (n_rows, n_families)");
  check_shape(columns, data.n_rows, n_groups, "columns: (n_rows, n_groups)");
  for (Index k = 0; k < rows(axes); ++k)
    require(0 <= axes(k) && axes(k) < rows(codes), "axes: rows of the codes");
  for (Index f = 0; f < n_families; ++f)
    require(0 <= ends(f) && ends(f) <= ends(f + 1), "ends: increasing");
  std::uint32_t config[kBlock];
  for (Index first = 0; first < data.n_rows; first += kBlock) {
    const Index n = std::min(kBlock, data.n_rows - first);
    Index g = 0;
    for (Index f = 0; f < n_families; ++f) {
      std::fill_n(config, n, 0u);
      for (Index k = ends(f); k < ends(f + 1); ++k) {
        if (g < n_groups && f == members(g) && k == ends(f + 1) - 1) {
          put(config, column_starts(g), n, n_groups, columns.data() + first * n_groups + g);
          ++g;
        }
        const auto card = static_cast<std::uint32_t>(cards(k));
        data.at(axes(k), first, [&](auto* own) { join(own, card, n, config); });
      }
      put(config, cell_starts(f), n, n_families, cells.data() + first * n_families + f);
    }
  }
}

namespace {

// Multiplies the products of the classes by counts · inverse, for the cells of a group.
BNLR_APART void multiply_group(const double* __restrict counts, const double* __restrict inverse,
                               const std::uint32_t* cells, Index n, Index width,
                               double* __restrict products) {
  for (Index k = 0; k < n; ++k) {
    const double* count = counts + cells[k] * width;
    Index c = 0;
    for (; c + 8 <= width; c += 8)
      for (int l = 0; l < 8; ++l) products[c + l] *= count[c + l] * inverse[c + l];
    if (width & 4) {
      for (int l = 0; l < 4; ++l) products[c + l] *= count[c + l] * inverse[c + l];
      c += 4;
    }
    if (width & 2) {
      for (int l = 0; l < 2; ++l) products[c + l] *= count[c + l] * inverse[c + l];
      c += 2;
    }
    if (width & 1) products[c] *= count[c] * inverse[c];
  }
}

struct Learner {
  const std::uint32_t *cells, *columns;
  const Index *members, *cell_starts, *column_starts, *cards;
  Index n_families, n_groups, n_classes;
  double *counts, *totals, *inverses;

  const std::uint32_t* cells_of(Index i) const { return cells + i * n_families; }
  const std::uint32_t* columns_of(Index i) const { return columns + i * n_groups; }

  // Products of row i's factors, of two classes one after the other: for few families, where a vector
  // of both would wait for the one of them that a row just before has written.
  void multiply_two(Index i, double* products) const {
    const std::uint32_t *cell = cells_of(i), *column = columns_of(i);
    for (Index c = 0; c < 2; ++c) {
      double product = counts[cell[0] * Index{2} + c];
      for (Index g = 0; g < n_groups; ++g) {
        const double inverse = inverses[column[g] * Index{2} + c];
        for (Index k = members[g]; k < members[g + 1]; ++k)
          product *= counts[cell[k] * Index{2} + c] * inverse;
      }
      products[c] = product;
    }
  }

  // Of C classes side by side.
  template <int C>
  void multiply(Index i, double* out) const {
    const std::uint32_t *cell = cells_of(i), *column = columns_of(i);
    double products[C];
    for (int c = 0; c < C; ++c) products[c] = counts[cell[0] * Index{C} + c];
    for (Index g = 0; g < n_groups; ++g) {
      const double* inverse = inverses + column[g] * Index{C};
      for (Index k = members[g]; k < members[g + 1]; ++k) {
        const double* count = counts + cell[k] * Index{C};
        for (int c = 0; c < C; ++c) products[c] *= count[c] * inverse[c];
      }
    }
    for (int c = 0; c < C; ++c) out[c] = products[c];
  }

  // Of any number.
  void multiply_many(Index i, double* products) const {
    const std::uint32_t *cell = cells_of(i), *column = columns_of(i);
    std::copy_n(counts + cell[0] * n_classes, n_classes, products);
    for (Index g = 0; g < n_groups; ++g)
      multiply_group(counts, inverses + column[g] * n_classes, cell + members[g],
                     members[g + 1] - members[g], n_classes, products);
  }

  // Loss of row i where plain products would leave the range of floats.
  double scaled_loss(Index i, Index own, std::vector<double>& mantissas,
                     std::vector<Index>& exponents) const {
    const std::uint32_t *cell = cells_of(i), *column = columns_of(i);
    Index largest = std::numeric_limits<Index>::min() / 2;
    for (Index c = 0; c < n_classes; ++c) {
      int shift;
      double mantissa = std::frexp(counts[cell[0] * n_classes + c], &shift);
      Index exponent = shift;
      for (Index g = 0; g < n_groups; ++g) {
        const double inverse = inverses[column[g] * n_classes + c];
        for (Index k = members[g]; k < members[g + 1]; ++k) {
          mantissa = std::frexp(mantissa * (counts[cell[k] * n_classes + c] * inverse), &shift);
          exponent += shift;
        }
      }
      mantissas[c] = mantissa;
      exponents[c] = exponent;
      if (mantissa > 0.0) largest = std::max(largest, exponent);
    }
    double total = 0.0, others = 0.0;
    for (Index c = 0; c < n_classes; ++c)
      if (mantissas[c] > 0.0) {
        const Index below = std::max<Index>(exponents[c] - largest, kLeastExponent);
        const double product = std::ldexp(mantissas[c], static_cast<int>(below));
        total += product;
        others += c != own ? product : 0.0;
      }
    return total > 0.0 ? others / total : 1.0 - 1.0 / static_cast<double>(n_classes);
  }

  // Adds `raised` to the counts of row i and their totals.
  void raise(Index i, Index own, double raised) const {
    const std::uint32_t *cell = cells_of(i), *column = columns_of(i);
    for (Index g = 0; g < n_groups; ++g) {
      double& total = totals[column[g] * n_classes + own];
      if (total == 0.0) clear(g, column[g] - column_starts[g], own);
      total += raised;
      inverses[column[g] * n_classes + own] = 1.0 / total;
    }
    for (Index k = 0; k < n_families; ++k) counts[cell[k] * n_classes + own] += raised;
  }

 private:
  // Sets to 0 the cells of a configuration and a class, in all children of group g.
  void clear(Index g, Index config, Index own) const {
    require(0 <= config && config < column_starts[g + 1] - column_starts[g],
            "columns: each of its group");
    for (Index k = members[g]; k < members[g + 1]; ++k) {
      double* cell = counts + (cell_starts[k] + config * cards[k]) * n_classes + own;
      for (Index s = 0; s < cards[k]; ++s) cell[s * n_classes] = 0.0;
    }
  }
};

// Families without the class: where a row looks at them, and what rows have reached.
struct Outside {
  const std::uint32_t *cells, *columns;
  bool *is_seen, *has_seen;
  Index n_families;

  // Whether a factor of row i is 0.
  bool is_nought(Index i) const {
    bool found = false;
    for (Index f = i * n_families; f < (i + 1) * n_families; ++f)
      found |= has_seen[columns[f]] && !is_seen[cells[f]];
    return found;
  }
  void see(Index i) const {
    for (Index f = i * n_families; f < (i + 1) * n_families; ++f)
      is_seen[cells[f]] = has_seen[columns[f]] = true;
  }
};

BNLR_APART std::uint32_t largest(const std::uint32_t* __restrict v, Index n) {
  std::uint32_t top = 0;
  for (Index i = 0; i < n; ++i) top = v[i] > top ? v[i] : top;
  return top;
}

// The rows `first:first + n` of places: one block at a turn, which is near when it is learned from.
void check_below(const Given& places, Index first, Index n, Index end, const char* message) {
  const Index width = columns(places);
  require(!n || !width || largest(places.data() + first * width, n * width) < end, message);
}

}  // namespace

// Raises the counts by weight · loss, row by row; fills `losses` and `shares`.
//
// Row i of `cells` and `columns` is row `rows[i]` of the arrays from `classes` to `shares`, which is
// P(own class | row), and −1 where a plain product cannot tell. `is_new` tells which rows of `counts`
// of the class's own family no row has reached.
void py_learn(const Given& cells, const Given& columns, const Places& members,
              const Places& cell_starts, const Places& column_starts, const Places& cards,
              const Places& chosen, const Places& classes, const Vector<const double>& weights,
              const Vector<double>& losses, const Vector<double>& shares, const Vector<bool>& is_new,
              const Matrix<double>& counts, const Matrix<double>& totals, const Matrix<double>& inverses,
              const Given& outside, const Given& above, const Vector<bool>& is_seen,
              const Vector<bool>& has_seen) {
  const Index n = rows(chosen), n_all = rows(classes), n_classes = bnlr::columns(counts);
  const Index n_families = bnlr::columns(cells), n_groups = rows(members) - 1;
  check_shape(cells, n, n_families, "cells: (n_rows, n_families)");
  check_shape(columns, n, n_groups, "columns: (n_rows, n_groups)");
  check_shape(outside, n, bnlr::columns(outside), "outside: one row a row");
  check_shape(above, n, bnlr::columns(outside), "above: as outside");
  require(rows(weights) == n_all && rows(losses) == n_all && rows(shares) == n_all,
          "weights, losses and shares: one a row");
  require(bnlr::columns(totals) == n_classes && bnlr::columns(inverses) == n_classes &&
              rows(inverses) == rows(totals),
          "totals and inverses: (n_columns, n_classes)");
  require(n_families >= 1 && n_groups >= 0 && rows(cards) == n_families &&
              rows(cell_starts) == n_families + 1 && rows(column_starts) == n_groups + 1,
          "cards, cell_starts and column_starts: one a family or group, and the end");
  require(cell_starts(0) == 0 && cell_starts(1) <= rows(is_new),
          "is_new: one a cell of the first family");
  require(members(0) == 1 && members(n_groups) == n_families, "members: all families but the first");
  for (Index g = 0; g < n_groups; ++g) {
    require(members(g) <= members(g + 1) && members(g + 1) <= n_families, "members: increasing");
    for (Index k = members(g); k < members(g + 1); ++k)
      require(0 <= cell_starts(k) && 0 <= cards(k) && column_starts(g) <= column_starts(g + 1) &&
                  cell_starts(k) + (column_starts(g + 1) - column_starts(g)) * cards(k) <= rows(counts),
              "cell_starts: cells of counts");
  }
  const Learner learner{cells.data(),     columns.data(), members.data(), cell_starts.data(),
                        column_starts.data(), cards.data(), n_families,     n_groups,
                        n_classes,        counts.data(),  totals.data(),  inverses.data()};
  const Outside rest{outside.data(), above.data(), is_seen.data(), has_seen.data(),
                     bnlr::columns(outside)};
  std::vector<double> products(n_classes), mantissas(n_classes);
  std::vector<Index> exponents(n_classes);
  Patience patience;
  for (Index i = 0; i < n; ++i) {
    if (i % kBlock == 0) {
      patience.spend(kBlock * n_classes * (bnlr::columns(cells) + 4));
      const Index here = std::min(kBlock, n - i);
      check_below(cells, i, here, rows(counts), "cells: rows of counts");
      check_below(columns, i, here, rows(totals), "columns: rows of totals");
      check_below(outside, i, here, rows(is_seen), "outside: places in is_seen");
      check_below(above, i, here, rows(has_seen), "above: places in has_seen");
    }
    const Index row = chosen(i);
    require(0 <= row && row < n_all, "rows: places of rows");
    const Index own = classes(row), first = cells(i, 0);
    require(0 <= own && own < n_classes, "classes: those of the counts");
    require(first < rows(is_new), "cells: the first is of the first family");
    if (n_classes == 2 && n_families < kFewFamilies) learner.multiply_two(i, products.data());
    else if (n_classes == 2) learner.multiply<2>(i, products.data());
    else if (n_classes == 3) learner.multiply<3>(i, products.data());
    else if (n_classes == 4) learner.multiply<4>(i, products.data());
    else learner.multiply_many(i, products.data());
    // The other classes are added up, so that a small loss keeps its digits.
    const double right = products[own];
    products[own] = 0.0;
    double others = products[0];
    if (n_classes >= kLanes) others = sum(products.data(), n_classes);
    else
      for (Index c = 1; c < n_classes; ++c) others += products[c];
    const double total = others + right;
    double loss = total >= kLeastExact ? others / total
                                       : learner.scaled_loss(i, own, mantissas, exponents);
    if (loss < kLeastLoss) loss = 0.0;
    if (rest.is_nought(i)) loss = 1.0 - 1.0 / static_cast<double>(n_classes);  // 0 for every class
    losses(row) = loss;
    shares(row) = right >= kLeastExact ? right / total : -1.0;
    const double raised = weights(row) * loss;
    if (raised < kLeastRaise) continue;
    if (is_new(first)) {
      is_new(first) = false;
      for (Index c = 0; c < n_classes; ++c) counts(first, c) = 0.0;
    }
    learner.raise(i, own, raised);
    rest.see(i);
  }
}

}  // namespace bnlr::learn
