#include "config/limit_range.h"

#include "config/decode.h"
#include "config/resource_quota.h"

namespace apf {

LimitRange decode_limit_range(const ConfigNode& object, std::string api_version) {
  LimitRange range;
  range.meta = decode_meta(object, std::move(api_version));
  range.ns = decode_string(object.find_present("metadata"), "namespace");
  const ConfigNode* spec = object.find_present("spec");
  const ConfigNode* limits = spec ? spec->find_present("limits") : nullptr;
  for (const ConfigNode& item : limits ? limits->items() : std::span<const ConfigNode>()) {
    LimitRange::Item& read = range.items.emplace_back();
    read.type = decode_string(&item, "type");
    read.min = decode_amounts(&item, "min");
    read.max = decode_amounts(&item, "max");
    read.limit = decode_amounts(&item, "default");
    read.request = decode_amounts(&item, "defaultRequest");
    read.ratio = decode_amounts(&item, "maxLimitRequestRatio");
  }
  return range;
}

std::vector<LimitRange::Item> defaulted_items(const LimitRange& range) {
  std::vector<LimitRange::Item> items = range.items;
  for (LimitRange::Item& item : items) {
    if (item.type != "Container") continue;
    item.limit.insert(item.max.begin(), item.max.end());
    item.request.insert(item.limit.begin(), item.limit.end());
    item.request.insert(item.min.begin(), item.min.end());
  }
  return items;
}

}  // namespace apf
