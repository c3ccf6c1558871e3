// What of this room is compiled for each instruction set, under its names in Python.
#include "interactions.hpp"
#include "small_newton.hpp"

namespace bnlr::objectives {

void bind_newton(nb::module_& m) {
  m.attr("OUTCOMES") = nb::make_tuple("go on", "converged", "lost");
  m.attr("TOLD") = told_names();
  m.def("begin", &py_begin, array("ends"), array("cells"), array("offsets"), array("codes"),
        array("classes"), array("weights"), array("drawn"), "penalty"_a, array("centre"),
        array("rough_ends"), array("rough_cells"), array("rough_values"), array("x"), "rules"_a, "tol"_a,
        "limit"_a, "memory"_a);
  m.def("advance", &py_advance, "walk"_a, "last"_a);
  m.def("point", &py_point, "walk"_a);
  m.def("curvature_matrix", &py_curvature_matrix, array("ends"), array("cells"), array("offsets"),
        array("codes"), array("classes"), array("weights"), array("drawn"), "strength"_a,
        array("probabilities"), "blend"_a, "least"_a, array("matrix"), Released());
  m.def("solve", &py_solve, array("matrix"), array("b"), Released());
}

void bind_interactions(nb::module_& m) {
  m.def("turn", &py_turn, array("values"), array("cards"), array("ends"), array("offsets"), "forth"_a,
        Released());
  m.def("share", &py_share, array("parts"), array("values"), array("cells"), array("ends"),
        array("weights"), array("damping"), "inverse"_a, Released());
  m.def("scale", &py_scale, array("values"), array("inverses"), Released());
}

}  // namespace bnlr::objectives
