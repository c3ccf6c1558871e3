// Counts and sums over the cells of families, `bnlr.design.counting` and `cells` their only callers.
// `counting_twins.py` and `cell_twins.py` give the same numbers with NumPy, bit by bit.
//
// `codes` (n_nodes, n_rows), −1 missing. Family f has the axes `axes[ends[f]:ends[f + 1]]` (rows of
// `codes`) with the numbers of states `cards` at the same places, and its cells, C order, at
// `out[starts[f]:]`. A row counts in a family if none of its axes is missing.
#include <algorithm>
#include <memory>
#include <vector>

#include "../native/bits.hpp"
#include "columns.hpp"
#include "kernels.hpp"
#include "cll_passes.hpp"

namespace bnlr::design {

namespace {

constexpr Index kWords = 128;  // 8192 rows: masks of thirty attributes stay in the second-level cache
constexpr Index kRows = 4096;
constexpr Index kFewerRows = 1024;  // beside several numbers each
constexpr Index kMostCells = Index{1} << 30;

struct Families {
  const Index *axes, *ends, *cards, *starts;
  Index n;
};

void check_axes(const Places& axes, const Places& cards, Index n_nodes) {
  require(rows(axes) == rows(cards), "cards: one an axis");
  for (Index k = 0; k < rows(axes); ++k) {
    require(0 <= axes(k) && axes(k) < n_nodes, "axes: rows of the codes");
    require(cards(k) > 0, "cards: at least 1");
  }
}

// Number of cells over some of the axes.
Index cells_of(const Index* cards, Index n) {
  Index cells = 1;
  for (Index k = 0; k < n; ++k) {
    require(cards[k] <= kMostCells / cells, "too many cells");
    cells *= cards[k];
  }
  return cells;
}

Families families_of(const Places& axes, const Places& ends, const Places& cards, const Places& starts,
                     Index n_nodes, Index n_cells) {
  check_axes(axes, cards, n_nodes);
  const Index n = rows(ends) - 1;
  require(n >= 0 && rows(starts) == n + 1, "ends and starts: one a family, and the end");
  require(ends(0) == 0 && ends(n) == rows(axes), "ends: from 0 to the number of axes");
  require(starts(0) >= 0 && starts(n) <= n_cells, "starts: cells of out");
  for (Index f = 0; f < n; ++f) {
    require(ends(f) < ends(f + 1) && ends(f + 1) <= rows(axes), "ends: increasing");
    require(starts(f + 1) - starts(f) == cells_of(cards.data() + ends(f), ends(f + 1) - ends(f)),
            "starts: as many cells as the cards make");
  }
  return {axes.data(), ends.data(), cards.data(), starts.data(), n};
}

// Masks

struct Masks {
  std::vector<Index> firsts;  // of each node, with the end
  Words words;
  std::vector<char> is_inner;  // the node is one of a family's axes but the last
  std::vector<char> is_whole;  // no cell of the node is missing in the block

  Masks(std::vector<Index> ends, std::vector<char> inner)
      : firsts(std::move(ends)), words(firsts.back() * kWords), is_inner(std::move(inner)),
        is_whole(is_inner.size()) {}

