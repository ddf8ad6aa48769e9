// Audit policies as kube-apiserver loads them (k8s.io/apiserver/pkg/audit/policy/reader.go and apis/audit/validation,
// v1.36).
#include "config/audit_policy.h"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/core.h>

#include "base/go_quote.h"
#include "base/joined.h"
#include "base/releases.h"
#include "base/text.h"
#include "config/codes.h"
#include "config/decode.h"
#include "config/field_errors.h"
#include "config/go_json.h"
#include "config/metadata_schema.h"
#include "config/reader.h"
#include "config/schema.h"
#include "config/validate_names.h"

namespace apf {

namespace {

using enum FieldType;

constexpr std::string_view kAuditScheme = "k8s.io/apiserver/pkg/audit/scheme.go:30";
constexpr const char* kInternalVersion = "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy";
// The other kinds that the server's decoder has in this version.
constexpr std::string_view kOtherKinds[] = {"Event", "EventList", "PolicyList"};

constexpr FieldSchema kResourcesFields[] = {
    {"group", string, "string"}, {"resources", string_list, "string"}, {"resourceNames", string_list, "string"}};
constexpr StructSchema kResources{"GroupResources", kResourcesFields};
constexpr FieldSchema kAuditRuleFields[] = {
    {"level", string, "@.Level"},
    {"users", string_list, "string"},
    {"userGroups", string_list, "string"},
    {"verbs", string_list, "string"},
    {"resources", object_list, "@.GroupResources", &kResources},
    {"namespaces", string_list, "string"},
    {"nonResourceURLs", string_list, "string"},
    {"omitStages", string_list, "@.Stage"},
    {"omitManagedFields", boolean, "bool"},
};
constexpr StructSchema kAuditRule{"PolicyRule", kAuditRuleFields};
constexpr FieldSchema kPolicyFields[] = {
    {"kind", string, "string"},
    {"apiVersion", string, "string"},
    {"metadata", object, "v1.ObjectMeta", &kMetadata},
    {"rules", object_list, "@.PolicyRule", &kAuditRule},
    {"omitStages", string_list, "@.Stage"},
    {"omitManagedFields", boolean, "bool"},
};
constexpr StructSchema kPolicy{"Policy", kPolicyFields};

constexpr const char* kLevels[] = {"None", "Metadata", "Request", "RequestResponse"};
constexpr const char* kStages[kAuditStages] = {"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"};

// `names` are in the order of the enum.
template <class Enum>
std::optional<Enum> value_named(std::span<const char* const> names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<Enum>(at - names.begin());
}

std::string unregistered(std::string_view version, std::string_view kind) {
  return fmt::format("no kind \"{}\" is registered for version \"{}\"", kind, version);
}
std::string undecoded(std::string_view message) {
  return fmt::format("failed decoding: {} in scheme \"{}\"", message, kAuditScheme);
}

class PolicyDecoder {
 public:
  PolicyDecoder(const ObjectSource& source, std::vector<Diagnostic>& out)
      : source_(source), root_(*source.tree), out_(out), first_(out.size()) {}

  std::optional<AuditPolicy> decode() {
    if (!is_known_kind() || !check()) return std::nullopt;
    AuditPolicy policy;
    policy.meta.api_version = decode_string(&root_, "apiVersion");
    policy.meta.source = source_;
    if (const ConfigNode* metadata = root_.find_present("metadata")) policy.meta.name = decode_string(metadata, "name");
    FieldErrors errors(policy.meta, kAuditPolicyKind, kNewestKubeVersion, out_);
    policy.omit_stages = stages_of(root_, FieldPath("omitStages"), errors);
    const FieldPath rules("rules");
    const ConfigNode* list = root_.find_present("rules");
    const std::span<const ConfigNode> items = list ? list->items() : std::span<const ConfigNode>();
    for (std::size_t i = 0; i < items.size(); ++i)
      policy.rules.push_back(decode_rule(items[i], rules.at(i), policy.omit_stages, errors));
    if (policy.rules.empty() && !has_errors())
      report(kInvalidAuditRule, list ? *list : root_, "an audit policy needs at least one rule",
             "loaded illegal policy with 0 rules");
    if (has_errors()) return std::nullopt;
    return policy;
  }

 private:
  bool has_errors() const {
    return std::any_of(out_.begin() + static_cast<std::ptrdiff_t>(first_), out_.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::error; });
  }

