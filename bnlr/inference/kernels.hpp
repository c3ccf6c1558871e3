// What this room puts into the compiled module.
#pragma once

#include "../native/arrays.hpp"

namespace bnlr::inference {

using In = Vector<const double>;
using Out = Vector<double>;
using Table = Matrix<const double>;
using Sums = Matrix<double>;
using Places = Vector<const Index>;
using Codes = Matrix<const std::int32_t>;

void bind_cliques(nb::module_& m);
void bind_fragments(nb::module_& m);
void bind_trees(nb::module_& m);

// For bindings.cpp.
void py_total_rows(const Codes& codes, const nb::handle& tree, const Table& tables, const Table& logs,
                   const Sums& totals);
void py_count_rows(const Codes& codes, const Places& labels, const In& weights, const nb::handle& tree,
                   const Table& tables, const Table& logs, const Sums& counts, const Sums& totals);
void py_normalise(const Table& totals, const Sums& posterior, const Out& log_evidence);
void py_share_any(const nb::handle& tree, const Table& tables, const Sums& counts);

}  // namespace bnlr::inference
