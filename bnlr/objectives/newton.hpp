// Newton's method where rows and tables are few, the parameters being the tables themselves: the walk
// of `bnlr.optimize.newton`, rule by rule, with nothing but loops between the products.
//
// Parameters, directions and gradients are (n_cells, k), k = n_classes − 1. All memory is taken when
// a walk begins.
#pragma once

#include <cstring>
#include <vector>

#include "../design/cll_passes.hpp"
#include "line_search.hpp"
#include "triangular.hpp"

namespace bnlr::objectives {

using design::Block;
using Code = std::uint16_t;  // small tables have short codes
using Numbers = std::vector<double>;

// R of `SmoothPenalty`, by rows: row i has the `values` at `cells` from `ends[i]` to `ends[i + 1]`. No
// ends: the identity, that is the plain penalty.
struct Roughness {
  const Index *ends, *cells;
  const double* values;

  // Σ_j R_ij v_jc over the cells j, for one class c of `k`.
  double row(Index i, const double* v, Index c, Index k) const {
    double total = 0.0;
    for (Index at = ends[i]; at < ends[i + 1]; ++at) total += values[at] * v[cells[at] * k + c];
    return total;
  }

  double diagonal(Index i) const {
    if (!ends) return 1.0;
    for (Index at = ends[i]; at < ends[i + 1]; ++at)
      if (cells[at] == i) return values[at];
    return 0.0;
  }
};

// Rows, penalty and centre of −CLL + penalty; group cell j holds `cells[ends[j]:ends[j + 1]]`.
struct Problem {
  design::Rows rows;  // whose codes are `Code`
  const Index *ends, *cells;
  Index n_grouped, n_cells, k;
  const Index* drawn;  // rows that the preconditioner is taken from
  Index n_drawn;
  double strength;    // 0: no penalty
  double modulus;     // what it curves all tables by at least, but the class prior
  Index first, last;  // the class's own cells
  const double* centre;
  Roughness rough;

  Index size() const { return n_cells * k; }
};

// Group cells from cells and back, as `expand` and `collapse`, for tables that stay in the first-level
// cache. All sums run over what is added: added up in memory they would wait for one another.
class Groups {
 public:
  explicit Groups(const Problem& problem)
      : problem_(problem), cells_(problem.cells, problem.cells + problem.ends[problem.n_grouped]),
        ends_(problem.n_cells + 1), members_(cells_.size()) {
    for (const std::int32_t cell : cells_) ++ends_[cell + 1];
    for (Index cell = 0; cell < problem.n_cells; ++cell) ends_[cell + 1] += ends_[cell];
    std::vector<std::int32_t> next(ends_.begin(), ends_.end() - 1);
    for (Index g = 0; g < problem.n_grouped; ++g)
      for (Index j = problem.ends[g]; j < problem.ends[g + 1]; ++j)
        members_[next[cells_[j]]++] = static_cast<std::int32_t>(g);
  }

  // Fill `grouped` (n_grouped, k).
  void expand(const double* tables, double* __restrict grouped) const {
    if (problem_.k > 1)
      return design::expand(problem_.ends, problem_.cells, problem_.n_grouped, problem_.k, tables, grouped);
    const auto& rows = problem_.rows;
    const std::int32_t* cell = cells_.data();
    for (Index g = 0; g < rows.n_groups; ++g) {
      const Index first = rows.offsets[g], last = rows.offsets[g + 1];
      const Index n_families = first < last ? problem_.ends[first + 1] - problem_.ends[first] : 0;
      for (Index j = first; j < last; ++j) {
        double total = 0.0;
        for (Index f = 0; f < n_families; ++f) total += tables[*cell++];
        grouped[j] = total;
      }
    }
  }

  // Fill `tables` (n_cells, width).
  void collapse(const double* grouped, Index width, double* __restrict tables) const {
    for (Index cell = 0; cell < problem_.n_cells; ++cell) {
      const std::int32_t *from = members_.data() + ends_[cell], *to = members_.data() + ends_[cell + 1];
      if (width == 1) {
        double total = 0.0;
        for (; from < to; ++from) total += grouped[*from];
        tables[cell] = total;
        continue;
      }
      double* __restrict row = tables + cell * width;
      std::fill_n(row, width, 0.0);
      for (; from < to; ++from) {
        const double* own = grouped + *from * width;
        for (Index c = 0; c < width; ++c) row[c] += own[c];
      }
    }
  }

