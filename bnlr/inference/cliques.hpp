// Passes over a junction tree, row by row, as a `Schedule` says.
//
// A row's observed cells fix the base address of every table; a clique's table has the cells over its
// free axes only, the separator's outermost. Upwards, each clique's product is summed over what its
// separator lacks, and the sums are scaled to add up to 1; what is kept is P(others | separator), so
// that downwards a separator's distribution needs only to be multiplied in, and never anything to be
// divided.
//
// A product that comes near the smallest number of a double, without a factor 0, sends the row
// through the same pass in logarithms: no row is held for impossible because its numbers were small.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "../native/patience.hpp"
#include "../native/vector_math.hpp"

namespace bnlr::inference {

using Index = std::int64_t;
using Address = std::int32_t;  // of a cell in `work`: half the bytes, and what vectors gather by

constexpr double kTiny = 1e-290;
constexpr Index kMany = 8;

// Arrays of `bnlr.inference.schedule.Schedule`.
struct Schedule {
  const Index *cards, *sources, *first_member, *members, *steps;
  const bool* pruned;
  const Index *upwards, *first_child, *children, *first_axis, *axes, *separators;
  const Index *first_factor, *factors, *first_stride, *strides;
  Index n, n_upwards, n_cliques;
  Index n_cells;             // of all sources
  Index n_kept, largest;     // cells of all cliques, and of the largest

  Index n_sources() const { return n + n_cliques; }
  Index root() const { return n_sources() - 1; }
};

// log x for x ≥ 0, subnormal numbers included.
inline double log_of(double x) {
  if (x >= std::numeric_limits<double>::min()) return math::log(x);
  if (x == 0.0) return -std::numeric_limits<double>::infinity();
  return math::log(x * 18014398509481984.0) - 54.0 * math::kLn2;  // 2^54
}

inline double log_sum(const double* values, Index n) {
  double top = -std::numeric_limits<double>::infinity(), total = 0.0;
  for (Index k = 0; k < n; ++k) top = values[k] > top ? values[k] : top;
  if (top == -std::numeric_limits<double>::infinity()) return top;
  for (Index k = 0; k < n; ++k) total += math::exp(values[k] - top);
  return top + math::log(total);
}

// A product whose logarithm moves away before it goes too far.
struct Product {
  double scale = 1.0, log = 0.0;

  void multiply(double value) {
    if (scale < 1e-100 || scale > 1e100) {
      log += log_of(scale);
      scale = 1.0;
    }
    if (value < 1e-200) log += log_of(value);
    else scale *= value;
  }
  double total() const { return log + log_of(scale); }
};

inline void copy_shifted(const Address* __restrict from, Index n, Address shift,
                         Address* __restrict to) {
  for (Index k = 0; k < n; ++k) to[k] = from[k] + shift;
}

inline void read_table(const double* __restrict work, const Address* __restrict cells, Index n,
                       double* __restrict store) {
  for (Index k = 0; k < n; ++k) store[k] = work[cells[k]];
}

// Whether a product got too small.
inline bool multiply_table(const double* __restrict work, const Address* __restrict cells, Index n,
                           double* __restrict store) {
  bool small = false;
  for (Index k = 0; k < n; ++k) {
    const double value = work[cells[k]], present = store[k], product = value * present;
    store[k] = product;
    small |= (product < kTiny) & (value > 0.0) & (present > 0.0);
  }
  return small;
}

inline bool has_tiny(const double* store, Index n) {
  bool small = false;
  for (Index k = 0; k < n; ++k) small |= (store[k] < kTiny) & (store[k] > 0.0);
  return small;
}

class Cliques {
 public:
  enum class Went { kImpossible, kFine, kTooSmall };

  // To `keep` what the counts need, only nodes barren in every row are left out.
  Cliques(const Schedule& schedule, const double* theta, Index n_theta, bool keep)
      : s_(schedule), keep_(keep), work_(s_.n_cells), sums_(keep ? s_.n_cells : 0),
        store_(keep ? s_.n_kept : s_.largest), joint_(keep ? s_.largest : 0), parts_(s_.largest),
        cells_(s_.largest),
        state_(s_.n), base_(s_.n_sources()), loose_(s_.n_sources()), free_(s_.n), shapes_(s_.n_cliques),
        places_(s_.first_axis[s_.n_cliques]), widths_(places_.size()) {
    std::copy(theta, theta + n_theta, work_.begin());
  }

