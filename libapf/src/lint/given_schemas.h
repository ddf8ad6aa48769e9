// What several rules ask about FlowSchemas: which are the author's own, who their subjects are, where their parts
// stand.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/config.h>

#include "base/api_resources.h"
#include "classify/flow_schema.h"
#include "config/maintenance.h"
#include "lint/rule.h"

namespace apf {

// The given FlowSchemas as stored, without those that are the release's own word for word.
std::vector<const FlowSchema*> own_schemas(const LintContext& context);

const FlowSchema* find_schema(const Config& config, std::string_view name);
const PriorityLevel* find_level(const Config& config, std::string_view name);

// What a level does with flows.
struct LevelUse {
  bool exempt = false, rejects = false;
  int queues = 0, hand_size = 0;  // 0 unless it queues
};

// All levels in force by name; malformed ones are left out.
class EffectiveLevels {
 public:
  explicit EffectiveLevels(const LintContext& context);
  const LevelUse* find(std::string_view name) const;
  // That of the FlowSchema, if it has queues among which flows are spread.
  const LevelUse* spreading(const FlowSchema& schema) const;

 private:
  std::unordered_map<std::string_view, LevelUse> by_name_;
};

bool holds(const std::vector<std::string>& list, std::string_view text);

// system:authenticated and other groups of users of every sort.
bool is_everybody(const Subject& subject);
// The group of all service accounts.
bool is_all_service_accounts(const Subject& subject);
// More than one user: a group, or a "*".
bool is_crowd(const Subject& subject);
// The one user that the subject names; empty for a crowd or an unknown kind.
std::string only_user(const Subject& subject);
// "Group system:authenticated", "ServiceAccount ci/builder".
std::string to_words(const Subject& subject);

std::string subject_field(std::size_t rule, std::size_t subject);
std::string resource_rule_field(std::size_t rule, std::size_t index);
std::string url_rule_field(std::size_t rule, std::size_t index);
std::string item_field(std::string_view list_field, std::size_t index);

// A resourceRule of a given FlowSchema.
struct ResourceRuleEntry {
  const FlowSchema& schema;
  std::size_t rule;  // spec.rules[rule]
  const ResourceRule& part;
  std::string field;  // "spec.rules[0].resourceRules[1]"
};
void for_each_resource_rule(const FlowSchema& schema, const std::function<void(const ResourceRuleEntry&)>& visit);
// Those of all given FlowSchemas, as stored.
void for_each_resource_rule(const LintContext& context, const std::function<void(const ResourceRuleEntry&)>& visit);

// A nonResourceRule of a given FlowSchema, in the same way.
struct UrlRuleEntry {
  const FlowSchema& schema;
  std::size_t rule;
  const NonResourceRule& part;
  std::string field;
};
void for_each_url_rule(const FlowSchema& schema, const std::function<void(const UrlRuleEntry&)>& visit);
void for_each_url_rule(const LintContext& context, const std::function<void(const UrlRuleEntry&)>& visit);

// "pods" of "pods/status"; "status", or nothing.
std::string_view resource_of(std::string_view entry);
std::string_view subresource_of(std::string_view entry);

// "v1", "v1beta1": an entry that can hardly be anything but a version.
bool looks_like_version(std::string_view text);
// Of namespaced resources, the server has only these requests across all namespaces.
inline bool spans_namespaces(std::string_view verb) { return verb == "list" || verb == "watch"; }

// The built-in resources that an entry without its subresource means in the groups of the rule; empty if one of the
// groups may have a resource of that name that is not built in.
std::vector<const ApiResource*> built_in_resources(const ResourceRule& rule, std::string_view entry);
bool is_built_in_group(std::string_view group);

// Puts a fix to the finding if it has edits.
void offer_fix(Diagnostic& finding, std::string title, bool safe, std::vector<Edit> edits);
// What makes a User subject a Group or the other way round; nothing unless kind and member can change together.
std::vector<Edit> change_subject_kind(const FlowSchema& schema, const std::string& field, std::string_view kind);
// What sets clusterScope: true beside the rule's namespaces.
std::vector<Edit> cluster_scope_edits(const ResourceRuleEntry& of);
// The entry at `field` of the schema is to be `text`: it is replaced, or removed where its list holds that already.
void offer_correction(Diagnostic& finding, const FlowSchema& schema, const std::string& field,
                      const std::vector<std::string>& list, const std::string& text);

}  // namespace apf