 private:
  const Problem& problem_;
  std::vector<std::int32_t> cells_, ends_, members_;
};

// What `bnlr.optimize` and `precondition` know besides.
struct Rules {
  SearchRules search;
  double first_radius, growth, overconfident, doubtful, resolved, easy;
  double blend, least_curvature, settled;
  double runaway, most_stalls;
};

enum class Outcome { kGoOn, kConverged, kLost };

// What is told of a walk, in this order.
#define BNLR_TOLD(X) \
  X(value) X(largest) X(decrement) X(gap) X(decrease) X(stalls) X(cut) X(n_iter) X(n_cll) X(n_gradient) X(n_hvp)

struct Told {
#define BNLR_MEMBER(name) double name = 0.0;
  BNLR_TOLD(BNLR_MEMBER)
#undef BNLR_MEMBER
};

BNLR_APART inline void add(double factor, const double* __restrict step, Index n,
                           double* __restrict to) {
  for (Index i = 0; i < n; ++i) to[i] += factor * step[i];
}

// to = step + factor·to.
BNLR_APART inline void follow(const double* __restrict step, double factor, Index n,
                              double* __restrict to) {
  for (Index i = 0; i < n; ++i) to[i] = step[i] + factor * to[i];
}

BNLR_APART inline void subtract(const double* __restrict a, const double* __restrict b, Index n,
                                double* __restrict out) {
  for (Index i = 0; i < n; ++i) out[i] = a[i] - b[i];
}

constexpr double kRounded = 1e-9;

// Largest absolute number; NaN if one is not finite.
inline double largest(const double* v, Index n) {
  double top = 0.0;
  bool fine = true;
  for (Index i = 0; i < n; ++i) {
    const double size = std::fabs(v[i]);
    fine &= size < kInfinity;
    top = size > top ? size : top;
  }
  return fine ? top : std::numeric_limits<double>::quiet_NaN();
}

// Add the Hessian of `SmoothPenalty` times `direction` to `product`; `room` (2k + size).
inline void penalise_rough(const Problem& problem, const double* direction, double* room,
                           double* product) {
  const Index k = problem.k, first = problem.first, last = problem.last, n = problem.size();
  double *mean = room, *one = room + k, *moved = room + 2 * k;
  const double share = 1.0 / static_cast<double>(last - first);
  const auto find_mean = [&](const double* of) {
    std::fill(mean, mean + k, 0.0);
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < k; ++c) mean[c] += of[i * k + c] * share;
  };
  find_mean(direction);
  std::copy(direction, direction + n, moved);
  for (Index i = first; i < last; ++i)
    for (Index c = 0; c < k; ++c) moved[i * k + c] -= mean[c];
  std::fill(mean, mean + k, 0.0);
  const double part = k == 1 ? 0.5 : 1.0 / static_cast<double>(k + 1);
  for (Index i = 0; i < problem.n_cells; ++i) {
    double total = 0.0;
    for (Index c = 0; c < k; ++c) total += one[c] = problem.rough.row(i, moved, c, k);
    for (Index c = 0; c < k; ++c) {
      const double added = problem.strength * (one[c] - total * part);
      product[i * k + c] += added;
      if (first <= i && i < last) mean[c] += added * share;
    }
  }
  for (Index i = first; i < last; ++i)
    for (Index c = 0; c < k; ++c) product[i * k + c] -= mean[c];
}

// A penalty of 0 at least; infinite where rounding has made it less than nothing.
inline double as_square(double value) {
  if (value >= 0) return value;
  return value > -kRounded ? 0.0 : kInfinity;
}

// Add the Hessian of `Penalty` times `direction` to `product`; `room` (2k).
inline void penalise(const Problem& problem, const double* direction, double* room, double* product) {
  if (problem.rough.ends) return penalise_rough(problem, direction, room, product);
  const Index k = problem.k, first = problem.first, last = problem.last;
  double *mean = room, *moved = room + k;
  for (Index c = 0; c < k; ++c) mean[c] = 0.0;
  const double share = 1.0 / static_cast<double>(last - first);
  for (Index i = first; i < last; ++i)
    for (Index c = 0; c < k; ++c) mean[c] += direction[i * k + c] * share;
  const double whole = problem.strength, part = 1.0 / static_cast<double>(k + 1);
  if (k == 1) {
    add(0.5 * whole, direction, problem.n_cells, product);
    for (Index i = first; i < last; ++i) product[i] -= 0.5 * whole * mean[0];
    return;
  }
  for (Index i = 0; i < problem.n_cells; ++i) {
    const bool is_own = first <= i && i < last;
    double total = 0.0;
    for (Index c = 0; c < k; ++c) {
      moved[c] = direction[i * k + c] - (is_own ? mean[c] : 0.0);
      total += moved[c];
    }
    for (Index c = 0; c < k; ++c) product[i * k + c] += whole * (moved[c] - total * part);
  }
}

