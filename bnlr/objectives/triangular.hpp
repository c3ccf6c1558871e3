// Cholesky's factor of a small matrix, and systems solved by it.
//
// Loops run along rows, element by element, so that the bits depend on no vector's length; the matrix
// is filled up to whole panels of rows, so that all loops are of whole vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "../native/vector_math.hpp"

namespace bnlr::objectives {

using Index = std::int64_t;

constexpr Index kPanel = 8;  // rows worked off at a turn: alone, a row is mostly loads and stores

// Room for numbers on the boundary of a cache's line, across which a vector would be loaded twice.
class Aligned {
 public:
  explicit Aligned(Index n) : held_(new double[n + kPanel]) {
    const auto past = reinterpret_cast<std::uintptr_t>(held_.get()) % (kPanel * sizeof(double));
    first_ = held_.get() + (past ? kPanel - past / sizeof(double) : 0);
  }
  double* data() { return first_; }
  const double* data() const { return first_; }

 private:
  std::unique_ptr<double[]> held_;
  double* first_;
};

// row −= Σ factors[r]·rows[r] of a panel, whose rows are `stride` apart.
BNLR_APART inline void take_panel(const double* __restrict rows, Index stride,
                                  const double* __restrict factors, Index n, double* __restrict row) {
  const double f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
  const double f4 = factors[4], f5 = factors[5], f6 = factors[6], f7 = factors[7];
  const double *r0 = rows, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
  const double *r4 = r3 + stride, *r5 = r4 + stride, *r6 = r5 + stride, *r7 = r6 + stride;
  for (Index j = 0; j < n; ++j)
    row[j] -= ((f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j])) +
              ((f4 * r4[j] + f5 * r5[j]) + (f6 * r6[j] + f7 * r7[j]));
}

// row −= factor·other.
BNLR_APART inline void take_row(const double* __restrict other, double factor, Index n,
                                double* __restrict row) {
  for (Index j = 0; j < n; ++j) row[j] -= factor * other[j];
}

// A matrix, then its factor U, UᵀU = A, above the diagonal and Uᵀ below; in place of the squares on
// the diagonal, one a panel, their inverses: substitution would wait for each number before the next.
class Factor {
 public:
  explicit Factor(Index n)
      : n_(n), stride_((n + kPanel - 1) / kPanel * kPanel), matrix_(stride_ * stride_),
        squares_(2 * kPanel * stride_) {}

  Index stride() const { return stride_; }
  double* row(Index i) { return matrix_.data() + i * stride_; }

  // Zeros above the diagonal and in the squares on it: what is below comes from there.
  void clear() {
    for (Index i = 0; i < stride_; ++i) {
      const Index from = i / kPanel * kPanel;
      std::fill_n(row(i) + from, stride_ - from, 0.0);
    }
  }

  // Take the matrix, cleared and then filled above the diagonal in rows 0:n, for its factor; false if
  // it is not positive.
  bool work_out() {
    for (Index i = n_; i < stride_; ++i) row(i)[i] = 1.0;
    for (Index k = 0; k < stride_; k += kPanel) {
      if (!work_out_panel(k)) return false;
      for (Index i = k + kPanel; i < stride_; ++i) {
        double factors[kPanel];
        for (Index r = 0; r < kPanel; ++r) factors[r] = row(k + r)[i];
        const Index from = i / kPanel * kPanel;  // what that changes below the diagonal is not read
        take_panel(row(k) + from, stride_, factors, stride_ - from, row(i) + from);
      }
    }
    for (Index k = 0; k < stride_; k += kPanel) {
      invert_square(k);
      for (Index j = k + kPanel; j < stride_; j += kPanel) mirror(k, j);
    }
    return true;
  }

  // Overwrite `b` (stride) with x, A·x = b; beyond n it is 0.
  void solve(double* __restrict b) const {
    const double* matrix = matrix_.data();
    double own[kPanel];
    for (Index k = 0; k < stride_; k += kPanel) {
      apply(square(k), b + k, own);
      take_panel(matrix + k * stride_ + k + kPanel, stride_, own, stride_ - k - kPanel, b + k + kPanel);
    }
    for (Index k = stride_ - kPanel; k >= 0; k -= kPanel) {
      apply(square(k) + kPanel * kPanel, b + k, own);
      take_panel(matrix + k * stride_, stride_, own, k, b);
    }
  }

 private:
  const double* square(Index k) const { return squares_.data() + 2 * kPanel * k; }

  // Overwrite `b` with the product of a square, given by its columns, and `b`; `own` too.
  static void apply(const double* __restrict columns, double* __restrict b, double* __restrict own) {
    for (Index r = 0; r < kPanel; ++r) own[r] = columns[r] * b[0];
    for (Index c = 1; c < kPanel; ++c)
      for (Index r = 0; r < kPanel; ++r) own[r] += columns[c * kPanel + r] * b[c];
    for (Index r = 0; r < kPanel; ++r) b[r] = own[r];
  }

  bool work_out_panel(Index k) {
    for (Index i = k; i < k + kPanel; ++i) {
      double* own = row(i);
      for (Index q = k; q < i; ++q) take_row(row(q) + k, row(q)[i], stride_ - k, own + k);
      if (!(own[i] > 0.0)) return false;
      const double root = std::sqrt(own[i]), scale = 1.0 / root;
      own[i] = root;
      for (Index j = i + 1; j < stride_; ++j) own[j] *= scale;
    }
    return true;
  }

  // U's square's inverse: of its transpose by columns, then itself.
  void invert_square(Index k) {
    double* inverse = squares_.data() + 2 * kPanel * k;
    double* transposed = inverse + kPanel * kPanel;
    std::fill_n(inverse, 2 * kPanel * kPanel, 0.0);
    for (Index c = 0; c < kPanel; ++c)
      for (Index r = c; r >= 0; --r) {
        double left = r == c ? 1.0 : 0.0;
        for (Index q = r + 1; q <= c; ++q) left -= row(k + r)[k + q] * inverse[q * kPanel + c];
        inverse[r * kPanel + c] = transposed[c * kPanel + r] = left / row(k + r)[k + r];
      }
  }

  void mirror(Index k, Index j) {
    for (Index c = 0; c < kPanel; ++c)
      for (Index r = 0; r < kPanel; ++r) row(j + c)[k + r] = row(k + r)[j + c];
  }

  Index n_, stride_;
  Aligned matrix_, squares_;
};

}  // namespace bnlr::objectives
