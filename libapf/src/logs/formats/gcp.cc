#include "logs/formats/gcp.h"

#include <algorithm>
#include <map>

#include <apf/output.h>

#include "base/decimal.h"
#include "base/identities.h"
#include "logs/answer_cause.h"
#include "logs/formats/audit_event.h"
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/wrapped.h"

namespace apf {
namespace {

constexpr std::string_view kMethodPrefix = "io.k8s.";

// google.rpc.Code to the HTTP status that the server had given.
int http_code(std::int64_t code) {
  constexpr int kCodes[] = {200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401};
  if (code >= 0 && code < static_cast<std::int64_t>(std::size(kCodes))) return kCodes[code];
  return code >= 100 && code <= 599 ? static_cast<int>(code) : 0;
}

// The groups that follow from the name alone. Those that an authenticator added are not in the entry.
std::string user_json(std::string_view name) {
  JsonWriter json;
  json.begin_object().field("username", name).key("groups").begin_array();
  if (name.starts_with(kServiceAccountPrefix)) {
    const std::string_view rest = name.substr(kServiceAccountPrefix.size());
    json.value(kServiceAccountsGroup)
        .value(std::string(kNamespaceGroupPrefix) + std::string(rest.substr(0, rest.find(':'))));
  }
  if (name.starts_with(kNodePrefix)) json.value(kNodesGroup);
  json.value(name == "system:anonymous" ? "system:unauthenticated" : "system:authenticated");
  json.end_array().end_object();
  return json.take();
}

}  // namespace

JsonToken GcpRecord::take(JsonText json, JsonToken value, std::string_view& out) {
  if (json.first(value) != '"') return json.skip(value);
  return json_text(json.string(value), scratch_, out) ? value + 1 : nullptr;
}

JsonToken GcpRecord::read_payload(JsonText json, std::string_view key, JsonToken value) {
  if (is_key(key, "methodName")) return take(json, value, method_);
  if (is_key(key, "serviceName")) return take(json, value, service_);
  if (is_key(key, "resourceName")) return take(json, value, resource_);
  if (json.first(value) != '{') return kUnknownKey;
  if (is_key(key, "authenticationInfo")) {
    return walk_object(json, value, [&](std::string_view k, JsonToken v) -> JsonToken {
      if (is_key(k, "principalEmail")) return take(json, v, principal_);
      return is_key(k, "authoritySelector") ? take(json, v, impersonated_) : kUnknownKey;
    });
  }
  if (is_key(key, "request") || is_key(key, "response")) {
    const JsonToken next = json.skip(value);
    if (next != nullptr) (key.size() == 7 ? object_ : response_) = json.between(value, next);
    return next;
  }
  if (is_key(key, "requestMetadata")) {
    return walk_object(json, value, [&](std::string_view k, JsonToken v) -> JsonToken {
      if (is_key(k, "callerIp")) return take(json, v, address_);
      return is_key(k, "callerSuppliedUserAgent") ? take(json, v, agent_) : kUnknownKey;
    });
  }
  if (!is_key(key, "status")) return kUnknownKey;
  return walk_object(json, value, [&](std::string_view k, JsonToken v) -> JsonToken {
    if (is_key(k, "message")) return take(json, v, message_);
    if (!is_key(k, "code")) return kUnknownKey;
    const JsonToken next = json.skip(v);
    if (next != nullptr) parse_json_integer(json.between(v, next), code_);
    return next;
  });
}

JsonToken GcpRecord::read_entry(JsonText json, std::string_view key, JsonToken value) {
  if (is_key(key, "timestamp")) return take(json, value, time_);
  if (is_key(key, "insertId")) return take(json, value, insert_id_);
  if (json.first(value) != '{') return kUnknownKey;
  if (is_key(key, "protoPayload") || is_key(key, "protopayload_auditlog")) {  // the latter of BigQuery
    is_entry_ = true;
    return walk_object(json, value, [&](std::string_view k, JsonToken v) { return read_payload(json, k, v); });
  }
  if (!is_key(key, "operation")) return kUnknownKey;
  return walk_object(json, value, [&](std::string_view k, JsonToken v) -> JsonToken {
    if (is_key(k, "id")) return take(json, v, operation_);
    if (is_key(k, "first")) first_ = json.first(v) == 't';
    if (is_key(k, "last")) last_ = json.first(v) == 't';
    return kUnknownKey;
  });
}

bool GcpRecord::read(JsonText json, JsonToken entry) {
  scratch_.clear();
  is_entry_ = first_ = last_ = false;
  service_ = method_ = resource_ = principal_ = impersonated_ = address_ = agent_ = message_ = time_ = operation_ =
      insert_id_ = object_ = response_ = {};
  code_ = 0;
  walk_object(json, entry, [&](std::string_view key, JsonToken value) { return read_entry(json, key, value); });
  return is_entry_;
}

// io.k8s.apps.v1.deployments.list of apps/v1/namespaces/a/deployments; io.k8s.get of readyz. A custom resource has its
// own group there: io.argoproj.v1alpha1.workflows.update of argoproj.io/v1alpha1/namespaces/a/workflows/w.
Unusable GcpRecord::finish(LogEvent& out) {
  const bool is_built_in = method_.starts_with(kMethodPrefix);
  if (!is_built_in && service_ != "k8s.io") return Unusable::not_event;
  const std::size_t dot = method_.rfind('.');
  if (resource_.empty() || dot == std::string_view::npos) return Unusable::no_verb_or_uri;
  const bool is_resource = !is_built_in || dot + 1 > kMethodPrefix.size();
  Nanos time = 0;
  if (!times_.read(time_, time)) return Unusable::no_timestamp;
  uri_ = is_resource ? (resource_.starts_with("core/") ? "/api/" : "/apis/") : "/";
  uri_ += is_resource && resource_.starts_with("core/") ? resource_.substr(5) : resource_;
  const std::string_view user = impersonated_.empty() ? principal_ : impersonated_;
  user_ = user.empty() ? std::string() : user_json(user);
  authenticated_ = impersonated_.empty() || principal_.empty() ? std::string() : user_json(principal_);
  out = LogEvent();
  out.id = operation_.empty() ? insert_id_ : operation_;
  out.verb = method_.substr(dot + 1);
  out.uri = uri_;
  out.user_json = user_;
  out.implied_groups = !user_.empty();
  out.impersonated = !impersonated_.empty();
  out.authenticated_json = authenticated_;
  out.stage = first_ && !last_ ? Stage::response_started : Stage::response_complete;
  out.received = time;  // the end is recorded only of a long-running request's last entry
  if (last_ && !first_) out.stage_time = time;
  out.object = object_;
  out.response_object = response_;
  out.code = http_code(code_);
  out.cause = answer_cause(out.code, {}, message_);
  out.webhook = webhook_of(out.cause, message_);
  out.user_agent = agent_;
  out.source_ip = address_;
  return Unusable::kCount;
}

bool is_gcp_table(const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), "protoPayload.methodName") != names.end();
}