// The curvature of −CLL as if the classes were alike, and penalty: what is factored.
class Curvature {
 public:
  Curvature(const Problem& problem, const Groups& groups)
      : problem_(problem), groups_(groups), sums_(problem.n_grouped * (problem.k + 1)),
        diagonal_(problem.n_cells * (problem.k + 1)), rank_(ranks(problem)), own_(rank_.size()) {}

  // Fill the upper half of `matrix`, given the rows' probabilities.
  void fill(const double* p, double blend, double least, Factor& matrix) {
    matrix.clear();
    add_rows(p, matrix);
    find_diagonal(p);
    make_positive(blend, least, matrix);
    if (problem_.k == 1)
      for (Index i = 0; i < problem_.n_cells; ++i)
        for (Index j = i; j < problem_.n_cells; ++j) matrix.row(i)[j] *= 0.5;
  }

  // The diagonal alone, after `fill`: for a matrix that is not positive to working precision.
  void fill_diagonal(double least, Factor& matrix) {
    const Index n = problem_.n_cells, width = problem_.k + 1;
    matrix.clear();
    double top = 1.0;
    for (Index i = 0; i < n; ++i) {
      const double* row = diagonal_.data() + i * width;
      matrix.row(i)[i] =
          *std::max_element(row, row + width) + problem_.strength * problem_.rough.diagonal(i);
      top = std::max(top, matrix.row(i)[i]);
    }
    for (Index i = 0; i < n; ++i) matrix.row(i)[i] = std::max(matrix.row(i)[i], least * top);
  }

 private:
  // Where each of a row's families, in the order of its groups, stands in the order of their cells.
  static std::vector<Index> ranks(const Problem& problem) {
    std::vector<Index> firsts;
    for (Index g = 0; g < problem.rows.n_groups; ++g) {
      const Index cell = problem.rows.offsets[g];
      const Index *from = problem.cells + problem.ends[cell], *to = problem.cells + problem.ends[cell + 1];
      firsts.insert(firsts.end(), from, to);
    }
    std::vector<Index> rank(firsts.size());
    for (std::size_t i = 0; i < firsts.size(); ++i)
      rank[i] = std::count_if(firsts.begin(), firsts.end(), [&](Index at) { return at < firsts[i]; });
    return rank;
  }

  // Σ v·z·zᵀ of the rows' cell indicators z.
  void add_rows(const double* p, Factor& matrix) {
    const Index k = problem_.k, stride = matrix.stride();
    double* first = matrix.row(0);
    const Code* codes = static_cast<const Code*>(problem_.rows.codes);
    const double scale = static_cast<double>(problem_.rows.n_rows) /
                         static_cast<double>(problem_.n_drawn * k);
    for (Index r = 0; r < problem_.n_drawn; ++r) {
      const Index i = problem_.drawn[r];
      double rest = 1.0, value = 0.0;
      for (Index c = 0; c < k; ++c) {
        const double share = p[i * k + c];
        rest -= share;
        value += share * (1.0 - share);
      }
      rest = std::max(rest, 0.0);
      value = (value + rest * (1.0 - rest)) * problem_.rows.weight(i) * scale;
      Index at = 0;
      for (Index g = 0; g < problem_.rows.n_groups; ++g) {
        const Index cell = problem_.rows.offsets[g] + codes[g * problem_.rows.n_rows + i];
        for (Index j = problem_.ends[cell]; j < problem_.ends[cell + 1]; ++j)
          own_[rank_[at++]] = problem_.cells[j];
      }
      const Index* own = own_.data();
      const auto n_families = static_cast<Index>(own_.size());
      for (Index a = 0; a < n_families; ++a) {
        double* __restrict row = first + own[a] * stride;
        Index b = a;
        for (; b + 4 <= n_families; b += 4) {
          row[own[b]] += value;
          row[own[b + 1]] += value;
          row[own[b + 2]] += value;
          row[own[b + 3]] += value;
        }
        for (; b < n_families; ++b) row[own[b]] += value;
      }
    }
  }

  // The diagonal of all rows and classes, (n_cells, n_classes).
  void find_diagonal(const double* p) {
    const Index width = problem_.k + 1;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const auto& rows = problem_.rows;
    design::spread(p, rows, problem_.k, problem_.n_grouped, 0, rows.n_rows, sums_.data());
    groups_.collapse(sums_.data(), width, diagonal_.data());
  }

