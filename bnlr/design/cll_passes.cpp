// Rows are worked through in blocks whose scores stay in the first-level cache. With two classes,
// k = 1, loops vectorise over rows, otherwise over classes. Sums run in lanes of a fixed number, so
// their bits depend neither on the threads nor on the CPU.
//
// Only `gather…` and `scatter…` look at codes: they alone are compiled for each width of them.
#include "cll_passes.hpp"

#include <limits>
#include <vector>

namespace bnlr::design {

namespace {

constexpr Index kFew = 7;  // so many differences fit a CPU's vector, and need kernels of their own

// Compilers would gather the table's entries by an instruction that takes longer than as many loads.
#if defined(__GNUC__)
#define BNLR_BY_LOADS __asm__ volatile("")
#define BNLR_FETCH(place) __builtin_prefetch(place)
#else
#define BNLR_BY_LOADS
#define BNLR_FETCH(place)
#endif

// Σ terms, by halves.
template <int K, class Terms>
double halves(const Terms& term, int first = 0) {
  if constexpr (K == 1) return term(first);
  else return halves<(K + 1) / 2>(term, first) + halves<K / 2>(term, first + (K + 1) / 2);
}

// Sums of table entries of K groups from g on, added to what is there unless they are the first.
template <int K, class R>
void gather_groups(const double* table, const R& rows, Index g, Index first, Index n,
                   double* __restrict out) {
  const double* entries[K];
  decltype(rows.codes) codes[K];
  for (int k = 0; k < K; ++k) {
    entries[k] = table + rows.offsets[g + k];
    codes[k] = rows.group(g + k, first);
  }
  const auto of_row = [&](Index i) {
    return halves<K>([&](int k) { return entries[k][codes[k][i]]; });
  };
  if (g == 0)
    for (Index i = 0; i < n; ++i) {
      BNLR_BY_LOADS;
      out[i] = of_row(i);
    }
  else
    for (Index i = 0; i < n; ++i) {
      BNLR_BY_LOADS;
      out[i] += of_row(i);
    }
}

// Several groups at a turn: of one alone, a sum would wait for the row before, which is often alike.
template <int K, class R>
void scatter_groups(const double* values, const R& rows, Index g, Index first, Index n, double* table) {
  double* sums[K];
  decltype(rows.codes) codes[K];
  for (int k = 0; k < K; ++k) {
    sums[k] = table + rows.offsets[g + k];
    codes[k] = rows.group(g + k, first);
  }
  for (Index i = 0; i < n; ++i) {
    const double value = values[i];
    for (int k = 0; k < K; ++k) sums[k][codes[k][i]] += value;
  }
}

// f<K>(g): groups g:g+K, six and what is left at a turn, for fewer loads and stores of what they share.
template <class F>
void over_groups(Index n_groups, F&& f) {
  Index g = 0;
  for (; g + 6 <= n_groups; g += 6) f(std::integral_constant<int, 6>{}, g);
  switch (n_groups - g) {
    case 5: f(std::integral_constant<int, 5>{}, g); break;
    case 4: f(std::integral_constant<int, 4>{}, g); break;
    case 3: f(std::integral_constant<int, 3>{}, g); break;
    case 2: f(std::integral_constant<int, 2>{}, g); break;
    case 1: f(std::integral_constant<int, 1>{}, g); break;
    default: break;
  }
}

// Numbers side by side in one register, and how many such sums a row holds in registers at a turn.
#if defined(__AVX512F__)
constexpr Index kVector = 8;
constexpr int kMostVectors = 4;
#elif defined(__AVX__)
constexpr Index kVector = 4;
constexpr int kMostVectors = 7;
#else
constexpr Index kVector = 2;
constexpr int kMostVectors = 7;
#endif
constexpr Index kLine = 8;             // numbers in a line of the cache
constexpr Index kTogether = 8;         // groups whose tables a row is added to at a turn
constexpr Index kMostCodes = 1 << 17;  // of pairs of cells, which are made for as many rows

#if defined(__GNUC__)
typedef double Doubles __attribute__((vector_size(kVector * sizeof(double))));

// The second where they cannot be compared.
template <class V>
inline V larger(const V& a, const V& b) {
  return a > b ? a : b;
}
#else
struct Doubles {
  double own[kVector];
};
#define BNLR_OPERATOR(sign)                                                                       \
  inline Doubles operator sign(Doubles a, const Doubles& b) {                                     \
    for (Index l = 0; l < kVector; ++l) a.own[l] = a.own[l] sign b.own[l];                        \
    return a;                                                                                     \
  }                                                                                               \
  inline Doubles operator sign(Doubles a, double b) {                                             \
    for (Index l = 0; l < kVector; ++l) a.own[l] = a.own[l] sign b;                               \
    return a;                                                                                     \
  }
BNLR_OPERATOR(+)
BNLR_OPERATOR(-)
BNLR_OPERATOR(*)
#undef BNLR_OPERATOR

// The second where they cannot be compared.
inline double larger(double a, double b) { return a > b ? a : b; }
inline Doubles larger(Doubles a, const Doubles& b) {
  for (Index l = 0; l < kVector; ++l) a.own[l] = larger(a.own[l], b.own[l]);
  return a;
}
#endif

// V: Doubles, or double for the columns left over.
template <class V = Doubles>
inline V load(const double* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
inline void store(const V& v, double* to) {
  std::memcpy(to, &v, sizeof v);
}

// Rows of a table of many columns are filled up to whole vectors: across the lines of the cache, and for
// the columns left over, a vector would be loaded twice. What stands beyond the columns is not read.
class Wide {
 public:
  // Zeros.
  Wide(Index n_cells, Index width)
      : stride_((width + kVector - 1) / kVector * kVector),
        held_(new double[n_cells * stride_ + kLine]) {
    const auto past = reinterpret_cast<std::uintptr_t>(held_.get()) / sizeof(double) % kLine;
    first_ = held_.get() + (kLine - past) % kLine;
    std::fill_n(first_, n_cells * stride_, 0.0);
  }
  Wide(const double* table, Index n_cells, Index width) : Wide(n_cells, width) {
    for (Index i = 0; i < n_cells; ++i) std::copy_n(table + i * width, width, first_ + i * stride_);
  }

  double* data() { return first_; }
  const double* data() const { return first_; }
  Index stride() const { return stride_; }

  void add_to(double* table, Index n_cells, Index width) const {
    for (Index i = 0; i < n_cells; ++i)
      for (Index c = 0; c < width; ++c) table[i * width + c] += first_[i * stride_ + c];
  }

 private:
  Index stride_;
  std::unique_ptr<double[]> held_;
  double* first_;
};

// A row's sums of V vectors of columns, held in registers while the groups go by. The last vector of a
// row reaches beyond it, into the next row, which is written later. What is read next, `ahead`
// (n, width) if not null, is fetched meanwhile.
template <int V, class R>
void gather_panel(const double* table, Index stride, const R& rows, Index width, Index n_columns,
                  Index first, Index n, const double* ahead, double* out) {
  for (Index i = 0; i < n; ++i) {
    if (ahead)
      for (Index c = 0; c < V * kVector; c += kLine) BNLR_FETCH(ahead + i * width + c);
    Doubles sums[V] = {};
    const auto* code = rows.group(0, first + i);
    for (Index g = 0; g < rows.n_groups; ++g) {
      const double* row = table + (rows.offsets[g] + static_cast<Index>(code[g * rows.n_rows])) * stride;
      for (int v = 0; v < V; ++v) sums[v] = sums[v] + load(row + v * kVector);
    }
    double* to = out + i * width;
    if (i + 1 < n) {
      for (int v = 0; v < V; ++v) store(sums[v], to + v * kVector);
    } else {
      double last[V * kVector];
      for (int v = 0; v < V; ++v) store(sums[v], last + v * kVector);
      std::copy_n(last, n_columns, to);
    }
  }
}

// Few groups at a turn, so that their tables alone have to be near: but not one, whose sums would wait
// for the row before, which is often alike.
template <int V, class R>
void scatter_panel(const double* values, Index width, const R& rows, Index first, Index n, Index stride,
                   double* table) {
  for (Index g = 0; g < rows.n_groups; g += kTogether) {
    const Index end = std::min(g + kTogether, rows.n_groups);
    for (Index i = 0; i < n; ++i) {
      Doubles value[V];
      for (int v = 0; v < V; ++v) value[v] = load(values + i * width + v * kVector);
      const auto* code = rows.group(0, first + i);
      for (Index h = g; h < end; ++h) {
        double* row = table + (rows.offsets[h] + static_cast<Index>(code[h * rows.n_rows])) * stride;
        for (int v = 0; v < V; ++v) store(load(row + v * kVector) + value[v], row + v * kVector);
      }
    }
  }
}

// f<V>() for the vectors that `n_columns` take, kMostVectors at most.
template <int V = kMostVectors, class F>
void with_vectors(Index n_columns, F&& f) {
  if constexpr (V > 1) {
    if (n_columns <= (V - 1) * kVector) return with_vectors<V - 1>(n_columns, f);
  }
  f(std::integral_constant<int, V>{});
}

// f<V>(column, n_columns) of panels, the last first: its vectors reach beyond a row.
template <class F>
void over_panels(Index width, F&& f) {
  constexpr Index kPanel = kMostVectors * kVector;
  for (Index c = (width - 1) / kPanel * kPanel; c >= 0; c -= kPanel) {
    const Index n_columns = std::min(kPanel, width - c);
    with_vectors(n_columns, [&](auto vectors) { f(vectors, c, n_columns); });
  }
}

void gather_many(const Wide& table, const Rows& rows, Index width, Index first, Index n,
                 const double* ahead, double* out) {
  with_coded(rows, [&](const auto& coded) {
    over_panels(width, [&](auto vectors, Index c, Index n_columns) {
      gather_panel<decltype(vectors)::value>(table.data() + c, table.stride(), coded, width, n_columns,
                                             first, n, ahead ? ahead + c : nullptr, out + c);
    });
  });
}

// `values` (n, width) and a vector of any numbers more.
void scatter_many(const double* values, const Rows& rows, Index width, Index first, Index n,
                  Wide& table) {
  with_coded(rows, [&](const auto& coded) {
    over_panels(width, [&](auto vectors, Index c, Index) {
      scatter_panel<decltype(vectors)::value>(values + c, width, coded, first, n, table.stride(),
                                              table.data() + c);
    });
  });
}

// Where the number of class c of row i stands, of few classes, K of them: beside those of the row's
// other classes, or beside those of other rows.
template <int K>
struct ByRow {
  Index operator()(Index i, int c) const { return i * K + c; }
};
struct ByClass {
  Index stride;
  Index operator()(Index i, int c) const { return c * stride + i; }
};

template <int K, class R, class At>
void gather_k(const double* table, const R& rows, Index first, Index n, At at,
              double* __restrict scores) {
  for (Index i = 0; i < n; ++i) {
    double sums[K] = {};
    const auto* code = rows.group(0, first + i);
    for (Index g = 0; g < rows.n_groups; ++g) {
      const double* row = table + (rows.offsets[g] + static_cast<Index>(code[g * rows.n_rows])) * K;
      for (int c = 0; c < K; ++c) sums[c] += row[c];
    }
    for (int c = 0; c < K; ++c) scores[at(i, c)] = sums[c];
  }
}

template <int K, class R, class At>
void scatter_k(const double* values, const R& rows, Index first, Index n, At at, double* table) {
  for (Index i = 0; i < n; ++i) {
    double value[K];
    for (int c = 0; c < K; ++c) value[c] = values[at(i, c)];
    const auto* code = rows.group(0, first + i);
    for (Index g = 0; g < rows.n_groups; ++g) {
      double* row = table + (rows.offsets[g] + static_cast<Index>(code[g * rows.n_rows])) * K;
      for (int c = 0; c < K; ++c) row[c] += value[c];
    }
  }
}

// f<K>() for 2 to 7 classes beside the first.
template <class F>
auto with_few(Index k, F&& f) {
  switch (k) {
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    case 6: return f(std::integral_constant<int, 6>{});
    default: return f(std::integral_constant<int, 7>{});
  }
}

// `scores` (k, stride), or (n, k) where the stride is 0.
void gather_few(const double* table, const Rows& rows, Index k, Index first, Index n, Index stride,
                double* scores) {
  with_coded(rows, [&](const auto& coded) {
    with_few(k, [&](auto few) {
      constexpr int K = decltype(few)::value;
      if (stride) gather_k<K>(table, coded, first, n, ByClass{stride}, scores);
      else gather_k<K>(table, coded, first, n, ByRow<K>{}, scores);
    });
  });
}

void scatter_few(const double* values, const Rows& rows, Index k, Index first, Index n, Index stride,
                 double* table) {
  with_coded(rows, [&](const auto& coded) {
    with_few(k, [&](auto few) {
      constexpr int K = decltype(few)::value;
      if (stride) scatter_k<K>(values, coded, first, n, ByClass{stride}, table);
      else scatter_k<K>(values, coded, first, n, ByRow<K>{}, table);
    });
  });
}

}  // namespace

void gather_one(const double* table, const Rows& rows, Index first, Index n, double* out) {
  if (rows.n_groups == 0) std::fill_n(out, n, 0.0);
  with_coded(rows, [&](const auto& coded) {
    over_groups(rows.n_groups, [&](auto k, Index g) {
      gather_groups<decltype(k)::value>(table, coded, g, first, n, out);
    });
  });
}

void scatter_one(const double* values, const Rows& rows, Index first, Index n, double* table) {
  with_coded(rows, [&](const auto& coded) {
    over_groups(rows.n_groups, [&](auto k, Index g) {
      scatter_groups<decltype(k)::value>(values, coded, g, first, n, table);
    });
  });
}

namespace {

// Tables of any number of classes, as the passes over them want them: whole vectors for many.
struct Gathered {
  Gathered(const double* table, const Rows& rows, Index width)
      : table(table), rows(rows), width(width), wide(table, width > kFew ? rows.n_cells() : 0, width) {}
  const double* table;
  const Rows& rows;
  Index width;
  Wide wide;

