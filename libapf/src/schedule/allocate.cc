// Sharing out a sum of seats: each class gets its target times one common proportion, within its bounds
// (KEP-1040 "Dispatching"; k8s.io/apiserver/pkg/util/flowcontrol/conc_alloc.go, v1.36).
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include <apf/limits.h>

#include "base/decimal.h"

namespace apf {

namespace {

constexpr double kMinTarget = 0.001;  // smaller targets count as this, so that everything can be divided by them
constexpr double kEpsilon = 1e-7;     // slack for sums of floating point numbers

// As Go prints a float64 with %v: shortest digits, exponent form below 1e-4 and from 1e6 on.
std::string go_float(double value) {
  std::string out;
  append_decimal(out, value, 1e-4, 1e6);
  return out;
}

struct Relative {  // a class measured in proportions of its target
  double target = 0, lower = 0, upper = 0;
};

struct Sums {
  double lower = 0, upper = 0, target = 0;
  double min_lower = std::numeric_limits<double>::infinity(), max_lower = 0;  // of the relative bounds
  double min_upper = std::numeric_limits<double>::infinity(), max_upper = 0;
};

// Why the class cannot take part; empty if it can.
std::string fault_of(std::size_t index, const AllocationClass& c) {
  if (c.lower < 0)
    return fmt::format("lower bound {} is {} but negative lower bounds are not allowed", index, go_float(c.lower));
  if (c.target < c.lower) {
    return fmt::format("target {} is {}, which is below its lower bound of {}", index, go_float(c.target),
                       go_float(c.lower));
  }
  if (c.upper < c.lower) {
    return fmt::format("upper bound {} is {} but should not be less than the lower bound {}", index, go_float(c.upper),
                       go_float(c.lower));
  }
  return {};
}

Relative relative_to_target(const AllocationClass& c, Sums& sums) {
  Relative r;
  r.target = std::max(c.target, kMinTarget);
  r.lower = c.lower / r.target;
  r.upper = c.upper / r.target;
  sums.lower += c.lower;
  sums.upper += c.upper;
  sums.target += r.target;
  sums.min_lower = std::min(sums.min_lower, r.lower);
  sums.max_lower = std::max(sums.max_lower, r.lower);
  sums.min_upper = std::min(sums.min_upper, r.upper);
  sums.max_upper = std::max(sums.max_upper, r.upper);
  return r;
}

// The proportion at which the clipped allocations sum to `required`, which lies between the sums of the bounds.
// As the proportion rises, a class grows between its lower and its upper relative bound and is constant elsewhere:
// between two neighbouring bounds the sum is a straight line.
double sweep(double required, const std::vector<Relative>& items, const Sums& sums) {
  struct Bound {
    double at = 0, slope = 0;
  };
  std::vector<Bound> bounds;
  bounds.reserve(items.size() * 2);
  for (const Relative& r : items) {
    bounds.push_back({r.lower, r.target});
    bounds.push_back({r.upper, -r.target});
  }
  std::sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.at < b.at; });

  double proportion = sums.min_lower, sum = sums.lower, slope = 0;
  int growing = 0;
  for (std::size_t next = 0; sum < required;) {
    for (; next < bounds.size() && bounds[next].at <= proportion; ++next) {
      slope += bounds[next].slope;
      growing += bounds[next].slope > 0 ? 1 : -1;
    }
    if (growing > 0) {
      const double reached = proportion + (required - sum) / slope;
      if (next == bounds.size() || reached <= bounds[next].at) return reached;
      sum += (bounds[next].at - proportion) * slope;
    } else {
      slope = 0;  // forget what rounding left
      if (next == bounds.size()) break;
    }
    proportion = bounds[next].at;
  }
  return proportion;
}

std::optional<Allocation> refuse(std::string* error, std::string reason) {
  if (error) *error = std::move(reason);
  return std::nullopt;
}

}  // namespace

std::optional<Allocation> allocate(std::int64_t required_sum, std::span<const AllocationClass> classes,
                                   std::string* error) {
  if (required_sum < 0) return refuse(error, "negative sums are not supported");
  Sums sums;
  std::vector<Relative> items;
  items.reserve(classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (std::string fault = fault_of(i, classes[i]); !fault.empty()) return refuse(error, std::move(fault));
    items.push_back(relative_to_target(classes[i], sums));
  }
  const double required = static_cast<double>(required_sum);
  if (sums.lower - required > kEpsilon) {
    return refuse(error, fmt::format("lower bounds sum to {}, which is higher than the required sum of {}",
                                     go_float(sums.lower), required_sum));
  }
  if (required - sums.upper > kEpsilon) {
    return refuse(error, fmt::format("upper bounds sum to {}, which is lower than the required sum of {}",
                                     go_float(sums.upper), required_sum));
  }

  Allocation result;
  result.allocs.resize(classes.size());
  if (required_sum == 0) return result;
  if (sums.lower - required > -kEpsilon) {  // only the lower bounds fit
    for (std::size_t i = 0; i < classes.size(); ++i) result.allocs[i] = classes[i].lower;
    result.fair_prop = sums.min_lower;
    return result;
  }
  if (required - sums.upper > -kEpsilon) {  // all that the upper bounds admit is needed
    for (std::size_t i = 0; i < classes.size(); ++i) result.allocs[i] = classes[i].upper;
    result.fair_prop = sums.max_upper;
    return result;
  }
  result.fair_prop = required / sums.target;
  if (sums.max_lower <= result.fair_prop && result.fair_prop <= sums.min_upper) {  // no bound matters
    for (std::size_t i = 0; i < classes.size(); ++i) result.allocs[i] = items[i].target * result.fair_prop;
    return result;
  }
  result.fair_prop = sweep(required, items, sums);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    result.allocs[i] = std::max(classes[i].lower, std::min(classes[i].upper, items[i].target * result.fair_prop));
  }
  return result;
}

}  // namespace apf
