// Configurations: FlowSchemas and PriorityLevelConfigurations of any API version as one model, and the objects of the
// other systems that limit requests (EventRateLimit, ResourceQuota).
//
//   const std::vector<std::string> paths = {"flowcontrol/"};
//   const std::vector<apf::ConfigText> texts = apf::read_config_files(paths);
//   apf::LoadedConfig loaded = apf::load_config(texts);
//   for (const apf::Diagnostic& d : loaded.diagnostics) std::puts(apf::to_string(d).c_str());
//   apf::apply_defaults(loaded.config);
//   const apf::KubeVersion release = apf::kNewestKubeVersion;
//   const apf::Config complete = apf::with_builtins(loaded.config, release, apf::Builtins::all);
//   for (const apf::Diagnostic& d : apf::validate(loaded, release)) std::puts(d.message.c_str());
//
// A complete configuration (defaulted, with the built-in objects) is what <apf/classify.h>, <apf/limits.h> and
// <apf/replay.h> take. Texts may also come from memory: a ConfigText is a name for messages and the text itself.
//
// Ownership: all objects are values; they share the parsed text with the LoadedConfig they came from and keep it alive.
// Threads: functions may be called from several threads at once, and values be read from several threads. Errors: what
// is wrong in a text is a Diagnostic with its position; only a file that cannot be read throws apf::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/findings.h>
#include <apf/quantity.h>
#include <apf/remarks.h>
#include <apf/version.h>

namespace apf {

// What all objects have: names and annotations, and the place in a text that they came from.

class ConfigNode;  // the located tree an object was decoded from (internal)

// Where an object came from; gives the position of any of its fields.
struct APF_API ObjectSource {
  std::shared_ptr<const ConfigNode> tree;  // null for built-in and synthetic objects
  std::string file;
  int document = 0;  // index within the file, from 0

  // `field` as kube-apiserver prints paths ("spec.rules[0].subjects[1].kind"). Falls back to the
  // nearest enclosing field that is present; unknown Span when there is no source.
  Span span_of(std::string_view field) const;
};

struct ObjectMeta {
  std::string api_version;  // "flowcontrol.apiserver.k8s.io/v1"
  std::string name;
  std::string uid;
  std::vector<std::pair<std::string, std::string>> annotations;  // in source order
  ObjectSource source;
};

// The file that --admission-control-config-file of kube-apiserver names: which admission plugin has which configuration
// (apiserver.config.k8s.io/v1, kind AdmissionConfiguration).

struct AdmissionConfiguration {
  struct Plugin {
    std::string name;
    std::string path;                // of a file with its configuration, as written
    bool has_configuration = false;  // inline: then the path is not even read
  };
  ObjectMeta meta;
  std::vector<Plugin> plugins;

  // The first entry of that name, which alone counts; null if there is none.
  APF_API const Plugin* find(std::string_view name) const;
  // The plugin's path, relative to the directory of this file.
  APF_API std::string path_of(const Plugin& plugin) const;
};

// The configuration of kube-apiserver's EventRateLimit admission plugin: how many events are taken from whom
// (eventratelimit.admission.k8s.io/v1alpha1, kind Configuration).

// What one bucket of a limit is for: all events, a namespace's, a user's, those of one source about one object.
enum class EventLimitType : std::uint8_t { server, ns, user, source_and_object };
inline constexpr std::size_t kEventLimitTypes = 4;
APF_API const char* to_string(EventLimitType type);  // "Server", "Namespace", "User", "SourceAndObject"
// Nothing if it is none; names are case-sensitive.
APF_API std::optional<EventLimitType> event_limit_type(std::string_view name);

struct EventRateLimitConfiguration {
  struct Limit {
    std::string type;
    std::int32_t qps = 0, burst = 0, cache_size = 0;
    // How many buckets are kept: 4096 without a cacheSize.
    APF_API std::int32_t buckets() const;
  };
  ObjectMeta meta;
  bool has_limits = false;  // `limits` is there, if empty
  std::vector<Limit> limits;
};

// ResourceQuota objects and the configuration of the admission plugin that enforces them.
// Mirrors core/v1 ResourceQuota and apiserver.config.k8s.io/v1 ResourceQuotaConfiguration (v1.36).

// Amounts by resource name ("pods", "requests.cpu", "count/deployments.apps"), in the order of the names. A Quantity
// prints as the server would; its place in the text is the source's span of "spec.hard[NAME]".
using ResourceList = std::map<std::string, Quantity, std::less<>>;

// One term of a scopeSelector (ScopedResourceSelectorRequirement).
struct ScopeRequirement {
  std::string scope_name;  // "PriorityClass"
  std::string op;          // "In", "NotIn", "Exists", "DoesNotExist"
  std::vector<std::string> values;
  bool has_values = false;  // written, if as an empty list
};

struct ResourceQuota {
  ObjectMeta meta;
  std::string ns;  // empty: the namespace of the request that creates it

