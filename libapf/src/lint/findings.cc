// From what a check says to a Diagnostic with a position.
#include <fmt/core.h>

#include "config/codes.h"
#include "config/dialect.h"
#include "config/reader.h"
#include "lint/rule.h"

namespace apf {

Diagnostic& Findings::add(const ObjectMeta& meta, const char* kind, std::string field, std::string message) {
  const std::size_t found = out_.size() - first_;
  if (found > kMostFaults) return beyond_ = {};
  Diagnostic& d = out_.emplace_back();
  d.code = rule_->code;
  d.name = rule_->name;
  d.severity = rule_->severity;
  d.message = std::move(message);
  d.span = meta.source.span_of(field);
  if (d.span.file.empty()) d.span.file = meta.source.file;
  d.document = meta.source.document;
  d.api_version = meta.api_version;
  d.kind = kind;
  d.object_name = name_to_tell(meta.name);
  d.field = std::move(field);
  if (found < kMostFaults) return d;
  d.code = kTooLarge.code;
  d.name = kTooLarge.name;
  d.message = fmt::format("more than {} findings of {}; the rest is not reported", kMostFaults, rule_->code);
  return beyond_ = {};
}

Diagnostic& Findings::add(const FlowSchema& object, std::string field, std::string message) {
  return add(object.meta, "FlowSchema", std::move(field), std::move(message));
}

Diagnostic& Findings::add(const PriorityLevel& object, std::string field, std::string message) {
  return add(object.meta, dialect_of(object).level_kind(), std::move(field), std::move(message));
}

Diagnostic& Findings::add(const EventRateLimitConfiguration& object, std::string field, std::string message) {
  return add(object.meta, "Configuration", std::move(field), std::move(message));
}

Diagnostic& Findings::add(const ResourceQuota& object, std::string field, std::string message) {
  return add(object.meta, "ResourceQuota", std::move(field), std::move(message));
}

Note note_at(const ObjectMeta& meta, std::string_view field, std::string message) {
  return {std::move(message), meta.source.span_of(field)};
}

}  // namespace apf