  // As `precondition` does with a sample's matrix.
  void make_positive(double blend, double least, Factor& matrix) {
    const Index n = problem_.n_cells, width = problem_.k + 1;
    Numbers mean(n);
    double top = 1.0;
    for (Index i = 0; i < n; ++i) {
      mean[i] = sum(diagonal_.data() + i * width, width) / static_cast<double>(problem_.k);
      top = std::max(top, mean[i]);
    }
    const double low = least * top;
    top = 1.0;
    for (Index i = 0; i < n; ++i) {
      double& own = matrix.row(i)[i];
      own = (own + (own > 0 ? blend * mean[i] : mean[i]) + low) +
            problem_.strength * problem_.rough.diagonal(i);
      top = std::max(top, own);
    }
    if (problem_.rough.ends) add_neighbours(matrix);
    for (Index i = 0; i < n; ++i) matrix.row(i)[i] = std::max(matrix.row(i)[i], least * top);
  }

  // The penalty's part of the upper half beside the diagonal.
  void add_neighbours(Factor& matrix) {
    const Roughness& rough = problem_.rough;
    for (Index i = 0; i < problem_.n_cells; ++i)
      for (Index at = rough.ends[i]; at < rough.ends[i + 1]; ++at)
        if (rough.cells[at] > i) matrix.row(i)[rough.cells[at]] += problem_.strength * rough.values[at];
  }

  const Problem& problem_;
  const Groups& groups_;
  Numbers sums_, diagonal_;
  std::vector<Index> rank_, own_;
};

class Walk {
 public:
  // Stands at `x0` and has looked around there.
  Walk(const Problem& problem, const Rules& rules, const double* x0, double tol, Index limit,
       Index memory)
      : problem_(problem), rules_(rules), n_(problem.size()), tol_(tol), limit_(limit), memory_(memory),
        groups_(problem_), block_(problem.k, problem.rows.n_rows),
        grouped_(problem.n_grouped * problem.k), sums_(grouped_.size()), x_(x0, x0 + n_), gradient_(n_), p_(rows()), there_(n_), change_(n_),
        fresh_(rows()), step_(n_), residual_(n_), direction_(n_), product_(n_), z_(n_), rest_(n_),
        room_(2 * problem.k + (problem.rough.ends ? n_ : 0)), bends_(problem.rows.n_rows), factor_(problem.n_cells),
        columns_(factor_.stride() * (problem.k + 1)),
        steps_(memory * n_), changes_(memory * n_), shares_(memory), n_families_(families(problem_)),
        links_(2 * problem.k + 2) {
    told_.value = evaluate(x_.data(), p_.data(), gradient_.data());
    told_.largest = size_here();
    told_.n_cll = told_.n_gradient = 1;
    far_ = rules_.runaway * std::max(1.0, told_.largest);
    is_large_ = inner(gradient_, x_) > rules_.overconfident * std::fabs(told_.value);
  }

  const Told& told() const { return told_; }
  const Numbers& x() const { return x_; }
  const Numbers& gradient() const { return gradient_; }

  // Not so, `SmallNewton.trouble` says why.
  bool goes_well() const {
    return std::isfinite(told_.value) && told_.largest <= far_ && told_.stalls < rules_.most_stalls;
  }

  // Numbers looked up for all that has been evaluated.
  Index work() const {
    const Index passes = static_cast<Index>(told_.n_cll + told_.n_gradient + told_.n_hvp);
    return passes * problem_.k * problem_.rows.n_rows * problem_.rows.n_groups;
  }

  // One iteration, or a restart only.
  Outcome advance() {
    told_.cut = 0;
    told_.decrement = std::numeric_limits<double>::quiet_NaN();
    if (is_large_) {  // so large scores tell nothing
      is_large_ = false;
      for (Index i = 0; i < n_; ++i) step_[i] = -x_[i];
      if (search(true) > 0) return Outcome::kGoOn;
    }
    if (!has_factor_) precondition_here();
    const double gap = told_.gap = tol_ * std::max(1.0, std::fabs(told_.value));
    const Solved solved = solve_system(gap);
    const double s = search(false);
    if (s > 0) {
      const double moved = s * solved.length;
      longest_ = std::max(longest_, moved);
      if (s >= 1) radius_ = std::max(radius_, rules_.growth * moved);
      else if (s < 0.5) radius_ = 1.5 * moved;
    }
    if (solved.is_trusted && told_.decrease <= gap) {
      told_.decrement = decrement_;
      return Outcome::kConverged;
    }
    if (s > 0) return Outcome::kGoOn;
    if (!n_pairs_) return Outcome::kLost;
    begin_again();
    return Outcome::kGoOn;
  }

