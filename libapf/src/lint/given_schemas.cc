#include "lint/given_schemas.h"

#include <algorithm>

#include <apf/classify.h>
#include <fmt/core.h>

#include "base/identities.h"
#include "lint/fix_edits.h"

namespace apf {

namespace {

template <class Object>
const Object* find_by_name(const std::vector<Object>& objects, std::string_view name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const Object& o) { return o.meta.name == name; });
  return found == objects.end() ? nullptr : &*found;
}

}  // namespace

const FlowSchema* find_schema(const Config& config, std::string_view name) {
  return find_by_name(config.flow_schemas, name);
}
const PriorityLevel* find_level(const Config& config, std::string_view name) {
  return find_by_name(config.priority_levels, name);
}

std::vector<const FlowSchema*> own_schemas(const LintContext& context) {
  std::vector<const FlowSchema*> out;
  for (const FlowSchema& schema : context.stored.flow_schemas) {
    const FlowSchema* built_in = find_schema(context.builtins, schema.meta.name);
    if (!built_in || !equal_specs(schema, *built_in)) out.push_back(&schema);
  }
  return out;
}

EffectiveLevels::EffectiveLevels(const LintContext& context) {
  for (const PriorityLevel& level : context.effective.priority_levels) {
    if (!malformed_reason(level).empty()) continue;
    LevelUse use;
    use.exempt = level.type == "Exempt";
    use.rejects = level.limited && level.limited->limit_response == "Reject";
    if (level.limited && level.limited->queuing) {
      use.queues = level.limited->queuing->queues;
      use.hand_size = level.limited->queuing->hand_size;
    }
    by_name_[level.meta.name] = use;
  }
}

const LevelUse* EffectiveLevels::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

const LevelUse* EffectiveLevels::spreading(const FlowSchema& schema) const {
  const LevelUse* level = find(schema.priority_level);
  return level && level->queues > 1 ? level : nullptr;
}

bool holds(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_everybody(const Subject& subject) {
  if (subject.kind == "Group" && subject.group)
    return *subject.group == "system:authenticated" || *subject.group == "*";
  return subject.kind == "User" && subject.user && *subject.user == "*";
}

bool is_all_service_accounts(const Subject& subject) {
  return subject.kind == "Group" && subject.group && *subject.group == kServiceAccountsGroup;
}

bool is_crowd(const Subject& subject) {
  if (subject.kind == "Group") return subject.group.has_value();
  if (subject.kind == "User") return subject.user && *subject.user == "*";
  return subject.kind == "ServiceAccount" && subject.service_account && subject.service_account->name == "*";
}

std::string only_user(const Subject& subject) {
  if (is_crowd(subject)) return {};
  if (subject.kind == "User" && subject.user) return *subject.user;
  if (subject.kind != "ServiceAccount" || !subject.service_account) return {};
  return fmt::format("{}{}:{}", kServiceAccountPrefix, subject.service_account->ns, subject.service_account->name);
}

std::string to_words(const Subject& subject) {
  if (subject.kind == "ServiceAccount" && subject.service_account) {
    return fmt::format("ServiceAccount {}/{}", subject.service_account->ns, subject.service_account->name);
  }
  const std::optional<std::string>& name = subject.kind == "Group" ? subject.group : subject.user;
  return fmt::format("{} {}", subject.kind, name.value_or(""));
}

std::string subject_field(std::size_t rule, std::size_t subject) {
  return fmt::format("spec.rules[{}].subjects[{}]", rule, subject);
}
std::string resource_rule_field(std::size_t rule, std::size_t index) {
  return fmt::format("spec.rules[{}].resourceRules[{}]", rule, index);
}
std::string url_rule_field(std::size_t rule, std::size_t index) {
  return fmt::format("spec.rules[{}].nonResourceRules[{}]", rule, index);
}
std::string item_field(std::string_view list_field, std::size_t index) {
  return fmt::format("{}[{}]", list_field, index);
}

void for_each_resource_rule(const FlowSchema& schema, const std::function<void(const ResourceRuleEntry&)>& visit) {
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const std::vector<ResourceRule>& parts = schema.rules[i].resource_rules;
    for (std::size_t j = 0; j < parts.size(); ++j) visit({schema, i, parts[j], resource_rule_field(i, j)});
  }
}
void for_each_resource_rule(const LintContext& context, const std::function<void(const ResourceRuleEntry&)>& visit) {
  for (const FlowSchema& schema : context.stored.flow_schemas) for_each_resource_rule(schema, visit);
}

