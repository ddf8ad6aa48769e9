#include "replay/engine/unused_entries.h"

#include <fmt/core.h>

#include <algorithm>

#include "replay/clients/client_entry.h"
#include "replay/engine/execution_scaler.h"
#include "replay/engine/load_scaler.h"

namespace apf {

namespace {

template <class Entry>
bool is_unused(const Entry& entry, const std::vector<Requester>& clients) {
  if (entry.agent == "*") return false;
  const std::vector<Entry> alone = {entry};
  return std::none_of(clients.begin(), clients.end(),
                      [&](const Requester& client) { return entry_of(alone, client) != nullptr; });
}

bool fits_any(const ExecutionScale& scale, const Config& config, const NumberTables& numbers) {
  const auto any = [&](const auto& list, const auto& name_of) {
    return std::any_of(list.begin(), list.end(), [&](const auto& of) { return matches_name(scale.what, name_of(of)); });
  };
  return scale.what.empty() || any(numbers.requesters, [](const Requester& of) { return of.user; }) ||
         any(config.priority_levels, [](const PriorityLevel& of) { return of.meta.name; }) ||
         any(numbers.endpoints, [](const Endpoint& of) { return group_resource(of); });
}

}  // namespace

bool is_of_unused_entry(const Remark& remark) {
  return remark.kind == RemarkKind::client_model_unused || remark.kind == RemarkKind::client_timeout_unused ||
         remark.kind == RemarkKind::client_limit_unused || remark.kind == RemarkKind::scale_unused;
}

std::vector<Remark> unused_entries(const ReplayOptions& options, const NumberTables& numbers) {
  const std::vector<Requester>& clients = numbers.requesters;
  std::vector<Remark> out;
  for (const ClientModelOf& of : options.client_models) {
    if (!is_unused(of, clients)) continue;
    const std::string places = of.places > 0 ? ":" + std::to_string(of.places) : "";
    out.push_back({.kind = RemarkKind::client_model_unused, .name = of.agent, .detail = to_string(of.model) + places});
  }
  for (const ClientTimeout& timeout : options.client_timeouts)
    if (is_unused(timeout, clients))
      out.push_back({.kind = RemarkKind::client_timeout_unused, .duration = timeout.patience, .name = timeout.agent});
  if (options.client_limits)
    for (const auto& of : options.client_limits->by_user_agent)
      if (std::none_of(clients.begin(), clients.end(),
                       [&](const auto& c) { return c.user_agent.starts_with(of.first); }))
        out.push_back({.kind = RemarkKind::client_limit_unused,
                       .name = of.first,
                       .detail = fmt::format("{}/{}", of.second.qps, of.second.burst)});
  for (const LoadScale& scale : options.scales)
    if (!scale.user.empty() &&
        std::none_of(clients.begin(), clients.end(), [&](const Requester& c) { return fits(scale, c.user); }))
      out.push_back({.kind = RemarkKind::scale_unused, .name = scale.user, .detail = fmt::format("{}", scale.factor)});
  for (const ExecutionScale& scale : options.execution_scales)
    if (!fits_any(scale, options.config, numbers))
      out.push_back({.kind = RemarkKind::scale_unused, .name = scale.what, .detail = fmt::format("{}", scale.factor)});
  return out;
}

void keep_entries_unused_by_all(std::vector<ReplayReport>& servers) {
  std::vector<Remark> common;
  for (const ReplayReport& server : servers) {
    std::vector<Remark> own;
    for (const Remark& remark : server.warnings)
      if (is_of_unused_entry(remark)) own.push_back(remark);
    if (&server == &servers.front()) common = own;
    std::erase_if(common, [&](const Remark& remark) { return std::find(own.begin(), own.end(), remark) == own.end(); });
  }
  for (ReplayReport& server : servers)
    std::erase_if(server.warnings, [&](const Remark& remark) {
      return is_of_unused_entry(remark) && std::find(common.begin(), common.end(), remark) == common.end();
    });
}

}  // namespace apf
