// Loops that may take seconds, and end when the user presses Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>

namespace bnlr {

// A loop says what it has done; a few times a second Python is asked whether a signal has come. The
// GIL is released meanwhile. In threads that are not Python's first the question does no harm: the
// first one hears of the signal, and no further part of the work is begun.
class Patience {
 public:
  // After so many operations, of about a nanosecond each.
  void spend(std::int64_t operations) {
    spent_ += operations;
    if (spent_ >= kOften) ask();
  }

 private:
  static constexpr std::int64_t kOften = 1 << 22;

  void ask() {
    spent_ = 0;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(200)) return;
    asked_ = now;
    nanobind::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

  std::int64_t spent_ = 0;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace bnlr
