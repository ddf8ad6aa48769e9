#include "config/decode.h"

#include <unordered_map>

namespace apf {

namespace {

// A member that is there and not null; null otherwise.
const ConfigNode* member(const ConfigNode* object, std::string_view name) {
  const ConfigNode* value = object ? object->find(name) : nullptr;
  return value && !value->is_null() ? value : nullptr;
}

std::optional<std::int32_t> optional_int_of(const ConfigNode* object, std::string_view name) {
  const ConfigNode* value = member(object, name);
  const auto number = value ? value->integer() : std::nullopt;
  return number ? std::optional<std::int32_t>(static_cast<std::int32_t>(*number)) : std::nullopt;
}

template <class T, class Decode>
std::vector<T> list_of(const ConfigNode* object, std::string_view name, const Decode& decode) {
  std::vector<T> result;
  if (const ConfigNode* list = member(object, name)) {
    result.reserve(list->items().size());
    for (const ConfigNode& item : list->items()) result.push_back(decode(&item));
  }
  return result;
}

Subject decode_subject(const ConfigNode* node) {
  Subject subject;
  subject.kind = decode_string(node, "kind");
  if (const ConfigNode* user = member(node, "user")) subject.user = decode_string(user, "name");
  if (const ConfigNode* group = member(node, "group")) subject.group = decode_string(group, "name");
  if (const ConfigNode* account = member(node, "serviceAccount")) {
    subject.service_account = {decode_string(account, "namespace"), decode_string(account, "name")};
  }
  return subject;
}

ResourceRule decode_resource_rule(const ConfigNode* node) {
  const ConfigNode* cluster_scope = member(node, "clusterScope");
  return {decode_strings(node, "verbs"), decode_strings(node, "apiGroups"), decode_strings(node, "resources"),
          decode_strings(node, "namespaces"), cluster_scope && cluster_scope->boolean()};
}

NonResourceRule decode_non_resource_rule(const ConfigNode* node) {
  return {decode_strings(node, "verbs"), decode_strings(node, "nonResourceURLs")};
}

PolicyRule decode_rule(const ConfigNode* node) {
  return {list_of<Subject>(node, "subjects", decode_subject),
          list_of<ResourceRule>(node, "resourceRules", decode_resource_rule),
          list_of<NonResourceRule>(node, "nonResourceRules", decode_non_resource_rule)};
}

LimitedLevel decode_limited(const ConfigNode* node, ApiVersion version) {
  LimitedLevel limited;
  limited.nominal_concurrency_shares =
      optional_int_of(node, has_assured_shares(version) ? "assuredConcurrencyShares" : "nominalConcurrencyShares");
  limited.lendable_percent = optional_int_of(node, "lendablePercent");
  limited.borrowing_limit_percent = optional_int_of(node, "borrowingLimitPercent");
  const ConfigNode* response = member(node, "limitResponse");
  limited.limit_response = decode_string(response, "type");
  if (const ConfigNode* queuing = member(response, "queuing")) {
    limited.queuing = {decode_int(queuing, "queues"), decode_int(queuing, "handSize"),
                       decode_int(queuing, "queueLengthLimit")};
  }
  return limited;
}

}  // namespace

std::int32_t decode_int(const ConfigNode* object, std::string_view name) {
  return optional_int_of(object, name).value_or(0);
}

std::string decode_string(const ConfigNode* object, std::string_view name) {
  const ConfigNode* value = member(object, name);
  return value ? std::string(value->text()) : std::string();
}

std::vector<std::string> decode_strings(const ConfigNode* object, std::string_view name) {
  std::vector<std::string> result;
  if (const ConfigNode* list = member(object, name)) {
    result.reserve(list->items().size());
    for (const ConfigNode& item : list->items()) result.emplace_back(item.is_null() ? std::string_view() : item.text());
  }
  return result;
}

ObjectMeta decode_meta(const ConfigNode& object, std::string api_version) {
  ObjectMeta meta;
  meta.api_version = std::move(api_version);
  const ConfigNode* metadata = member(&object, "metadata");
  meta.name = decode_string(metadata, "name");
  meta.uid = decode_string(metadata, "uid");
  if (const ConfigNode* annotations = member(metadata, "annotations")) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (const ConfigEntry& entry : annotations->entries()) {
      const std::string_view key = entry.key.text();
      const auto [place, fresh] = places.try_emplace(key, meta.annotations.size());
      if (fresh) meta.annotations.emplace_back(key, std::string());
      meta.annotations[place->second].second = entry.value.text();  // of duplicates the last one is used
    }
  }
  return meta;
}

FlowSchema decode_flow_schema(const ConfigNode& object, std::string api_version) {
  FlowSchema schema;
  schema.meta = decode_meta(object, std::move(api_version));
  const ConfigNode* spec = member(&object, "spec");
  schema.priority_level = decode_string(member(spec, "priorityLevelConfiguration"), "name");
  schema.matching_precedence = decode_int(spec, "matchingPrecedence");
  if (const ConfigNode* method = member(spec, "distinguisherMethod"))
    schema.distinguisher_method = decode_string(method, "type");
  schema.rules = list_of<PolicyRule>(spec, "rules", decode_rule);
  return schema;
}

PriorityLevel decode_priority_level(const ConfigNode& object, std::string api_version, ApiVersion version) {
  PriorityLevel level;
  level.meta = decode_meta(object, std::move(api_version));
  const ConfigNode* spec = member(&object, "spec");
  level.type = decode_string(spec, "type");
  if (const ConfigNode* limited = member(spec, "limited")) level.limited = decode_limited(limited, version);
  if (const ConfigNode* exempt = member(spec, "exempt")) {
    level.exempt = {optional_int_of(exempt, "nominalConcurrencyShares"), optional_int_of(exempt, "lendablePercent")};
  }
  return level;
}

}  // namespace apf