void for_each_url_rule(const FlowSchema& schema, const std::function<void(const UrlRuleEntry&)>& visit) {
  for (std::size_t i = 0; i < schema.rules.size(); ++i) {
    const std::vector<NonResourceRule>& parts = schema.rules[i].non_resource_rules;
    for (std::size_t j = 0; j < parts.size(); ++j) visit({schema, i, parts[j], url_rule_field(i, j)});
  }
}
void for_each_url_rule(const LintContext& context, const std::function<void(const UrlRuleEntry&)>& visit) {
  for (const FlowSchema& schema : context.stored.flow_schemas) for_each_url_rule(schema, visit);
}

std::string_view resource_of(std::string_view entry) { return entry.substr(0, entry.find('/')); }
std::string_view subresource_of(std::string_view entry) {
  const std::size_t slash = entry.find('/');
  return slash == std::string_view::npos ? std::string_view() : entry.substr(slash + 1);
}

bool is_built_in_group(std::string_view group) {
  const auto all = api_resources();
  return std::any_of(all.begin(), all.end(), [&](const ApiResource& resource) { return resource.group == group; });
}

bool looks_like_version(std::string_view text) {
  if (text.size() < 2 || text[0] != 'v' || text[1] < '0' || text[1] > '9') return false;
  return text.find_first_not_of("0123456789abehlpt", 1) == std::string_view::npos;
}

std::vector<const ApiResource*> built_in_resources(const ResourceRule& rule, std::string_view entry) {
  std::vector<const ApiResource*> out;
  const bool any_group = is_any(rule.api_groups);
  if (!any_group && !std::all_of(rule.api_groups.begin(), rule.api_groups.end(), is_built_in_group)) return out;
  for (const ApiResource& resource : api_resources()) {
    if (resource.name != resource_of(entry)) continue;
    if (any_group || holds(rule.api_groups, resource.group)) out.push_back(&resource);
  }
  return out;
}

void offer_fix(Diagnostic& finding, std::string title, bool safe, std::vector<Edit> edits) {
  if (!edits.empty()) finding.fix = Fix{std::move(title), safe, std::move(edits)};
}

std::vector<Edit> change_subject_kind(const FlowSchema& schema, const std::string& field, std::string_view kind) {
  const ConfigNode& root = *schema.meta.source.tree;
  const bool to_user = kind == "User";
  std::vector<Edit> edits = replace_scalar(root, field + ".kind", kind),
                    key = rename_key(root, field + (to_user ? ".group" : ".user"), to_user ? "user" : "group");
  if (edits.empty() || key.empty()) return {};
  edits.insert(edits.end(), key.begin(), key.end());
  return edits;
}

std::vector<Edit> cluster_scope_edits(const ResourceRuleEntry& of) {
  const ConfigNode& root = *of.schema.meta.source.tree;
  std::vector<Edit> edits = replace_scalar(root, of.field + ".clusterScope", true);
  return edits.empty() ? insert_after(root, of.field + ".namespaces", "clusterScope", true) : edits;
}

void offer_correction(Diagnostic& finding, const FlowSchema& schema, const std::string& field,
                      const std::vector<std::string>& list, const std::string& text) {
  const ConfigNode& root = *schema.meta.source.tree;
  if (holds(list, text)) return offer_fix(finding, "remove it", false, remove_field(root, field));
  offer_fix(finding, fmt::format("replace it with \"{}\"", text), false, replace_scalar(root, field, text));
}

}  // namespace apf
