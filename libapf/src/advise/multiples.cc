#include "advise/multiples.h"

#include <algorithm>
#include <string_view>

#include "replay/engine/load_scaler.h"

namespace apf {

namespace {

// Whether users of the one name, or whose names begin so, are all among those of the other.
bool is_part_of(const std::string& part, const std::string& whole) {
  if (part == whole || whole.empty()) return true;
  if (!whole.ends_with('*')) return false;
  const std::string_view begins(whole.data(), whole.size() - 1);
  return part.starts_with(begins);
}

}  // namespace

void multiply(ReplayOptions& options, const std::vector<std::string>& clients, double multiple) {
  if (multiple == 1) return;
  const std::vector<std::string> whose = clients.empty() ? std::vector<std::string>{""} : clients;
  const std::vector<LoadScale> given = options.scales;
  for (LoadScale& scale : options.scales) {
    const auto covers = [&](const std::string& client) { return is_part_of(scale.user, client); };
    if (std::any_of(whose.begin(), whose.end(), covers)) scale.factor *= multiple;
  }
  // Clients without a scale of just their name have that of the one that counts for them.
  for (const std::string& client : whose) {
    const auto same = [&](const LoadScale& scale) { return scale.user == client; };
    if (std::any_of(options.scales.begin(), options.scales.end(), same)) continue;
    LoadScale own;
    std::size_t closest = 0;
    for (const LoadScale& scale : given) {
      if (!is_part_of(client, scale.user) || closeness(scale) < closest) continue;
      own = scale;
      closest = closeness(scale);
    }
    options.scales.push_back({client, own.factor * multiple, own.clients});
  }
}

void slow_down(ReplayOptions& options, const std::vector<std::string>& clients, double multiple) {
  if (multiple == 1) return;
  for (const std::string& client : clients) options.execution_scales.push_back({client, multiple});
  if (clients.empty()) options.execution_scales.push_back({"", multiple});
}

}  // namespace apf
