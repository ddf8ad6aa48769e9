#include "flags/admission_files.h"

#include <fmt/core.h>

#include <apf/error.h>
#include <apf/report.h>

#include "shared/output.h"

namespace apfctl {

std::optional<apf::EventRateLimitConfiguration> event_rate_limit_of(const std::vector<apf::ConfigText>& texts,
                                                                    const std::string& path, const Console& console) {
  apf::LoadedConfig loaded = apf::load_config(texts);
  std::vector<apf::Diagnostic> found = loaded.diagnostics;
  for (apf::Diagnostic& d : apf::validate(loaded, apf::kNewestKubeVersion)) found.push_back(std::move(d));
  for (apf::Diagnostic& d : found)  // the replay needs the file here
    if (d.name == kMissingPluginFile) d.severity = apf::Severity::error;
  if (print_findings(std::move(found), texts, console) > 0) {
    write_stderr("apfctl: cannot use this EventRateLimit configuration\n");
    return std::nullopt;
  }
  const std::string name = apf::printable(path);
  if (loaded.event_rate_limits.empty())
    throw apf::Error(name +
                     " does not configure EventRateLimit; expected its Configuration "
                     "(eventratelimit.admission.k8s.io/v1alpha1) or an AdmissionConfiguration that names the plugin");
  if (loaded.event_rate_limits.size() > 1)
    throw apf::Error(fmt::format("{} contains {} configurations of EventRateLimit; use a file with one", name,
                                 loaded.event_rate_limits.size()));
  return std::move(loaded.event_rate_limits.front());
}

std::optional<QuotaFiles> quotas_of(const std::vector<apf::ConfigText>& texts, const std::vector<std::string>& paths,
                                    const Console& console, bool no_validate) {
  apf::LoadedConfig loaded = apf::load_config(texts);
  std::vector<apf::Diagnostic> found = loaded.diagnostics;
  // An old cluster enforces quotas that its server would reject today.
  if (!no_validate)
    for (apf::Diagnostic& d : apf::validate(loaded, apf::kNewestKubeVersion)) found.push_back(std::move(d));
  const std::size_t errors = print_findings(std::move(found), texts, console);
  if (errors > 0 && !no_validate) {
    write_stderr(fmt::format("apfctl: kube-apiserver would reject these quotas ({})\n",
                             loaded.has_errors() ? "use --no-validate to skip what cannot be decoded"
                                                 : "use --no-validate to load them anyway"));
    return std::nullopt;
  }
  const std::string names = apf::printable(join(paths));
  if (loaded.resource_quotas.empty() && loaded.resource_quota_configurations.empty())
    throw apf::Error(names + ": no ResourceQuota found; check the path of the quotas");
  if (loaded.resource_quota_configurations.size() > 1)
    throw apf::Error(fmt::format("{} contain {} configurations of the ResourceQuota plugin; a server has one", names,
                                 loaded.resource_quota_configurations.size()));
  QuotaFiles out;
  out.quotas = std::move(loaded.resource_quotas);
  if (!loaded.resource_quota_configurations.empty())
    out.configuration = std::move(loaded.resource_quota_configurations.front());
  return out;
}

}  // namespace apfctl
