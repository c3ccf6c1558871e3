// What this room puts into the compiled module.
#pragma once

#include <nanobind/nanobind.h>

namespace bnlr::design {

void bind_packed(nanobind::module_& m);
void bind_packing(nanobind::module_& m);
void bind_counting(nanobind::module_& m);
void bind_cells(nanobind::module_& m);

}  // namespace bnlr::design