  // Passes a row up to the root; the logarithm of P(its cells) is then in `log`.
  BNLR_APART Went up(const std::int32_t* row, Index target, bool hidden) {
    read(row, target, hidden);
    address();
    Product product;
    for (Index i = 0; i < s_.n; ++i)
      if (loose_[i] == 0) product.multiply(work_[base_[i]]);
    log = product.log;
    if (log == -std::numeric_limits<double>::infinity()) return Went::kImpossible;
    const Product constant = product;
    Went went = collect(product);
    if (went == Went::kFine) log = product.total();
    if (went == Went::kTooSmall) {
      log = constant.total();
      if (collect_logs() == Went::kImpossible) went = Went::kImpossible;
    }
    if (went == Went::kImpossible) log = -std::numeric_limits<double>::infinity();
    return went;
  }

  // P(target | the row's cells) once it went up, and where the counts of that stand.
  double known(Went went, Index c) const {
    const double value = work_[base_[s_.root()] + c];
    return went == Went::kFine ? value : math::exp(value);
  }
  double log_known(Went went, Index c) const {
    const double value = work_[base_[s_.root()] + c];
    return went == Went::kFine ? log_of(value) : value;
  }
  Index n_states(Index node) const { return s_.cards[node]; }
  double* root() { return sums_.data() + base_[s_.root()]; }
  bool root_is_loose() const { return loose_[s_.root()] > 0; }

  // Adds the row's weight to families without a free member.
  void add_constants(double weight) {
    for (Index i = 0; i < s_.n; ++i)
      if (loose_[i] == 0) sums_[base_[i]] += weight;
  }

  // Passes distributions down from the root's in the sums, and adds up every family's. `weight` is
  // the sum of each of them: 0 for a difference, which ends at a separator without a free node.
  BNLR_APART void down(double weight) {
    for (Index clique = s_.n_cliques - 1; clique >= 0; --clique) {
      const Index own = s_.n + clique;
      if (loose_[own] == 0) {
        sums_[base_[own]] = weight;
        if (weight == 0.0) {
          block(clique);
          continue;
        }
      }
      const Shape& shape = shapes_[clique];
      if (shape.used == 0) continue;
      const double* store = store_.data() + shape.start;
      const Index n = shape.outer * shape.inner;
      const Index n_axes = s_.first_axis[clique + 1] - s_.first_axis[clique];
      spread(clique, base_[own], s_.first_stride[s_.first_factor[clique + 1] + clique],
             shape.used - loose_[own], shape.used);
      for (Index j = 0; j < shape.outer; ++j) {
        const double above = sums_[cells_[j]];
        for (Index k = j * shape.inner; k < (j + 1) * shape.inner; ++k) joint_[k] = store[k] * above;
      }
      Index stride = s_.first_stride[s_.first_factor[clique] + clique];
      for (Index f = s_.first_factor[clique]; f < s_.first_factor[clique + 1]; ++f, stride += n_axes) {
        const Index source = s_.factors[f];
        if (loose_[source] <= 0) continue;
        spread(clique, base_[source], stride, 0, shape.used);
        patience_.spend(2 * n);
        if (source >= s_.n)
          for (Index k = 0; k < n; ++k) sums_[cells_[k]] = 0.0;
        for (Index k = 0; k < n; ++k) sums_[cells_[k]] += joint_[k];
      }
    }
  }

  const double* sums() const { return sums_.data(); }

  // Moves the counts of CPT cells that are not 0 into a list.
  void take_sums(Index n_theta, std::vector<Address>& cells, std::vector<double>& values) {
    cells.clear(), values.clear();
    for (Index cell = 0; cell < n_theta; ++cell) {
      if (sums_[cell] == 0.0) continue;
      cells.push_back(static_cast<Address>(cell));
      values.push_back(sums_[cell]);
      sums_[cell] = 0.0;
    }
  }

  double log = 0.0;

 private:
  struct Shape {
    Index start, used, outer, inner;  // numbers kept; free axes; cells of the separator and the rest
  };