  struct Spec {
    ResourceList hard;
    std::vector<std::string> scopes;
    bool has_scopes = false;                                      // written, if as an empty list
    std::optional<std::vector<ScopeRequirement>> scope_selector;  // its matchExpressions
    bool has_match_expressions = false;
  } spec;
  struct Status {
    ResourceList hard, used;
  } status;
};

// What a namespace asks of each Pod, container and claim, and what containers that say nothing get (core/v1
// LimitRange).
struct LimitRange {
  struct Item {
    std::string type;                              // "Container", "Pod", "PersistentVolumeClaim"
    ResourceList min, max, limit, request, ratio;  // limit, request: default, defaultRequest
  };
  ObjectMeta meta;
  std::string ns;  // empty: the namespace of the request that creates it
  std::vector<Item> items;
};

// What must have a quota before it may be created at all (the plugin's configuration).
struct ResourceQuotaConfiguration {
  struct LimitedResource {
    std::string api_group, resource;
    std::vector<std::string> match_contains;
    std::vector<ScopeRequirement> match_scopes;
  };
  ObjectMeta meta;  // the name is empty
  std::vector<LimitedResource> limited_resources;
};

// pods, cpu, requests.storage, hugepages-2Mi, …: the names without a slash that a quota may limit.
APF_API bool is_standard_quota_resource(std::string_view name);
// Names whose amounts must be whole numbers: the counts and the extended resources (which count/… is taken for).
APF_API bool is_integer_resource(std::string_view name);
// A resource that is neither Kubernetes' own nor begins with "requests.": example.com/gpu.
APF_API bool is_extended_resource(std::string_view name);
// Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass, CrossNamespacePodAffinity,
// VolumeAttributesClass.
APF_API bool is_quota_scope(std::string_view scope);
// Whether the server accepts a standard resource under a scope.
APF_API bool scope_fits_resource(std::string_view scope, std::string_view resource);

// What the dialect of KEP-1040 says in place of the API's fields (internal).
struct KepMatch;
struct KepPriority;

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

struct APF_API Config {
  Config();
  Config(const Config&);
  Config(Config&&) noexcept;
  Config& operator=(const Config&);
  Config& operator=(Config&&) noexcept;
  ~Config();

  std::vector<FlowSchema> flow_schemas;
  std::vector<PriorityLevel> priority_levels;
};

// --- audit policies: which requests a server writes to its audit log ---
// Mirrors audit.k8s.io/v1 Policy (k8s.io/apiserver, v1.36). classify.h has what a policy does with a request.

enum class AuditLevel : std::uint8_t { none, metadata, request, request_response };
enum class AuditStage : std::uint8_t { request_received, response_started, response_complete, panic };
inline constexpr std::size_t kAuditStages = 4;

// "None", "RequestResponse"; "ResponseComplete".
APF_API const char* to_string(AuditLevel level);
APF_API const char* to_string(AuditStage stage);

// A set of stages.
class AuditStageSet {
 public:
  void add(AuditStage stage) { bits_ = static_cast<std::uint8_t>(bits_ | bit(stage)); }
  void add(AuditStageSet other) { bits_ = static_cast<std::uint8_t>(bits_ | other.bits_); }
  bool has(AuditStage stage) const { return (bits_ & bit(stage)) != 0; }
  bool empty() const { return bits_ == 0; }
  bool operator==(const AuditStageSet&) const = default;

 private:
  static constexpr std::uint8_t bit(AuditStage stage) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(stage));
  }
  std::uint8_t bits_ = 0;
};

struct AuditResources {
  std::string group;                        // "" is the core group
  std::vector<std::string> resources;       // empty: all of the group
  std::vector<std::string> resource_names;  // empty: all names
};

