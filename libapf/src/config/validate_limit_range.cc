// Validation of a LimitRange (ValidateLimitRange of pkg/apis/core/validation, v1.36). The server names resources in the
// order of a Go map; here in that of their names.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "base/go_quote.h"
#include "config/limit_range.h"

namespace apf {

namespace {

constexpr std::int64_t kMostMilli = std::numeric_limits<std::int64_t>::max() / 1000;
constexpr std::string_view kLimitTypes[] = {"Container", "PersistentVolumeClaim", "Pod"};

bool is_huge_page(std::string_view name) { return name.starts_with("hugepages-"); }
bool is_native(std::string_view name) {
  return name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
}

const Quantity* amount_of(const ResourceList& list, std::string_view name) {
  const auto at = list.find(name);
  return at == list.end() ? nullptr : &at->second;
}

class LimitRangeItemCheck {
 public:
  LimitRangeItemCheck(const LimitRange::Item& item, const FieldPath& path, FieldErrors& errors)
      : item_(item), path_(path), errors_(errors) {}

  void type(std::set<std::string>& seen) {
    const bool standard = std::binary_search(std::begin(kLimitTypes), std::end(kLimitTypes), item_.type);
    if (!standard && item_.type.find('/') == item_.type.npos)
      errors_.invalid(kInvalidLimitRange, path_.child("type"), go_quote(item_.type),
                      "must be a standard limit type or fully qualified");
    if (!seen.insert(item_.type).second)
      errors_.duplicate(kInvalidLimitRange, path_.child("type"), go_quote(item_.type));
  }

  void names() {
    const std::pair<const char*, const ResourceList*> lists[] = {{"max", &item_.max},
                                                                 {"min", &item_.min},
                                                                 {"default", &item_.limit},
                                                                 {"defaultRequest", &item_.request},
                                                                 {"maxLimitRequestRatio", &item_.ratio}};
    for (const auto& [list, amounts] : lists) {
      const FieldPath path = path_.child(list);
      const bool is_default = amounts == &item_.limit || amounts == &item_.request;
      if (item_.type == "Pod" && is_default) {
        if (!amounts->empty()) errors_.forbidden(kInvalidLimitRange, path, "may not be specified when `type` is 'Pod'");
        continue;
      }
      for (const auto& [name, amount] : *amounts) {
        if (const char* fault = name_fault(name))
          errors_.invalid_key(kInvalidLimitRange, path.key(name), go_quote(name), fault);
      }
    }
    if (item_.type == "PersistentVolumeClaim" && !item_.min.contains("storage") && !item_.max.contains("storage"))
      errors_.required(kInvalidLimitRange, path_.child("limits"),
                       "either minimum or maximum storage value is required, but neither was provided");
  }

  void amounts(const std::string& name) {
    const Quantity *min = amount_of(item_.min, name), *max = amount_of(item_.max, name);
    const bool pod = item_.type == "Pod";
    const Quantity* limit = pod ? nullptr : amount_of(item_.limit, name);
    const Quantity* request = pod ? nullptr : amount_of(item_.request, name);
    const FieldPath mins = path_.child("min"), requests = path_.child("defaultRequest"),
                    limits = path_.child("default");
    const FieldPath of_min = mins.key(name), of_request = requests.key(name), of_limit = limits.key(name);
    ordered(min, max, of_min, min, "min value {} is greater than max value {}");
    ordered(min, request, of_request, request, "min value {} is greater than default request value {}");
    ordered(request, max, of_request, request, "default request value {} is greater than max value {}");
    ordered(request, limit, of_request, request, "default request value {} is greater than default limit value {}");
    ordered(min, limit, of_limit, min, "min value {} is greater than default value {}");
    ordered(limit, max, of_limit, max, "default value {} is greater than max value {}");
    if (const Quantity* ratio = amount_of(item_.ratio, name)) check_ratio(name, *ratio, min, max);
    const bool may_overcommit = is_native(name) && !is_huge_page(name);
    if (!may_overcommit && limit && request && *limit != *request)
      errors_.invalid(kInvalidLimitRange, of_request, go_quote(request->str()),
                      fmt::format("default value {} must equal to defaultRequest value {} in {}", limit->str(),
                                  request->str(), name));
  }

 private:
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
  void ordered(const Quantity* low, const Quantity* high, const FieldPath& field, const Quantity* shown,
               const char* words) {
    if (!low || !high || *low <= *high) return;
    errors_.invalid(kInvalidLimitRange, field, go_quote(shown->str()),
                    fmt::format(fmt::runtime(words), low->str(), high->str()));
  }

  void check_ratio(const std::string& name, const Quantity& ratio, const Quantity* min, const Quantity* max) {
    const FieldPath ratios = path_.child("maxLimitRequestRatio"), field = ratios.key(name);
    const std::string value = go_quote(ratio.str());
    if (ratio < Quantity(1))
      errors_.invalid(kInvalidLimitRange, field, value, fmt::format("ratio {} is less than 1", ratio.str()));
    if (!min || !max) return;
    const bool milli = ratio.value() < kMostMilli && min->value() < kMostMilli && max->value() < kMostMilli;
    const double given = milli ? static_cast<double>(ratio.milli_value()) / 1000 : static_cast<double>(ratio.value());
    const auto low = static_cast<double>(milli ? min->milli_value() : min->value());
    const auto high = static_cast<double>(milli ? max->milli_value() : max->value());
    if (given > high / low)
      errors_.invalid(kInvalidLimitRange, field, value,
                      fmt::format("ratio {} is greater than max/min = {:f}", ratio.str(), high / low));
  }

  const LimitRange::Item& item_;
  const FieldPath& path_;
  FieldErrors& errors_;
};

}  // namespace

void validate_limit_range_items(const std::vector<LimitRange::Item>& items, FieldErrors& errors) {
  const FieldPath spec("spec"), limits = spec.child("limits");
  std::set<std::string> types;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const LimitRange::Item& item = items[i];
    const FieldPath path = limits.at(i);
    LimitRangeItemCheck check(item, path, errors);
    check.type(types);
    check.names();
    std::set<std::string> names;
    for (const ResourceList* list : {&item.max, &item.min, &item.limit, &item.request, &item.ratio})
      for (const auto& [name, amount] : *list) names.insert(name);
    for (const std::string& name : names) check.amounts(name);
  }
}

void validate_object(const LimitRange& object, Operation operation, KubeVersion version, const LimitRange* old,
                     std::vector<Diagnostic>& out) {
  if (operation == Operation::status_update) return;  // it has no status
  FieldErrors errors(object.meta, kLimitRangeKind, version, out);
  if (operation == Operation::update && old)
    validate_metadata_update(object.meta, old->meta, errors, Scope::namespaced);
  validate_metadata(object.meta, errors, Scope::namespaced);
  validate_limit_range_items(defaulted_items(object), errors);
}

}  // namespace apf
