#include "replay/prepare/request_shape.h"

#include <fmt/core.h>

#include "classify/match.h"
#include "replay/prepare/recorded_schema.h"
#include "replay/prepare/users.h"

namespace apf {

namespace {

std::string identity_of(const User& user) {
  std::string out = user.name;
  for (const std::string& group : user.groups) out.append(1, '\0').append(group);
  return out;
}

RequestInfo info_of(const RequestView& view) {
  const RequestView::Fields& f = view.f;
  RequestInfo out;
  out.is_resource_request = f.is_resource;
  out.path = f.path;
  out.verb = f.verb;
  out.api_prefix = f.api_prefix;
  out.api_group = f.api_group;
  out.api_version = f.api_version;
  out.ns = f.ns;
  out.resource = f.resource;
  out.subresource = f.subresource;
  out.name = f.name;
  out.field_selector = f.field_selector;
  out.label_selector = f.label_selector;
  return out;
}

}  // namespace

std::shared_ptr<const RequestShape> shape_of(const RequestView& view, const KnownUser& user, bool by_all_fields) {
  auto out = std::make_shared<RequestShape>();
  out->user = user.user;
  out->is_known = user.fixed.empty();
  out->info = info_of(view);
  out->schema = user.logged_schema;
  const RequestInfo& info = out->info;
  std::string& key = out->key;
  key = identity_of(user.user);
  const auto add = [&](const std::string& text) { key.append(1, '\1').append(text); };
  add(out->schema);
  add(info.is_resource_request ? "r" : "u");
  add(info.verb);
  if (!info.is_resource_request || by_all_fields) add(info.path);
  for (const std::string* text : {&info.api_group, &info.resource, &info.subresource, &info.ns}) add(*text);
  if (!by_all_fields) return out;
  for (const std::string* text :
       {&info.api_prefix, &info.api_version, &info.name, &info.field_selector, &info.label_selector})
    add(*text);
  return out;
}

std::shared_ptr<const RequestShape> shape_of_fill(const std::string& schema, std::size_t flow) {
  auto out = std::make_shared<RequestShape>();
  out->is_known = false;
  out->schema = schema;
  out->filled = flow;
  out->key = fmt::format("\2{} {}", flow, schema);
  return out;
}

FlowDefinition::Choice ShapeClassifier::choose(const RequestShape& shape) {
  FlowDefinition::Choice out;
  if (!shape.schema.empty()) {
    const RecordedSchema recorded = find_recorded_schema(classifier_, shape.schema);
    out.schema = recorded.schema;
    out.missing = recorded.missing;
  }
  if (shape.filled > 0) {
    const bool parts = classifier_.schemas()[out.schema].effective != Classifier::Schema::Distinguisher::none;
    if (parts) out.distinguisher = fmt::format("(filled {})", shape.filled);
    return out;
  }
  view_request(shape.info, nullptr, *view_);
  if (shape.schema.empty()) {
    const std::string user = identity_of(shape.user);
    if (!candidates_ || user != last_user_) candidates_ = classifier_.candidates(shape.user);
    last_user_ = user;
    const Classifier::Match match = match_view(classifier_, *view_, *candidates_);
    out.schema = match.schema;
  }
  out.distinguisher = distinguisher_of(classifier_, out.schema, *view_, shape.user);
  return out;
}

}  // namespace apf
