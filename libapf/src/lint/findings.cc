// From what a check says to a Diagnostic with a position.
#include "lint/rule.h"

namespace apf {

void Findings::set_rule(const Rule& rule) {
  rule_ = &rule;
  object_ = nullptr;
  of_rule_ = of_object_ = 0;
}

Diagnostic& Findings::add(const ObjectMeta& meta, const char* kind, std::string field, std::string message) {
  if (object_ != &meta) of_object_ = 0;
  object_ = &meta;
  if (of_object_ >= kMostOfObject || of_rule_ >= kMostOfRule) return spare_ = Diagnostic();
  ++of_object_;
  ++of_rule_;
  Diagnostic& d = out_.emplace_back();
  if (of_rule_ == kMostOfRule) d.notes.push_back({"there may be more like this: only the first 10,000 are told", {}});
  else if (of_object_ == kMostOfObject) d.notes.push_back({"this object may have more like this: only the first 1,000 are told", {}});
  d.code = rule_->info.code;
  d.name = rule_->info.name;
  d.severity = rule_->info.severity;
  d.message = std::move(message);
  d.span = meta.source.span_of(field);
  if (d.span.file.empty()) d.span.file = meta.source.file;
  d.document = meta.source.document;
  d.api_version = meta.api_version;
  d.kind = kind;
  d.object_name = meta.name;
  d.field = std::move(field);
  return d;
}

Diagnostic& Findings::add(const FlowSchema& object, std::string field, std::string message) {
  return add(object.meta, "FlowSchema", std::move(field), std::move(message));
}

Diagnostic& Findings::add(const PriorityLevel& object, std::string field, std::string message) {
  return add(object.meta, "PriorityLevelConfiguration", std::move(field), std::move(message));
}

Note note_at(const ObjectMeta& meta, std::string_view field, std::string message) {
  return {std::move(message), meta.source.span_of(field)};
}

}  // namespace apf