  Word* of(Index node, Index state = 0) const { return words.get() + (firsts[node] + state) * kWords; }
};

Index padded(Index n_rows) {
  const Index n_words = (n_rows + kWord - 1) / kWord;
  return (n_words + kWordsAtATurn - 1) / kWordsAtATurn * kWordsAtATurn;
}

template <class Code>
BNLR_APART bool has_holes(const Code* codes, Index n) {
  Code all = 0;
  for (Index i = 0; i < n; ++i) all = static_cast<Code>(all | codes[i]);
  return all < 0;
}

template <class Code>
BNLR_APART void fill_mask(const Code* codes, Index n, Code state, Word* __restrict mask) {
  const Index n_full = n / kWord;
  for (Index w = 0; w < n_full; ++w) mask[w] = equal_bits(codes + w * kWord, state);
  for (Index w = n_full; w < padded(n); ++w) mask[w] = 0;
  for (Index i = n_full * kWord; i < n; ++i)
    mask[n_full] |= static_cast<Word>(codes[i] == state) << (i - n_full * kWord);
}

void fill_masks(const Columns& columns, Index n_nodes, Index first, Index n, Masks& masks) {
  for (Index k = 0; k < n_nodes; ++k) {
    const Index n_states = masks.firsts[k + 1] - masks.firsts[k];
    if (!n_states) continue;
    columns.at(k, first, [&](auto* codes) {
      using Code = std::remove_const_t<std::remove_pointer_t<decltype(codes)>>;
      masks.is_whole[k] = !has_holes(codes, n);
      // The last state of a whole last axis is what the others leave, and its mask is not asked for.
      const Index n_asked = n_states - (masks.is_whole[k] && !masks.is_inner[k] ? 1 : 0);
      for (Index s = 0; s < n_asked; ++s) fill_mask(codes, n, static_cast<Code>(s), masks.of(k, s));
    });
  }
}

void all_rows(Index n, Word* mask) {
  std::fill_n(mask, padded(n), Word{0});
  std::fill_n(mask, n / kWord, ~Word{0});
  if (n % kWord) mask[n / kWord] = (Word{1} << (n % kWord)) - 1;
}

void intersect(const Word* one, const Word* other, Index n_words, Word* out) {
  for (Index w = 0; w < n_words; w += kWordsAtATurn) {
    Word common[kWordsAtATurn];  // `out` may be `one`
    for (int l = 0; l < kWordsAtATurn; ++l) common[l] = one[w + l] & other[w + l];
    for (int l = 0; l < kWordsAtATurn; ++l) out[w + l] = common[l];
  }
}

// Whether family f has the axes of the one before it but for the last.
bool same_prefix(const Families& families, Index f) {
  const Index* ends = families.ends;
  const Index length = f ? ends[f + 1] - ends[f] : 0;
  const Index *own = families.axes + ends[f], *before = own - length;
  return f && ends[f] - ends[f - 1] == length && std::equal(own, own + length - 1, before);
}

// Masks of the joint states of a family's axes but the last, and their sizes.
struct Joint {
  Words own;
  std::vector<Index> sizes;
  const Word* words = nullptr;
  Index n = 0;

  explicit Joint(Index largest) : own(largest * kWords), sizes(largest) {}

