#include "measured_widths.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <apf/limits.h>
#include <apf/server.h>

namespace apfctl {

std::optional<apf::Remark> measure_widths(const apf::KnownServer& known, const std::vector<std::string>& logs,
                                          apf::ReplayOptions& options) {
  if (!known.scrape || !options.objects.empty() || !options.objects_at.empty() || options.in_flight ||
      !options.config_changes.empty())
    return std::nullopt;
  // They say nothing of bytes: what takes 10 seats by the watch cache may return 1 MB or 100 MB.
  if (options.list_widths.bytes > 0) return std::nullopt;
  const apf::Config& config = options.recorded ? options.recorded->config : options.config;
  const apf::KubeVersion version = options.recorded ? options.recorded->version : options.version;
  if (!apf::measures_widths(*known.scrape, version)) return std::nullopt;
  const auto seats = known.seats(config);
  if (!seats || apf::is_kep(config)) return std::nullopt;
  std::error_code error;
  for (const std::string& path : logs)  // it is read twice
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  apf::LogOptions log = options;
  log.logs = logs;
  apf::MeasuredWidths widths = apf::measured_widths(*known.scrape, apf::count_load(log, config),
                                                    apf::compute_limits(config, seats->number, version), version);
  if (widths.resources.empty()) return std::nullopt;
  options.objects = std::move(widths.counts);
  std::string names;
  for (const std::string& resource : widths.resources) names += (names.empty() ? "" : ", ") + resource;
  return apf::Remark{.kind = apf::RemarkKind::widths_measured, .detail = names};
}

}  // namespace apfctl