  // Which nodes are free in a row; barren ones (loose −1) are not, and have no table.
  void read(const std::int32_t* row, Index target, bool hidden) {
    for (Index i = 0; i < s_.n; ++i) {
      free_[i] = row[i] < 0;
      state_[i] = row[i] < 0 ? 0 : row[i];
      loose_[i] = 0;
    }
    if (hidden) free_[target] = 1, state_[target] = 0;
    for (Index j = 0; j < s_.n_upwards; ++j) {
      const Index i = s_.upwards[j];
      bool barren = s_.pruned[i] || (free_[i] && !keep_ && !(hidden && i == target));
      for (Index k = s_.first_child[i]; barren && k < s_.first_child[i + 1]; ++k)
        barren = loose_[s_.children[k]] < 0;
      if (barren) free_[i] = 0, state_[i] = 0, loose_[i] = -1;
    }
  }

  // Where each source starts in a row, and how many of its members are free.
  void address() {
    for (Index source = 0; source < s_.n_sources(); ++source) {
      if (source < s_.n && loose_[source] < 0) continue;
      Index first = s_.sources[source], count = 0;
      for (Index k = s_.first_member[source]; k < s_.first_member[source + 1]; ++k) {
        const Index node = s_.members[k];
        first += s_.steps[k] * state_[node];
        count += free_[node];
      }
      base_[source] = first;
      loose_[source] = count;
    }
  }

  // A clique's free axes, last first.
  Shape shape_of(Index clique, Index start) {
    const Index first = s_.first_axis[clique];
    Shape shape{start, 0, 1, 1};
    for (Index k = s_.first_axis[clique + 1] - first - 1; k >= 0; --k) {
      const Index node = s_.axes[first + k];
      if (!free_[node]) continue;
      places_[first + shape.used] = k;
      widths_[first + shape.used] = s_.cards[node];
      ++shape.used;
      (k < s_.separators[clique] ? shape.outer : shape.inner) *= s_.cards[node];
    }
    return shape;
  }

  // Fills `cells_` with a table's addresses over the clique's free axes start:stop.
  void spread(Index clique, Index base, Index stride, Index start, Index stop) {
    const Index *places = places_.data() + s_.first_axis[clique], *strides = s_.strides + stride;
    const Index* widths = widths_.data() + s_.first_axis[clique];
    Address* cells = cells_.data();
    cells[0] = static_cast<Address>(base);
    Index n = 1;
    for (Index t = start; t < stop; ++t) {
      const auto step = static_cast<Address>(strides[places[t]]);
      if (n == 1)
        for (Index v = 1; v < widths[t]; ++v) cells[v] = cells[v - 1] + step;
      else
        for (Index v = 1; v < widths[t]; ++v)
          copy_shifted(cells, n, static_cast<Address>(v) * step, cells + v * n);
      n *= widths[t];
    }
  }

  // Messages to the root, each scaled to add up to 1.
  BNLR_APART Went collect(Product& product) {
    Index start = 0;
    for (Index clique = 0; clique < s_.n_cliques; ++clique) {
      const Shape shape = shapes_[clique] = shape_of(clique, start);
      if (shape.used == 0) continue;
      const Index n = shape.outer * shape.inner, own = s_.n + clique;
      const Index n_axes = s_.first_axis[clique + 1] - s_.first_axis[clique];
      double* store = store_.data() + start;
      Index stride = s_.first_stride[s_.first_factor[clique] + clique], count = 0;
      for (Index f = s_.first_factor[clique]; f < s_.first_factor[clique + 1]; ++f, stride += n_axes) {
        const Index source = s_.factors[f];
        if (loose_[source] <= 0) continue;
        spread(clique, base_[source], stride, 0, shape.used);
        patience_.spend(n);
        bool small;
        if (count == 0) {
          read_table(work_.data(), cells_.data(), n, store);
          small = has_tiny(store, n);
        } else {
          small = multiply_table(work_.data(), cells_.data(), n, store);
        }
        if (small) return Went::kTooSmall;
        if (++count % kMany == 0) product.multiply(rescale(store, n));
      }
      if (count == 0) std::fill_n(store, n, 1.0);
      spread(clique, base_[own], stride, shape.used - loose_[own], shape.used);
      const double total = send(shape, store);
      if (total == 0.0) return Went::kImpossible;
      product.multiply(total);
      if (keep_) start += n;
    }
    return Went::kFine;
  }

