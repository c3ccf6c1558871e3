// What this room puts into the compiled module for interactions of tables.
#pragma once

#include "../native/arrays.hpp"

namespace bnlr::objectives {

void bind_interactions(nb::module_& m);

// For bindings.cpp.
void py_turn(const Matrix<double>& values, const Vector<const Index>& cards, const Vector<const Index>& ends,
             const Vector<const Index>& offsets, bool forth);
void py_share(const Matrix<const double>& parts, const Matrix<double>& values,
              const Vector<const Index>& cells, const Vector<const Index>& ends,
              const Vector<const double>& weights, const Vector<const double>& damping, double inverse);
void py_scale(const Matrix<double>& values, const Matrix<const double>& inverses);

}  // namespace bnlr::objectives
