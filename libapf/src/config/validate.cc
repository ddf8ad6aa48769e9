// Validation of whole configurations: every object in the order of the texts, and whether the release serves its version.
#include <apf/validate.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <variant>

#include <fmt/format.h>

#include "config/schema.h"
#include "config/tree.h"
#include "config/validate_object.h"

namespace apf {

namespace {

// First and last minor release of 1.x that serves a version, newest version first (lifecycle markers of
// k8s.io/api/flowcontrol).
struct Served {
  ApiVersion version;
  int first, last;
};
constexpr Served kServed[] = {{ApiVersion::v1, 29, 1000},
                              {ApiVersion::v1beta3, 26, 31},
                              {ApiVersion::v1beta2, 23, 28},
                              {ApiVersion::v1beta1, 20, 25},
                              {ApiVersion::v1alpha1, 18, 20}};
constexpr int kAlphaDeleted = 29;  // v1alpha1's types are gone from here on

bool serves(KubeVersion release, const Served& served) {
  return release.minor >= served.first && release.minor <= served.last;
}

// What the server and its clients say to a version that is not there; true if that ends the matter.
bool check_served(const ObjectMeta& meta, std::string_view kind, KubeVersion release, std::vector<Diagnostic>& out) {
  const std::string_view name = std::string_view(meta.api_version).substr(meta.api_version.find('/') + 1);
  const auto row = std::find_if(std::begin(kServed), std::end(kServed),
                                [&](const Served& served) { return api_version_name(served.version) == name; });
  if (row == std::end(kServed) || serves(release, *row)) return false;
  const bool unknown = row->version == ApiVersion::v1alpha1 && release.minor >= kAlphaDeleted;
  Diagnostic d;
  const ConfigCode& code = unknown ? kUnknownApiVersion : kNotServed;
  d.code = code.code;
  d.name = code.name;
  d.message = unknown ? fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme \"{}\"", kind,
                                    meta.api_version, kScheme)
                      : fmt::format("no matches for kind \"{}\" in version \"{}\"", kind, meta.api_version);
  d.detail = d.message;
  d.field = "apiVersion";
  d.span = meta.source.span_of(d.field);
  d.document = meta.source.document;
  d.api_version = meta.api_version;
  d.kind = kind;
  d.object_name = meta.name;
  const auto best = std::find_if(std::begin(kServed), std::end(kServed),
                                 [&](const Served& served) { return serves(release, served); });
  const std::string_view newest = api_version_name(best->version);
  d.notes.push_back({fmt::format("Kubernetes {} serves {}; 'apfctl convert --to {}' rewrites the object", release.str(),
                                 newest, newest),
                     {}});
  out.push_back(std::move(d));
  return unknown;
}

using AnyObject = std::variant<const FlowSchema*, const PriorityLevel*>;

const ObjectMeta& meta_of(const AnyObject& object) {
  return std::visit([](const auto* o) -> const ObjectMeta& { return o->meta; }, object);
}

// The model keeps the kinds apart; this brings back the order of the texts. Files come by name, as in sort_diagnostics.
std::vector<AnyObject> in_text_order(const Config& config) {
  std::vector<AnyObject> objects;
  objects.reserve(config.flow_schemas.size() + config.priority_levels.size());
  for (const FlowSchema& schema : config.flow_schemas) objects.emplace_back(&schema);
  for (const PriorityLevel& level : config.priority_levels) objects.emplace_back(&level);
  const auto place = [](const AnyObject& object) {
    const ObjectSource& source = meta_of(object).source;
    return std::make_tuple(std::string_view(source.file), source.tree ? source.tree->begin() : 0u);
  };
  std::stable_sort(objects.begin(), objects.end(),
                   [&](const AnyObject& a, const AnyObject& b) { return place(a) < place(b); });
  return objects;
}

const std::vector<FlowSchema>& same_kind(const Config& config, const FlowSchema*) { return config.flow_schemas; }
const std::vector<PriorityLevel>& same_kind(const Config& config, const PriorityLevel*) {
  return config.priority_levels;
}
const char* kind_of(const FlowSchema*) { return "FlowSchema"; }
const char* kind_of(const PriorityLevel*) { return "PriorityLevelConfiguration"; }

template <class Object>
const Object* find_old(const LoadedConfig* old, const Object& object) {
  if (!old) return nullptr;
  const std::vector<Object>& objects = same_kind(old->config, &object);
  const auto at = std::find_if(objects.begin(), objects.end(),
                               [&](const Object& o) { return o.meta.name == object.meta.name; });
  return at == objects.end() ? nullptr : &*at;
}

}  // namespace

std::vector<Diagnostic> validate(const LoadedConfig& loaded, KubeVersion version, const LoadedConfig* old) {
  std::vector<Diagnostic> out;
  for (const AnyObject& any : in_text_order(loaded.config)) {
    std::visit(
        [&](const auto* object) {
          if (check_served(object->meta, kind_of(object), version, out)) return;
          const auto* before = find_old(old, *object);
          validate_object(*object, before ? Operation::update : Operation::create, version, before, out);
        },
        any);
  }
  return out;
}

std::string aggregate_message(const std::vector<Diagnostic>& of_one_object) {
  std::vector<std::string_view> messages;
  std::unordered_set<std::string_view> seen;
  for (const Diagnostic& d : of_one_object) {
    if (seen.insert(d.message).second) messages.push_back(d.message);
  }
  if (messages.empty()) return {};
  if (messages.size() == 1) return std::string(messages[0]);
  std::string out = "[";
  for (std::size_t i = 0; i < messages.size(); ++i) (out += i > 0 ? ", " : "") += messages[i];
  return out + "]";
}

}  // namespace apf