  // `scores` (n, width); `ahead`, of the same shape or null, is what will be read with them.
  void to(double* scores, Index first, Index n, const double* ahead = nullptr) const {
    if (width == 1) gather_one(table, rows, first, n, scores);
    else if (width <= kFew) gather_few(table, rows, width, first, n, 0, scores);
    else gather_many(wide, rows, width, first, n, ahead, scores);
  }
};

struct Scattered {
  Scattered(double* table, const Rows& rows, Index width)
      : table(table), rows(rows), width(width), wide(width > kFew ? rows.n_cells() : 0, width) {}
  ~Scattered() {
    if (width > kFew) wide.add_to(table, rows.n_cells(), width);
  }
  Scattered(const Scattered&) = delete;
  double* table;
  const Rows& rows;
  Index width;
  Wide wide;

  // `values` (n, width), and for many classes a vector of any numbers more
  void add(const double* values, Index first, Index n) {
    if (width == 1) scatter_one(values, rows, first, n, table);
    else if (width <= kFew) scatter_few(values, rows, width, first, n, 0, table);
    else scatter_many(values, rows, width, first, n, wide);
  }
};

}  // namespace

void gather(const double* table, const Rows& rows, Index width, Index start, Index stop,
            double* scores) {
  const Gathered sums(table, rows, width);
  const Index step = width == 1 ? kMostRows : block_rows(width);
  for (Index first = start; first < stop; first += step)
    sums.to(scores + (first - start) * width, first, std::min(first + step, stop) - first);
}

static double weighted_sum(const double* v, const double* weights, Index first, Index n) {
  return weights ? dot(v, weights + first, n) : sum(v, n);
}

static double linearise_one(const double* table, const Rows& rows, Index start, Index stop,
                            double* __restrict p, double* gradient) {
  Block block(1, stop - start);
  double* __restrict scores = block.scores;
  double* __restrict gains = block.gains;
  const std::int32_t* __restrict chosen = block.chosen.get();
  double total = 0.0;
  for (Index first = start; first < stop; first += kMostRows) {
    const Index n = std::min(first + kMostRows, stop) - first;
    double* __restrict yeses = p + first;
    gather_one(table, rows, first, n, scores);
    rows.classes.read(first, n, block.chosen.get());
    for (Index i = 0; i < n; ++i) {
      const double score = scores[i], y = chosen[i];
      const double e = math::exp(-std::fabs(score));
      const double larger = 1.0 / (1.0 + e), smaller = e * larger;
      const double yes = score >= 0 ? larger : smaller;
      // Not 1 − yes, whose rounding is all that is left of it near separation.
      const double no = score >= 0 ? smaller : larger;
      yeses[i] = yes;
      scores[i] = y * no - (1.0 - y) * yes;
      gains[i] = (y * score - (score > 0.0 ? score : 0.0)) - math::log1p(e);
    }
    if (rows.weights)
      for (Index i = 0; i < n; ++i) scores[i] *= rows.weights[first + i];
    total += weighted_sum(gains, rows.weights, first, n);
    scatter_one(scores, rows, first, n, gradient);
  }
  return total;
}

// f(V, column) for a row's k columns, those beyond whole lanes alone.
template <class F>
inline void over_row(Index k, F&& f) {
  const Index tail = k % kLanes;
  for (Index c = 0; c < k - tail; c += kVector) f(Doubles{}, c);
  for (int c = 0; c < tail; ++c) f(double{}, k - tail + c);
}

// Σ f(V, column), in the order of `sum` and `dot`.
template <class F>
inline double row_total(Index k, F&& f) {
  const Index tail = k % kLanes;
  constexpr int kVectors = static_cast<int>(kLanes / kVector);
  Doubles sums[kVectors] = {};
  for (Index c = 0; c < k - tail; c += kLanes)
    for (int v = 0; v < kVectors; ++v) sums[v] = sums[v] + f(Doubles{}, c + v * kVector);
  double lanes[kLanes];
  for (int v = 0; v < kVectors; ++v) store(sums[v], lanes + v * kVector);
  for (int l = 0; l < tail; ++l) lanes[l] += f(double{}, k - tail + l);
  return folded(lanes);
}

inline double row_sum(const double* v, Index k) {
  return row_total(k, [&](auto kind, Index c) { return load<decltype(kind)>(v + c); });
}

inline double row_dot(const double* a, const double* b, Index k) {
  return row_total(k, [&](auto kind, Index c) {
    return load<decltype(kind)>(a + c) * load<decltype(kind)>(b + c);
  });
}

// Largest of 0 and k numbers.
inline double row_top(const double* v, Index k) {
  const Index tail = k % kLanes;
  constexpr int kVectors = static_cast<int>(kLanes / kVector);
  Doubles tops[kVectors] = {};
  for (Index c = 0; c < k - tail; c += kLanes)
    for (int l = 0; l < kVectors; ++l) tops[l] = larger(load(v + c + l * kVector), tops[l]);
  double lanes[kLanes];
  for (int l = 0; l < kVectors; ++l) store(tops[l], lanes + l * kVector);
  for (int l = 0; l < tail; ++l) lanes[l] = larger(v[k - tail + l], lanes[l]);
  return larger(larger(larger(lanes[0], lanes[4]), larger(lanes[2], lanes[6])),
                larger(larger(lanes[1], lanes[5]), larger(lanes[3], lanes[7])));
}

BNLR_APART static void exponentials_of(Index n, double* __restrict v) {
  for (Index i = 0; i < n; ++i) v[i] = math::exp(v[i]);
}

// Turn the rows' scores (n, k) into exp(score − top), 0 for the row's class, whose own goes to `right`;
// `rest` gets the reference's exp(−top), `own` score − top of each row's class.
BNLR_APART static void exponentials(double* __restrict scores, const std::int32_t* __restrict classes,
                                    Index n, Index k, double* __restrict rest, double* __restrict own,
                                    double* __restrict right) {
  for (Index i = 0; i < n; ++i) {
    double* row = scores + i * k;
    const double top = row_top(row, k);
    rest[i] = own[i] = -top;
    over_row(k, [&](auto kind, Index c) { store(load<decltype(kind)>(row + c) - top, row + c); });
    if (classes[i] > 0) {
      own[i] = row[classes[i] - 1];
      // Here, for vectors wait for a number among theirs that was just stored.
      row[classes[i] - 1] = -std::numeric_limits<double>::infinity();
    }
  }
  exponentials_of(n * k, scores);
  exponentials_of(n, rest);
  for (Index i = 0; i < n; ++i) right[i] = math::exp(own[i]);
}

// log P of each row's class, into `gains`: of exp(own) = `right` beside the exponentials `others`.
BNLR_APART static void log_shares(const double* __restrict own, const double* __restrict right,
                                  const double* __restrict others, Index n, double* __restrict gains) {
  for (Index i = 0; i < n; ++i) {
    // Near probability 1 the sum of all would round away what the others have.
    const bool is_near = (own[i] == 0.0) & (others[i] <= 1.0);
    const double capped = others[i] <= 1.0 ? others[i] : 1.0;
    const double far = own[i] - math::log(right[i] + others[i]);
    const double near = -math::log1p(capped);
    gains[i] = is_near ? near : far;
  }
}

BNLR_APART static void raise(const double* __restrict s, Index n, double* __restrict top) {
  for (Index i = 0; i < n; ++i) top[i] = s[i] > top[i] ? s[i] : top[i];
}

// exp(s − top) in place of the scores s of the class `here`.
BNLR_APART static void exponentials_of_class(double* __restrict s, const double* __restrict top,
                                             const double* __restrict chosen, double here, Index n,
                                             double* __restrict own, double* __restrict right,
                                             double* __restrict others) {
  for (Index i = 0; i < n; ++i) {
    const double below = s[i] - top[i], e = math::exp(below);
    const bool is = chosen[i] == here;
    own[i] = is ? below : own[i];
    right[i] = is ? e : right[i];
    others[i] = is ? others[i] : others[i] + e;
    s[i] = e;
  }
}

// exp(score − top) in place of the scores (k, stride), `others` and `right` the sums of those of the
// other classes and that of the row's own, `own` its score − top.
static void exponentials_of_few(Block& block, Index n, Index k) {
  double *top = block.gains, *reference = block.slopes;
  std::fill_n(top, n, 0.0);
  for (Index c = 0; c < k; ++c) raise(block.scores + c * block.rows, n, top);
  std::fill_n(reference, n, 0.0);
  std::fill_n(block.others, n, 0.0);
  exponentials_of_class(reference, top, block.rest, 0.0, n, block.own, block.right, block.others);
  for (Index c = 0; c < k; ++c)
    exponentials_of_class(block.scores + c * block.rows, top, block.rest, static_cast<double>(c + 1), n,
                          block.own, block.right, block.others);
}

// Turn exponentials of the class `here` into p, and its residuals: observed − p, in `s`.
BNLR_APART static void residuals_of_class(double* __restrict s, const double* __restrict scale,
                                          const double* __restrict others,
                                          const double* __restrict chosen,
                                          const double* __restrict weights, double here, Index n,
                                          Index k, double* __restrict p) {
  for (Index i = 0; i < n; ++i) p[i * k] = s[i] * scale[i];
  // Not 1 − p, whose rounding is all that is left of it near separation.
  for (Index i = 0; i < n; ++i)
    s[i] = chosen[i] == here ? others[i] * scale[i] : -(s[i] * scale[i]);
  if (weights)
    for (Index i = 0; i < n; ++i) s[i] *= weights[i];
}

BNLR_APART static void inverse_masses(const double* __restrict right, const double* __restrict others,
                                      Index n, double* __restrict scale) {
  for (Index i = 0; i < n; ++i) scale[i] = 1.0 / (right[i] + others[i]);
}

// Few classes: as many, but vectorised over rows.
static double linearise_few(const double* table, const Rows& rows, Index k, Index start, Index stop,
                            double* p, double* gradient) {
  Block block(k, stop - start);
  const Index stride = block.rows;
  double total = 0.0;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    gather_few(table, rows, k, first, n, stride, block.scores);
    block.read(rows.classes, first, n);
    exponentials_of_few(block, n, k);
    inverse_masses(block.right, block.others, n, block.slopes);
    for (Index c = 0; c < k; ++c)
      residuals_of_class(block.scores + c * stride, block.slopes, block.others, block.rest,
                         rows.weights_from(first), static_cast<double>(c + 1), n, k,
                         p + first * k + c);
    log_shares(block.own, block.right, block.others, n, block.gains);
    total += weighted_sum(block.gains, rows.weights, first, n);
    scatter_few(block.scores, rows, k, first, n, stride, gradient);
  }
  return total;
}

// Turn exponentials (n, k) into p and the rows' residuals: observed − p, in their place.
BNLR_APART static void residuals(Block& block, const double* weights, Index n, Index k,
                                 double* __restrict p) {
  for (Index i = 0; i < n; ++i) {
    double *row = block.scores + i * k, *share = p + i * k;
    const Index chosen = block.chosen[i] - 1;
    const double right = block.right[i];
    const double others = (chosen >= 0 ? block.rest[i] : 0.0) + row_sum(row, k);
    const double scale = 1.0 / (right + others), w = weights ? weights[i] : 1.0;
    over_row(k, [&](auto kind, Index c) {
      const auto part = load<decltype(kind)>(row + c) * scale;
      store(part, share + c);
      store(part * -w, row + c);
    });
    if (chosen >= 0) {
      share[chosen] = right * scale;
      // Not 1 − p, whose rounding is all that is left of it near separation.
      row[chosen] = w * (others * scale);
    }
    block.others[i] = others;
  }
}

static double linearise_many(const double* table, const Rows& rows, Index k, Index start, Index stop,
                             double* p, double* gradient) {
  Block block(k, stop - start);
  const Gathered of(table, rows, k);
  Scattered into(gradient, rows, k);
  double total = 0.0;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    rows.classes.read(first, n, block.chosen.get());
    of.to(block.scores, first, n);
    exponentials(block.scores, block.chosen.get(), n, k, block.rest, block.own, block.right);
    residuals(block, rows.weights_from(first), n, k, p + first * k);
    log_shares(block.own, block.right, block.others, n, block.gains);
    total += weighted_sum(block.gains, rows.weights, first, n);
    into.add(block.scores, first, n);
  }
  return total;
}