 private:
  enum class End { kOpen, kExact, kBoundary, kNegative, kFlat, kIndefinite };
  struct Solved {
    double length;
    bool is_trusted;
  };
  static constexpr double kEps = std::numeric_limits<double>::epsilon();

  static double families(const Problem& problem) {
    Index n = 0;
    for (Index g = 0; g < problem.rows.n_groups; ++g) {
      const Index cell = problem.rows.offsets[g];
      n += problem.ends[cell + 1] - problem.ends[cell];
    }
    return static_cast<double>(n);
  }

  std::size_t rows() const { return static_cast<std::size_t>(problem_.rows.n_rows * problem_.k); }
  double inner(const Numbers& a, const Numbers& b) const { return dot(a.data(), b.data(), n_); }
  double size_here() const { return largest(x_.data(), n_) + 0.0 * largest(gradient_.data(), n_); }

  // Forget what earlier points have taught: it has misled.
  void begin_again() {
    n_pairs_ = 0;
    radius_ = 0.0;
    has_factor_ = false;
  }

  // The objective

  double evaluate(const double* x, double* p, double* gradient) {
    groups_.expand(x, grouped_.data());
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const Index n_rows = problem_.rows.n_rows;
    const double cll =
        design::linearise(grouped_.data(), problem_.rows, problem_.k, 0, n_rows, p, sums_.data());
    groups_.collapse(sums_.data(), problem_.k, gradient);
    for (Index i = 0; i < n_; ++i) gradient[i] = -gradient[i];
    if (!(problem_.strength > 0)) return -cll;
    subtract(x, problem_.centre, n_, rest_.data());
    std::fill(product_.begin(), product_.end(), 0.0);
    penalise(problem_, rest_.data(), room_.data(), product_.data());
    add(1.0, product_.data(), n_, gradient);
    return as_square(0.5 * inner(product_, rest_)) - cll;
  }

  // What a product needs of the point.
  void look_at_curvature() {
    has_links_ = false;
    if (problem_.k > 1) return;
    const Index n_rows = problem_.rows.n_rows;
    for (Index i = 0; i < n_rows; ++i) bends_[i] = p_[i] * (1.0 - p_[i]);
    if (problem_.rows.weights)
      for (Index i = 0; i < n_rows; ++i) bends_[i] *= problem_.rows.weights[i];
  }

  void times_hessian(const double* direction, double* product) {
    groups_.expand(direction, grouped_.data());
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const auto& rows = problem_.rows;
    if (problem_.k == 1) {
      double* __restrict scores = block_.scores;
      for (Index first = 0; first < rows.n_rows; first += block_.rows) {
        const Index n = std::min(first + block_.rows, rows.n_rows) - first;
        design::gather_one(grouped_.data(), rows, first, n, scores);
        const double* __restrict bends = bends_.data() + first;
        for (Index i = 0; i < n; ++i) scores[i] *= bends[i];
        design::scatter_one(scores, rows, first, n, sums_.data());
      }
    } else {
      design::curvature(grouped_.data(), rows, problem_.k, p_.data(), 0, rows.n_rows, sums_.data());
    }
    groups_.collapse(sums_.data(), problem_.k, product);
    if (problem_.strength > 0) penalise(problem_, direction, room_.data(), product);
  }

  Numbers scores_of(const double* tables) {
    groups_.expand(tables, grouped_.data());
    Numbers scores(rows());
    design::gather(grouped_.data(), problem_.rows, problem_.k, 0, problem_.rows.n_rows, scores.data());
    return scores;
  }

  // The preconditioner

  void precondition_here() {
    Curvature curvature(problem_, groups_);
    curvature.fill(p_.data(), rules_.blend, rules_.least_curvature, factor_);
    if (!factor_.work_out()) {
      curvature.fill_diagonal(rules_.least_curvature, factor_);
      factor_.work_out();
    }
    has_factor_ = true;
  }

  // Of more than two classes the reference takes part, and its column is subtracted.
  void precondition(const double* r, double* out) {
    const Index n = problem_.n_cells, k = problem_.k, stride = factor_.stride();
    double* of_first = columns_.data();
    std::fill_n(of_first, stride, 0.0);
    if (k == 1) {
      std::copy_n(r, n, of_first);
      factor_.solve(of_first);
      std::copy_n(of_first, n, out);
      return;
    }
    for (Index c = 0; c < k; ++c) {
      double* column = of_first + (c + 1) * stride;
      for (Index i = 0; i < n; ++i) {
        column[i] = r[i * k + c];
        of_first[i] -= column[i];
      }
      std::fill(column + n, column + stride, 0.0);
      factor_.solve(column);
    }
    factor_.solve(of_first);
    for (Index c = 0; c < k; ++c)
      for (Index i = 0; i < n; ++i) out[i * k + c] = of_first[(c + 1) * stride + i] - of_first[i];
  }

