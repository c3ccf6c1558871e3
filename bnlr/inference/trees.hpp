// Message passing in a forest given the class: Pearl 1988, chapter 4, row by row.
//
// `rows` (n_rows, n + 1) codes, any negative one missing, the last column 0; `tables` and their natural
// logarithms `logs` (n_laid, k), one column a class, the cells of a node in the order own state,
// parent's state, and after its last own state one more that stands for "any", of probability 1;
// `totals` (n_rows, k) natural log P(c, row). Children stand before parents.
//
// Each missing node with evidence below has a vector over own states × classes, the probability of
// that evidence up to a factor a class, which goes into the totals. A node that is missing with
// nothing below sends nothing up, P(any | parent) being 1. On the way down it counts in the cells of
// "any"; `share_any` gives them to the states once all rows are done, since they enter linearly.
//
// Numbers that are neither 0 nor at least kLeast might be lost to underflow when multiplied: a row in
// which one turns up is unsafe, and is passed again with `Wide` numbers, some times as slowly.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "../native/vector_math.hpp"
#include "wide.hpp"

namespace bnlr::inference {

using Index = std::int64_t;

constexpr double kLeast = 1e-140;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

inline double natural_log(double x) { return math::log(x); }

// log x for x = 0 or a normal number.
template <class T>
double log_or_impossible(const T& x) {
  return x == T(0.0) ? kImpossible : natural_log(x);
}

// Whether multiplying with x, if it is not 0, might lose something.
inline bool is_small(double x) { return x < kLeast; }
inline bool is_small(const Wide&) { return false; }

// What the rows' loops need of a node, in numbers rather than cells: places have k for each.
struct Node {
  Index parent, card;
  Index width;                 // parent's states
  Index block, state, message;  // first numbers of the table, of the own states, of the parent's
};

struct Forest {
  std::vector<Node> nodes;  // the last one stands for "no parent"
  Index n_states, n_messages;

  Index n_nodes() const { return static_cast<Index>(nodes.size()) - 1; }
};

// All nodes visited.
struct Every {
  Index operator[](Index i) const { return i; }
};

// `K` classes; 0 for any number. `T` are the numbers between tables and counts. Long functions stand apart, for a copy at each call would take the
// compiler as long as all the rest.
template <int K, class T = double>
class Passes {
 public:
  Passes(const Forest& forest, Index k, const double* tables, const double* logs)
      : nodes_(forest.nodes.data()), k_(k), tables_(tables), logs_(logs),
        live_(forest.nodes.size()), state_(forest.n_states * k), message_(forest.n_messages * k),
        products_(k), share_(k) {}

  // Fills `total`, log P(c, row) from the n nodes visited, children first; tells whether nothing may
  // have been lost.
  template <class Visited>
  BNLR_APART bool up(const std::int32_t* row, const Visited& visited, Index n, double* total) {
    const Index k = width();
    for (Index c = 0; c < k; ++c) total[c] = 0.0;
    for (Index c = 0; c < k; ++c) products_[c] = 1.0;
    for (Index i = 0; i < n; ++i) live_[visited[i]] = 0;
    for (Index i = 0; i < n; ++i) {
      const Index v = visited[i];
      const Node& node = nodes_[v];
      const Index own = row[v], outer = row[node.parent];
      if (own >= 0 && outer >= 0) {
        const double* cell = logs_ + node.block + own * node.width + outer * k;
        for (Index c = 0; c < k; ++c) total[c] += cell[c];
      } else if (own >= 0) {
        if (!receive(tables_ + node.block + own * node.width, node, total)) return false;
      } else if (live_[v]) {
        T* out = message_.data() + node.message;
        if (outer < 0) {
          if (!sum_out(node, 0, node.width, out) || !receive(out, node, total)) return false;
        } else {
          if (!sum_out(node, outer * k, k, out)) return false;
          multiply(out, total);
        }
      }
    }
    for (Index c = 0; c < k; ++c)
      if (products_[c] != T(1.0)) total[c] += log_or_impossible(products_[c]);
    return true;
  }

  // Fills each class's weight in the counts; tells whether there is anything to count.
  bool weigh(const double* total, Index label, double weight) {
    const Index k = width();
    double top = total[0], mass = 0.0, others = 0.0;
    for (Index c = 1; c < k; ++c) top = total[c] > top ? total[c] : top;
    if (top == kImpossible || weight == 0.0) return false;
    if (label >= 0 && total[label] == kImpossible) return false;
    for (Index c = 0; c < k; ++c) {
      share_[c] = math::exp(total[c] - top);
      mass += share_[c];
    }
    const double scale = weight / mass;
    for (Index c = 0; c < k; ++c) share_[c] *= scale;
    if (label < 0) return true;
    for (Index c = 0; c < k; ++c) {
      if (c == label) continue;
      others += share_[c];
      share_[c] = -share_[c];
    }
    share_[label] = others;
    return true;
  }