double linearise(const double* table, const Rows& rows, Index k, Index start, Index stop, double* p,
                 double* gradient) {
  if (k == 1) return linearise_one(table, rows, start, stop, p, gradient);
  if (k > kFew) return linearise_many(table, rows, k, start, stop, p, gradient);
  return linearise_few(table, rows, k, start, stop, p, gradient);
}

// Turn the rows' scores (n, k) of a direction into w·p·(score − E_p score): of two classes, of K + 1,
// and of any number.
BNLR_APART static void bend_one(const double* __restrict p, const double* weights, Index n,
                                double* __restrict scores) {
  for (Index i = 0; i < n; ++i) scores[i] *= p[i] * (1.0 - p[i]);
  if (weights)
    for (Index i = 0; i < n; ++i) scores[i] *= weights[i];
}

template <int K>
BNLR_APART void bend_few(const double* __restrict p, const double* weights, Index n,
                         double* __restrict scores) {
  for (Index i = 0; i < n; ++i) {
    const double* share = p + i * K;
    double* row = scores + i * K;
    const double w = weights ? weights[i] : 1.0;
    double mean = share[0] * row[0];
    for (int c = 1; c < K; ++c) mean += share[c] * row[c];
    for (int c = 0; c < K; ++c) row[c] = w * share[c] * (row[c] - mean);
  }
}