  // The preconditioner improved by the pairs that are remembered: L-BFGS in two loops.
  void improve(const Numbers& r, bool by_pairs, Numbers& out) {
    if (!by_pairs || !n_pairs_) {
      precondition(r.data(), out.data());
      return;
    }
    rest_ = r;
    for (Index j = n_pairs_ - 1; j >= 0; --j) {
      shares_[j] = dot(steps_.data() + j * n_, rest_.data(), n_);
      add(-shares_[j], changes_.data() + j * n_, n_, rest_.data());
    }
    precondition(rest_.data(), out.data());
    for (Index j = 0; j < n_pairs_; ++j) {
      const double share = shares_[j] - dot(changes_.data() + j * n_, out.data(), n_);
      add(share, steps_.data() + j * n_, n_, out.data());
    }
  }

  // As `SecantPairs.add`.
  void remember(const Numbers& step, const Numbers& change) {
    const double bend = inner(step, change);
    const double length = std::sqrt(inner(step, step) * inner(change, change));
    if (!memory_ || !(bend > 1e-10 * length)) return;
    if (n_pairs_ == memory_) {
      const std::size_t kept = sizeof(double) * (memory_ - 1) * n_;
      std::memmove(steps_.data(), steps_.data() + n_, kept);
      std::memmove(changes_.data(), changes_.data() + n_, kept);
      --n_pairs_;
    }
    const double scale = 1.0 / std::sqrt(bend);
    for (Index i = 0; i < n_; ++i) {
      steps_[n_pairs_ * n_ + i] = scale * step[i];
      changes_[n_pairs_ * n_ + i] = scale * change[i];
    }
    ++n_pairs_;
  }

  // The linear system

  Solved solve_system(double gap) {
    look_at_curvature();
    double length = 0.0;
    End end = conjugate_gradients(gap, length);
    if (end == End::kBoundary && told_.decrease <= gap) {
      radius_ = kInfinity;
      end = conjugate_gradients(gap, length);
    }
    return {length, end == End::kOpen || end == End::kExact};
  }

  static End checked(double rho, double rho0) {
    if (rho > kEps * kEps * rho0) return End::kOpen;
    return rho >= -(kEps * rho0) ? End::kExact : End::kIndefinite;
  }

  // As `newton.forcing`.
  static double forcing(double last, double length_before, double length) {
    if (!(length_before > 0)) return last;
    const double ratio = 0.5 * length / length_before, kept = 0.9 * (last * last);
    return std::max(std::min(0.5, std::max(ratio, kept > 0.1 ? kept : 0.0)), 1e-6);
  }

  // As `decrement.certainty`.
  double certainty(double gap, double gradient_length) const {
    const double reach = std::max(longest_, std::sqrt(2.0 * std::max(1.0, std::fabs(told_.value))));
    return std::max(gap / reach, rules_.resolved * gradient_length);
  }

  // As `Linearisation.class_links`, of the point.
  void link_classes() {
    const Index k = problem_.k, width = k + 1, n_rows = problem_.rows.n_rows;
    double *weights = links_.data(), *shares = weights + width;
    const auto look_at = [&](Index i) {
      double rest = 1.0;
      for (Index c = 0; c < k; ++c) rest -= shares[c + 1] = p_[i * k + c];
      shares[0] = std::max(rest, 0.0);
    };
    std::fill_n(weights, width, 0.0);
    for (Index i = 0; i < n_rows; ++i) {
      look_at(i);
      add(problem_.rows.weight(i), shares, width, weights);
    }
    hub_ = std::max_element(weights, weights + width) - weights;
    std::fill_n(weights, width, 0.0);
    for (Index i = 0; i < n_rows; ++i) {
      look_at(i);
      add(problem_.rows.weight(i) * shares[hub_], shares, width, weights);
    }
    has_links_ = true;
  }