  void make(const Families& families, Index f, const Masks& masks, Index n_rows) {
    const Index *axis = families.axes + families.ends[f], *card = families.cards + families.ends[f];
    const Index length = families.ends[f + 1] - families.ends[f] - 1, n_words = padded(n_rows);
    words = length == 1 ? masks.of(axis[0]) : own.get();
    n = length ? card[0] : 1;
    if (length == 0) all_rows(n_rows, own.get());
    const Word* from = length ? masks.of(axis[0]) : nullptr;
    for (Index k = 1; k < length; ++k) {
      // From the last to the first, so that no mask is overwritten before it is read.
      for (Index j = n - 1; j >= 0; --j)
        for (Index s = card[k] - 1; s >= 0; --s) {
          Word* to = own.get() + (j * card[k] + s) * kWords;
          intersect(from + j * kWords, masks.of(axis[k], s), n_words, to);
        }
      from = own.get();
      n *= card[k];
    }
    for (Index j = 0; j < n; ++j)
      common_sizes(words + j * kWords, 1, words + j * kWords, 1, kWords, n_words, &sizes[j]);
  }
};

void count_block(const Families& families, const Masks& masks, Index n_rows, Joint& joint,
                 Index* found, Index* out) {
  const Index n_words = padded(n_rows);
  for (Index f = 0; f < families.n; ++f) {
    if (!same_prefix(families, f)) joint.make(families, f, masks, n_rows);
    const Index tail = families.ends[f + 1] - 1, node = families.axes[tail], card = families.cards[tail];
    // The last state is what the others leave, unless a cell may be missing.
    const Index n_counted = masks.is_whole[node] ? card - 1 : card;
    common_sizes(joint.words, joint.n, masks.of(node), n_counted, kWords, n_words, found);
    const Index* common = found;
    for (Index j = 0; j < joint.n; ++j) {
      Index* cells = out + families.starts[f] + j * card;
      Index rest = joint.sizes[j];
      for (Index s = 0; s < n_counted; ++s, ++common) {
        cells[s] += *common;
        rest -= *common;
      }
      if (n_counted < card) cells[n_counted] += rest;
    }
  }
}

}  // namespace

// Adds the rows `start:stop` to the counts `out`, by one bit mask for each state.
//
// Masks of the joint states of all axes but the last are kept from one family to the next, so
// families that share them should follow each other.
void py_count_bits(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
                   const Places& starts, Index start, Index stop, const Vector<Index>& out) {
  const Index n_nodes = rows(codes);
  const Families families = families_of(axes, ends, cards, starts, n_nodes, rows(out));
  const Columns columns = columns_of(codes);
  require(0 <= start && start <= stop && stop <= columns.n_rows, "start:stop lies outside the rows");
  std::vector<Index> firsts(n_nodes + 1);
  std::vector<char> is_inner(n_nodes);
  for (Index k = 0; k < rows(axes); ++k) {
    Index& n_states = firsts[axes(k) + 1];
    require(!n_states || n_states == cards(k), "cards: those of the nodes");
    n_states = cards(k);
  }
  for (Index k = 0; k < n_nodes; ++k) firsts[k + 1] += firsts[k];
  for (Index f = 0; f < families.n; ++f)
    for (Index k = ends(f); k < ends(f + 1) - 1; ++k) is_inner[axes(k)] = 1;
  Masks masks(std::move(firsts), std::move(is_inner));
  Index largest = 1, most = 1;
  for (Index f = 0; f < families.n; ++f) {
    const Index n_cells = starts(f + 1) - starts(f);
    largest = std::max(largest, n_cells / families.cards[families.ends[f + 1] - 1]);
    most = std::max(most, n_cells);
  }
  Joint joint(largest);
  std::vector<Index> found(most);
  for (Index first = start; first < stop; first += kWords * kWord) {
    const Index n = std::min(first + kWords * kWord, stop) - first;
    fill_masks(columns, n_nodes, first, n, masks);
    count_block(families, masks, n, joint, found.data(), out.data());
  }
}

namespace {

// Rows

template <class Code>
BNLR_APART void join(const Code* __restrict codes, std::int32_t card, Index n,
                     std::int32_t* __restrict cells, std::int32_t* __restrict holes) {
  for (Index i = 0; i < n; ++i) {
    const auto code = static_cast<std::int32_t>(codes[i]);
    cells[i] = cells[i] * card + code;
    holes[i] |= code;
  }
}

template <class Code>
BNLR_APART void begin(const Code* __restrict codes, Index n, std::int32_t* __restrict cells,
                      std::int32_t* __restrict holes) {
  for (Index i = 0; i < n; ++i) cells[i] = holes[i] = static_cast<std::int32_t>(codes[i]);
}

BNLR_APART void put_holes(const std::int32_t* __restrict holes, std::int32_t spare, Index n,
                          std::int32_t* __restrict cells) {
  for (Index i = 0; i < n; ++i) cells[i] = holes[i] < 0 ? spare : cells[i];
}

// The cell of each row in one family, `spare` where an axis is missing.
//
// Cells fit 32 bits: there are at most kMostCells, and a missing code takes one no further below 0
// than there are.
struct Cells {
  std::int32_t cells[kRows], holes[kRows];

