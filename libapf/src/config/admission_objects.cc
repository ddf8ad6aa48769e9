#include "config/admission_objects.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <apf/config.h>
#include <apf/input.h>
#include <fmt/core.h>

#include "config/closest.h"
#include "config/codes.h"
#include "config/decode.h"
#include "config/reader.h"

namespace apf {

namespace {

using enum FieldType;

constexpr FieldSchema kLimitFields[] = {{"type", string, "v1alpha1.LimitType"},
                                        {"qps", int32, "int32"},
                                        {"burst", int32, "int32"},
                                        {"cacheSize", int32, "int32"}};
constexpr StructSchema kLimit{"Limit", kLimitFields};
constexpr FieldSchema kEventRateLimitFields[] = {
    {"kind", string, "string"}, {"apiVersion", string, "string"}, {"limits", object_list, "v1alpha1.Limit", &kLimit}};
constexpr StructSchema kEventRateLimit{"Configuration", kEventRateLimitFields};

constexpr FieldSchema kPluginFields[] = {
    {"name", string, "string"}, {"path", string, "string"}, {"configuration", any, "runtime.Unknown"}};
constexpr StructSchema kPlugin{"AdmissionPluginConfiguration", kPluginFields};
constexpr FieldSchema kAdmissionFields[] = {{"kind", string, "string"},
                                            {"apiVersion", string, "string"},
                                            {"plugins", object_list, "v1.AdmissionPluginConfiguration", &kPlugin}};
constexpr StructSchema kAdmission{"AdmissionConfiguration", kAdmissionFields};

constexpr std::string_view kAdmissionKind = "AdmissionConfiguration", kEventRateLimitKind = "Configuration";
constexpr std::string_view kAdmissionVersions[] = {"apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"};
constexpr std::string_view kEventRateLimitVersion = "eventratelimit.admission.k8s.io/v1alpha1";
constexpr std::string_view kEventRateLimitScheme = "k8s.io/kubernetes/plugin/pkg/admission/eventratelimit/config.go:26";

const ConfigNode& head_of(const ConfigNode& object, std::string_view key) {
  const ConfigNode* at = object.find(key);
  if (!at) at = object.find("kind");
  return at ? *at : object;
}

Diagnostic report(const ConfigNode& at, const ObjectLabel& label, const ConfigCode& code, std::string message) {
  Diagnostic d =
      make_diagnostic(at.tree(), code, Severity::error, at.begin(), at.end(), std::move(message), label.document);
  d.api_version = label.api_version;
  d.kind = label.kind;
  return d;
}

Diagnostic not_registered(const ConfigNode& object, const ObjectLabel& label, std::string_view field) {
  Diagnostic d = report(head_of(object, field), label, kUnknownApiVersion,
                        fmt::format("no kind \"{}\" is registered for version \"{}\"", label.kind, label.api_version));
  d.field = field;
  return d;
}

void load_event_rate_limit(const ConfigNode& object, const ObjectLabel& label,
                           const std::shared_ptr<const ConfigTree>& tree, LoadedConfig& out) {
  const bool known = label.api_version == kEventRateLimitVersion;
  if (!known || label.kind != kEventRateLimitKind) {
    Diagnostic d = not_registered(object, label, known ? "kind" : "apiVersion");
    d.detail = fmt::format("{} in scheme \"{}\"", d.message, kEventRateLimitScheme);
    d.notes.push_back(
        {fmt::format("EventRateLimit is configured by kind {} of {}", kEventRateLimitKind, kEventRateLimitVersion),
         {}});
    out.diagnostics.push_back(std::move(d));
    return;
  }
  std::vector<Diagnostic> found;
  const bool decodable = check_fields(object, kEventRateLimit, ApiVersion::v1, label, found);
  for (Diagnostic& d : found) {
    if (d.code == kUnknownField.code)
      d.notes.push_back({"kube-apiserver doesn't check this file strictly: it silently ignores the field", {}});
    out.diagnostics.push_back(d);
  }
  EventRateLimitConfiguration decoded;
  decoded.meta.api_version = label.api_version;
  decoded.meta.source = {std::shared_ptr<const ConfigNode>(tree, &object), tree->name(), label.document};
  const ConfigNode* limits = object.find_present("limits");
  decoded.has_limits = limits != nullptr;
  if (limits) {
    for (const ConfigNode& limit : limits->items())
      decoded.limits.push_back({limit.find_string("type"), decode_int(&limit, "qps"), decode_int(&limit, "burst"),
                                decode_int(&limit, "cacheSize")});
  }
  if (decodable) return out.event_rate_limits.push_back(std::move(decoded));
  // What else is wrong: one run tells all of it.
  std::vector<Diagnostic> invalid;
  validate_object(decoded, kNewestKubeVersion, invalid);
  for (Diagnostic& d : invalid)
    if (std::none_of(found.begin(), found.end(), [&](const Diagnostic& other) {
          return d.field.starts_with(other.field) || other.field.starts_with(d.field);
        }))
      out.diagnostics.push_back(std::move(d));
}

// The configuration of a plugin within the file that lists them; it must say itself what it is.
void load_inline(const ConfigNode& configuration, const ObjectLabel& outer,
                 const std::shared_ptr<const ConfigTree>& tree, LoadedConfig& out) {
  ObjectLabel label{configuration.find_string("apiVersion"), configuration.find_string("kind"), {}, outer.document};
  if (configuration.is_mapping() && !label.kind.empty() && !label.api_version.empty())
    return load_event_rate_limit(configuration, label, tree, out);
  label.kind = outer.kind;
  label.api_version = outer.api_version;
  out.diagnostics.push_back(report(configuration, label, kMissingKind,
                                   "the configuration of EventRateLimit needs its own apiVersion and kind"));
  out.diagnostics.back().notes.push_back(
      {fmt::format("write apiVersion: {} and kind: {}", kEventRateLimitVersion, kEventRateLimitKind), {}});
}

std::vector<const ConfigNode*> load_admission(const ConfigNode& object, const ObjectLabel& label,
                                              const std::shared_ptr<const ConfigTree>& tree, LoadedConfig& out) {
  if (std::find(std::begin(kAdmissionVersions), std::end(kAdmissionVersions), label.api_version) ==
      std::end(kAdmissionVersions)) {
    Diagnostic d = not_registered(object, label, "apiVersion");
    d.notes.push_back({fmt::format("write apiVersion: {}", kAdmissionVersions[0]), {}});
    out.diagnostics.push_back(std::move(d));
    return {};
  }
  std::vector<Diagnostic> found;  // strictly decoded: what is a warning elsewhere keeps the server from starting
  check_fields(object, kAdmission, ApiVersion::v1, label, found);
  apply_strict_decoding(found);
  const bool broken = !found.empty();
  for (Diagnostic& d : found) out.diagnostics.push_back(std::move(d));
  if (broken) return {};
  AdmissionConfiguration decoded;
  decoded.meta.api_version = label.api_version;
  decoded.meta.source = {std::shared_ptr<const ConfigNode>(tree, &object), tree->name(), label.document};
  std::vector<const ConfigNode*> others;
  const ConfigNode* plugins = object.find_present("plugins");
  for (const ConfigNode& plugin : plugins ? plugins->items() : std::span<const ConfigNode>()) {
    const ConfigNode* configuration = plugin.find_present("configuration");
    const std::string name = plugin.find_string("name");
    const bool counts = !decoded.find(name);
    decoded.plugins.push_back({name, plugin.find_string("path"), configuration != nullptr});
    if (!configuration || !counts) continue;
    if (name == kEventRateLimitPlugin) load_inline(*configuration, label, tree, out);
    if (name == kResourceQuotaPlugin) others.push_back(configuration);
  }
  out.admission_configurations.push_back(std::move(decoded));
  return others;
}

std::string one_spelling(const std::string& path) { return std::filesystem::path(path).lexically_normal().string(); }

// Repositories keep the files together that stand elsewhere on the server.
std::string beside_of(const AdmissionConfiguration& admission, const AdmissionConfiguration::Plugin& plugin) {
  const std::filesystem::path name = std::filesystem::path(plugin.path).filename();
  return (std::filesystem::path(admission.meta.source.file).parent_path() / name).string();
}

// The files that held a configuration of EventRateLimit, or have an error: all their findings are reported.
std::set<std::string> files_reported(const LoadedConfig& loaded) {
  std::set<std::string> files;
  for (const auto& o : loaded.event_rate_limits) files.insert(one_spelling(o.meta.source.file));
  const std::string* last = nullptr;
  for (const Diagnostic& d : loaded.diagnostics) {
    if (d.severity != Severity::error || (last && *last == d.span.file)) continue;
    files.insert(one_spelling(d.span.file));
    last = &d.span.file;
  }
  return files;
}

}  // namespace

const StructSchema& event_rate_limit_schema() { return kEventRateLimit; }
const StructSchema& event_limit_schema() { return kLimit; }
const StructSchema& admission_configuration_schema() { return kAdmission; }

bool is_admission_object(std::string_view group, std::string_view kind) {
  return group == kEventRateLimitGroup || kind == kAdmissionKind;
}

std::vector<const ConfigNode*> load_admission_object(const ConfigNode& object, const ObjectLabel& label,
                                                     const std::shared_ptr<const ConfigTree>& tree, LoadedConfig& out) {
  if (label.kind == kAdmissionKind && !label.api_version.starts_with(kEventRateLimitGroup))
    return load_admission(object, label, tree, out);
  load_event_rate_limit(object, label, tree, out);
  return {};
}

void check_plugin_paths(LoadedConfig& loaded) {
  if (loaded.admission_configurations.empty()) return;
  const std::set<std::string> reported = files_reported(loaded);
  for (const AdmissionConfiguration& admission : loaded.admission_configurations) {
    const AdmissionConfiguration::Plugin* plugin = admission.find(kEventRateLimitPlugin);
    if (!plugin || plugin->has_configuration || plugin->path.empty()) continue;
    const std::string path = admission.path_of(*plugin);
    const bool absolute = std::filesystem::path(plugin->path).is_absolute();
    if (reported.contains(one_spelling(path))) continue;
    if (absolute && reported.contains(one_spelling(beside_of(admission, *plugin)))) continue;  // as in git
    const auto index = static_cast<std::size_t>(plugin - admission.plugins.data());
    std::error_code error;
    const bool exists = std::filesystem::exists(path, error);
    const bool unread = exists && !lies_below_folder_of(path, admission.meta.source.file);
    const bool elsewhere = (!exists && absolute) || unread;
    Diagnostic d;
    d.code = kMissingPluginFile.code;
    d.name = kMissingPluginFile.name;
    d.severity = elsewhere ? Severity::info : Severity::error;
    d.field = fmt::format("plugins[{}].path", index);
    d.message = unread ? fmt::format("{}: {} is not read, as it lies neither beside nor below this file", d.field, path)
                : exists ? fmt::format("{}: {} holds no configuration of EventRateLimit", d.field, path)
                         : fmt::format("{}: there is no file {}, which should hold the configuration of EventRateLimit",
                                       d.field, path);
    d.detail = exists ? std::string() : fmt::format("open {}: no such file or directory", path);
    d.span = admission.meta.source.span_of(d.field);
    d.document = admission.meta.source.document;
    d.api_version = admission.meta.api_version;
    d.kind = kAdmissionKind;
    if (unread) {
      d.notes.push_back({"give it as an argument, too, to have its limits checked", {}});
    } else if (exists) {
      d.notes.push_back({fmt::format("it must be kind {} of {}", kEventRateLimitKind, kEventRateLimitVersion), {}});
    } else if (elsewhere) {
      d.notes.push_back({"it may exist on the machine of kube-apiserver; its limits can't be checked here", {}});
    } else {
      d.notes.push_back({"relative paths start in the directory of this file", {}});
    }
    loaded.diagnostics.push_back(std::move(d));
  }
}

const AdmissionConfiguration::Plugin* AdmissionConfiguration::find(std::string_view name) const {
  const auto at = std::find_if(plugins.begin(), plugins.end(), [&](const Plugin& p) { return p.name == name; });
  return at == plugins.end() ? nullptr : &*at;
}

std::string AdmissionConfiguration::path_of(const Plugin& plugin) const {
  const std::filesystem::path path(plugin.path);
  if (!path.is_absolute()) return (std::filesystem::path(meta.source.file).parent_path() / path).string();
  std::error_code error;
  const std::string beside = beside_of(*this, plugin);
  const bool only_beside = !std::filesystem::exists(path, error) && std::filesystem::exists(beside, error);
  return only_beside ? beside : plugin.path;
}

}  // namespace apf
