// What of this room is compiled for each instruction set, under its names in Python.
#include "kernels.hpp"

namespace bnlr::learn {

void bind_dfe(nb::module_& m) {
  m.def("place", &py_place, array("codes"), array("axes"), array("ends"), array("cards"),
        array("cell_starts"), array("members"), array("column_starts"), array("cells"), array("columns"),
        Released());
  m.def("learn", &py_learn, array("cells"), array("columns"), array("members"), array("cell_starts"),
        array("column_starts"), array("cards"), array("rows"), array("classes"), array("weights"),
        array("losses"), array("shares"), array("is_new"), array("counts"), array("totals"),
        array("inverses"), array("outside"), array("above"), array("is_seen"), array("has_seen"),
        Released());
}

}  // namespace bnlr::learn