  // Adds the class weights times P(d, f | c, row) to the counts, after `up` and `weigh`: parents
  // first, a node's state turns into the class weights times P(state | c, row).
  template <class Visited>
  BNLR_APART void down(const std::int32_t* row, const Visited& visited, Index n, double* counts) {
    const Index k = width();
    for (Index i = n - 1; i >= 0; --i) {
      const Index v = visited[i];
      const Node &node = nodes_[v], &above = nodes_[node.parent];
      const Index own = row[v], outer = row[node.parent];
      if (own < 0 && live_[v]) {
        T* ratio = message_.data() + node.message;
        if (outer >= 0) {
          divide(share_.data(), k, ratio);
          split(node, outer * k, k, ratio, counts);
        } else {
          divide(state_.data() + above.state, node.width, ratio);
          split(node, 0, node.width, ratio, counts);
        }
        continue;
      }
      double* cell = counts + node.block + (own >= 0 ? own : node.card) * node.width;
      if (outer >= 0) {
        for (Index c = 0; c < k; ++c) cell[outer * k + c] += share_[c];
      } else if (live_[node.parent]) {
        const T* belief = state_.data() + above.state;
        for (Index j = 0; j < node.width; ++j) cell[j] += static_cast<double>(belief[j]);
      }
    }
  }

 private:
  Index width() const { return K ? K : k_; }

  // message[j] = Σ_s table[s, j]·state[s, j mod k]; tells whether none is wrongly small.
  bool sum_out(const Node& node, Index first, Index length, T* __restrict message) const {
    const Index k = width();
    const double* __restrict table = tables_ + node.block + first;
    const T* __restrict state = state_.data() + node.state;
    bool small = false;
    for (Index p = 0; p < length; p += k)
      for (Index c = 0; c < k; ++c) {
        T mass = 0.0;
        for (Index s = 0; s < node.card; ++s) mass += table[s * node.width + p + c] * state[s * k + c];
        message[p + c] = mass;
        small |= is_small(mass);
      }
    return !small || are_zeros(node, table, state, length, message);
  }

  // Whether the small sums have no positive term.
  BNLR_APART bool are_zeros(const Node& node, const double* table, const T* state, Index length,
                            const T* message) const {
    const Index k = width();
    for (Index j = 0; j < length; ++j)
      for (Index s = 0; s < node.card; ++s)
        if (is_small(message[j]) && table[s * node.width + j] > 0.0 && state[s * k + j % k] > T(0.0))
          return false;
    return true;
  }

  // Multiplies the parent's vector by a factor, or sets it; tells whether nothing may be lost.
  template <class F>
  bool receive(const F* __restrict factor, const Node& node, double* total) {
    T* __restrict state = state_.data() + nodes_[node.parent].state;
    bool small = false;
    if (live_[node.parent]) {
      for (Index j = 0; j < node.width; ++j) {
        const T product = state[j] * factor[j];
        // Exact zeros are frequent, and no reason to look closer.
        small |= is_small(product) & (state[j] > T(0.0)) & (factor[j] > F(0.0));
        state[j] = product;
      }
    } else {
      for (Index j = 0; j < node.width; ++j) {
        state[j] = factor[j];
        small |= is_small(state[j]) & (factor[j] > F(0.0));
      }
      live_[node.parent] = 1;
    }
    return !small || rescale(factor, node.width, state, total);
  }

  // Brings each class's largest number to 1; tells whether the others stay large enough.
  template <class F>
  BNLR_APART bool rescale(const F* factor, Index length, T* state, double* total) const {
    const Index k = width();
    for (Index j = 0; j < length; ++j)
      if (factor[j] > F(0.0) && is_small(factor[j])) return false;
    for (Index c = 0; c < k; ++c) {
      T top = 0.0;
      for (Index j = c; j < length; j += k) top = std::max(top, state[j]);
      if (top == T(0.0)) continue;
      total[c] += natural_log(top);
      for (Index j = c; j < length; j += k) {
        state[j] /= top;
        if (state[j] > T(0.0) && is_small(state[j])) return false;
      }
    }
    return true;
  }

