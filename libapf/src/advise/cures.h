// Changes of a configuration that may cure a level's refusals or waits with the server's seats as they are: candidates,
// which replays confirm or not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

struct CureCandidate {
  WhyCure cure;
  double size = 0;          // of the change: a smaller one comes first
  bool is_mistake = false;  // what is changed is one: no seats are moved
  std::function<void(ReplayOptions&)> apply;
  // Of a level: the change as members of spec.limited, and of its queuing.
  std::string in_limited = {}, in_queuing = {};
  std::function<void(LimitedLevel&)> change = nullptr;
  bool is_restored = false;  // by the server, unless it is forbidden to
};

// It refuses requests of its own, or lets them wait long.
bool is_in_trouble(const LevelReport& level);

// Of the levels in trouble in `report`, the worst ones first.
std::vector<CureCandidate> configuration_cures(const ReplayOptions& options, const ReplayReport& report);
// Both changes, of one level; nothing: they are of two, or of the same field.
std::optional<CureCandidate> both_cures(const ReplayOptions& options, const CureCandidate& a, const CureCandidate& b);
// More seats, a step larger each.
std::vector<CureCandidate> seat_cures(const ReplayOptions& options);

}  // namespace apf
