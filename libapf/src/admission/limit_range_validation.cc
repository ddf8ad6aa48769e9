// What the server refuses of a LimitRange itself (ValidateLimitRange of pkg/apis/core/validation, v1.36). The server
// names resources in the order of a Go map; here in that of their names.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/core.h>

#include <apf/config.h>

#include "admission/limit_range.h"
#include "base/go_quote.h"

namespace apf {

namespace {

constexpr std::int64_t kMostMilli = std::numeric_limits<std::int64_t>::max() / 1000;
constexpr std::string_view kTypes[] = {"Container", "PersistentVolumeClaim", "Pod"};

bool is_huge_page(std::string_view name) { return name.starts_with("hugepages-"); }
bool is_native(std::string_view name) {
  return name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
}

class LimitRangeItemCheck {
 public:
  LimitRangeItemCheck(const LimitRangeItem& item, std::size_t index, std::vector<LimitRangeFault>& out)
      : item_(item), index_(index), out_(out) {}

  void type(std::set<std::string>& seen) {
    const bool standard = std::binary_search(std::begin(kTypes), std::end(kTypes), item_.type);
    if (!standard && item_.type.find('/') == item_.type.npos)
      invalid("type", go_quote(item_.type), "must be a standard limit type or fully qualified");
    if (!seen.insert(item_.type).second) add("type", "Duplicate value: " + go_quote(item_.type));
  }

  void names() {
    const std::pair<const char*, const UsageList*> lists[] = {{"max", &item_.max},
                                                              {"min", &item_.min},
                                                              {"default", &item_.limit},
                                                              {"defaultRequest", &item_.request},
                                                              {"maxLimitRequestRatio", &item_.ratio}};
    for (const auto& [list, amounts] : lists) {
      const bool is_default = amounts == &item_.limit || amounts == &item_.request;
      if (item_.type == "Pod" && is_default) {
        if (!amounts->empty()) add(list, "Forbidden: may not be specified when `type` is 'Pod'");
        continue;
      }
      for (const auto& [name, amount] : *amounts) {
        if (const char* fault = name_fault(name)) invalid(key(list, name), go_quote(name), fault);
      }
    }
    if (item_.type == "PersistentVolumeClaim" && !item_.min.has("storage") && !item_.max.has("storage"))
      add("limits", "Required value: either minimum or maximum storage value is required, but neither was provided");
  }

  void amounts(const std::string& name) {
    const Quantity *min = item_.min.find(name), *max = item_.max.find(name), *ratio = item_.ratio.find(name);
    const bool pod = item_.type == "Pod";
    const Quantity *limit = pod ? nullptr : item_.limit.find(name), *request = pod ? nullptr : item_.request.find(name);
    ordered(min, max, key("min", name), min, "min value {} is greater than max value {}");
    const std::string of_request = key("defaultRequest", name), of_limit = key("default", name);
    ordered(min, request, of_request, request, "min value {} is greater than default request value {}");
    ordered(request, max, of_request, request, "default request value {} is greater than max value {}");
    ordered(request, limit, of_request, request, "default request value {} is greater than default limit value {}");
    ordered(min, limit, of_limit, min, "min value {} is greater than default value {}");
    ordered(limit, max, of_limit, max, "default value {} is greater than max value {}");
    if (ratio) check_ratio(name, *ratio, min, max);
    const bool may_overcommit = is_native(name) && !is_huge_page(name);
    if (!may_overcommit && limit && request && *limit != *request)
      invalid(of_request, go_quote(request->str()),
              fmt::format("default value {} must equal to defaultRequest value {} in {}", limit->str(), request->str(),
                          name));
  }

 private:
  static std::string key(std::string_view list, std::string_view name) { return fmt::format("{}[{}]", list, name); }
  void add(const std::string& field, std::string message) {
    out_.push_back({index_, fmt::format("spec.limits[{}].{}", index_, field), std::move(message)});
  }
  void invalid(const std::string& field, const std::string& value, const std::string& detail) {
    add(field, fmt::format("Invalid value: {}: {}", value, detail));
  }

  const char* name_fault(std::string_view name) const {
    if (name.find('/') != name.npos) return nullptr;
    if (item_.type == "Pod" || item_.type == "Container") {
      const bool standard = name == "cpu" || name == "memory" || name == "ephemeral-storage" || is_huge_page(name);
      return standard ? nullptr : "must be a standard resource for containers";
    }
    const bool standard = is_standard_quota_resource(name) || name == "storage";
    return standard ? nullptr : "must be a standard resource type or fully qualified";
  }

  // Both there, `low` above `high`: wrong at `field`, whose value is `shown`.
  void ordered(const Quantity* low, const Quantity* high, const std::string& field, const Quantity* shown,
               const char* words) {
    if (!low || !high || *low <= *high) return;
    invalid(field, go_quote(shown->str()), fmt::format(fmt::runtime(words), low->str(), high->str()));
  }

  void check_ratio(const std::string& name, const Quantity& ratio, const Quantity* min, const Quantity* max) {
    const std::string field = key("maxLimitRequestRatio", name), value = go_quote(ratio.str());
    if (ratio < Quantity(1)) invalid(field, value, fmt::format("ratio {} is less than 1", ratio.str()));
    if (!min || !max) return;
    const bool milli = ratio.value() < kMostMilli && min->value() < kMostMilli && max->value() < kMostMilli;
    const double given = milli ? static_cast<double>(ratio.milli_value()) / 1000 : static_cast<double>(ratio.value());
    const auto low = static_cast<double>(milli ? min->milli_value() : min->value());
    const auto high = static_cast<double>(milli ? max->milli_value() : max->value());
    if (given > high / low)
      invalid(field, value, fmt::format("ratio {} is greater than max/min = {:f}", ratio.str(), high / low));
  }

  const LimitRangeItem& item_;
  std::size_t index_;
  std::vector<LimitRangeFault>& out_;
};

}  // namespace

std::vector<LimitRangeFault> invalid_items(const LimitRangeRules& range) {
  std::vector<LimitRangeFault> out;
  std::set<std::string> types;
  for (std::size_t i = 0; i < range.items.size(); ++i) {
    const LimitRangeItem& item = range.items[i];
    LimitRangeItemCheck check(item, i, out);
    check.type(types);
    check.names();
    std::set<std::string> names;
    for (const UsageList* list : {&item.max, &item.min, &item.limit, &item.request, &item.ratio})
      for (const auto& [name, amount] : *list) names.insert(name);
    for (const std::string& name : names) check.amounts(name);
  }
  return out;
}

}  // namespace apf