BNLR_APART static void bend_many(const double* __restrict p, const double* weights, Index n, Index k,
                                 double* __restrict scores) {
  for (Index i = 0; i < n; ++i) {
    const double* share = p + i * k;
    double* row = scores + i * k;
    const double mean = row_dot(share, row, k), w = weights ? weights[i] : 1.0;
    over_row(k, [&](auto kind, Index c) {
      store(load<decltype(kind)>(share + c) * w * (load<decltype(kind)>(row + c) - mean), row + c);
    });
  }
}

static void bend(const double* p, const double* weights, Index n, Index k, double* scores) {
  if (k == 1) return bend_one(p, weights, n, scores);
  if (k <= kFew)
    return with_few(k, [&](auto few) { bend_few<decltype(few)::value>(p, weights, n, scores); });
  bend_many(p, weights, n, k, scores);
}

void curvature(const double* table, const Rows& rows, Index k, const double* p, Index start, Index stop,
               double* product) {
  Block block(k, stop - start);
  const Gathered of(table, rows, k);
  Scattered into(product, rows, k);
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    of.to(block.scores, first, n, p + first * k);
    bend(p + first * k, rows.weights_from(first), n, k, block.scores);
    into.add(block.scores, first, n);
  }
}

// w·p·(1 − p) of the rows' k + 1 classes, whose p are those of all but the first.
BNLR_APART static void variances(const double* __restrict p, const double* weights, Index n, Index k,
                                 double* __restrict values) {
  for (Index i = 0; i < n; ++i) {
    double* row = values + i * (k + 1);
    const double w = weights ? weights[i] : 1.0;
    double rest = 1.0;
    for (Index c = 0; c < k; ++c) {
      const double part = p[i * k + c];
      rest -= part;
      row[c + 1] = w * part * (1.0 - part);
    }
    rest = rest > 0.0 ? rest : 0.0;
    row[0] = w * rest * (1.0 - rest);
  }
}

