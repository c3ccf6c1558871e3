// What this room puts into the compiled module.
#pragma once

#include <nanobind/nanobind.h>

namespace bnlr::inference {

void bind_cliques(nanobind::module_& m);
void bind_fragments(nanobind::module_& m);
void bind_trees(nanobind::module_& m);

}  // namespace bnlr::inference
