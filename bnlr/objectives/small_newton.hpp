// What this room puts into the compiled module.
#pragma once

#include "../native/arrays.hpp"

namespace bnlr::objectives {

using In = Vector<const double>;
using Table = Matrix<const double>;
using Places = Vector<const Index>;
using Codes = Matrix<const std::uint16_t>;  // small tables have short codes

void bind_newton(nb::module_& m);

// For bindings.cpp.
nb::tuple py_begin(const Places& ends, const Places& cells, const Places& offsets, const Codes& codes,
                   const AnyVector& classes, const In& weights, const Places& drawn,
                   const std::tuple<double, double, Index, Index>& penalty, const Table& centre,
                   const Places& rough_ends, const Places& rough_cells, const In& rough_values,
                   const Table& x, const nb::object& rules, double tol, Index limit, Index memory);
nb::tuple py_advance(const nb::capsule& handle, Index last);
nb::tuple py_point(const nb::capsule& handle);
void py_curvature_matrix(const Places& ends, const Places& cells, const Places& offsets,
                         const Codes& codes, const AnyVector& classes, const In& weights,
                         const Places& drawn, double strength, const Table& probabilities, double blend,
                         double least, const Matrix<double>& matrix);
bool py_solve(const Table& matrix, const Vector<double>& b);

nb::tuple told_names();  // of the numbers that a walk tells

}  // namespace bnlr::objectives
