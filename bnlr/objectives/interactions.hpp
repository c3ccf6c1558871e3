// What this room puts into the compiled module for interactions of tables.
#pragma once

#include "../native/arrays.hpp"

namespace bnlr::objectives {

void bind_interactions(nb::module_& m);

// For bindings.cpp.
void py_turn(const Matrix<double>& values, const Vector<const Index>& cards, const Vector<const Index>& ends,
             const Vector<const Index>& offsets, bool forth);

}  // namespace bnlr::objectives
