// Rows are worked through in blocks whose scores stay in the first-level cache. With two classes,
// k = 1, loops vectorise over rows, otherwise over classes. Sums run in lanes of a fixed number, so
// their bits depend neither on the threads nor on the CPU.
//
// Only `gather…` and `scatter…` look at codes: they alone are compiled for each width of them.
#include "passes.hpp"

#include <limits>

namespace bnlr::design {

namespace {

constexpr Index kFew = 7;  // so many differences fit a CPU's vector, and need kernels of their own

// Sums of table entries, two classes: groups four at a turn, for fewer loads and stores of the sums.
template <class R>
void gather_pairs(const double* table, const R& rows, Index first, Index n, double* __restrict out) {
  for (Index i = 0; i < n; ++i) out[i] = 0.0;
  Index g = 0;
  for (; g + 4 <= rows.n_groups; g += 4) {
    const double *a = table + rows.offsets[g], *b = table + rows.offsets[g + 1];
    const double *c = table + rows.offsets[g + 2], *d = table + rows.offsets[g + 3];
    const auto *ca = rows.group(g, first), *cb = rows.group(g + 1, first);
    const auto *cc = rows.group(g + 2, first), *cd = rows.group(g + 3, first);
    for (Index i = 0; i < n; ++i) out[i] += (a[ca[i]] + b[cb[i]]) + (c[cc[i]] + d[cd[i]]);
  }
  for (; g < rows.n_groups; ++g) {
    const double* a = table + rows.offsets[g];
    const auto* ca = rows.group(g, first);
    for (Index i = 0; i < n; ++i) out[i] += a[ca[i]];
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

template <class R>
void scatter_pairs(const double* values, const R& rows, Index first, Index n, double* table) {
  Index g = 0;
  for (; g + 6 <= rows.n_groups; g += 6) scatter_groups<6>(values, rows, g, first, n, table);
  switch (rows.n_groups - g) {
    case 5: scatter_groups<5>(values, rows, g, first, n, table); break;
    case 4: scatter_groups<4>(values, rows, g, first, n, table); break;
    case 3: scatter_groups<3>(values, rows, g, first, n, table); break;
    case 2: scatter_groups<2>(values, rows, g, first, n, table); break;
    case 1: scatter_groups<1>(values, rows, g, first, n, table); break;
    default: break;
  }
}

// A row's sums of K neighbouring columns, held in registers while the groups go by.
template <int K, class R>
void gather_columns(const double* table, const R& rows, Index width, Index first, Index n,
                    double* __restrict out) {
  for (Index i = 0; i < n; ++i) {
    double sums[K] = {};
    const auto* code = rows.group(0, first + i);
    for (Index g = 0; g < rows.n_groups; ++g) {
      const double* row = table + (rows.offsets[g] + static_cast<Index>(code[g * rows.n_rows])) * width;
      for (int c = 0; c < K; ++c) sums[c] += row[c];
    }
    for (int c = 0; c < K; ++c) out[i * width + c] = sums[c];
  }
}

// f<K>(c): columns c:c+K, sixteen, eight, and what is left at a turn.
template <class F>
void over_columns(Index width, F&& f) {
  Index c = 0;
  for (; c + 16 <= width; c += 16) f(std::integral_constant<int, 16>{}, c);
  for (; c + 8 <= width; c += 8) f(std::integral_constant<int, 8>{}, c);
  switch (width - c) {
    case 1: f(std::integral_constant<int, 1>{}, c); break;
    case 2: f(std::integral_constant<int, 2>{}, c); break;
    case 3: f(std::integral_constant<int, 3>{}, c); break;
    case 4: f(std::integral_constant<int, 4>{}, c); break;
    case 5: f(std::integral_constant<int, 5>{}, c); break;
    case 6: f(std::integral_constant<int, 6>{}, c); break;
    case 7: f(std::integral_constant<int, 7>{}, c); break;
    default: break;
  }
}

void gather_many(const double* table, const Rows& rows, Index width, Index first, Index n, double* out) {
  with_coded(rows, [&](const auto& coded) {
    over_columns(width, [&](auto k, Index c) {
      gather_columns<decltype(k)::value>(table + c, coded, width, first, n, out + c);
    });
  });
}

// Group by group, so that one group's table alone has to be near.
void scatter_many(const double* values, const Rows& rows, Index width, Index first, Index n,
                  double* table) {
  with_coded(rows, [&](const auto& coded) {
    for (Index g = 0; g < coded.n_groups; ++g) {
      double* group = table + coded.offsets[g] * width;
      const auto* code = coded.group(g, first);
      for (Index i = 0; i < n; ++i)
        add_row(values + i * width, width, group + static_cast<Index>(code[i]) * width);
    }
  });
}

// As above for few classes, K of them; `scores` (K, stride) have one class after the other.
template <int K, class R>
void gather_k(const double* table, const R& rows, Index first, Index n, Index stride, double* scores) {
  for (Index i = 0; i < n; ++i) {
    double sums[K] = {};
    const auto* code = rows.group(0, first + i);
    for (Index g = 0; g < rows.n_groups; ++g) {
      const double* row = table + (rows.offsets[g] + static_cast<Index>(code[g * rows.n_rows])) * K;
      for (int c = 0; c < K; ++c) sums[c] += row[c];
    }
    for (int c = 0; c < K; ++c) scores[c * stride + i] = sums[c];
  }
}

template <int K, class R>
void scatter_k(const double* values, const R& rows, Index first, Index n, Index stride, double* table) {
  for (Index i = 0; i < n; ++i) {
    double value[K];
    for (int c = 0; c < K; ++c) value[c] = values[c * stride + i];
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

void gather_few(const double* table, const Rows& rows, Index k, Index first, Index n, Index stride,
                double* scores) {
  with_coded(rows, [&](const auto& coded) {
    with_few(k, [&](auto few) { gather_k<decltype(few)::value>(table, coded, first, n, stride, scores); });
  });
}

void scatter_few(const double* values, const Rows& rows, Index k, Index first, Index n, Index stride,
                 double* table) {
  with_coded(rows, [&](const auto& coded) {
    with_few(k, [&](auto few) { scatter_k<decltype(few)::value>(values, coded, first, n, stride, table); });
  });
}

}  // namespace

void gather_one(const double* table, const Rows& rows, Index first, Index n, double* out) {
  with_coded(rows, [&](const auto& coded) { gather_pairs(table, coded, first, n, out); });
}

void scatter_one(const double* values, const Rows& rows, Index first, Index n, double* table) {
  with_coded(rows, [&](const auto& coded) { scatter_pairs(values, coded, first, n, table); });
}

void gather(const double* table, const Rows& rows, Index width, Index start, Index stop, double* scores) {
  const Index step = width == 1 ? kMostRows : block_rows(width);
  for (Index first = start; first < stop; first += step) {
    const Index n = std::min(first + step, stop) - first;
    double* out = scores + (first - start) * width;
    if (width == 1) gather_one(table, rows, first, n, out);
    else gather_many(table, rows, width, first, n, out);
  }
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

// Largest of 0 and k numbers.
static double top_of(const double* v, Index k) {
  double top = 0.0;
  Index c = 0;
  if (k >= kLanes) {
    double lanes[kLanes] = {};
    for (; c + kLanes <= k; c += kLanes)
      for (int l = 0; l < kLanes; ++l) lanes[l] = v[c + l] > lanes[l] ? v[c + l] : lanes[l];
    for (int l = 0; l < kLanes; ++l) top = lanes[l] > top ? lanes[l] : top;
  }
  for (; c < k; ++c) top = v[c] > top ? v[c] : top;
  return top;
}

// Turn the rows' scores (n, k) into exp(score − top); `rest` gets the reference's exp(−top), `own`
// score − top of each row's class.
static void exponentials(double* __restrict scores, const std::int32_t* classes, Index n,
                         Index k, double* __restrict rest, double* __restrict own) {
  for (Index i = 0; i < n; ++i) {
    double* row = scores + i * k;
    const double top = top_of(row, k);
    rest[i] = -top;
    for (Index c = 0; c < k; ++c) row[c] -= top;
    own[i] = classes[i] > 0 ? row[classes[i] - 1] : -top;
  }
  for (Index j = 0; j < n * k; ++j) scores[j] = math::exp(scores[j]);
  for (Index i = 0; i < n; ++i) rest[i] = math::exp(rest[i]);
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
static double linearise_few(const double* table, const Rows& rows, Index k, Index start, Index stop, double* p,
                     double* gradient) {
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
                         rows.weights ? rows.weights + first : nullptr, static_cast<double>(c + 1), n, k,
                         p + first * k + c);
    log_shares(block.own, block.right, block.others, n, block.gains);
    total += weighted_sum(block.gains, rows.weights, first, n);
    scatter_few(block.scores, rows, k, first, n, stride, gradient);
  }
  return total;
}

static double linearise_many(const double* table, const Rows& rows, Index k, Index start, Index stop, double* p,
                      double* gradient) {
  Block block(k, stop - start);
  double* scores = block.scores;
  double total = 0.0;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const std::int32_t* classes = block.chosen.get();
    rows.classes.read(first, n, block.chosen.get());
    gather_many(table, rows, k, first, n, scores);
    exponentials(scores, classes, n, k, block.rest, block.own);
    for (Index i = 0; i < n; ++i) {
      double* __restrict row = scores + i * k;
      double* __restrict share = p + (first + i) * k;
      const Index chosen = classes[i] - 1;
      double right = block.rest[i], others = 0.0;
      if (chosen >= 0) {
        others = right;
        right = row[chosen];
        row[chosen] = 0.0;
      }
      others += sum(row, k);
      const double scale = 1.0 / (right + others), w = rows.weight(first + i);
      for (Index c = 0; c < k; ++c) {
        const double part = row[c] * scale;
        share[c] = part;
        row[c] = -w * part;
      }
      if (chosen >= 0) {
        share[chosen] = right * scale;
        // Not 1 − p, whose rounding is all that is left of it near separation.
        row[chosen] = w * (others * scale);
      }
      block.others[i] = others;
      block.right[i] = right;
    }
    log_shares(block.own, block.right, block.others, n, block.gains);
    total += weighted_sum(block.gains, rows.weights, first, n);
    scatter_many(scores, rows, k, first, n, gradient);
  }
  return total;
}

double linearise(const double* table, const Rows& rows, Index k, Index start, Index stop, double* p,
                 double* gradient) {
  if (k == 1) return linearise_one(table, rows, start, stop, p, gradient);
  if (k > kFew) return linearise_many(table, rows, k, start, stop, p, gradient);
  return linearise_few(table, rows, k, start, stop, p, gradient);
}

void curvature(const double* table, const Rows& rows, Index k, const double* p, Index start, Index stop,
               double* product) {
  Block block(k, stop - start);
  double* __restrict scores = block.scores;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const double* __restrict own = p + first * k;
    if (k == 1) {
      gather_one(table, rows, first, n, scores);
      for (Index i = 0; i < n; ++i) scores[i] *= own[i] * (1.0 - own[i]);
      if (rows.weights)
        for (Index i = 0; i < n; ++i) scores[i] *= rows.weights[first + i];
      scatter_one(scores, rows, first, n, product);
      continue;
    }
    gather_many(table, rows, k, first, n, scores);
    for (Index i = 0; i < n; ++i) {
      double* __restrict row = scores + i * k;
      const double* __restrict share = own + i * k;
      const double mean = dot(share, row, k), w = rows.weight(first + i);
      for (Index c = 0; c < k; ++c) row[c] = w * share[c] * (row[c] - mean);
    }
    scatter_many(scores, rows, k, first, n, product);
  }
}

void spread(const double* p, const Rows& rows, Index k, Index n_cells, Index start, Index stop,
            double* table) {
  Block block(k + 1, stop - start);
  double* __restrict values = block.scores;
  const auto sums = std::make_unique<double[]>(k == 1 ? n_cells : 0);
  const Index step = k == 1 ? std::min(kMostRows, block.rows) : block.rows;
  for (Index first = start; first < stop; first += step) {
    const Index n = std::min(first + step, stop) - first;
    const double* __restrict own = p + first * k;
    if (k == 1) {
      for (Index i = 0; i < n; ++i) values[i] = own[i] * (1.0 - own[i]);
      if (rows.weights)
        for (Index i = 0; i < n; ++i) values[i] *= rows.weights[first + i];
      scatter_one(values, rows, first, n, sums.get());
      continue;
    }
    for (Index i = 0; i < n; ++i) {
      double* row = values + i * (k + 1);
      const double w = rows.weight(first + i);
      double rest = 1.0;
      for (Index c = 0; c < k; ++c) {
        const double part = own[i * k + c];
        rest -= part;
        row[c + 1] = w * part * (1.0 - part);
      }
      rest = rest > 0.0 ? rest : 0.0;
      row[0] = w * rest * (1.0 - rest);
    }
    scatter_many(values, rows, k + 1, first, n, table);
  }
  if (k == 1)
    for (Index cell = 0; cell < n_cells; ++cell) {
      table[2 * cell] += sums[cell];
      table[2 * cell + 1] += sums[cell];
    }
}

// CLL of the rows at `scores + s·steps`, and its derivative in s.
static OnLine line_one(const double* __restrict scores, const double* __restrict steps,
                       const Classes& classes, const double* weights, double s, Index start, Index stop) {
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

static OnLine line_many(const double* scores, const double* steps, const Classes& classes,
                        const double* weights, double s, Index k, Index start, Index stop) {
  Block block(k, stop - start);
  double* __restrict eta = block.scores;
  OnLine at{0.0, 0.0};
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const double* __restrict from = scores + first * k;
    const double* __restrict step = steps + first * k;
    for (Index j = 0; j < n * k; ++j) eta[j] = from[j] + s * step[j];
    classes.read(first, n, block.chosen.get());
    exponentials(eta, block.chosen.get(), n, k, block.rest, block.own);
    for (Index i = 0; i < n; ++i) {
      double* row = eta + i * k;
      const Index chosen = block.chosen[i] - 1;
      const double mean = dot(row, step + i * k, k);
      double right = block.rest[i], others = 0.0;
      if (chosen >= 0) {
        others = right;
        right = row[chosen];
        row[chosen] = 0.0;
      }
      others += sum(row, k);
      block.others[i] = others;
      block.right[i] = right;
      block.slopes[i] = (chosen >= 0 ? step[i * k + chosen] : 0.0) - mean / (right + others);
    }
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

BNLR_APART static void on_line(const double* __restrict from, const double* __restrict step, double s,
                               Index n, Index k, double* __restrict eta) {
  for (Index i = 0; i < n; ++i) eta[i] = from[i * k] + s * step[i * k];
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
      slopes_of_class(block.scores + c * stride, step + c, scale, block.rest, static_cast<double>(c + 1), n, k, slopes);
    at.slope += weighted_sum(block.slopes, weights, first, n);
  }
  return at;
}

OnLine line(const double* scores, const double* steps, const Classes& classes,
                   const double* weights, double s, Index k, Index start, Index stop) {
  if (k == 1) return line_one(scores, steps, classes, weights, s, start, stop);
  return k > kFew ? line_many(scores, steps, classes, weights, s, k, start, stop)
                  : line_few(scores, steps, classes, weights, s, k, start, stop);
}

static void correct_one(Block& block, const double* __restrict p, const double* weights, Index first,
                        Index n, double* __restrict moved) {
  double* __restrict scores = block.scores;
  for (Index i = 0; i < n; ++i) {
    const double rest = 1.0 - p[i], mean = p[i] * scores[i];
    const double up = 1.0 + scores[i] - mean, down = 1.0 - mean;
    const double yes = p[i] * (up > 0.0 ? up : 0.0);
    const double no = (rest > 0.0 ? rest : 0.0) * (down > 0.0 ? down : 0.0);
    const double mass = yes + no, share = yes / mass;
    // Steps too long leave no mass at all: then nothing is moved.
    moved[i] = mass > 0.0 ? share : p[i];
    scores[i] = static_cast<double>(block.chosen[i]) - moved[i];
  }
  if (weights)
    for (Index i = 0; i < n; ++i) scores[i] *= weights[first + i];
}

void correct(const double* table, const Rows& rows, Index k, Index start, Index stop, const double* p,
             double* moved, double* gradient) {
  Block block(k, stop - start);
  double* __restrict scores = block.scores;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    if (k == 1) gather_one(table, rows, first, n, scores);
    else gather_many(table, rows, k, first, n, scores);
    rows.classes.read(first, n, block.chosen.get());
    if (k == 1) {
      correct_one(block, p + first, rows.weights, first, n, moved + first);
      scatter_one(scores, rows, first, n, gradient);
      continue;
    }
    for (Index i = 0; i < n; ++i) {
      double* row = scores + i * k;
      const double* own = p + (first + i) * k;
      double* to = moved + (first + i) * k;
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
      const double w = rows.weight(first + i);
      for (Index c = 0; c < k; ++c) {
        // Steps too long leave no mass at all: then nothing is moved.
        to[c] = mass > 0.0 ? row[c] / mass : own[c];
        row[c] = w * ((block.chosen[i] == c + 1 ? 1.0 : 0.0) - to[c]);
      }
    }
    scatter_many(scores, rows, k, first, n, gradient);
  }
}

Entropy entropy(const double* p, const double* weights, Index k, Index start, Index stop) {
  Entropy found{0.0, std::numeric_limits<double>::infinity()};
  Block block(k, stop - start);
  double* __restrict parts = block.scores;
  double* __restrict rest = block.rest;
  double* __restrict least = block.own;
  for (Index first = start; first < stop; first += block.rows) {
    const Index n = std::min(first + block.rows, stop) - first;
    const double* __restrict own = p + first * k;
    // log(0) is finite here, so that 0 · log(0) is 0.
    for (Index j = 0; j < n * k; ++j) parts[j] = own[j] * math::log(own[j]);
    for (Index i = 0; i < n; ++i) {
      double left = 1.0, smallest = own[i * k], sums = 0.0;
      for (Index c = 0; c < k; ++c) {
        left -= own[i * k + c];
        smallest = own[i * k + c] < smallest ? own[i * k + c] : smallest;
        sums += parts[i * k + c];
      }
      rest[i] = left > 0.0 ? left : 0.0;
      least[i] = rest[i] < smallest ? rest[i] : smallest;
      block.gains[i] = sums;
    }
    for (Index i = 0; i < n; ++i) block.gains[i] = -(block.gains[i] + rest[i] * math::log(rest[i]));
    if (weights)
      for (Index i = 0; i < n; ++i) least[i] *= weights[first + i];
    for (Index i = 0; i < n; ++i) found.least = least[i] < found.least ? least[i] : found.least;
    found.total += weighted_sum(block.gains, weights, first, n);
  }
  return found;
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
  for (Index j = 0; j < n; ++j) {
    const double* __restrict row = grouped + j * width;
    for (Index k = ends[j]; k < ends[j + 1]; ++k) {
      double* __restrict own = tables + cells[k] * width;
      for (Index c = 0; c < width; ++c) own[c] += row[c];
    }
  }
}

}  // namespace bnlr::design