void spread(const double* p, const Rows& rows, Index k, Index n_cells, Index start, Index stop,
            double* table) {
  const Index width = k == 1 ? 1 : k + 1;  // two classes have the same variance
  Block block(width, stop - start);
  const auto sums = std::make_unique<double[]>(k == 1 ? n_cells : 0);
  Scattered into(k == 1 ? sums.get() : table, rows, width);
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const double *own = p + first * k, *weights = rows.weights_from(first);
    if (k == 1) {
      std::fill_n(block.scores, n, 1.0);
      bend_one(own, weights, n, block.scores);
    } else {
      variances(own, weights, n, k, block.scores);
    }
    into.add(block.scores, first, n);
  }
  if (k == 1)
    for (Index cell = 0; cell < n_cells; ++cell) {
      table[2 * cell] += sums[cell];
      table[2 * cell + 1] += sums[cell];
    }
}

// CLL of the rows at `scores + s·steps`, and its derivative in s.
static OnLine line_one(const double* __restrict scores, const double* __restrict steps,
                       const Classes& classes, const double* weights, double s, Index start,
                       Index stop) {
  Block block(1, stop - start);
  double* __restrict gains = block.gains;
  double* __restrict slopes = block.scores;
  OnLine at{0.0, 0.0};
  for (Index first = start; first < stop; first += kMostRows) {
    const Index n = std::min(first + kMostRows, stop) - first;
    const std::int32_t* __restrict chosen = block.chosen.get();
    classes.read(first, n, block.chosen.get());
    for (Index i = 0; i < n; ++i) {
      const double score = scores[first + i] + s * steps[first + i], y = chosen[i];
      const double e = math::exp(-std::fabs(score));
      const double larger = 1.0 / (1.0 + e), smaller = e * larger;
      const double yes = score >= 0 ? larger : smaller, no = score >= 0 ? smaller : larger;
      gains[i] = (y * score - (score > 0.0 ? score : 0.0)) - math::log1p(e);
      slopes[i] = (y * no - (1.0 - y) * yes) * steps[first + i];
    }
    at.value += weighted_sum(gains, weights, first, n);
    at.slope += weighted_sum(slopes, weights, first, n);
  }
  return at;
}