  // Sums out a clique and sends the sums, scaled to add up to 1; returns their own sum.
  double send(const Shape& shape, double* store) {
    double total = 0.0;
    for (Index j = 0; j < shape.outer; ++j) {
      double* own = store + j * shape.inner;
      double mass = 0.0;
      if (shape.inner < 2 * kLanes)
        for (Index k = 0; k < shape.inner; ++k) mass += own[k];
      else
        mass = sum(own, shape.inner);
      parts_[j] = mass;
      total += mass;
      if (keep_ && mass > 0.0) {
        const double share = 1.0 / mass;
        for (Index k = 0; k < shape.inner; ++k) own[k] *= share;
      }
    }
    if (total > 0.0) {
      const double share = 1.0 / total;
      for (Index j = 0; j < shape.outer; ++j) work_[cells_[j]] = parts_[j] * share;
    }
    return total;
  }

  // Divides a product by its largest number, which is returned.
  static double rescale(double* store, Index n) {
    double top = 0.0;
    for (Index k = 0; k < n; ++k) top = store[k] > top ? store[k] : top;
    if (top > 0.0)
      for (Index k = 0; k < n; ++k) store[k] /= top;
    return top;
  }

  // As `collect`, with messages in logarithms, though what is kept is not.
  BNLR_APART Went collect_logs() {
    Index start = 0;
    for (Index clique = 0; clique < s_.n_cliques; ++clique) {
      const Shape shape = shapes_[clique] = shape_of(clique, start);
      if (shape.used == 0) continue;
      const Index n = shape.outer * shape.inner, own = s_.n + clique;
      const Index n_axes = s_.first_axis[clique + 1] - s_.first_axis[clique];
      double* store = store_.data() + start;
      std::fill_n(store, n, 0.0);
      Index stride = s_.first_stride[s_.first_factor[clique] + clique];
      for (Index f = s_.first_factor[clique]; f < s_.first_factor[clique + 1]; ++f, stride += n_axes) {
        const Index source = s_.factors[f];
        if (loose_[source] <= 0) continue;
        spread(clique, base_[source], stride, 0, shape.used);
        patience_.spend(8 * n);
        for (Index k = 0; k < n; ++k) {
          const double value = work_[cells_[k]];
          store[k] += source >= s_.n ? value : log_of(value);
        }
      }
      spread(clique, base_[own], stride, shape.used - loose_[own], shape.used);
      log += send_logs(shape, store);
      if (log == -std::numeric_limits<double>::infinity()) return Went::kImpossible;
      if (keep_) start += n;
    }
    return Went::kTooSmall;
  }

  double send_logs(const Shape& shape, double* store) {
    for (Index j = 0; j < shape.outer; ++j) {
      double* own = store + j * shape.inner;
      const double mass = parts_[j] = log_sum(own, shape.inner);
      const bool possible = mass > -std::numeric_limits<double>::infinity();
      for (Index k = 0; k < shape.inner; ++k) own[k] = possible ? math::exp(own[k] - mass) : 0.0;
    }
    const double total = log_sum(parts_.data(), shape.outer);
    for (Index j = 0; j < shape.outer; ++j) work_[cells_[j]] = parts_[j] - total;
    return total;
  }

  // Everything below a clique is reached by no free node.
  void block(Index clique) {
    for (Index f = s_.first_factor[clique]; f < s_.first_factor[clique + 1]; ++f)
      if (s_.factors[f] >= s_.n) loose_[s_.factors[f]] = 0;
  }

  const Schedule s_;
  const bool keep_;
  std::vector<double> work_, sums_;   // CPTs and messages upwards; counts and messages downwards
  std::vector<double> store_, joint_, parts_;  // products of cliques; of one; sums of one
  std::vector<Address> cells_;
  std::vector<Index> state_, base_, loose_;  // of nodes; first cell and free members of sources
  std::vector<char> free_;
  std::vector<Shape> shapes_;
  std::vector<Index> places_, widths_;
  Patience patience_;
};

}  // namespace bnlr::inference
