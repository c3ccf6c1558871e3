// Rows of known class in parts: what `fragments` takes them apart into.
//
// A fragment is a list of nodes, children before parents, with their own codes, −1 for missing, and
// the code of the last node's parent, which is observed or none. All its missing nodes hang together;
// the others are the observed children of these.
#pragma once

#include "trees.hpp"

namespace bnlr::inference {

class Fragments {
 public:
  // Adds a row's fragments, or its weight where one is known; families that the row observes in full
  // go into `complete` (n_laid, k).
  void add(const std::int32_t* row, Index label, double weight, const Forest& forest, Index k,
           double* complete) {
    const Index n = forest.n_nodes();
    heads_.resize(n), links_.resize(n), firsts_.resize(n);
    found_.clear();
    for (Index v = n - 1; v >= 0; --v) {
      const Node& node = forest.nodes[v];
      const Index own = row[v], outer = row[node.parent];
      if (outer >= 0 && own >= 0) {
        complete[node.block + own * node.width + outer * k + label] += weight;
        continue;
      }
      const Index head = outer < 0 ? heads_[node.parent] : v;
      heads_[v] = head;
      if (head == v) found_.push_back(v);
      else links_[v] = firsts_[head];
      firsts_[head] = v;
    }
    for (const Index head : found_) keep(row, label, row[forest.nodes[head].parent], weight, head);
  }

  std::vector<Index> classes, outers, starts{0};
  std::vector<double> weights;
  std::vector<std::int32_t> nodes, owns;

 private:
  static std::uint64_t mixed(std::uint64_t key, Index value) {
    key = (key ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15u;
    return key ^ (key >> 32);
  }

  BNLR_APART void keep(const std::int32_t* row, Index label, Index outer, double weight, Index head) {
    const Index start = starts.back();
    std::uint64_t key = mixed(static_cast<std::uint64_t>(label), outer);
    for (Index v = firsts_[head];; v = links_[v]) {
      const std::int32_t own = row[v] < 0 ? -1 : row[v];
      nodes.push_back(static_cast<std::int32_t>(v));
      owns.push_back(own);
      key = mixed(key, v * (Index{1} << 32) + own + 1);
      if (v == head) break;
    }
    const auto stop = static_cast<Index>(nodes.size()), n = static_cast<Index>(keys_.size());
    if (2 * (n + 1) > static_cast<Index>(slots_.size())) grow();
    std::uint64_t slot = key & (slots_.size() - 1);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const Index known = slots_[slot];
      if (keys_[known] == key && classes[known] == label && outers[known] == outer &&
          alike(starts[known], starts[known + 1], start, stop)) {
        weights[known] += weight;
        nodes.resize(start), owns.resize(start);
        return;
      }
    }
    slots_[slot] = n;
    keys_.push_back(key);
    classes.push_back(label), outers.push_back(outer), weights.push_back(weight);
    starts.push_back(stop);
  }

  bool alike(Index a, Index a_stop, Index b, Index b_stop) const {
    return a_stop - a == b_stop - b &&
           std::equal(nodes.begin() + a, nodes.begin() + a_stop, nodes.begin() + b) &&
           std::equal(owns.begin() + a, owns.begin() + a_stop, owns.begin() + b);
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), -1);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::uint64_t slot = keys_[i] & (slots_.size() - 1);
      while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<Index>(i);
    }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<Index> slots_;  // numbers of fragments in an open-addressing hash table, −1 for free
  // A row's: topmost node of each node's fragment, the next node in it, its first; topmost nodes.
  std::vector<Index> heads_, links_, firsts_, found_;
};

}  // namespace bnlr::inference
