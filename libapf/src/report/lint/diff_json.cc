// A diff of two configurations as JSON.
#include <apf/classify.h>
#include <apf/error.h>
#include <apf/findings_report.h>

#include "report/lint/limits_report.h"

namespace apf {

namespace {

void write_place(JsonWriter& json, const char* key, const RequestPlace& place) {
  json.key(key).begin_object();
  json.field("flowSchema", place.flow_schema).field("priorityLevel", place.priority_level).end_object();
}

bool is_same(const RequestInfo& a, const RequestInfo& b) {
  return a.verb == b.verb && a.api_group == b.api_group && a.resource == b.resource && a.subresource == b.subresource &&
         a.ns == b.ns;
}

// A trace line without its time.
void write_request(JsonWriter& json, const User& user, const RequestInfo& request) {
  json.begin_object().field("user", user.name).key("groups").begin_array();
  for (const std::string& group : user.groups) json.value(group);
  json.end_array();
  const auto by_info = [&] {
    json.key("requestInfo").begin_object().field("isResourceRequest", request.is_resource_request);
    if (!request.is_resource_request) json.field("path", request.path);
    json.field("verb", request.verb);
    if (request.is_resource_request) {
      json.field("apiGroup", request.api_group).field("namespace", request.ns).field("resource", request.resource);
      json.field("subresource", request.subresource).field("name", request.name);
    }
    json.end_object();
  };
  if (!request.is_resource_request) {
    json.field("verb", request.verb).field("uri", request.path);
  } else {
    try {
      const std::string resource =
          request.resource + "." + request.api_group + (request.subresource.empty() ? "" : "/" + request.subresource);
      const NamedRequest named = name_request(request.verb, resource, request.name, request.ns);
      if (is_same(named.request.info, request)) json.field("method", named.method).field("uri", named.uri);
      else by_info();
    } catch (const Error&) {
      by_info();
    }
  }
  json.end_object();
}

void write_regions(JsonWriter& json, const ConfigDiff& diff) {
  json.key("regions").begin_array();
  for (const MovedRegion& region : diff.regions) {
    json.begin_object();
    write_place(json, "from", region.from);
    write_place(json, "to", region.to);
    json.field("requests", region.requests).field("renamed", region.renamed).field("system", region.system);
    json.key("witness");
    if (region.user.name.empty()) json.null();
    else write_request(json, region.user, region.request);
    if (!region.old_command.empty()) {
      json.key("commands").begin_object().field("old", region.old_command).field("new", region.new_command);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void write_limits(JsonWriter& json, const ConfigDiff& diff) {
  json.key("limits").begin_array();
  for (const LimitsChange& change : diff.limits) {
    json.begin_object().field("priorityLevel", change.priority_level);
    const auto side = [&](const char* key, const std::optional<LevelLimits>& limits) {
      json.key(key);
      if (limits) write_level(json, *limits);
      else json.null();
    };
    side("old", change.old_limits);
    side("new", change.new_limits);
    json.end_object();
  }
  json.end_array();
}

const char* to_string(SchemaChange::What what) {
  switch (what) {
    case SchemaChange::What::added:
      return "added";
    case SchemaChange::What::removed:
      return "removed";
    case SchemaChange::What::renamed:
      return "renamed";
    case SchemaChange::What::changed:
      break;
  }
  return "changed";
}

void write_objects(JsonWriter& json, const ConfigDiff& diff) {
  json.key("flowSchemas").begin_array();
  for (const SchemaChange& change : diff.schemas) {
    json.begin_object().field("flowSchema", change.name).field("change", to_string(change.what));
    if (!change.new_name.empty()) json.field("newName", change.new_name);
    json.field("movesRequests", change.moves).end_object();
  }
  json.end_array().key("flows").begin_array();
  for (const FlowChange& change : diff.flows) {
    json.begin_object().field("flowSchema", change.flow_schema).field("priorityLevel", change.priority_level);
    json.field("change", change.what == FlowChange::What::hand ? "hand" : "distinguisher");
    json.field("old", change.old_text).field("new", change.new_text).end_object();
  }
  json.end_array();
}

void write_maintained(JsonWriter& json, const std::vector<Maintained>& objects) {
  json.key("maintained").begin_array();
  for (const Maintained& object : objects) {
    json.begin_object().field("kind", object.kind).field("name", object.name);
    json.field("action", object.what == Maintained::What::deleted   ? "deleted"
                         : object.what == Maintained::What::created ? "created"
                                                                    : "restored");
    json.field("changes", object.changes).key("managers").begin_array();
    for (const std::string& manager : object.managers) json.value(manager);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_side(JsonWriter& json, const char* key, const DiffSide& side, const LimitsTable& table) {
  json.key(key).begin_object().field("name", side.name).field("kubernetesVersion", side.version.str());
  json.field("serverConcurrencyLimit", table.server_concurrency_limit).field("shareSum", table.share_sum);
  json.field("nominalSum", table.nominal_sum).end_object();
}

}  // namespace

std::string render_json(const ConfigDiff& diff) {
  JsonWriter json;
  json.begin_object();
  if (diff.equal() && !diff.complete) json.key("equal").null();
  else json.field("equal", diff.equal());
  write_regions(json, diff);
  write_limits(json, diff);
  write_objects(json, diff);
  write_maintained(json, diff.new_side.maintained);
  write_side(json, "old", diff.old_side, diff.old_limits);
  write_side(json, "new", diff.new_side, diff.new_limits);
  json.field("oneGroupEach", diff.one_group_each).field("complete", diff.complete);
  std::vector<Remark> warnings = release_remarks(diff.old_side.version);
  for (Remark& remark : release_remarks(diff.new_side.version))
    if (warnings.empty() || warnings.front() != remark) warnings.push_back(std::move(remark));
  if (const bool old_side = diff.old_side.assumes_seats; old_side || diff.new_side.assumes_seats)
    warn_of_seats((old_side ? diff.old_side : diff.new_side).server_concurrency_limit, warnings);
  if (!warnings.empty()) write_remarks(json, "warnings", warnings);
  json.end_object();
  return json.take();
}

}  // namespace apf
