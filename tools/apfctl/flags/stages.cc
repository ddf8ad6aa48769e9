#include "flags/stages.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/report.h>

#include "flags/admission_files.h"
#include "shared/input.h"

namespace apfctl {

bool has_apf_off(const TableFlags& table) { return table.find("apf") == "off"; }

std::string stages_origin(const TableFlags& table, const InflightFlags& inflight, bool seats_by_log) {
  std::string files;
  if (const auto events = table.find("event-rate-limit")) files += "; events limited by " + apf::printable(*events);
  if (table.given("quota")) files += "; quotas of " + apf::printable(join(table.all("quota")));
  if (!has_apf_off(table)) return (seats_by_log ? "seats of the server's log" : inflight.origin()) + files;
  return fmt::format("API Priority and Fairness off (--max-requests-inflight {}, --max-mutating-requests-inflight {})",
                     inflight.read_only(), inflight.mutating()) +
         files;
}

bool load_stages(const TableFlags& table, apf::ReplayOptions& options, const Console& console, bool no_validate) {
  if (const auto events = table.find("event-rate-limit")) {
    const std::vector<std::string> paths = {*events};
    options.event_rate_limit = event_rate_limit_of(read_configs(paths), *events, console);
    if (!options.event_rate_limit) return false;
  }
  const std::vector<std::string>& quotas = table.all("quota");
  if (quotas.empty()) return true;
  std::optional<QuotaFiles> found = quotas_of(read_configs(quotas), quotas, console, no_validate);
  if (!found) return false;
  options.resource_quotas = std::move(found->quotas);
  options.resource_quota_configuration = std::move(found->configuration);
  return true;
}

}  // namespace apfctl
