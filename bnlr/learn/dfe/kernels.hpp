// What this room puts into the compiled module.
#pragma once

#include "../../native/arrays.hpp"

namespace bnlr::learn {

using Places = Vector<const Index>;
using Found = Matrix<std::uint32_t>;
using Given = Matrix<const std::uint32_t>;

void bind_dfe(nb::module_& m);

// For bindings.cpp.
void py_place(const AnyMatrix& codes, const Places& axes, const Places& ends, const Places& cards,
              const Places& cell_starts, const Places& members, const Places& column_starts,
              const Found& cells, const Found& columns);
void py_learn(const Given& cells, const Given& columns, const Places& members,
              const Places& cell_starts, const Places& column_starts, const Places& cards,
              const Places& chosen, const Places& classes, const Vector<const double>& weights,
              const Vector<double>& losses, const Vector<double>& shares, const Vector<bool>& is_new,
              const Matrix<double>& counts, const Matrix<double>& totals, const Matrix<double>& inverses,
              const Given& outside, const Given& above, const Vector<bool>& is_seen,
              const Vector<bool>& has_seen);

}  // namespace bnlr::learn