// An empty list holds for every request.
struct AuditRule {
  AuditLevel level = AuditLevel::none;
  std::vector<std::string> users, user_groups, verbs, namespaces, non_resource_urls;
  std::vector<AuditResources> resources;
  AuditStageSet omit_stages;  // the policy's own included
};

struct AuditPolicy {
  ObjectMeta meta;
  std::vector<AuditRule> rules;  // in the order in which they are asked; never empty
  AuditStageSet omit_stages;     // of every request
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
  std::vector<AdmissionConfiguration> admission_configurations;           // the same
  std::vector<ResourceQuota> resource_quotas;                             // in the order of the texts
  std::vector<ResourceQuota> replaced_resource_quotas;                    // the same
  std::vector<ResourceQuotaConfiguration> resource_quota_configurations;  // the same
  std::vector<AuditPolicy> audit_policies;                                // the same
  std::vector<LimitRange> limit_ranges;                                   // the same
  int documents = 0;                                                      // YAML documents or JSON values seen
  bool has_errors() const;
  std::size_t object_count() const;  // that decode, and those that do not as far as they have a name
};

// PATH arguments (file; directory, walked in byte order for .yaml .yml .json; glob; "-" = standard
// input) into texts. Throws Error: not found, unreadable, glob without a match, directory without
// such files, larger than 256 MiB. The files that an AdmissionConfiguration among them names for EventRateLimit and
// ResourceQuota are also read, if they are there.
APF_API std::vector<ConfigText> read_config_files(std::span<const std::string> paths);

// Decodes every document of every text (YAML or JSON, multi-document, kind List and the typed lists
// unfolded). Unknown and duplicate fields, wrong types and syntax faults become diagnostics with
// positions; an object with a fault that leaves it undecodable is left out, the others are kept.
// A later object of the same kind and name replaces the earlier one in `config` and is reported (warning).
// Nothing is defaulted.
APF_API LoadedConfig load_config(std::span<const ConfigText> texts);

// API defaulting (SetDefaults_* of pkg/apis/flowcontrol of each version), by each object's api_version.
APF_API void apply_defaults(Config& config);

// The versions of flowcontrol.apiserver.k8s.io.
enum class FlowControlVersion { v1, v1beta3, v1beta2, v1beta1, v1alpha1 };

// The newest that a release serves.
APF_API FlowControlVersion newest_served(KubeVersion release);
// v1alpha1: in 1.20, where --runtime-config switches it on.
APF_API bool serves(KubeVersion release, FlowControlVersion version);

// How objects are written: in which version of the API, and with which fields. All versions got lendablePercent and
// borrowingLimitPercent in 1.26, and spec.exempt in 1.28.
struct ObjectForm {
  FlowControlVersion version = FlowControlVersion::v1;
  KubeVersion release = kNewestKubeVersion;
};

// Objects as JSON or YAML text, fields in the API's order; what the form has no field for is left out.
APF_API std::string render_json(const FlowSchema& object, const ObjectForm& form = {});
APF_API std::string render_json(const PriorityLevel& object, const ObjectForm& form = {});
APF_API std::string render_yaml(const FlowSchema& object, const ObjectForm& form = {});
APF_API std::string render_yaml(const PriorityLevel& object, const ObjectForm& form = {});

// True if the configuration is in the KEP's dialect. (Reading keeps the dialects apart.)
APF_API bool is_kep(const Config& config);

// The configuration objects that kube-apiserver itself maintains
// (k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap; they differ between releases).

enum class Builtins {
  all,        // mandatory and suggested
  mandatory,  // exempt and catch-all, both kinds
  none,
  enforced,  // all, in place of given objects that the server restores; without those that it deletes
};

// The objects of a release, in the order of the server's own lists: mandatory, then suggested;
// already defaulted, api_version v1. Releases before 1.29 get the set of 1.29.
APF_API Config bootstrap_config(KubeVersion version, Builtins builtins = Builtins::all);

// What a server holds that is given `config`: the built-ins, replaced by objects of the same kind and name. A
// configuration in the KEP's dialect gets its own backstops instead.
APF_API Config with_builtins(Config config, KubeVersion version, Builtins builtins);

