// What this room puts into the compiled module.
#pragma once

#include <nanobind/nanobind.h>

namespace bnlr::objectives {

void bind_newton(nanobind::module_& m);

}  // namespace bnlr::objectives