  void report(const ConfigCode& code, const ConfigNode& at, std::string message, std::string detail) {
    Diagnostic d = make_diagnostic(root_.tree(), code, Severity::error, at.begin(), at.end(), std::move(message),
                                   source_.document);
    d.detail = std::move(detail);
    d.api_version = decode_string(&root_, "apiVersion");
    d.kind = kAuditPolicyKind;
    out_.push_back(std::move(d));
  }

  // Without an apiVersion the server takes its internal one, which it then refuses.
  bool is_known_kind() {
    const std::string version = decode_string(&root_, "apiVersion");
    const std::string kind =
        decode_string(&root_, "kind").empty() ? std::string(kAuditPolicyKind) : decode_string(&root_, "kind");
    if ((version == kAuditApiVersion || is_one_of(kOldAuditVersions, version)) && kind == kAuditPolicyKind) return true;
    const bool other = version == kAuditApiVersion &&
                       std::find(std::begin(kOtherKinds), std::end(kOtherKinds), kind) != std::end(kOtherKinds);
    const ConfigNode* at = root_.find_present(version == kAuditApiVersion ? "kind" : "apiVersion");
    if (version.empty() && kind == kAuditPolicyKind) {
      report(kMissingKind, root_, "apiVersion is missing", kInternalVersion);
    } else if (other) {
      report(kUnknownApiVersion, *at, fmt::format("this is not an audit policy but an audit.k8s.io {}", kind),
             fmt::format("failed decoding: converting (v1.{}) to (audit.Policy): unknown conversion", kind));
    } else {
      const std::string message = unregistered(version, kind);
      report(kUnknownApiVersion, at ? *at : root_, message, undecoded(message));
    }
    out_.back().notes.push_back(
        {fmt::format("write apiVersion: {} and kind: {}", kAuditApiVersion, kAuditPolicyKind), {}});
    return false;
  }

  // Strict decoding that fails is followed by lenient decoding: unknown and duplicate fields are warnings.
  bool check() {
    const ObjectLabel label{std::string(kAuditApiVersion), std::string(kAuditPolicyKind), {}, source_.document};
    std::vector<Diagnostic> found;
    const bool decodable = check_fields(root_, kPolicy, ApiVersion::v1, label, found);
    for (Diagnostic& d : found) {
      if (d.code == kUnknownField.code || d.code == kDuplicateField.code) d.severity = Severity::warning;
      else d.detail = "failed decoding: " + d.detail;
      out_.push_back(std::move(d));
    }
    return decodable;
  }

  static AuditRule decode_rule(const ConfigNode& object, const FieldPath& path, AuditStageSet everywhere,
                               FieldErrors& errors) {
    AuditRule rule;
    rule.level = level_of(object, path.child("level"), errors);
    rule.users = decode_strings(&object, "users");
    rule.user_groups = decode_strings(&object, "userGroups");
    rule.verbs = decode_strings(&object, "verbs");
    rule.namespaces = decode_strings(&object, "namespaces");
    rule.non_resource_urls = decode_strings(&object, "nonResourceURLs");
    const FieldPath urls = path.child("nonResourceURLs");
    check_urls(rule.non_resource_urls, urls, errors);
    const FieldPath resources = path.child("resources");
    if (const ConfigNode* list = object.find_present("resources")) {
      for (const ConfigNode& item : list->items()) {
        rule.resources.push_back({decode_string(&item, "group"), decode_strings(&item, "resources"),
                                  decode_strings(&item, "resourceNames")});
        check_resources(rule.resources.back(), resources, errors);
      }
    }
    rule.omit_stages = stages_of(object, path.child("omitStages"), errors);
    rule.omit_stages.add(everywhere);
    if (!rule.non_resource_urls.empty() && (!rule.resources.empty() || !rule.namespaces.empty()))
      errors.invalid(kInvalidAuditRule, urls, go_json(rule.non_resource_urls),
                     "rules cannot apply to both regular resources and non-resource URLs");
    return rule;
  }

  static AuditLevel level_of(const ConfigNode& object, const FieldPath& path, FieldErrors& errors) {
    const std::string name = decode_string(&object, "level");
    const std::optional<AuditLevel> level = value_named<AuditLevel>(kLevels, name);
    if (name.empty()) errors.required(kInvalidAuditRule, path);
    else if (!level)
      errors.not_supported(kInvalidAuditRule, path, go_quote(name), {kLevels[0], kLevels[1], kLevels[2], kLevels[3]});
    return level.value_or(AuditLevel::none);
  }

