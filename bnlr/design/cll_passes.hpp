// Passes over packed rows: loops on plain pointers, which a room's `kernels.cpp` hands to Python and
// `objectives` walks over without Python in between.
//
// `table` (n_group_cells, k) with k = n_classes − 1 differences from the first class, `offsets`
// (n_groups + 1) first row of each group and the end, `codes` (n_groups, n_rows), `classes`
// (n_rows), `weights` (n_rows) or null for ones, rows start:stop only.
#pragma once

#include <algorithm>
#include <memory>

#include "../native/vector_math.hpp"

namespace bnlr::design {

using Index = std::int64_t;

constexpr Index kBlockNumbers = 2048;
constexpr Index kMostRows = 512;

inline Index block_rows(Index width) {
  return std::min(kMostRows, std::max<Index>(16, kBlockNumbers / width));
}

// Classes in as many bytes as they need. They are widened block by block: kernels for each width
// would be three times the code.
struct Classes {
  const void* data;
  int bytes;

  void read(Index first, Index n, std::int32_t* __restrict out) const {
    if (bytes == 1) widen<std::uint8_t>(first, n, out);
    else if (bytes == 2) widen<std::uint16_t>(first, n, out);
    else widen<std::uint32_t>(first, n, out);
  }

 private:
  template <class T>
  void widen(Index first, Index n, std::int32_t* __restrict out) const {
    const T* own = static_cast<const T*>(data) + first;
    for (Index i = 0; i < n; ++i) out[i] = static_cast<std::int32_t>(own[i]);
  }
};

// Packed rows as Python holds them; codes of groups take 2 or 4 bytes.
struct Rows {
  const Index* offsets;
  const void* codes;
  int bytes;
  Classes classes;
  const double* weights;  // null: ones
  Index n_groups, n_rows;

  Index n_cells() const { return offsets[n_groups]; }
  double weight(Index i) const { return weights ? weights[i] : 1.0; }
  const double* weights_from(Index i) const { return weights ? weights + i : nullptr; }
};

// Their codes, of known width.
template <class Code>
struct Coded {
  const Index* offsets;
  const Code* codes;
  Index n_groups, n_rows;

  explicit Coded(const Rows& rows)
      : offsets(rows.offsets), codes(static_cast<const Code*>(rows.codes)), n_groups(rows.n_groups),
        n_rows(rows.n_rows) {}
  const Code* group(Index g, Index first) const { return codes + g * n_rows + first; }
};

// f(coded rows). Each width is a copy of all that f does: it should be one loop.
template <class F>
auto with_coded(const Rows& rows, F&& f) {
  return rows.bytes == 2 ? f(Coded<std::uint16_t>(rows)) : f(Coded<std::uint32_t>(rows));
}

// Adds k numbers.
inline void add_row(const double* __restrict value, Index k, double* __restrict row) {
  for (; k >= 8; k -= 8, value += 8, row += 8)
    for (int c = 0; c < 8; ++c) row[c] += value[c];
  if (k & 4) {
    for (int c = 0; c < 4; ++c) row[c] += value[c];
    value += 4, row += 4;
  }
  if (k & 2) {
    for (int c = 0; c < 2; ++c) row[c] += value[c];
    value += 2, row += 2;
  }
  if (k & 1) *row += *value;
}

// Room for a block of rows: scores (rows, width), and one number a row of all else.
struct Block {
  Block(Index width, Index n)
      : rows(std::min(width == 1 ? kMostRows : block_rows(width), std::max<Index>(n, 1))),
        held(new double[rows * (width + 6) + kLanes]()), scores(held.get()), rest(scores + rows * width),
        own(rest + rows), others(own + rows), right(others + rows), gains(right + rows),
        slopes(gains + rows), chosen(new std::int32_t[rows]) {}
  Index rows;
  std::unique_ptr<double[]> held;
  double *scores, *rest, *own, *others, *right, *gains, *slopes;
  std::unique_ptr<std::int32_t[]> chosen;

  // The rows' classes, as numbers beside numbers.
  void read(const Classes& classes, Index first, Index n) {
    classes.read(first, n, chosen.get());
    for (Index i = 0; i < n; ++i) rest[i] = chosen[i];
  }
};

struct OnLine {
  double value, slope;
};

struct Entropy {
  double total, least;
};

// Sums of table entries, two classes.
void gather_one(const double* table, const Rows& rows, Index first, Index n, double* out);

// Adds the rows' values to their entries, two classes.
void scatter_one(const double* values, const Rows& rows, Index first, Index n, double* table);

// Sums of table entries: `scores` (stop − start, width).
void gather(const double* table, const Rows& rows, Index width, Index start, Index stop, double* scores);

// The rows' CLL; fills P(c | x) of classes 1.. and adds to the CLL's gradient.
double linearise(const double* table, const Rows& rows, Index k, Index start, Index stop, double* p,
                 double* gradient);

// Adds to `product` the Hessian of −CLL times the direction `table`.
void curvature(const double* table, const Rows& rows, Index k, const double* p, Index start, Index stop,
               double* product);

// Adds Σ w·p·(1 − p) of each class to `table` (n_group_cells, n_classes).
void spread(const double* p, const Rows& rows, Index k, Index n_cells, Index start, Index stop,
            double* table);

// CLL of the rows at `scores + s·steps`, and its derivative in s.
OnLine line(const double* scores, const double* steps, const Classes& classes, const double* weights,
            double s, Index k, Index start, Index stop);

// Fills `moved` with p·(1 + s − E_p s) kept in [0, 1], s the scores of `table`; adds to the gradient
// Σ w·(observed − moved).
void correct(const double* table, const Rows& rows, Index k, Index start, Index stop, const double* p,
             double* moved, double* gradient);

// Σ w·H(p) in natural log over the rows, and the least w·p of any class.
Entropy entropy(const double* p, const double* weights, Index k, Index start, Index stop);

// The family cells of each group cell, `cells[ends[cell]:ends[cell + 1]]`, one a family.
struct Members {
  const Index *ends, *cells;
  Index n_families, n_cells;
};

// Adds row r of `values` (n, width) to `table` (n_cells, n_cells, width) at all pairs of family cells of
// row `chosen[r]`. Of each two families only one order of the pair is filled.
void cross(const double* values, Index width, const Rows& rows, const Members& members,
           const Index* chosen, Index n, double* table);

// Fills row j of `grouped` with the sum of the rows `cells[ends[j]:ends[j + 1]]`.
void expand(const Index* ends, const Index* cells, Index n, Index width, const double* tables,
            double* grouped);

// Adds row j of `grouped` to the rows `cells[ends[j]:ends[j + 1]]` of `tables`.
void collapse(const Index* ends, const Index* cells, Index n, Index width, const double* grouped,
              double* tables);

}  // namespace bnlr::design
