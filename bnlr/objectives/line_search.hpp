// `bnlr.optimize.line_search` along a line of the caller's, rule by rule.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace bnlr::objectives {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Step {
  double s, value, slope;
};

// What `bnlr.optimize` hands over of its numbers.
struct SearchRules {
  double flatten, sufficient, rounding;
  int evaluations;
};

inline bool is_finite(const Step& step) {
  return std::isfinite(step.value) && std::isfinite(step.slope);
}

// Armijo's condition, given value and slope at s = 0; rounding is forgiven.
inline bool decreases(const Step& step, double value, double slope, const SearchRules& rules) {
  const double allowed = value + rules.sufficient * step.s * slope + rules.rounding * std::fabs(value);
  return is_finite(step) && step.value <= allowed;
}

inline bool is_flat(const Step& step, double slope, const SearchRules& rules) {
  return std::fabs(step.slope) <= -rules.flatten * slope;
}

// Minimiser of the cubic with the values and slopes of both.
inline double cubic(const Step& a, const Step& b) {
  const double width = b.s - a.s;
  const double mean = a.slope + b.slope - 3.0 * (b.value - a.value) / width;
  const double radicand = mean * mean - a.slope * b.slope;
  if (radicand < 0) return a.s + 0.5 * width;
  const double root = std::sqrt(radicand), bottom = b.slope - a.slope + 2.0 * root;
  return bottom > 0 ? b.s - width * (b.slope + root - mean) / bottom : a.s + 0.5 * width;
}

inline double beyond(const Step& previous, const Step& last) {
  const double rise = last.slope - previous.slope;
  const double guess = rise > 0 ? last.s - last.slope * (last.s - previous.s) / rise : kInfinity;
  return std::min(std::max(guess, 2.0 * last.s), 10.0 * last.s);
}

inline double between(const Step& low, const Step& high) {
  const double width = high.s - low.s;
  if (!std::isfinite(high.value)) return low.s + 0.1 * width;
  const double margin = (low.s == 0 ? 0.001 : 0.1) * width;
  return std::min(std::max(cubic(low, high), low.s + margin), high.s - 0.1 * width);
}

// A step length that lowers the function enough, 0 if there is none; `line(s)` gives the Step there.
template <class Line>
double line_search(double value, double slope, const SearchRules& rules, Line&& line) {
  Step low{0.0, value, slope}, high{kInfinity, kInfinity, kInfinity}, best = low;
  double s = 1.0;
  for (int n = 0; n < rules.evaluations; ++n) {
    Step trial = line(s);
    if (!is_finite(trial)) trial = {s, kInfinity, kInfinity};
    const bool sufficient = decreases(trial, value, slope, rules);
    if (sufficient && is_flat(trial, slope, rules)) return s;
    if (sufficient && (best.s == 0 || trial.value <= best.value)) best = trial;
    const Step previous = low;
    if (sufficient && trial.slope < 0 && trial.value <= low.value + rules.rounding * std::fabs(value))
      low = trial;
    else
      high = trial;
    s = high.s == kInfinity ? beyond(previous, low) : between(low, high);
    if (!(low.s < s && s < high.s)) break;
  }
  return best.value < value ? best.s : 0.0;
}

}  // namespace bnlr::objectives