std::string gcp_entry_of(const std::vector<std::string_view>& names, const std::vector<std::string_view>& cells) {
  std::map<std::string_view, std::string_view> sorted;  // members of one object stand beside each other
  for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
    if (!cells[i].empty()) sorted.emplace(names[i], cells[i]);
  JsonWriter json;
  json.begin_object();
  std::string open;  // "protoPayload.status."
  for (const auto& [name, cell] : sorted) {
    for (; !name.starts_with(open); json.end_object()) open.erase(open.rfind('.', open.size() - 2) + 1);
    for (std::size_t dot; (dot = name.find('.', open.size())) != name.npos; open = name.substr(0, dot + 1))
      json.key(std::string(name.substr(open.size(), dot - open.size()))).begin_object();
    json.key(std::string(name.substr(open.size())));
    std::int64_t code = 0;
    if (name.ends_with(".code") && read_integer(cell, code)) json.value(code);
    else if (cell == "true") json.value(true);
    else json.value(cell);
  }
  for (; !open.empty(); open.erase(open.rfind('.', open.size() - 2) + 1)) json.end_object();
  json.end_object();
  return json.take();
}

namespace {

bool recognises_gcp(std::string_view, const JsonOutline& record) {
  return record.has("protoPayload") || record.has("protopayload_auditlog") ||
         (record.has("insertId") && record.has("logName"));
}

}  // namespace

constinit const FormatRow kGcpFormat{"gcp", recognises_gcp, [] { return make_record_parser(&kGcpFormat); }};

}  // namespace apf
