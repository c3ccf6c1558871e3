// Kernels of packed rows, `bnlr.design.packed_rows` and `pack` their only callers. `twins.py` gives the
// same numbers with NumPy.
#include "kernels.hpp"

#include "cll_passes.hpp"

namespace bnlr::design {

namespace {

const double* weights_of(const In& weights, Index n_rows) {
  require(weights.size() == 0 || bnlr::rows(weights) == n_rows, "weights: one a row, or none");
  return weights.size() ? weights.data() : nullptr;
}

Classes classes_of(const AnyVector& classes, Index n_rows) {
  require(bnlr::rows(classes) == n_rows, "classes: one a row");
  require(classes.dtype().bits <= 32, "classes take at most 4 bytes");
  return with_unsigned(classes, [](auto* own) { return Classes{own, static_cast<int>(sizeof *own)}; });
}

// f(rows), the rows that a pass works through, checked.
template <class F>
auto with_rows(const Places& offsets, const AnyMatrix& codes, Classes classes, const In& weights,
               Index n_cells, F&& f) {
  const Index n_groups = bnlr::rows(codes), n_rows = columns(codes);
  require(bnlr::rows(offsets) == n_groups + 1, "offsets: one a group, and the end");
  require(offsets(n_groups) <= n_cells, "the table has fewer cells than the groups");
  const double* w = weights_of(weights, n_rows);
  const int bytes = with_codes(codes, [](auto* code) { return static_cast<int>(sizeof *code); });
  return f(Rows{offsets.data(), codes.data(), bytes, classes, w, n_groups, n_rows});
}

}  // namespace

void py_gather(const Table& table, const Places& offsets, const AnyMatrix& codes, Index start,
               Index stop, const Sums& scores) {
  check_range(start, stop, columns(codes));
  require(bnlr::rows(scores) == stop - start && columns(scores) == columns(table),
          "scores: (stop − start, width)");
  with_rows(offsets, codes, Classes{}, In(), bnlr::rows(table), [&](const auto& rows) {
    gather(table.data(), rows, columns(table), start, stop, scores.data());
  });
}

void py_count(const Places& offsets, const AnyMatrix& codes, const AnyVector& classes,
              const In& weights, Index start, Index stop, const Sums& table) {
  check_range(start, stop, columns(codes));
  const Index width = columns(table);
  double* sums = table.data();
  with_rows(offsets, codes, classes_of(classes, columns(codes)), weights, bnlr::rows(table), [&](const auto& rows) {
    std::int32_t own[kMostRows];
    for (Index first = start; first < stop; first += kMostRows) {
      const Index n = std::min(first + kMostRows, stop) - first;
      rows.classes.read(first, n, own);
      with_coded(rows, [&](const auto& coded) {
        for (Index g = 0; g < coded.n_groups; ++g) {
          const auto* code = coded.group(g, first);
          double* group = sums + coded.offsets[g] * width;
          for (Index i = 0; i < n; ++i) group[code[i] * width + own[i]] += rows.weight(first + i);
        }
      });
    }
  });
}

double py_linearise(const Table& table, const Places& offsets, const AnyMatrix& codes,
                    const AnyVector& classes, const In& weights, Index start, Index stop,
                    const Sums& probabilities, const Sums& gradient) {
  const Index k = columns(table);
  check_range(start, stop, columns(codes));
  require(bnlr::rows(probabilities) == columns(codes) && columns(probabilities) == k,
          "probabilities: (n_rows, k)");
  require(bnlr::rows(gradient) == bnlr::rows(table) && columns(gradient) == k, "gradient: as table");
  return with_rows(offsets, codes, classes_of(classes, columns(codes)), weights, bnlr::rows(table), [&](const auto& rows) {
    return linearise(table.data(), rows, k, start, stop, probabilities.data(), gradient.data());
  });
}

void py_curvature(const Table& table, const Places& offsets, const AnyMatrix& codes,
                  const Table& probabilities, const In& weights, Index start, Index stop,
                  const Sums& product) {
  const Index k = columns(table);
  check_range(start, stop, columns(codes));
  require(bnlr::rows(probabilities) == columns(codes) && columns(probabilities) == k,
          "probabilities: (n_rows, k)");
  require(bnlr::rows(product) == bnlr::rows(table) && columns(product) == k, "product: as table");
  with_rows(offsets, codes, Classes{}, weights, bnlr::rows(table), [&](const auto& rows) {
    curvature(table.data(), rows, k, probabilities.data(), start, stop, product.data());
  });
}

void py_spread(const Table& probabilities, const Places& offsets, const AnyMatrix& codes,
               const In& weights, Index start, Index stop, const Sums& table) {
  const Index k = columns(probabilities);
  check_range(start, stop, columns(codes));
  require(bnlr::rows(probabilities) == columns(codes), "probabilities: one row a row");
  require(columns(table) == k + 1, "table: (n_group_cells, n_classes)");
  with_rows(offsets, codes, Classes{}, weights, bnlr::rows(table), [&](const auto& rows) {
    spread(probabilities.data(), rows, k, bnlr::rows(table), start, stop, table.data());
  });
}

std::pair<double, double> py_line(const Table& scores, const Table& steps, const AnyVector& classes,
                                  const In& weights, double s, Index start, Index stop) {
  const Index n = bnlr::rows(scores), k = columns(scores);
  check_range(start, stop, n);
  require(bnlr::rows(steps) == n && columns(steps) == k, "steps: as scores");
  const double* w = weights_of(weights, n);
  const OnLine at =
      line(scores.data(), steps.data(), classes_of(classes, n), w, s, k, start, stop);
  return std::make_pair(at.value, at.slope);
}

void py_correct(const Table& table, const Places& offsets, const AnyMatrix& codes,
                const AnyVector& classes, const In& weights, Index start, Index stop,
                const Table& probabilities, const Sums& corrected, const Sums& gradient) {
  const Index k = columns(table), n = columns(codes);
  check_range(start, stop, n);
  require(bnlr::rows(probabilities) == n && columns(probabilities) == k, "probabilities: (n_rows, k)");
  require(bnlr::rows(corrected) == n && columns(corrected) == k, "corrected: (n_rows, k)");
  require(bnlr::rows(gradient) == bnlr::rows(table) && columns(gradient) == k, "gradient: as table");
  with_rows(offsets, codes, classes_of(classes, columns(codes)), weights, bnlr::rows(table), [&](const auto& rows) {
    correct(table.data(), rows, k, start, stop, probabilities.data(), corrected.data(), gradient.data());
  });
}

std::pair<double, double> py_entropy(const Table& probabilities, const In& weights, Index start,
                                     Index stop) {
  check_range(start, stop, bnlr::rows(probabilities));
  const double* w = weights_of(weights, bnlr::rows(probabilities));
  const Entropy found = entropy(probabilities.data(), w, columns(probabilities), start, stop);
  return std::make_pair(found.total, found.least);
}

void py_expand(const Places& ends, const Places& cells, const Table& tables, const Sums& grouped) {
  const Index n = bnlr::rows(ends) - 1;
  require(bnlr::rows(grouped) == n && columns(grouped) == columns(tables), "grouped: one row an end");
  require(ends(n) == bnlr::rows(cells), "ends: the last is the number of cells");
  expand(ends.data(), cells.data(), n, columns(tables), tables.data(), grouped.data());
}

void py_collapse(const Places& ends, const Places& cells, const Table& grouped, const Sums& tables) {
  const Index n = bnlr::rows(ends) - 1;
  require(bnlr::rows(grouped) == n && columns(grouped) == columns(tables), "grouped: one row an end");
  require(ends(n) == bnlr::rows(cells), "ends: the last is the number of cells");
  collapse(ends.data(), cells.data(), n, columns(tables), grouped.data(), tables.data());
}

namespace {

// Adds row r of `values` (n, width) to `sums` (n_cells, n_cells, width) at all pairs of cells of row
// `chosen[r]`. Of each two families only one order of the pair is filled.
void add_pairs(const Places& chosen, const double* values, Index width, const Places& offsets,
               const AnyMatrix& codes, const Places& ends, const Places& cells, Index n_families,
               Index n_cells, double* sums) {
  const Index n_rows = columns(codes), n = bnlr::rows(chosen);
  for (Index r = 0; r < n; ++r)
    require(0 <= chosen(r) && chosen(r) < n_rows, "rows: places of packed rows");
  require(bnlr::rows(ends) == offsets(bnlr::rows(codes)) + 1, "ends: one a group cell, and the last");
  if (width == 0) return;
  with_rows(offsets, codes, Classes{}, In(), bnlr::rows(ends) - 1, [&](const auto& rows) {
    const Members members{ends.data(), cells.data(), n_families, n_cells};
    cross(values, width, rows, members, chosen.data(), n, sums);
  });
}

}  // namespace

void py_cross(const Places& chosen, const In& values, const Places& offsets, const AnyMatrix& codes,
              const Places& ends, const Places& cells, Index n_families, const Sums& table) {
  require(bnlr::rows(values) == bnlr::rows(chosen), "values: one a row");
  add_pairs(chosen, values.data(), 1, offsets, codes, ends, cells, n_families, bnlr::rows(table),
            table.data());
}

// For each class: `values` (n, n_classes), `table` (…, n_classes).
void py_cross_by_class(const Places& chosen, const Table& values, const Places& offsets,
                       const AnyMatrix& codes, const Places& ends, const Places& cells,
                       Index n_families, const Cube<double>& table) {
  require(bnlr::rows(values) == bnlr::rows(chosen), "values: one row a row");
  require(static_cast<Index>(table.shape(2)) == columns(values), "table: (n_cells, n_cells, n_classes)");
  add_pairs(chosen, values.data(), columns(values), offsets, codes, ends, cells, n_families,
            bnlr::rows(table), table.data());
}

// Fills `codes` (n_groups, n_rows): group g joins `columns[places[ends[g]:ends[g + 1]]]`, unsigned
// and without missing cells.
void py_encode(const AnyMatrix& cells, const Places& places, const Vector<const std::uint64_t>& cards,
               const Places& ends, Index start, Index stop,
               const nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>& codes) {
  const Index n_rows = columns(cells), n_groups = bnlr::rows(ends) - 1;
  check_range(start, stop, n_rows);
  require(bnlr::rows(codes) == n_groups && columns(codes) == n_rows, "codes: (n_groups, n_rows)");
  require(ends(n_groups) == bnlr::rows(places) && bnlr::rows(cards) == bnlr::rows(places),
          "ends, places and cards do not fit");
  for (Index k = 0; k < bnlr::rows(places); ++k)
    require(0 <= places(k) && places(k) < bnlr::rows(cells), "places: columns of the data");
  with_unsigned(cells, [&](auto* column_cells) {
    with_codes(codes, [&](auto* out) {
      using Code = std::remove_const_t<std::remove_pointer_t<decltype(out)>>;
      Code* to = const_cast<Code*>(out);
      for (Index first = start; first < stop; first += kBlockNumbers) {
        const Index n = std::min(first + kBlockNumbers, stop) - first;
        for (Index g = 0; g < n_groups; ++g) {
          Code* __restrict code = to + g * n_rows + first;
          for (Index i = 0; i < n; ++i) code[i] = 0;
          for (Index k = ends(g); k < ends(g + 1); ++k) {
            const auto* __restrict column = column_cells + places(k) * n_rows + first;
            const auto card = static_cast<Code>(cards(k));
            for (Index i = 0; i < n; ++i) code[i] = static_cast<Code>(code[i] * card + column[i]);
          }
        }
      }
    });
  });
}

}  // namespace bnlr::design
