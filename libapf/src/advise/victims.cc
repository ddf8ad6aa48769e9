#include "advise/victims.h"

#include <algorithm>
#include <utility>

#include "advise/clients.h"
#include "base/identities.h"
#include "base/outstanding.h"
#include "base/sort_stably.h"
#include "replay/passes/harm.h"

namespace apf {

namespace {

enum class Rank { component, protected_level, control_plane, other };

Rank rank_of(const std::string& user, const std::string& level) {
  if (is_component(user)) return Rank::component;
  if (is_protected_level(level)) return Rank::protected_level;
  return is_control_plane(user) ? Rank::control_plane : Rank::other;
}

}  // namespace

std::vector<WhyVictim> victims_of(const std::map<std::string, UserFigures>& all,
                                  const std::vector<WhyCulprit>& culprits) {
  constexpr std::size_t kTogether = 4;  // of a namespace, that are one row
  constexpr std::size_t kMost = 6;
  std::map<std::string, std::vector<std::pair<std::string, UserFigures>>> groups;
  for (const auto& of_user : all) {
    const std::string& user = of_user.first;
    const UserFigures& figures = of_user.second;
    const bool is_culprit = std::any_of(culprits.begin(), culprits.end(),
                                        [&](const WhyCulprit& c) { return c.by == WhyBy::user && c.name == user; });
    if (is_culprit || (figures.refused == 0 && figures.longest < kSecond)) continue;
    const std::string fleet = fleet_of(user);
    groups[fleet.empty() ? user : fleet].emplace_back(user, figures);
  }
  std::vector<std::pair<Rank, WhyVictim>> found;
  const auto add = [&](WhyBy by, const std::string& name, const auto& users) {
    Rank rank = Rank::other;
    WhyVictim victim{by, name};
    for (const auto& [user, figures] : users) {
      victim.refused += figures.refused;
      victim.wait += figures.wait;
      victim.longest = std::max(victim.longest, figures.longest);
      rank = std::min(rank, rank_of(user, figures.level));
    }
    found.emplace_back(rank, std::move(victim));
  };
  for (auto& [name, users] : groups) {
    const bool refuses =
        std::any_of(users.begin(), users.end(), [](const auto& user) { return user.second.refused > 0; });
    const auto most = outstanding(
        users, [&](const auto& user) { return refuses ? static_cast<double>(user.second.refused) : user.second.wait; });
    if (name == kAllNodes && most != users.end()) {
      add(WhyBy::user, most->first, std::vector{*most});
      users.erase(most);
    }
    if (users.size() >= kTogether || name == kAllNodes) add(WhyBy::fleet, name, users);
    else
      for (const auto& user : users) add(WhyBy::user, user.first, std::vector{user});
  }
  sort_stably(found, [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return std::pair(a.second.refused, a.second.wait) > std::pair(b.second.refused, b.second.wait);
  });
  std::vector<WhyVictim> out;
  for (std::size_t i = 0; i < found.size() && i < kMost; ++i) out.push_back(std::move(found[i].second));
  return out;
}

}  // namespace apf