  static AuditStageSet stages_of(const ConfigNode& object, const FieldPath& path, FieldErrors& errors) {
    AuditStageSet out;
    const std::vector<std::string> names = decode_strings(&object, "omitStages");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (const auto stage = value_named<AuditStage>(kStages, names[i])) {
        out.add(*stage);
        continue;
      }
      errors.invalid(kInvalidAuditRule, path.at(i), go_quote(names[i]),
                     "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic");
    }
    return out;
  }

  static void check_urls(const std::vector<std::string>& urls, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < urls.size(); ++i) {
      const std::string& url = urls[i];
      if (url == "*") continue;
      if (!url.starts_with('/'))
        errors.invalid(kInvalidAuditRule, path.at(i), go_quote(url),
                       "non-resource URL rules must begin with a '/' character");
      if (!url.empty() && url.find('*') < url.size() - 1)
        errors.invalid(kInvalidAuditRule, path.at(i), go_quote(url),
                       "non-resource URL wildcards '*' must be the final character of the rule");
    }
  }

  // The server names the list, not its element.
  static void check_resources(const AuditResources& entry, const FieldPath& path, FieldErrors& errors) {
    const NameFaults faults = entry.group.empty() ? NameFaults() : dns_subdomain_faults(entry.group);
    if (!faults.empty())
      errors.invalid(kInvalidAuditRule, path.child("group"), go_quote(entry.group), joined(faults, ","), path.str());
    if (!entry.resource_names.empty() && entry.resources.empty())
      errors.invalid(kInvalidAuditRule, path.child("resourceNames"), go_json(entry.resource_names),
                     "using resourceNames requires at least one resource", path.str());
  }

  const ObjectSource& source_;
  const ConfigNode& root_;
  std::vector<Diagnostic>& out_;
  const std::size_t first_;  // finding of this policy
};

}  // namespace

const char* to_string(AuditLevel level) { return kLevels[static_cast<std::size_t>(level)]; }
const char* to_string(AuditStage stage) { return kStages[static_cast<std::size_t>(stage)]; }

bool is_audit_policy(std::string_view api_version, std::string_view kind) {
  return api_version.starts_with("audit.k8s.io/") && kind == kAuditPolicyKind;
}

void check_audit_version(const AuditPolicy& policy, KubeVersion version, std::vector<Diagnostic>& out) {
  if (has(version, Feature::old_audit_versions) || !is_one_of(kOldAuditVersions, policy.meta.api_version)) return;
  FieldErrors(policy.meta, kAuditPolicyKind, version, out)
      .unknown_version(unregistered(policy.meta.api_version, kAuditPolicyKind));
  Diagnostic& d = out.back();
  d.detail = undecoded(d.message);
  d.notes.push_back({fmt::format("write apiVersion: {}", kAuditApiVersion), {}});
}

std::optional<AuditPolicy> decode_audit_policy(const ObjectSource& source, std::vector<Diagnostic>& diagnostics) {
  return PolicyDecoder(source, diagnostics).decode();
}

LoadedAuditPolicy load_audit_policy(const ConfigText& text) {
  LoadedAuditPolicy out;
  const std::shared_ptr<ConfigTree> tree = read_tree(text, out.diagnostics);
  if (!out.diagnostics.empty()) return out;
  const std::vector<ConfigDocument>& documents = tree->documents();
  if (documents.empty() || !documents.front().root->is_mapping()) {
    Diagnostic d = make_diagnostic(*tree, kMissingKind, Severity::error, 0, 0, "there is no audit policy here", 0);
    d.detail = kInternalVersion;
    d.notes.push_back({fmt::format("write apiVersion: {} and kind: {}", kAuditApiVersion, kAuditPolicyKind), {}});
    out.diagnostics.push_back(std::move(d));
    return out;
  }
  const ConfigNode* root = documents.front().root;
  out.policy = decode_audit_policy({std::shared_ptr<const ConfigNode>(tree, root), tree->name(), 0}, out.diagnostics);
  if (out.policy) check_audit_version(*out.policy, kNewestKubeVersion, out.diagnostics);
  if (!out.diagnostics.empty() && out.diagnostics.back().code == kUnknownApiVersion.code) out.policy.reset();
  if (documents.size() > 1) {
    const ConfigNode& second = *documents[1].root;
    out.diagnostics.push_back(make_diagnostic(*tree, kIgnoredDocument, Severity::warning, second.begin(), second.end(),
                                              "kube-apiserver reads only the first document of its audit policy file",
                                              documents[1].index));
  }
  return out;
}

}  // namespace apf