BNLR_APART static void on_line(const double* __restrict from, const double* __restrict step, double s,
                               Index n, Index k, double* __restrict eta) {
  for (Index i = 0; i < n; ++i) eta[i] = from[i * k] + s * step[i * k];
}

// Observed less expected steps, of exponentials (n, k).
BNLR_APART static void slopes_of(Block& block, const double* __restrict step, Index n, Index k) {
  for (Index i = 0; i < n; ++i) {
    const double *row = block.scores + i * k, *along = step + i * k;
    const Index chosen = block.chosen[i] - 1;
    const double others = (chosen >= 0 ? block.rest[i] : 0.0) + row_sum(row, k);
    const double observed = chosen >= 0 ? along[chosen] : 0.0;
    block.others[i] = others;
    block.slopes[i] = (observed * others - row_dot(row, along, k)) / (block.right[i] + others);
  }
}

static OnLine line_many(const double* scores, const double* steps, const Classes& classes,
                        const double* weights, double s, Index k, Index start, Index stop) {
  Block block(k, stop - start);
  OnLine at{0.0, 0.0};
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const double *from = scores + first * k, *step = steps + first * k;
    on_line(from, step, s, n * k, 1, block.scores);
    classes.read(first, n, block.chosen.get());
    exponentials(block.scores, block.chosen.get(), n, k, block.rest, block.own, block.right);
    slopes_of(block, step, n, k);
    log_shares(block.own, block.right, block.others, n, block.gains);
    at.value += weighted_sum(block.gains, weights, first, n);
    at.slope += weighted_sum(block.slopes, weights, first, n);
  }
  return at;
}

