// Numbers that are never lost to underflow: a double with an exponent of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "../native/vector_math.hpp"

namespace bnlr::inference {

// digits · 2^exponent, 1 ≤ |digits| < 2, or 0.
class Wide {
 public:
  Wide(double x = 0.0) : Wide(x, 0) {}

  friend Wide operator*(const Wide& a, const Wide& b) {
    return {a.digits_ * b.digits_, a.exponent_ + b.exponent_};
  }
  friend Wide operator/(const Wide& a, const Wide& b) {
    return {a.digits_ / b.digits_, a.exponent_ - b.exponent_};
  }
  friend Wide operator+(const Wide& a, const Wide& b) {
    if (b.digits_ == 0.0) return a;
    if (a.digits_ == 0.0) return b;
    if (a.exponent_ < b.exponent_) return b + a;
    const std::int64_t apart = a.exponent_ - b.exponent_;
    if (apart >= math::kBias) return a;
    return {a.digits_ + b.digits_ * power(-apart), a.exponent_};
  }
  Wide& operator*=(const Wide& b) { return *this = *this * b; }
  Wide& operator/=(const Wide& b) { return *this = *this / b; }
  Wide& operator+=(const Wide& b) { return *this = *this + b; }

  friend bool operator==(const Wide& a, const Wide& b) {
    return a.digits_ == b.digits_ && a.exponent_ == b.exponent_;
  }
  friend bool operator!=(const Wide& a, const Wide& b) { return !(a == b); }
  friend bool operator>(const Wide& a, const Wide& b) {
    return (a + Wide(-b.digits_, b.exponent_)).digits_ > 0.0;
  }
  friend bool operator<(const Wide& a, const Wide& b) { return b > a; }

  explicit operator double() const {
    if (exponent_ > -math::kBias && exponent_ <= math::kBias) return digits_ * power(exponent_);
    const std::int64_t bounded = std::min(std::max(exponent_, -kFar), kFar);
    return std::ldexp(digits_, static_cast<int>(bounded));
  }

  friend double natural_log(const Wide& x) {
    const double exponent = static_cast<double>(x.exponent_);
    return exponent * math::kLn2High + (exponent * math::kLn2Low + math::log(x.digits_));
  }

 private:
  Wide(double digits, std::int64_t exponent) : digits_(digits), exponent_(exponent) {
    if (digits_ == 0.0) {
      exponent_ = 0;
      return;
    }
    if (std::abs(digits_) < std::numeric_limits<double>::min()) {
      digits_ *= power(kSubnormal);
      exponent_ -= kSubnormal;
    }
    const std::int64_t bits = math::bits_of(digits_);
    const std::int64_t shift = ((bits >> math::kMantissa) & kExponents) - math::kBias;
    digits_ = math::float_of(bits - shift * (std::int64_t{1} << math::kMantissa));
    exponent_ += shift;
  }

  // 2^n of a normal number.
  static double power(std::int64_t n) { return math::float_of((n + math::kBias) << math::kMantissa); }

  static constexpr std::int64_t kSubnormal = 54, kExponents = 0x7FF, kFar = 4096;

  double digits_;
  std::int64_t exponent_;
};

}  // namespace bnlr::inference
