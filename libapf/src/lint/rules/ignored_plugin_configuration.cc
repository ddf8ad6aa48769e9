// APF607: a plugin's configuration that is not the one that counts.
#include <fmt/core.h>

#include "lint/rule.h"

namespace apf {

namespace {

std::string plugin_field(std::size_t index, const char* member) { return fmt::format("plugins[{}].{}", index, member); }

void check_ignored_plugin_configuration(const LintContext& context, Findings& findings) {
  for (const AdmissionConfiguration& object : context.loaded.admission_configurations) {
    for (std::size_t i = 0; i < object.plugins.size(); ++i) {
      const AdmissionConfiguration::Plugin& plugin = object.plugins[i];
      const auto first = static_cast<std::size_t>(object.find(plugin.name) - object.plugins.data());
      if (first != i) {
        Diagnostic& d = findings.add(object.meta, "AdmissionConfiguration", plugin_field(i, "name"),
                                     fmt::format("\"{}\" is there already: the server uses the first entry and ignores "
                                                 "this one",
                                                 plugin.name));
        d.notes.push_back(note_at(object.meta, plugin_field(first, "name"), "the first entry is here"));
      } else if (plugin.has_configuration && !plugin.path.empty()) {
        findings.add(
            object.meta, "AdmissionConfiguration", plugin_field(i, "path"),
            fmt::format("the configuration of \"{}\" is written here, too, and counts: the server doesn't read "
                        "this file",
                        plugin.name));
      }
    }
  }
}

}  // namespace

extern const Rule rule_ignored_plugin_configuration = {
    .code = "APF607",
    .name = "ignored-plugin-configuration",
    .severity = Severity::warning,
    .group = RuleGroup::event_rate_limit,
    .summary = "of two configurations of an admission plugin one is ignored",
    .what = "A plugin comes twice among plugins, or one entry has both, a path and a configuration.",
    .why = R"(The server takes the first entry of a plugin, and of that the configuration rather than the file. What
stands elsewhere has no effect, and nothing says so.)",
    .example = R"(plugins:
- name: EventRateLimit
  path: eventconfig.yaml
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits: [{type: Server, qps: 100, burst: 1000}]
)",
    .instead = R"(plugins:
- name: EventRateLimit
  path: eventconfig.yaml
)",
    .check = check_ignored_plugin_configuration,
};

}  // namespace apf