// Observed less expected steps.
BNLR_APART static void slopes_of_class(const double* __restrict e, const double* __restrict step,
                                       const double* __restrict scale, const double* __restrict chosen,
                                       double here, Index n, Index k, double* __restrict slopes) {
  for (Index i = 0; i < n; ++i) {
    const double observed = chosen[i] == here ? 1.0 : 0.0;
    slopes[i] += (observed - e[i] * scale[i]) * step[i * k];
  }
}

static OnLine line_few(const double* scores, const double* steps, const Classes& classes,
                       const double* weights, double s, Index k, Index start, Index stop) {
  Block block(k, stop - start);
  OnLine at{0.0, 0.0};
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first, stride = block.rows;
    const double *from = scores + first * k, *step = steps + first * k;
    for (Index c = 0; c < k; ++c) on_line(from + c, step + c, s, n, k, block.scores + c * stride);
    block.read(classes, first, n);
    exponentials_of_few(block, n, k);
    log_shares(block.own, block.right, block.others, n, block.gains);
    at.value += weighted_sum(block.gains, weights, first, n);
    double *scale = block.own, *slopes = block.slopes;
    inverse_masses(block.right, block.others, n, scale);
    std::fill_n(slopes, n, 0.0);
    for (Index c = 0; c < k; ++c)
      slopes_of_class(block.scores + c * stride, step + c, scale, block.rest, static_cast<double>(c + 1),
                      n, k, slopes);
    at.slope += weighted_sum(block.slopes, weights, first, n);
  }
  return at;
}

OnLine line(const double* scores, const double* steps, const Classes& classes, const double* weights,
            double s, Index k, Index start, Index stop) {
  if (k == 1) return line_one(scores, steps, classes, weights, s, start, stop);
  return k > kFew ? line_many(scores, steps, classes, weights, s, k, start, stop)
                  : line_few(scores, steps, classes, weights, s, k, start, stop);
}

// Scores of a step turn into residuals, observed − moved.
BNLR_APART static void correct_one(const double* __restrict p, const std::int32_t* __restrict chosen,
                                   Index n, double* __restrict scores, double* __restrict moved) {
  for (Index i = 0; i < n; ++i) {
    const double rest = 1.0 - p[i], mean = p[i] * scores[i];
    const double up = 1.0 + scores[i] - mean, down = 1.0 - mean;
    const double yes = p[i] * (up > 0.0 ? up : 0.0);
    const double no = (rest > 0.0 ? rest : 0.0) * (down > 0.0 ? down : 0.0);
    const double mass = yes + no, share = yes / mass;
    // Steps too long leave no mass at all: then nothing is moved.
    moved[i] = mass > 0.0 ? share : p[i];
    scores[i] = static_cast<double>(chosen[i]) - moved[i];
  }
}

BNLR_APART static void correct_many(const double* __restrict p, const std::int32_t* __restrict chosen,
                                    Index n, Index k, double* __restrict scores,
                                    double* __restrict moved) {
  for (Index i = 0; i < n; ++i) {
    double* row = scores + i * k;
    const double* own = p + i * k;
    double* to = moved + i * k;
    double mean = 0.0, rest = 1.0;
    for (Index c = 0; c < k; ++c) {
      mean += own[c] * row[c];
      rest -= own[c];
    }
    double mass = std::max(rest, 0.0) * std::max(1.0 - mean, 0.0);
    for (Index c = 0; c < k; ++c) {
      row[c] = own[c] * std::max(1.0 + row[c] - mean, 0.0);
      mass += row[c];
    }
    for (Index c = 0; c < k; ++c) {
      // As above.
      to[c] = mass > 0.0 ? row[c] / mass : own[c];
      row[c] = (chosen[i] == c + 1 ? 1.0 : 0.0) - to[c];
    }
  }
}

void correct(const double* table, const Rows& rows, Index k, Index start, Index stop, const double* p,
             double* moved, double* gradient) {
  Block block(k, stop - start);
  const Gathered of(table, rows, k);
  Scattered into(gradient, rows, k);
  double* scores = block.scores;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const std::int32_t* chosen = block.chosen.get();
    rows.classes.read(first, n, block.chosen.get());
    of.to(scores, first, n, p + first * k);
    if (k == 1) correct_one(p + first, chosen, n, scores, moved + first);
    else correct_many(p + first * k, chosen, n, k, scores, moved + first * k);
    if (rows.weights)
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < k; ++c) scores[i * k + c] *= rows.weights[first + i];
    into.add(scores, first, n);
  }
}

// p·log p + q·log q of two classes, and the less probable.
BNLR_APART static void entropy_one(const double* __restrict p, Index n, double* __restrict gains,
                                   double* __restrict least) {
  for (Index i = 0; i < n; ++i) {
    const double left = 1.0 - p[i], rest = left > 0.0 ? left : 0.0;
    least[i] = rest < p[i] ? rest : p[i];
    // log(0) is finite here, so that 0 · log(0) is 0.
    gains[i] = -(p[i] * math::log(p[i]) + rest * math::log(rest));
  }
}

