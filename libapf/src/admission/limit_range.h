// What LimitRanger refuses: amounts outside of a LimitRange (plugin/pkg/admission/limitranger, v1.36). What it gives to
// containers that say nothing is part of measuring a pod.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/usage_list.h"

namespace apf {

// One item of spec.limits.
struct LimitRangeItem {
  std::string type;  // "Container", "Pod", "PersistentVolumeClaim"
  UsageList min, max, ratio;
  UsageList limit, request;  // default, defaultRequest, with the defaults of the API
};
struct LimitRangeRules {
  std::vector<LimitRangeItem> items;
};

// Requests and limits of what an item of the type is about, one container or one pod.
struct LimitRangeSubject {
  std::string_view type;
  const UsageList* requests = nullptr;
  const UsageList* limits = nullptr;
};

// The server's text of what the first LimitRange with a fault says, without "… is forbidden: "; empty: all are met. The
// server names resources in the order of a Go map; here in that of their names.
std::string limit_range_faults(const std::vector<LimitRangeRules>& ranges,
                               const std::vector<LimitRangeSubject>& subjects);

}  // namespace apf
