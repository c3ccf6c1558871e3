// What of this room is compiled for each instruction set, under its names in Python.
#include "kernels.hpp"

namespace bnlr::design {

void bind_packed(nb::module_& m) {
  m.def("expand", &py_expand, array("ends"), array("cells"), array("tables"), array("grouped"), Released());
  m.def("collapse", &py_collapse, array("ends"), array("cells"), array("grouped"), array("tables"),
        Released());
  m.def("gather", &py_gather, array("table"), array("offsets"), array("codes"), "start"_a, "stop"_a,
        array("scores"), Released());
  m.def("count", &py_count, array("offsets"), array("codes"), array("classes"), array("weights"),
        "start"_a, "stop"_a, array("table"), Released());
  m.def("linearise", &py_linearise, array("table"), array("offsets"), array("codes"), array("classes"),
        array("weights"), "start"_a, "stop"_a, array("probabilities"), array("gradient"), Released());
  m.def("curvature", &py_curvature, array("table"), array("offsets"), array("codes"),
        array("probabilities"), array("weights"), "start"_a, "stop"_a, array("product"), Released());
  m.def("spread", &py_spread, array("probabilities"), array("offsets"), array("codes"), array("weights"),
        "start"_a, "stop"_a, array("table"), Released());
  m.def("cross", &py_cross, array("rows"), array("values"), array("offsets"), array("codes"),
        array("ends"), array("cells"), "n_families"_a, array("table"), Released());
  m.def("cross_by_class", &py_cross_by_class, array("rows"), array("values"), array("offsets"),
        array("codes"), array("ends"), array("cells"), "n_families"_a, array("table"), Released());
  m.def("line", &py_line, array("scores"), array("steps"), array("classes"), array("weights"), "s"_a,
        "start"_a, "stop"_a, Released());
  m.def("correct", &py_correct, array("table"), array("offsets"), array("codes"), array("classes"),
        array("weights"), "start"_a, "stop"_a, array("probabilities"), array("corrected"),
        array("gradient"), Released());
  m.def("entropy", &py_entropy, array("probabilities"), array("weights"), "start"_a, "stop"_a, Released());
  m.def("encode", &py_encode, array("columns"), array("places"), array("cards"), array("ends"),
        "start"_a, "stop"_a, array("codes"), Released());
}

void bind_counting(nb::module_& m) {
  m.attr("LANES") = kLanes4;
  m.def("count_bits", &py_count_bits, array("codes"), array("axes"), array("ends"), array("cards"),
        array("starts"), "start"_a, "stop"_a, array("out"), Released());
  m.def("count_cells", &py_count_cells, array("codes"), array("axes"), array("cards"), array("table"),
        Released());
  m.def("add_families", &py_add_families, array("codes"), array("axes"), array("ends"), array("cards"),
        array("starts"), array("which"), array("weights"), array("out"), Released());
  m.def("weigh_cells", &py_weigh_cells, array("codes"), array("axes"), array("cards"), array("weights"),
        array("table"), Released());
  m.def("sum_occurring", &py_sum_occurring, array("codes"), array("order"), array("ends"), array("others"),
        array("cards"), array("terms"), array("sums"), Released());
}

void bind_cells(nb::module_& m) {
  m.def("add_values", &py_add_values, array("codes"), array("axes"), array("ends"), array("cards"),
        array("starts"), "first"_a, "stop"_a, array("values"), array("out"), Released());
}

}  // namespace bnlr::design
