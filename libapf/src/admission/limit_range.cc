#include "admission/limit_range.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/core.h>

#include "base/joined.h"

namespace apf {

namespace {

constexpr std::int64_t kMaxMilliValue = std::numeric_limits<std::int64_t>::max() / 1000;

// In thousandths where all of them fit, else in whole units.
struct Compared {
  std::int64_t request = 0, limit = 0, enforced = 0;
};

Compared compared(const Quantity* request, const Quantity* limit, const Quantity& enforced) {
  Compared out;
  if (request) out.request = request->value();
  if (limit) out.limit = limit->value();
  out.enforced = enforced.value();
  if (out.enforced > kMaxMilliValue || out.request > kMaxMilliValue || out.limit > kMaxMilliValue) return out;
  if (request) out.request = request->milli_value();
  if (limit) out.limit = limit->milli_value();
  out.enforced = enforced.milli_value();
  return out;
}

class Checker {
 public:
  explicit Checker(const LimitRangeSubject& subject) : subject_(subject) {}

  std::string min(const std::string& name, const Quantity& enforced) {
    take(name, enforced);
    const std::string usage = fmt::format("minimum {} usage per {} is {}", name, subject_.type, enforced.str());
    if (!request_) return usage + ".  No request is specified";
    if (values_.request < values_.enforced) return fmt::format("{}, but request is {}", usage, request_->str());
    if (limit_ && values_.limit < values_.enforced) return fmt::format("{}, but limit is {}", usage, limit_->str());
    return {};
  }

  std::string max(const std::string& name, const Quantity& enforced) {
    take(name, enforced);
    const std::string usage = fmt::format("maximum {} usage per {} is {}", name, subject_.type, enforced.str());
    const bool claim = subject_.type == "PersistentVolumeClaim";  // has no limits
    if (!claim && !limit_) return usage + ".  No limit is specified";
    if (!claim && values_.limit > values_.enforced) return fmt::format("{}, but limit is {}", usage, limit_->str());
    if (claim && !request_) return usage + ".  No request is specified";
    if (request_ && values_.request > values_.enforced)
      return fmt::format("{}, but request is {}", usage, request_->str());
    return {};
  }

  std::string ratio(const std::string& name, const Quantity& enforced) {
    take(name, enforced);
    const std::string most =
        fmt::format("{} max limit to request ratio per {} is {}", name, subject_.type, enforced.str());
    if (!request_ || values_.request == 0) return most + ", but no request is specified or request is 0";
    if (!limit_ || values_.limit == 0) return most + ", but no limit is specified or limit is 0";
    const double shown = static_cast<double>(values_.limit) / static_cast<double>(values_.request);
    const bool milli = enforced.value() <= kMaxMilliValue;
    const double observed = milli ? shown * 1000 : shown;
    const auto allowed = static_cast<double>(milli ? enforced.milli_value() : enforced.value());
    if (observed > allowed) return fmt::format("{}, but provided ratio is {:f}", most, shown);
    return {};
  }

 private:
  void take(const std::string& name, const Quantity& enforced) {
    request_ = subject_.requests ? subject_.requests->find(name) : nullptr;
    limit_ = subject_.limits ? subject_.limits->find(name) : nullptr;
    values_ = compared(request_, limit_, enforced);
  }

  const LimitRangeSubject& subject_;
  const Quantity *request_ = nullptr, *limit_ = nullptr;
  Compared values_;
};

void check(const LimitRangeItem& item, const LimitRangeSubject& subject, std::vector<std::string>& faults) {
  Checker checker(subject);
  const auto add = [&](std::string fault) {
    if (!fault.empty() && std::find(faults.begin(), faults.end(), fault) == faults.end())
      faults.push_back(std::move(fault));
  };
  for (const auto& [name, amount] : item.min) add(checker.min(name, amount));
  for (const auto& [name, amount] : item.max) add(checker.max(name, amount));
  if (subject.type == "PersistentVolumeClaim") return;
  for (const auto& [name, amount] : item.ratio) add(checker.ratio(name, amount));
}

}  // namespace

std::string limit_range_faults(const std::vector<LimitRangeRules>& ranges,
                               const std::vector<LimitRangeSubject>& subjects) {
  for (const LimitRangeRules& range : ranges) {
    std::vector<std::string> faults;
    for (const LimitRangeItem& item : range.items)
      for (const LimitRangeSubject& subject : subjects)
        if (subject.type == item.type) check(item, subject, faults);
    if (faults.size() == 1) return faults.front();
    if (!faults.empty()) return fmt::format("[{}]", joined(faults, ", "));
  }
  return {};
}

}  // namespace apf
