#include "replay/flows.h"

#include <apf/hand.h>

namespace apf {

FlowId Flows::add(const FlowDefinition& definition) {
  std::string key = definition.filled ? "filled" : "";
  for (const auto& choice : definition.choices) {
    key += std::to_string(choice.schema) + (choice.missing ? 'm' : '\0') + choice.distinguisher + '\0';
  }
  const FlowId id = definitions_.id(key);
  if (static_cast<std::size_t>(id) * classifiers_.size() < choices_.size()) return id;  // known from another worker
  for (std::size_t i = 0; i < classifiers_.size(); ++i) {
    const auto& from = definition.choices[i];
    const auto& schema = classifiers_[i]->schemas()[from.schema];
    const auto& level = classifiers_[i]->levels()[schema.level];
    Choice choice;
    choice.level = schema.level;
    choice.missing = from.missing;
    choice.hash = level.uses_flows() ? flow_hash(schema.name, from.distinguisher) : 0;
    choice.schema = schemas_.id(schema.name);
    choice.report = names_.id(schema.name + '\0' + level.name + (definition.filled ? '\1' : '\0') + from.distinguisher);
    if (choice.report == reports_.size()) {
      FlowReport report;
      report.flow_schema = schema.name;
      report.priority_level = level.name;
      report.distinguisher = from.distinguisher;
      report.hash = choice.hash;
      report.filled = definition.filled;
      reports_.push_back(std::move(report));
    }
    choices_.push_back(choice);
  }
  return id;
}

std::vector<std::string> Flows::schema_names() const {
  std::vector<std::string> names;
  for (std::uint32_t id = 0; id < schemas_.size(); ++id) names.emplace_back(schemas_.text(id));
  return names;
}

}  // namespace apf
