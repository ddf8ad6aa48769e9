// FlowSchemas and PriorityLevelConfigurations as one internal model, whatever API version and text
// form they came in, and reading them and the objects of the other systems.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/admission_configuration.h>
#include <apf/diagnostic.h>
#include <apf/event_rate_limit.h>
#include <apf/kep.h>
#include <apf/object_meta.h>
#include <apf/resource_quota.h>
#include <apf/version.h>

namespace apf {

struct Subject {
  std::string kind;  // "User", "Group", "ServiceAccount"; anything else matches nothing
  std::optional<std::string> user;
  std::optional<std::string> group;
  struct ServiceAccount {
    std::string ns, name;
  };
  std::optional<ServiceAccount> service_account;
};

struct ResourceRule {
  std::vector<std::string> verbs, api_groups, resources, namespaces;
  bool cluster_scope = false;
};

struct NonResourceRule {
  std::vector<std::string> verbs, urls;
};

struct PolicyRule {
  std::vector<Subject> subjects;
  std::vector<ResourceRule> resource_rules;
  std::vector<NonResourceRule> non_resource_rules;
};

struct FlowSchema {
  ObjectMeta meta;
  std::string priority_level;  // spec.priorityLevelConfiguration.name
  std::int32_t matching_precedence = 0;
  std::optional<std::string> distinguisher_method;  // "ByUser", "ByNamespace"; absent = none
  std::vector<PolicyRule> rules;
  std::shared_ptr<const KepMatch> kep;  // of the KEP's own dialect, which has this in place of `rules`
};

struct Queuing {
  std::int32_t queues = 0, hand_size = 0, queue_length_limit = 0;  // 0 = absent, as in the API
};

struct LimitedLevel {
  std::optional<std::int32_t> nominal_concurrency_shares;  // assuredConcurrencyShares before v1beta3
  std::optional<std::int32_t> lendable_percent, borrowing_limit_percent;
  std::string limit_response;  // "Queue", "Reject"
  std::optional<Queuing> queuing;
};

struct ExemptLevel {
  std::optional<std::int32_t> nominal_concurrency_shares, lendable_percent;
};

struct PriorityLevel {
  ObjectMeta meta;
  std::string type;  // "Limited", "Exempt"
  std::optional<LimitedLevel> limited;
  std::optional<ExemptLevel> exempt;
  std::shared_ptr<const KepPriority> kep;  // of the KEP's own dialect: the level is a RequestPriority
};

struct Config {
  std::vector<FlowSchema> flow_schemas;
  std::vector<PriorityLevel> priority_levels;
};

// One configuration text: a file's content under the name to use in messages.
struct ConfigText {
  std::string name;
  std::string text;
};

struct SkippedObject {
  std::string api_version, kind, name;
  Span span;
};

struct APF_API LoadedConfig {
  Config config;
  std::vector<Diagnostic> diagnostics;  // sorted; errors = what could not be read or decoded
  std::vector<SkippedObject> skipped;   // objects of other kinds
  Config replaced;  // objects that a later one of the same kind and name replaces; validate() and convert.h heed them
  std::vector<EventRateLimitConfiguration> event_rate_limits;             // in the order of the texts
  std::vector<AdmissionConfiguration> admission_configurations;           // likewise
  std::vector<ResourceQuota> resource_quotas;                             // in the order of the texts
  std::vector<ResourceQuota> replaced_resource_quotas;                    // likewise
  std::vector<ResourceQuotaConfiguration> resource_quota_configurations;  // likewise
  int documents = 0;                                                      // YAML documents or JSON values seen
  bool has_errors() const;
};

// PATH arguments (file; directory, walked in byte order for .yaml .yml .json; glob; "-" = standard
// input) into texts. Throws Error: not found, unreadable, glob without a match, directory without
// such files, larger than 256 MiB. The files that an AdmissionConfiguration among them names for EventRateLimit and
// ResourceQuota are read, too, if they are there.
APF_API std::vector<ConfigText> read_config_files(std::span<const std::string> paths);

// Decodes every document of every text (YAML or JSON, multi-document, kind List and the typed lists
// unfolded). Unknown and duplicate fields, wrong types and syntax faults become diagnostics with
// positions; an object with a fault that leaves it undecodable is left out, the others are kept.
// A later object of the same kind and name replaces the earlier one in `config` and is reported (warning).
// Nothing is defaulted.
APF_API LoadedConfig load_config(std::span<const ConfigText> texts);

// API defaulting (SetDefaults_* of pkg/apis/flowcontrol of each version), by each object's api_version.
APF_API void apply_defaults(Config& config);

// flowcontrol.apiserver.k8s.io/v1 objects as JSON or YAML text, fields in the API's order.
APF_API std::string render_json(const FlowSchema& object);
APF_API std::string render_json(const PriorityLevel& object);
APF_API std::string render_yaml(const FlowSchema& object);
APF_API std::string render_yaml(const PriorityLevel& object);

}  // namespace apf