  void fill(const Columns& columns, const Index* axes, const Index* cards, Index n_axes, Index first,
            Index n, std::int32_t spare) {
    columns.at(axes[0], first, [&](auto* codes) { begin(codes, n, cells, holes); });
    for (Index k = 1; k < n_axes; ++k)
      columns.at(axes[k], first, [&](auto* codes) {
        join(codes, static_cast<std::int32_t>(cards[k]), n, cells, holes);
      });
    put_holes(holes, spare, n, cells);
  }
};

// Adds `value(i)` of all rows to one family's `table` (lanes, n_cells + 1), row i to lane i mod lanes;
// the last cell takes the rows with a missing axis.
template <class T, class F>
void add_rows(const AnyMatrix& codes, const Places& axes, const Places& cards, const Matrix<T>& table,
              F&& value) {
  check_axes(axes, cards, rows(codes));
  const Index n_lanes = rows(table), width = columns(table);
  require(rows(axes) > 0 && cells_of(cards.data(), rows(cards)) == width - 1,
          "table: as many cells as the cards make, and one more");
  require(n_lanes > 0, "table: at least one lane");
  const Columns columns = columns_of(codes);
  const auto block = std::unique_ptr<Cells>(new Cells);
  T* const sums = table.data();
  const auto spare = static_cast<std::int32_t>(width - 1);
  for (Index first = 0; first < columns.n_rows; first += kRows) {
    const Index n = std::min(first + kRows, columns.n_rows) - first;
    block->fill(columns, axes.data(), cards.data(), rows(axes), first, n, spare);
    const std::int32_t* cells = block->cells;
    Index i = 0;
    if (n_lanes == kLanes4)
      for (; i + kLanes4 <= n; i += kLanes4)
        for (Index lane = 0; lane < kLanes4; ++lane)
          sums[lane * width + cells[i + lane]] += value(first + i + lane);
    if (n_lanes == 1)
      for (; i < n; ++i) sums[cells[i]] += value(first + i);
    for (; i < n; ++i) sums[(first + i) % n_lanes * width + cells[i]] += value(first + i);
  }
}

}  // namespace

void py_count_cells(const AnyMatrix& codes, const Places& axes, const Places& cards,
                    const Matrix<Index>& table) {
  add_rows(codes, axes, cards, table, [](Index) { return Index{1}; });
}

void py_weigh_cells(const AnyMatrix& codes, const Places& axes, const Places& cards,
                    const Vector<const double>& weights, const Matrix<double>& table) {
  require(rows(weights) == columns(codes), "weights: one a row");
  const double* own = weights.data();
  add_rows(codes, axes, cards, table, [own](Index i) { return own[i]; });
}

// Adds all rows to the tables of the families `which`, one after the other: for few rows. `weights`
// one a row, or none for ones. Each table is added up in the order of the rows.
void py_add_families(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
                     const Places& starts, const Places& which, const Vector<const double>& weights,
                     const Vector<double>& out) {
  const Families families = families_of(axes, ends, cards, starts, rows(codes), rows(out));
  const Columns columns = columns_of(codes);
  require(!weights.size() || rows(weights) == columns.n_rows, "weights: one a row, or none");
  const double* own = weights.size() ? weights.data() : nullptr;
  const auto block = std::unique_ptr<Cells>(new Cells);
  for (Index k = 0; k < rows(which); ++k) {
    const Index f = which(k);
    require(0 <= f && f < families.n, "which: families");
    double* table = out.data() + families.starts[f];
    for (Index first = 0; first < columns.n_rows; first += kRows) {
      const Index n = std::min(first + kRows, columns.n_rows) - first, begin = families.ends[f];
      block->fill(columns, families.axes + begin, families.cards + begin, families.ends[f + 1] - begin,
                  first, n, -1);
      const std::int32_t* cells = block->cells;
      if (own) {
        for (Index i = 0; i < n; ++i)
          if (cells[i] >= 0) table[cells[i]] += own[first + i];
      } else {
        for (Index i = 0; i < n; ++i)
          if (cells[i] >= 0) table[cells[i]] += 1.0;
      }
    }
  }
}

// Adds up, for each of the columns `others`, `terms[n]` over the cells of part × state that n rows show:
// part p are the rows `order[ends[p]:ends[p + 1]]`. Costs what the rows cost, however many cells there are.
void py_sum_occurring(const AnyMatrix& codes, const Places& order, const Places& ends, const Places& others,
                      const Places& cards, const In& terms, const Vector<double>& sums) {
  check_axes(others, cards, rows(codes));
  const Columns columns = columns_of(codes);
  const Index n_parts = rows(ends) - 1, n_rows = rows(order);
  require(n_parts >= 0 && ends(0) == 0 && ends(n_parts) == n_rows, "ends: from 0 to the number of rows");
  require(rows(terms) == n_rows + 1, "terms: one a number of rows");
  require(rows(sums) == rows(others), "sums: one a column");
  Index longest = 0;
  for (Index p = 0; p < n_parts; ++p) {
    require(ends(p) <= ends(p + 1), "ends: increasing");
    longest = std::max(longest, ends(p + 1) - ends(p));
  }
  for (Index i = 0; i < n_rows; ++i)
    require(0 <= order(i) && order(i) < columns.n_rows, "order: rows of the codes");
  Index most_states = 0;
  for (Index k = 0; k < rows(cards); ++k) most_states = std::max(most_states, cards(k));
  std::vector<Index> reached(longest + 2), seen(most_states);
  for (Index k = 0; k < rows(others); ++k)
    columns.at(others(k), 0, [&](auto* own) {
      std::fill(reached.begin(), reached.end(), 0);
      for (Index p = 0; p < n_parts; ++p) {
        const Index *first = order.data() + ends(p), *stop = order.data() + ends(p + 1);
        for (const Index* i = first; i < stop; ++i)
          if (own[*i] >= 0) ++reached[++seen[own[*i]]];
        for (const Index* i = first; i < stop; ++i)
          if (own[*i] >= 0) seen[own[*i]] = 0;
      }
      double sum = 0.0;
      for (Index n = 1; n <= longest; ++n) sum += (reached[n] - reached[n + 1]) * terms(n);
      sums(k) = sum;
    });
}

namespace {

// Sums of values, without missing cells

template <int K>
void add_few(const std::int32_t* cells, const double* values, Index n, double* table) {
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < K; ++c) table[cells[i] * Index{K} + c] += values[i * K + c];
}

void add_values(const std::int32_t* cells, const double* values, Index n, Index width, double* table) {
  switch (width) {
    case 1: return add_few<1>(cells, values, n, table);
    case 2: return add_few<2>(cells, values, n, table);
    case 3: return add_few<3>(cells, values, n, table);
    case 4: return add_few<4>(cells, values, n, table);
    default:
      for (Index i = 0; i < n; ++i) add_row(values + i * width, width, table + cells[i] * width);
  }
}

}  // namespace

// Adds each row's `values` (n_rows, width) to its cell of the families `first:stop`, one block of rows
// a turn; `out` (cells of all families, width).
void py_add_values(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
                   const Places& starts, Index first, Index stop, const Matrix<const double>& values,
                   const Matrix<double>& out) {
  const Families families = families_of(axes, ends, cards, starts, rows(codes), rows(out));
  const Columns columns = columns_of(codes);
  const Index width = bnlr::columns(out);
  require(0 <= first && first <= stop && stop <= families.n, "first:stop lies outside the families");
  require(rows(values) == columns.n_rows, "values: one row a row");
  require(bnlr::columns(values) == width, "values and out are of one width");
  const auto block = std::unique_ptr<Cells>(new Cells);
  for (Index from = 0; from < columns.n_rows; from += kFewerRows) {
    const Index n = std::min(from + kFewerRows, columns.n_rows) - from;
    for (Index f = first; f < stop; ++f) {
      const Index begin = families.ends[f];
      block->fill(columns, families.axes + begin, families.cards + begin, families.ends[f + 1] - begin,
                  from, n, 0);
      add_values(block->cells, values.data() + from * width, n, width,
                 out.data() + families.starts[f] * width);
    }
  }
}

}  // namespace bnlr::design
