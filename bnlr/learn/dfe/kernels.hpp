// What this room puts into the compiled module.
#pragma once

#include <nanobind/nanobind.h>

namespace bnlr::learn {

void bind_dfe(nanobind::module_& m);

}  // namespace bnlr::learn