// An object that a server of the release changes by itself before long: it restores its own spec of given objects that
// it built in, unless their annotation apf.kubernetes.io/autoupdate-spec forbids that, deletes given objects that have
// this annotation and are no longer built in, and creates what it builds in and the cluster does not have.
struct Maintained {
  enum class What : std::uint8_t { restored, deleted, created } what = What::restored;
  std::string kind, name;
  std::string changes{};              // of its spec: "200 → 100 shares"; empty: more than one can say so
  std::vector<std::string> managers;  // other managers that wrote its spec, by metadata.managedFields
};
// `config`: defaulted; what has no source is the server's own.
APF_API std::vector<Maintained> maintained_objects(const Config& config, KubeVersion release);
// What the server of `after` creates in a cluster that has `before`: both complete, as with_builtins() makes them.
APF_API std::vector<Maintained> created_objects(const Config& before, const Config& after);
APF_API std::vector<Remark> maintenance_remarks(const std::vector<Maintained>& objects);

// Objects as the server would store and serve them, and between the versions of flowcontrol.apiserver.k8s.io.

// One object, or one typed list (FlowSchemaList, PriorityLevelConfigurationList) of what was decoded of it, rewritten.
struct RewrittenObject {
  std::string kind, name;   // a list has no name
  Span span;                // of its kind
  std::string json;         // one line as the server writes it: fields in the order of the API's Go types
  std::string yaml;         // a document: the keys of the input in their order, what is new in its place in the API
  std::string yaml_before;  // the input in the same form
  bool changed = false;     // `yaml` differs from `yaml_before`
};

// An object that is in no file, as the server would write it.
APF_API RewrittenObject render_object(const FlowSchema& object, const ObjectForm& form);
APF_API RewrittenObject render_object(const PriorityLevel& object, const ObjectForm& form);

struct Rewritten {
  std::vector<RewrittenObject> objects;  // in the order of the texts; lists of kind List are unfolded
  std::vector<Diagnostic> losses;        // what does not survive, as warnings; as errors, what can't be rewritten
};

// `texts` must be those that `loaded` came from. Objects that did not decode are left out.
// `release`: which server reads the objects; what it knows no field for is dropped, and a loss. Without one they are
// those of the newest.
APF_API Rewritten default_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                                  std::optional<KubeVersion> release = {});
// Defaults in the object's own version, then writes it in the other, as the server does. A configuration in the KEP's
// dialect is rewritten with its backstops; parts for which the API has no words are left out, and errors among the
// losses. With a `release`, only the fields that it has.
APF_API Rewritten convert_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts, FlowControlVersion to,
                                  std::optional<KubeVersion> release = {});

struct LoadedAuditPolicy {
  std::optional<AuditPolicy> policy;    // nothing: the server would refuse to start with this file
  std::vector<Diagnostic> diagnostics;  // errors, and warnings about what the server ignores
};

// Reads a policy as kube-apiserver does at its start (--audit-policy-file): the first document counts, unknown and
// duplicate fields are warnings. Each error's `detail`, or else its `message`, is the server's own text.
APF_API LoadedAuditPolicy load_audit_policy(const ConfigText& text);

// --- validation: what kube-apiserver says to an object, to the letter ---
//
// Mirrors pkg/apis/flowcontrol/validation and the registry strategies (v1.36; the release decides about texts and
// checks that changed). The functions throw nothing but std::bad_alloc.

// The errors of a create of each object, or, with `old`, of an update of the object of the same kind and name there
// (objects that are new there: a create). Objects in the order of the texts, each object's errors in the server's
// order. Defaulting happens inside, as the server does it. `field`, `type`, `detail` and `message` (the full text) are
// the server's. loaded.diagnostics are not repeated. Of an object that comes several times each is taken for a request
// of its own. `status`: an update of the status subresource, of which only the status is looked at.
enum class Subresource { none, status };
APF_API std::vector<Diagnostic> validate(const LoadedConfig& loaded, KubeVersion version,
                                         const LoadedConfig* old = nullptr,
                                         Subresource subresource = Subresource::none);

// What strict decoding (kubectl's --validate=strict, its default) makes of the unknown and duplicate fields among an
// input's diagnostics: one error for each object, at the first of them, in place of the warnings.
APF_API void apply_strict_decoding(std::vector<Diagnostic>& diagnostics);

// Whether `path` lies in the folder of `file`, or below it. Files that a file names elsewhere may be any: who wrote it
// need not be allowed to see them.
APF_API bool lies_below_folder_of(const std::string& path, const std::string& file);

}  // namespace apf