  // As `objectives.remainder.largest_remainder`, of `residual_`.
  double remainder() {
    if (!(problem_.strength > 0)) return kInfinity;
    if (!has_links_) link_classes();
    const Index k = problem_.k, width = k + 1;
    double *of_prior = links_.data() + width, rest = 0.0, squares = 0.0;
    double shifts = 0.0, of_shifts = 0.0, blocked = 0.0;
    std::fill_n(of_prior, width, 0.0);
    for (Index i = 0; i < problem_.n_cells; ++i) {
      const bool is_own = problem_.first <= i && i < problem_.last;
      double first = 0.0;
      for (Index c = 0; c < k; ++c) {
        const double r = residual_[i * k + c];
        first -= r;
        rest += r * r;
        if (is_own) of_prior[c + 1] += r;
      }
      rest += first * first;
      if (is_own) of_prior[0] += first;
    }
    for (Index c = 0; c < width; ++c) {
      const double square = of_prior[c] * of_prior[c];
      squares += square;
      if (c == hub_ || !(square > 0)) continue;
      shifts += std::sqrt(square);
      of_shifts += square;
      blocked += square / links_[c];
    }
    rest -= squares / static_cast<double>(problem_.last - problem_.first);
    const double flow = n_families_ * (shifts * shifts + of_shifts) / problem_.modulus;
    const double all = std::sqrt(std::max(rest, 0.0) / problem_.modulus) + std::sqrt(flow + blocked);
    return 0.5 * all * all;
  }

  // As `decrement.is_settled`.
  bool is_settled(Index n_products, double decrease, double gap) {
    if (n_products == 0 || decrease > gap) return false;
    return remainder() <= std::min(rules_.settled * gap, gap - decrease);
  }

  // Fill `step_` as `NewtonSystem` does, as far as needed, and its `length`.
  End conjugate_gradients(double gap, double& length) {
    for (Index i = 0; i < n_; ++i) residual_[i] = -gradient_[i];
    bool by_pairs = is_hard_;
    improve(residual_, by_pairs, direction_);
    double rho = inner(residual_, direction_);
    End end = checked(rho, rho);
    if (end == End::kIndefinite && n_pairs_) {
      n_pairs_ = 0;
      improve(residual_, by_pairs = false, direction_);
      rho = inner(residual_, direction_);
      end = checked(rho, rho);
    }
    const double gradient_length = std::sqrt(std::max(rho, 0.0));
    forcing_ = forcing(forcing_, length_, gradient_length);
    length_ = gradient_length;
    if (radius_ == 0) radius_ = rules_.first_radius * gradient_length;
    const double certain = certainty(gap, gradient_length), enough = forcing_ * gradient_length;
    const double rho0 = rho;
    double unseen = kInfinity;
    double pp = 0.0, pd = 0.0, dd = rho, decrease = 0.0, steepest = 0.0;
    Index n_products = 0;
    std::fill(step_.begin(), step_.end(), 0.0);
    while (end == End::kOpen) {
      const double left = std::sqrt(std::max(rho, 0.0));
      if (left <= certain || (decrease > gap && left <= enough)) break;
      if (is_settled(n_products, decrease, gap)) {
        unseen = rules_.settled * gap;
        break;
      }
      if (n_products >= limit_) {
        told_.cut = 1;
        break;
      }
      times_hessian(direction_.data(), product_.data());
      ++n_products;
      const double bend = inner(direction_, product_), steepness = bend / dd;
      steepest = std::max(steepest, steepness);
      const double alpha = rho / bend, longer = pp + alpha * (2.0 * pd + alpha * dd);
      if (!(steepness > 4 * kEps * steepest)) end = bend < 0 ? End::kNegative : End::kFlat;
      else if (!(longer < radius_ * radius_)) end = End::kBoundary;
      if (end != End::kOpen) {
        const double tau = room(pp, pd, dd);
        add(tau, direction_.data(), n_, step_.data());
        decrease += tau * rho - 0.5 * tau * tau * bend;
        pp = radius_ < kInfinity ? radius_ * radius_ : pp;
        break;
      }
      add(alpha, direction_.data(), n_, step_.data());
      add(-alpha, product_.data(), n_, residual_.data());
      decrease += 0.5 * alpha * rho;
      improve(residual_, by_pairs, z_);
      const double fresh = inner(residual_, z_), beta = fresh / rho;
      pd = beta * (pd + alpha * dd);
      pp = longer;
      dd = fresh + beta * beta * dd;
      follow(z_.data(), beta, n_, direction_.data());
      rho = fresh;
      end = checked(rho, rho0);
    }
    told_.decrease = decrease;
    decrement_ = decrease + std::min(0.5 * std::max(rho, 0.0), unseen);
    told_.n_hvp += static_cast<double>(n_products);
    is_hard_ = is_hard_ || static_cast<double>(n_products) > rules_.easy;
    if (end == End::kIndefinite) begin_again();
    length = std::sqrt(std::max(pp, 0.0));
    return end;
  }

