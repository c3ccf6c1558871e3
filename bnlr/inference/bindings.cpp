// What of this room is compiled for each instruction set, under its names in Python.
#include "kernels.hpp"

namespace bnlr::inference {

void bind_trees(nb::module_& m) {
  m.def("total_rows", &py_total_rows, array("rows"), "tree"_a, array("tables"), array("logs"),
        array("totals"));
  m.def("count_rows", &py_count_rows, array("rows"), array("labels"), array("weights"), "tree"_a,
        array("tables"), array("logs"), array("counts"), array("totals"));
  m.def("normalise", &py_normalise, array("totals"), array("posterior"), array("log_evidence"),
        Released());
  m.def("share_any", &py_share_any, "tree"_a, array("tables"), array("counts"));
}

}  // namespace bnlr::inference