BNLR_APART static void entropy_many(const double* __restrict p, Index n, Index k,
                                    double* __restrict parts,
                                    double* __restrict rest, double* __restrict gains,
                                    double* __restrict least) {
  for (Index j = 0; j < n * k; ++j) parts[j] = p[j] * math::log(p[j]);
  for (Index i = 0; i < n; ++i) {
    double left = 1.0, smallest = p[i * k], sums = 0.0;
    for (Index c = 0; c < k; ++c) {
      left -= p[i * k + c];
      smallest = p[i * k + c] < smallest ? p[i * k + c] : smallest;
      sums += parts[i * k + c];
    }
    rest[i] = left > 0.0 ? left : 0.0;
    least[i] = rest[i] < smallest ? rest[i] : smallest;
    gains[i] = sums;
  }
  for (Index i = 0; i < n; ++i) gains[i] = -(gains[i] + rest[i] * math::log(rest[i]));
}

static double least_of(const double* v, Index n, double before) {
  double lanes[kLanes];
  std::fill_n(lanes, kLanes, before);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lanes[l] = v[i + l] < lanes[l] ? v[i + l] : lanes[l];
  for (; i < n; ++i) lanes[0] = v[i] < lanes[0] ? v[i] : lanes[0];
  return *std::min_element(lanes, lanes + kLanes);
}

Entropy entropy(const double* p, const double* weights, Index k, Index start, Index stop) {
  Entropy found{0.0, std::numeric_limits<double>::infinity()};
  Block block(k, stop - start);
  double* __restrict least = block.own;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    if (k == 1) entropy_one(p + first, n, block.gains, least);
    else entropy_many(p + first * k, n, k, block.scores, block.rest, block.gains, least);
    if (weights)
      for (Index i = 0; i < n; ++i) least[i] *= weights[first + i];
    found.least = least_of(least, n, found.least);
    found.total += weighted_sum(block.gains, weights, first, n);
  }
  return found;
}

// Fills `codes` (n_pairs, stride) with the pairs' places in a table (n_cells, n_cells).
template <class R>
static void pair_up(const R& rows, const Members& members, const Index* chosen, Index n, Index stride,
                    std::uint32_t* codes) {
  std::vector<Index> own(members.n_families);
  for (Index i = 0; i < n; ++i) {
    Index* next = own.data();
    const auto* code = rows.group(0, chosen[i]);
    for (Index g = 0; g < rows.n_groups; ++g) {
      const Index cell = rows.offsets[g] + static_cast<Index>(code[g * rows.n_rows]);
      for (Index j = members.ends[cell]; j < members.ends[cell + 1]; ++j) *next++ = members.cells[j];
    }
    std::uint32_t* to = codes + i;
    for (Index a = 0; a < members.n_families; ++a)
      for (Index b = 0; b <= a; ++b, to += stride)
        *to = static_cast<std::uint32_t>(own[a] * members.n_cells + own[b]);
  }
}

void cross(const double* values, Index width, const Rows& rows, const Members& members,
           const Index* chosen, Index n, double* table) {
  const Index n_pairs = members.n_families * (members.n_families + 1) / 2;
  // Many rows at a turn, for each turn passes over the whole table.
  const Index most = std::min(std::max<Index>(kMostCodes / std::max<Index>(n_pairs, 1), 1), n);
  std::vector<std::uint32_t> codes(n_pairs * most);
  std::vector<Index> offsets(n_pairs + 1);
  offsets[n_pairs] = members.n_cells * members.n_cells;
  const Rows pairs{offsets.data(), codes.data(), sizeof codes[0], Classes{}, nullptr, n_pairs, most};
  Scattered into(table, pairs, width);
  std::vector<double> block(most * width + kLanes);
  for (Index first = 0; first < n; first += most) {
    const Index here = std::min(most, n - first);
    with_coded(rows, [&](const auto& coded) {
      pair_up(coded, members, chosen + first, here, most, codes.data());
    });
    std::copy_n(values + first * width, here * width, block.data());
    into.add(block.data(), 0, here);
  }
}

void expand(const Index* ends, const Index* cells, Index n, Index width, const double* tables,
            double* grouped) {
  if (width == 1) {
    for (Index j = 0; j < n; ++j) {
      double total = 0.0;
      for (Index k = ends[j]; k < ends[j + 1]; ++k) total += tables[cells[k]];
      grouped[j] = total;
    }
    return;
  }
  for (Index j = 0; j < n; ++j) {
    double* __restrict row = grouped + j * width;
    for (Index c = 0; c < width; ++c) row[c] = 0.0;
    for (Index k = ends[j]; k < ends[j + 1]; ++k) {
      const double* __restrict own = tables + cells[k] * width;
      for (Index c = 0; c < width; ++c) row[c] += own[c];
    }
  }
}

void collapse(const Index* ends, const Index* cells, Index n, Index width,
              const double* grouped, double* tables) {
  if (width == 1) {
    for (Index j = 0; j < n; ++j) {
      const double sum = grouped[j];
      if (sum == 0.0) continue;  // most cells of a group are those of no row
      for (Index k = ends[j]; k < ends[j + 1]; ++k) tables[cells[k]] += sum;
    }
    return;
  }
  for (Index j = 0; j < n; ++j) {
    const double* __restrict row = grouped + j * width;
    for (Index k = ends[j]; k < ends[j + 1]; ++k) {
      double* __restrict own = tables + cells[k] * width;
      for (Index c = 0; c < width; ++c) own[c] += row[c];
    }
  }
}

}  // namespace bnlr::design
