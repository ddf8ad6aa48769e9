#include "replay/prepare/flows.h"

#include <apf/hand.h>

#include "replay/prepare/request_shape.h"

namespace apf {

FlowId Flows::add(const FlowDefinition& definition) {
  std::string key = definition.filled ? "filled" : "";
  for (const auto& choice : definition.choices) {
    key += std::to_string(choice.schema) + (choice.missing ? 'm' : '\0') + choice.distinguisher + '\0';
  }
  if (definition.shape) key = definition.shape->key;
  const std::uint32_t known = definitions_.id(key);
  if (known < by_definition_.size()) return by_definition_[known];  // from another worker
  const auto id = static_cast<FlowId>(choices_.size() / classifiers_.size());
  by_definition_.push_back(id);
  if (definition.shape) shapes_.push_back(definition.shape);
  for (std::size_t i = 0; i < classifiers_.size(); ++i) {
    const auto& from = definition.choices[i];
    const auto& schema = classifiers_[i]->schemas()[from.schema];
    const auto& level = classifiers_[i]->levels()[schema.level];
    Choice choice;
    choice.level = schema.level;
    choice.missing = from.missing;
    choice.hash = level.uses_flows() ? flow_hash(schema.name, from.distinguisher) : 0;
    choice.schema = schemas_.id(schema.name);
    if (choice.schema == schema_names_.size()) schema_names_.push_back(schema.name);
    const std::uint32_t name = names_.id(schema.name + '\0' + level.name + (definition.filled ? '\1' : '\0') +
                                         from.distinguisher + (definition.user.empty() ? "" : '\0' + definition.user));
    const bool is_new = name == report_by_name_.size();
    if (is_new) report_by_name_.push_back(static_cast<std::uint32_t>(reports_.size()));
    choice.report = report_by_name_[name];
    if (is_new) {
      FlowReport report;
      report.flow_schema = schema.name;
      report.priority_level = level.name;
      report.distinguisher = from.distinguisher;
      report.user = definition.user;
      report.hash = choice.hash;
      report.filled = definition.filled;
      reports_.push_back(std::move(report));
    }
    choices_.push_back(choice);
  }
  return id;
}

FlowId Flows::twin(FlowId flow, std::uint32_t copy, const std::string& user) {
  const auto [it, is_new] = twins_.emplace(std::pair(flow, copy), 0);
  if (!is_new) return it->second;
  const std::size_t width = classifiers_.size();
  bool differs = false;
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < width; ++i) {
    choices.push_back(twin_choice(choice(flow, i), copy, user));
    differs = differs || choices.back().report != choice(flow, i).report;
  }
  it->second = flow;
  if (!differs) return flow;
  it->second = static_cast<FlowId>(choices_.size() / width);
  choices_.insert(choices_.end(), choices.begin(), choices.end());
  return it->second;
}

Flows::Choice Flows::twin_choice(const Choice& choice, std::uint32_t copy, const std::string& user) {
  const FlowReport& own = reports_[choice.report];
  if (user.empty() || own.distinguisher != user) return choice;
  Choice twin = choice;
  const std::string name = user + " (copy " + std::to_string(copy) + ")";
  if (choice.hash != 0) twin.hash = flow_hash(own.flow_schema, name);
  const auto [it, is_new] =
      twin_reports_.emplace(std::pair(choice.report, copy), static_cast<std::uint32_t>(reports_.size()));
  twin.report = it->second;
  if (!is_new) return twin;
  FlowReport report;
  report.flow_schema = own.flow_schema;
  report.priority_level = own.priority_level;
  report.distinguisher = name;
  report.user = own.user;
  report.filled = own.filled;
  report.hash = twin.hash;
  reports_.push_back(std::move(report));
  return twin;
}

}  // namespace apf
