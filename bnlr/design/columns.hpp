// Columns of a data set's codes, whatever the width of a code.
#pragma once

#include "../native/arrays.hpp"

namespace bnlr::design {

// `f` is given to codes of any width: the loops in it are all that there is of each.
struct Columns {
  const void* codes;
  int bytes;
  Index n_rows;

  // f(pointer to the codes of a column, from one row on)
  template <class F>
  void at(Index column, Index first, F&& f) const {
    const Index place = column * n_rows + first;
    if (bytes == 1) f(static_cast<const std::int8_t*>(codes) + place);
    else if (bytes == 2) f(static_cast<const std::int16_t*>(codes) + place);
    else if (bytes == 4) f(static_cast<const std::int32_t*>(codes) + place);
    else f(static_cast<const std::int64_t*>(codes) + place);
  }
};

// Of codes (n_columns, n_rows).
inline Columns columns_of(const AnyMatrix& codes) {
  return with_signed(codes, [&](auto* own) {
    return Columns{own, static_cast<int>(sizeof *own), columns(codes)};
  });
}

}  // namespace bnlr::design
