#include "change/place_names.h"

#include <algorithm>

#include <fmt/core.h>

#include "lint/reach/request_users.h"

namespace apf {

int protection_of(std::string_view level) {
  constexpr std::string_view kProtected[] = {"exempt", "system", "node-high", "leader-election", "workload-high"};
  const auto at = std::find(std::begin(kProtected), std::end(kProtected), level);
  if (at != std::end(kProtected)) return static_cast<int>(at - std::begin(kProtected));
  return level == "catch-all" ? kUnprotected + 1 : kUnprotected;
}

std::set<std::string> own_groups(const FlowSchema& schema) {
  std::set<std::string> out;
  for (const PolicyRule& rule : schema.rules) {
    for (const Subject& subject : rule.subjects) {
      if (subject.kind != "Group" || !subject.group || *subject.group == "*") continue;
      if (RequestUsers::is_own_group(*subject.group)) out.insert(*subject.group);
    }
  }
  return out;
}

ConsultedSchemas::ConsultedSchemas(const Config& config) : classifier_(config) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    by_name_.emplace(name(i), i);
    names_.push_back(name(i));
    if (name(i) == "catch-all") catch_all_ = i;
  }
  std::sort(names_.begin(), names_.end());
}

std::optional<std::uint32_t> ConsultedSchemas::find(const std::string& name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<const FlowSchema*> ConsultedSchemas::objects() const {
  std::vector<const FlowSchema*> out;
  for (const Classifier::Schema& schema : classifier_.schemas()) out.push_back(&schema.object);
  return out;
}

std::string ConsultedSchemas::distinguisher(std::uint32_t i) const {
  if (!uses_flows(i)) return {};
  switch (classifier_.schemas()[i].effective) {
    case Classifier::Schema::Distinguisher::by_user:
      return "ByUser";
    case Classifier::Schema::Distinguisher::by_namespace:
      return "ByNamespace";
    default:
      return "none";
  }
}

std::string ConsultedSchemas::deck(std::uint32_t i) const {
  return fmt::format("{} queues, hands of {}", level(i).queues, level(i).hand_size);
}

}  // namespace apf
