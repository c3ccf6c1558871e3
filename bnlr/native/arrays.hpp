// Arrays as Python hands them over: their shape, type and contiguity are checked, never converted.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vector_math.hpp"

namespace bnlr {

namespace nb = nanobind;
using nb::literals::operator""_a;

using Index = std::int64_t;

// C-ordered NumPy arrays; `const T` may be read-only ones.
template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
// Codes of any width.
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Released = nb::call_guard<nb::gil_scoped_release>;

// An argument that is taken as it is: a temporary copy would swallow what a kernel writes.
inline auto array(const char* name) { return nb::arg(name).noconvert(); }

inline void require(bool holds, const char* message) {
  if (!holds) throw nb::value_error(message);
}

inline void check_range(Index start, Index stop, Index n_rows) {
  require(0 <= start && start <= stop && stop <= n_rows, "start:stop lies outside the rows");
}

// An array of a NamedTuple, as it is; apart, for fifty calls take long to compile in place.
template <class A>
BNLR_APART A attribute(const nb::handle& of, const char* name) {
  A found;
  if (!nb::try_cast<A>(of.attr(name), found, false)) throw nb::type_error(name);
  return found;
}

template <class A>
Index rows(const A& a) {
  return static_cast<Index>(a.shape(0));
}
template <class A>
Index columns(const A& a) {
  return static_cast<Index>(a.shape(1));
}

// f(pointer to codes of the width that they have): unsigned.
template <class A, class F>
auto with_unsigned(const A& codes, F&& f) {
  const nb::dlpack::dtype type = codes.dtype();
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) && type.lanes == 1) {
    if (type.bits == 8) return f(static_cast<const std::uint8_t*>(codes.data()));
    if (type.bits == 16) return f(static_cast<const std::uint16_t*>(codes.data()));
    if (type.bits == 32) return f(static_cast<const std::uint32_t*>(codes.data()));
    if (type.bits == 64) return f(static_cast<const std::uint64_t*>(codes.data()));
  }
  throw nb::type_error("codes are unsigned integers");
}

// The same for codes of groups, which take 2 or 4 bytes: each width is a copy of every loop.
template <class A, class F>
auto with_codes(const A& codes, F&& f) {
  const nb::dlpack::dtype type = codes.dtype();
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) && type.lanes == 1) {
    if (type.bits == 16) return f(static_cast<const std::uint16_t*>(codes.data()));
    if (type.bits == 32) return f(static_cast<const std::uint32_t*>(codes.data()));
  }
  throw nb::type_error("codes of groups are uint16 or uint32");
}

// f(pointer to codes of the width that they have): signed, −1 where a cell is missing.
template <class A, class F>
auto with_signed(const A& codes, F&& f) {
  const nb::dlpack::dtype type = codes.dtype();
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) && type.lanes == 1) {
    if (type.bits == 8) return f(static_cast<const std::int8_t*>(codes.data()));
    if (type.bits == 16) return f(static_cast<const std::int16_t*>(codes.data()));
    if (type.bits == 32) return f(static_cast<const std::int32_t*>(codes.data()));
    if (type.bits == 64) return f(static_cast<const std::int64_t*>(codes.data()));
  }
  throw nb::type_error("codes are signed integers");
}

// A NumPy array that owns what a vector held.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner);
}

}  // namespace bnlr
