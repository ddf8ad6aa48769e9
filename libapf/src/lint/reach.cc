#include "lint/reach.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include <apf/classify.h>

namespace apf {

Reach::Reach(const Config& effective) {
  std::unordered_set<std::string_view> levels;
  for (const PriorityLevel& level : effective.priority_levels) {
    if (malformed_reason(level).empty()) levels.insert(level.meta.name);
  }
  for (const FlowSchema& schema : effective.flow_schemas) {
    if (levels.contains(schema.priority_level)) consulted_.push_back(&schema);
  }
  std::stable_sort(consulted_.begin(), consulted_.end(), [](const FlowSchema* a, const FlowSchema* b) {
    return a->matching_precedence != b->matching_precedence ? a->matching_precedence < b->matching_precedence
                                                            : a->meta.name < b->meta.name;
  });
}

}  // namespace apf
