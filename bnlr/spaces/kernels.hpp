// What this room puts into the compiled module.
#pragma once

#include <nanobind/nanobind.h>

namespace bnlr::spaces {

void bind_spaces(nanobind::module_& m);

}  // namespace bnlr::spaces