  // Multiplies P(c, row) by numbers at least kLeast, or 0: one logarithm serves many.
  void multiply(const T* message, double* total) {
    for (Index c = 0; c < width(); ++c) {
      products_[c] *= message[c];
      if (is_small(products_[c])) {
        total[c] += log_or_impossible(products_[c]);
        products_[c] = 1.0;
      }
    }
  }

  // message = belief / message, 0 where that is 0 / 0.
  template <class F>
  static void divide(const F* __restrict belief, Index length, T* __restrict message) {
    for (Index j = 0; j < length; ++j)
      message[j] = message[j] > T(0.0) ? belief[j] / message[j] : T(0.0);
  }

  // Counts P(own, parent) for each own state, and leaves their sum over the parent in the state.
  void split(const Node& node, Index first, Index length, const T* __restrict ratio,
             double* __restrict counts) {
    const Index k = width();
    T* __restrict state = state_.data() + node.state;
    for (Index s = 0; s < node.card; ++s) {
      const double* __restrict table = tables_ + node.block + first + s * node.width;
      double* __restrict sums = counts + node.block + first + s * node.width;
      T* __restrict own = state + s * k;
      if constexpr (K != 0) {
        T masses[K ? K : 1] = {};
        for (Index p = 0; p < length; p += K)
          for (int c = 0; c < K; ++c) {
            const T part = ratio[p + c] * (table[p + c] * own[c]);
            sums[p + c] += static_cast<double>(part);
            masses[c] += part;
          }
        for (int c = 0; c < K; ++c) own[c] = masses[c];
      } else {
        for (Index c = 0; c < k; ++c) {
          const T evidence = own[c];
          T mass = 0.0;
          for (Index j = c; j < length; j += k) {
            const T part = ratio[j] * (table[j] * evidence);
            sums[j] += static_cast<double>(part);
            mass += part;
          }
          own[c] = mass;
        }
      }
    }
  }

  const Node* nodes_;
  Index k_;
  const double *tables_, *logs_;
  std::vector<char> live_;  // which missing nodes have evidence below
  std::vector<T> state_, message_, products_;
  std::vector<double> share_;
};

// Gives the counts of "any" to the node's states, and what its children have of it to theirs.
inline void share_any(const Forest& forest, const double* tables, Index k, double* counts) {
  std::vector<double> mass(forest.n_states * k);
  for (Index v = forest.n_nodes() - 1; v >= 0; --v) {
    const Node& node = forest.nodes[v];
    double* waiting = counts + node.block + node.card * node.width;
    const double* above = mass.data() + forest.nodes[node.parent].state;
    for (Index j = 0; j < node.width; ++j) waiting[j] += above[j];
    for (Index s = 0; s < node.card; ++s) {
      double* own = mass.data() + node.state + s * k;
      const Index first = node.block + s * node.width;
      for (Index p = 0; p < node.width; p += k)
        for (Index c = 0; c < k; ++c) {
          const double part = tables[first + p + c] * waiting[p + c];
          counts[first + p + c] += part;
          own[c] += part;
        }
    }
  }
}

// Fills P(c | row), zeros where the row is impossible, and the natural log P(row).
inline void normalise(const double* totals, Index n, Index k, double* posterior, double* log_evidence) {
  constexpr Index kNumbers = 1024;
  const Index step = std::max<Index>(1, kNumbers / k);
  for (Index first = 0; first < n; first += step) {
    const Index rows = std::min(first + step, n) - first;
    const double* total = totals + first * k;
    double* __restrict part = posterior + first * k;
    double* __restrict logs = log_evidence + first;
    double masses[kNumbers];
    for (Index i = 0; i < rows; ++i) {
      double top = total[i * k];
      for (Index c = 1; c < k; ++c) top = total[i * k + c] > top ? total[i * k + c] : top;
      logs[i] = top;
      const double shift = top == kImpossible ? 0.0 : top;
      for (Index c = 0; c < k; ++c) part[i * k + c] = total[i * k + c] - shift;
    }
    for (Index j = 0; j < rows * k; ++j) part[j] = math::exp(part[j]);
    for (Index i = 0; i < rows; ++i) {
      double mass = 0.0;
      for (Index c = 0; c < k; ++c) mass += part[i * k + c];
      masses[i] = mass > 1.0 ? mass : 1.0;
      for (Index c = 0; c < k; ++c) part[i * k + c] /= masses[i];
    }
    for (Index i = 0; i < rows; ++i) logs[i] += math::log(masses[i]);
  }
}

}  // namespace bnlr::inference
