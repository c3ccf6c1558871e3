// Tables in coefficients of interactions, and back, and what families share of them.
// `interaction_twins.py` gives the same bits with NumPy.
#include "interactions.hpp"

#include <algorithm>
#include <cmath>

namespace bnlr::objectives {

namespace {

// Coefficients of a fibre in Helmert's basis, each a row of `after` numbers, the constant's first.
template <class Width>
void to_coefficients(double* fibre, Index card, Width after, const double* norms) {
  double* __restrict sum = fibre;
  for (Index k = 1; k < card; ++k) {
    double* __restrict own = fibre + k * after;
    const double times = static_cast<double>(k), norm = norms[k];
    for (Index j = 0; j < after; ++j) {
      const double value = own[j];
      own[j] = (sum[j] - times * value) * norm;
      sum[j] += value;
    }
  }
  for (Index j = 0; j < after; ++j) sum[j] *= norms[0];
}

template <class Width>
void from_coefficients(double* fibre, Index card, Width after, const double* norms) {
  double* __restrict sum = fibre;
  for (Index j = 0; j < after; ++j) sum[j] *= norms[0];
  for (Index k = card - 1; k > 0; --k) {
    double* __restrict own = fibre + k * after;
    const double times = static_cast<double>(k), norm = norms[k];
    for (Index j = 0; j < after; ++j) {
      const double part = own[j] * norm;
      own[j] = sum[j] - times * part;
      sum[j] += part;
    }
  }
}

// `after` numbers lie between neighbours of an axis; few of them are a constant of the loops.
template <class Width>
void along(double* values, Index before, Index card, Width after, const double* norms, bool forth) {
  for (Index b = 0; b < before; ++b) {
    double* fibre = values + b * card * after;
    if (forth)
      to_coefficients(fibre, card, after, norms);
    else
      from_coefficients(fibre, card, after, norms);
  }
}

template <Index kWidth>
using Constant = std::integral_constant<Index, kWidth>;

void along_axis(double* values, Index before, Index card, Index after, const double* norms, bool forth) {
  switch (after) {
    case 1: return along(values, before, card, Constant<1>(), norms, forth);
    case 2: return along(values, before, card, Constant<2>(), norms, forth);
    case 3: return along(values, before, card, Constant<3>(), norms, forth);
    case 4: return along(values, before, card, Constant<4>(), norms, forth);
    case 8: return along(values, before, card, Constant<8>(), norms, forth);
    default: return along(values, before, card, after, norms, forth);
  }
}

std::vector<double> norms_of(Index card) {
  std::vector<double> norms(card);
  norms[0] = 1.0 / std::sqrt(static_cast<double>(card));
  for (Index k = 1; k < card; ++k) norms[k] = 1.0 / std::sqrt(static_cast<double>(k * (k + 1)));
  return norms;
}

}  // namespace

// Changes stacked tables in place, family by family, axis by axis; `cards`, `ends` and `offsets` are
// those of a `Scopes`.
void py_turn(const Matrix<double>& values, const Vector<const Index>& cards, const Vector<const Index>& ends, const Vector<const Index>& offsets,
             bool forth) {
  const Index n_families = rows(offsets) - 1, width = columns(values);
  require(n_families >= 0 && rows(ends) == n_families + 1, "ends and offsets: one a family, and the end");
  for (Index f = 0; f < n_families; ++f) {
    Index size = 1;
    require(0 <= ends(f) && ends(f) <= ends(f + 1) && ends(f + 1) <= rows(cards), "ends: increasing");
    for (Index k = ends(f); k < ends(f + 1); ++k) {
      require(cards(k) > 0 && cards(k) <= rows(values) / size, "cards: no more cells than values");
      size *= cards(k);
    }
    require(offsets(f) >= 0 && offsets(f) <= rows(values) - size, "offsets: within the values");
    double* own = values.data() + offsets(f) * width;
    Index before = 1, after = size * width;
    for (Index k = ends(f); k < ends(f + 1); ++k) {
      const Index card = cards(k);
      after /= card;
      along_axis(own, before, card, after, norms_of(card).data(), forth);
      before *= card;
    }
  }
}

// Coefficient `cells[k]`, of weight w, of each group `ends[g]:ends[g + 1]` becomes w·damping·Σ w·value;
// `inverse` times what that leaves of `parts`, as all classes have it, is added.
void py_share(const Matrix<const double>& parts, const Matrix<double>& values,
              const Vector<const Index>& cells, const Vector<const Index>& ends,
              const Vector<const double>& weights, const Vector<const double>& damping, double inverse) {
  const Index n_groups = rows(damping), width = columns(values), n_rows = rows(values);
  require(rows(parts) == n_rows && columns(parts) == width, "parts: as values");
  require(rows(ends) == n_groups + 1 && ends(0) == 0 && ends(n_groups) == rows(cells),
          "ends: one a group, and the end");
  require(rows(weights) == rows(cells), "weights: one a cell");
  for (Index g = 0; g < n_groups; ++g) require(ends(g) <= ends(g + 1), "ends: increasing");
  for (Index k = 0; k < rows(cells); ++k)
    require(0 <= cells(k) && cells(k) < n_rows, "cells: rows of the values");
  const Index *at = cells.data(), *end = ends.data();
  const double *weight = weights.data(), *from = parts.data();
  double* into = values.data();
  std::vector<double> sums(2 * width);
  double *total = sums.data(), *before = total + width;
  for (Index g = 0; g < n_groups; ++g) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (Index k = end[g]; k < end[g + 1]; ++k)
      for (Index c = 0; c < width; ++c) {
        total[c] += weight[k] * into[at[k] * width + c];
        before[c] += weight[k] * from[at[k] * width + c];
      }
    for (Index c = 0; c < width; ++c) total[c] *= damping(g);
    for (Index k = end[g]; k < end[g + 1]; ++k) {
      const double *was = from + at[k] * width, w = weight[k];
      double *own = into + at[k] * width, left = 0.0;
      for (Index c = 0; inverse > 0 && c < width; ++c) left += was[c] - w * before[c];
      for (Index c = 0; c < width; ++c) {
        const double traded = inverse > 0 ? inverse * (was[c] - w * before[c] + left) : 0.0;
        own[c] = w * total[c] + traded;
      }
    }
  }
}

// Multiplies each row of `values` by `inverses` of all classes: own · inverse + total · that of the first.
void py_scale(const Matrix<double>& values, const Matrix<const double>& inverses) {
  const Index n_rows = rows(values), width = columns(values);
  require(rows(inverses) == n_rows && columns(inverses) == width + 1, "inverses: one a class");
  double* __restrict own = values.data();
  const double* __restrict of = inverses.data();
  for (Index i = 0; i < n_rows; ++i, own += width, of += width + 1) {
    double total = 0.0;
    for (Index c = 0; c < width; ++c) total += own[c];
    total *= of[0];
    for (Index c = 0; c < width; ++c) own[c] = own[c] * of[c + 1] + total;
  }
}

}  // namespace bnlr::objectives
