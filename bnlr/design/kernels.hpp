// What this room puts into the compiled module.
#pragma once

#include "../native/arrays.hpp"

namespace bnlr::design {

using In = Vector<const double>;
using Table = Matrix<const double>;
using Sums = Matrix<double>;
using Places = Vector<const Index>;

void bind_packed(nb::module_& m);
void bind_packing(nb::module_& m);
void bind_counting(nb::module_& m);
void bind_cells(nb::module_& m);

// For bindings.cpp.
void py_gather(const Table& table, const Places& offsets, const AnyMatrix& codes, Index start,
               Index stop, const Sums& scores);
void py_count(const Places& offsets, const AnyMatrix& codes, const AnyVector& classes,
              const In& weights, Index start, Index stop, const Sums& table);
double py_linearise(const Table& table, const Places& offsets, const AnyMatrix& codes,
                    const AnyVector& classes, const In& weights, Index start, Index stop,
                    const Sums& probabilities, const Sums& gradient);
void py_curvature(const Table& table, const Places& offsets, const AnyMatrix& codes,
                  const Table& probabilities, const In& weights, Index start, Index stop,
                  const Sums& product);
void py_spread(const Table& probabilities, const Places& offsets, const AnyMatrix& codes,
               const In& weights, Index start, Index stop, const Sums& table);
std::pair<double, double> py_line(const Table& scores, const Table& steps, const AnyVector& classes,
                                  const In& weights, double s, Index start, Index stop);
void py_correct(const Table& table, const Places& offsets, const AnyMatrix& codes,
                const AnyVector& classes, const In& weights, Index start, Index stop,
                const Table& probabilities, const Sums& corrected, const Sums& gradient);
std::pair<double, double> py_entropy(const Table& probabilities, const In& weights, Index start,
                                     Index stop);
void py_expand(const Places& ends, const Places& cells, const Table& tables, const Sums& grouped);
void py_collapse(const Places& ends, const Places& cells, const Table& grouped, const Sums& tables);
void py_cross(const Places& chosen, const In& values, const Places& offsets, const AnyMatrix& codes,
              const Places& ends, const Places& cells, Index n_families, const Sums& table);
void py_cross_by_class(const Places& chosen, const Table& values, const Places& offsets,
                       const AnyMatrix& codes, const Places& ends, const Places& cells,
                       Index n_families, const Cube<double>& table);
void py_encode(const AnyMatrix& cells, const Places& places, const Vector<const std::uint64_t>& cards,
               const Places& ends, Index start, Index stop,
               const nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>& codes);

constexpr Index kLanes4 = 4;  // a count waits for the one before it in the same cell
void py_count_bits(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
                   const Places& starts, Index start, Index stop, const Vector<Index>& out);
void py_count_cells(const AnyMatrix& codes, const Places& axes, const Places& cards,
                    const Matrix<Index>& table);
void py_weigh_cells(const AnyMatrix& codes, const Places& axes, const Places& cards,
                    const Vector<const double>& weights, const Matrix<double>& table);
void py_add_families(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
                     const Places& starts, const Places& which, const Vector<const double>& weights,
                     const Vector<double>& out);
void py_sum_occurring(const AnyMatrix& codes, const Places& order, const Places& ends, const Places& others,
                      const Places& cards, const In& terms, const Vector<double>& sums);
void py_add_values(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
                   const Places& starts, Index first, Index stop, const Matrix<const double>& values,
                   const Matrix<double>& out);

}  // namespace bnlr::design