  // How far along the direction the boundary is; nowhere without one.
  double room(double pp, double pd, double dd) const {
    if (radius_ == kInfinity) return 0.0;
    const double left = radius_ * radius_ - pp, root = std::sqrt(std::max(pd * pd + dd * left, 0.0));
    return pd > 0 ? left / (pd + root) : (root - pd) / dd;
  }

  // The step

  // Go along `step_` as far as a line search says; how far, 0 for not at all.
  double search(bool is_shrinking) {
    const double slope = inner(gradient_, step_);
    if (!(slope < 0)) return 0.0;
    double s = takes_full_steps_ && stand(1.0, &slope) ? 1.0 : 0.0;
    if (s == 0) {
      s = search_line(slope, is_shrinking);
      if (s > 0 && !stand(s, nullptr)) s = 0.0;
    }
    takes_full_steps_ = s == 1;
    return s;
  }

  double search_line(double slope, bool is_shrinking) {
    const Numbers scores = scores_of(x_.data());
    Numbers steps;
    if (is_shrinking) {  // step_ is −x then
      steps = scores;
      for (double& step : steps) step = -step;
    } else {
      steps = scores_of(step_.data());
    }
    double base = 0.0, first = 0.0, second = 0.0;
    if (problem_.strength > 0) {
      subtract(x_.data(), problem_.centre, n_, rest_.data());
      std::fill(product_.begin(), product_.end(), 0.0);
      penalise(problem_, rest_.data(), room_.data(), product_.data());
      base = 0.5 * inner(product_, rest_);
      first = inner(product_, step_);
      std::fill(product_.begin(), product_.end(), 0.0);
      penalise(problem_, step_.data(), room_.data(), product_.data());
      second = inner(product_, step_);
    }
    ++told_.n_cll;
    const auto& rows = problem_.rows;
    return line_search(told_.value, slope, rules_.search, [&](double s) {
      ++told_.n_cll;
      const design::OnLine at = design::line(scores.data(), steps.data(), rows.classes, rows.weights, s,
                                             problem_.k, 0, rows.n_rows);
      const double cost = as_square(base + s * first + 0.5 * s * s * second);
      return Step{s, cost - at.value, first + s * second - at.slope};
    });
  }

  // Go to x + s·step; not, given the slope at its start, if the line from there were searched on.
  bool stand(double s, const double* slope) {
    std::copy(x_.begin(), x_.end(), there_.begin());
    add(s, step_.data(), n_, there_.data());
    const double value = evaluate(there_.data(), fresh_.data(), change_.data());
    ++told_.n_cll;
    ++told_.n_gradient;
    if (slope) {
      const Step end{1.0, value, inner(change_, step_)};
      if (!(decreases(end, told_.value, *slope, rules_.search) && is_flat(end, *slope, rules_.search)))
        return false;
    }
    if (!is_progress(value, inner(gradient_, gradient_), inner(change_, change_))) return false;
    std::swap(x_, there_);
    std::swap(gradient_, change_);
    std::swap(p_, fresh_);
    subtract(x_.data(), there_.data(), n_, product_.data());
    subtract(gradient_.data(), change_.data(), n_, rest_.data());
    remember(product_, rest_);
    told_.stalls = value >= told_.value ? told_.stalls + 1 : 0;
    told_.value = value;
    told_.largest = size_here();
    ++told_.n_iter;
    return true;
  }

  // As `newton.is_progress`.
  bool is_progress(double value, double squares_before, double squares_after) const {
    if (squares_after <= 0.25 * squares_before) return true;
    const double noise = squares_after <= squares_before ? rules_.search.rounding : rules_.doubtful;
    return told_.value - value > noise * std::fabs(told_.value);
  }

  const Problem problem_;
  const Rules rules_;
  const Index n_;
  const double tol_;
  const Index limit_, memory_;
  const Groups groups_;
  Block block_;
  Numbers grouped_, sums_;
  Numbers x_, gradient_, p_;          // the point, its gradient, the rows' probabilities
  Numbers there_, change_, fresh_;    // the same of a point that is looked at
  Numbers step_, residual_, direction_, product_, z_, rest_, room_, bends_;
  Factor factor_;
  Aligned columns_;
  Numbers steps_, changes_, shares_;  // pairs that are remembered, as for L-BFGS
  Index n_pairs_ = 0;
  Told told_;
  double radius_ = 0.0, longest_ = 0.0, forcing_ = 0.5, length_ = 0.0, decrement_ = 0.0;
  double far_ = 0.0;
  double n_families_;
  Index hub_ = 0;
  Numbers links_;
  bool has_links_ = false;
  bool is_large_ = false, is_hard_ = false, takes_full_steps_ = true, has_factor_ = false;
};

}  // namespace bnlr::objectives
