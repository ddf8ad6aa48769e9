// Validation of EventRateLimit's configuration (plugin/pkg/admission/eventratelimit/apis/eventratelimit/validation,
// v1.36). Whoever breaks a rule keeps kube-apiserver from starting.
#include <fmt/core.h>

#include "config/admission_objects.h"
#include "config/closest.h"
#include "config/field_errors.h"
#include "config/go_json.h"

namespace apf {

namespace {

constexpr std::string_view kSupportedLimitTypes[] = {"Namespace", "Server", "SourceAndObject", "User"};

// As the proposal of the plugin spelt them.
std::string_view proposed(std::string_view type) {
  if (type == "server") return "Server";
  if (type == "namespace") return "Namespace";
  if (type == "user") return "User";
  if (type == "source+object" || type == "sourceAndObject") return "SourceAndObject";
  return {};
}

void tell_type(const EventRateLimitConfiguration& object, const std::string& type, Diagnostic& d) {
  const std::string_view now = proposed(type);
  const std::string_view meant = now.empty() ? closest(type, kSupportedLimitTypes) : now;
  if (meant.empty()) return;
  d.notes.push_back({now.empty()
                         ? did_you_mean(meant)
                         : fmt::format("\"{}\" is how the proposal of the plugin spelt it; write {}", type, meant),
                     {}});
  const FieldPosition at = find_field(*object.meta.source.tree, d.field);
  if (!at.exact) return;
  d.fix = Fix{fmt::format("replace it with {}", meant), false, {}};
  d.fix->edits.push_back({object.meta.source.file, at.value->begin(), at.value->end(), std::string(meant)});
}

}  // namespace

void validate_object(const EventRateLimitConfiguration& object, KubeVersion version, std::vector<Diagnostic>& out) {
  FieldErrors errors(object.meta, "Configuration", version, out);
  const FieldPath limits("limits");
  if (object.limits.empty())
    return errors.invalid(kNoEventLimits, limits, object.has_limits ? "[]" : "null", "must not be empty");
  for (std::size_t i = 0; i < object.limits.size(); ++i) {
    const EventRateLimitConfiguration::Limit& limit = object.limits[i];
    const FieldPath path = limits.at(i);
    if (!event_limit_type(limit.type)) {
      errors.not_supported(kInvalidEventLimitType, path.child("type"), go_json(limit.type),
                           {"Namespace", "Server", "SourceAndObject", "User"});
      tell_type(object, limit.type, out.back());
    }
    if (limit.burst <= 0) errors.invalid(kInvalidEventLimit, path.child("burst"), limit.burst, "must be positive");
    if (limit.qps <= 0) errors.invalid(kInvalidEventLimit, path.child("qps"), limit.qps, "must be positive");
    if (limit.cache_size < 0 && limit.type != to_string(EventLimitType::server))
      errors.invalid(kInvalidEventLimit, path.child("cacheSize"), limit.cache_size, "must not be negative");
  }
}

// A plugin that is named without a configuration is given an empty one, which breaks the first rule.
void validate_object(const AdmissionConfiguration& object, KubeVersion version, std::vector<Diagnostic>& out) {
  const AdmissionConfiguration::Plugin* plugin = object.find(kEventRateLimitPlugin);
  if (!plugin || plugin->has_configuration || !plugin->path.empty()) return;
  FieldErrors errors(object.meta, "AdmissionConfiguration", version, out);
  const auto index = static_cast<std::size_t>(plugin - object.plugins.data());
  errors.invalid(kNoEventLimits, FieldPath("limits"), "null", "must not be empty",
                 fmt::format("plugins[{}].name", index));
  out.back().notes.push_back(
      {fmt::format("plugins[{}] names EventRateLimit and gives it neither a configuration nor a path", index), {}});
}

}  // namespace apf
