#include "replay/stages/quota_updates.h"

#include <algorithm>
#include <tuple>

namespace apf {

namespace {

std::uint64_t conflicts_of(const QuotaWriteCounts& counts, const QuotaUpdates& updates, const QuotaStageReport& quota) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < updates.quotas.size(); ++i)
    if (updates.quotas[i].first == quota.ns && updates.quotas[i].second == quota.name) sum += counts.conflicts_of[i];
  return sum;
}

// Of a quota that several servers see recounted at one instant there is one recount.
void sort_recounts(std::vector<QuotaWrite>& recounts, const std::vector<QuotaSet>& sets) {
  const auto place = [&](const QuotaWrite& write) {
    return std::make_tuple(write.time, sets[write.quotas].quotas.front());
  };
  std::sort(recounts.begin(), recounts.end(),
            [&](const QuotaWrite& a, const QuotaWrite& b) { return place(a) < place(b); });
  const auto same = [&](const QuotaWrite& a, const QuotaWrite& b) { return place(a) == place(b); };
  recounts.erase(std::unique(recounts.begin(), recounts.end(), same), recounts.end());
}

}  // namespace

QuotaUpdateBook::QuotaUpdateBook(QuotaConflicts of, const QuotaEngine& engine) {
  updates_->of = of;
  for (const QuotaState& quota : engine.quotas()) {
    updates_->quotas.emplace_back(quota.ns, quota.name);
    namespaces_.push_back(static_cast<std::uint32_t>(engine.quotas_of(quota.ns).front()));
  }
}

std::uint32_t QuotaUpdateBook::number_of(std::vector<std::uint32_t> quotas) {
  const auto [at, is_new] = numbers_.try_emplace(quotas, static_cast<std::uint32_t>(updates_->sets.size()));
  if (is_new) updates_->sets.push_back({namespaces_[quotas.front()], std::move(quotas)});
  return at->second;
}

void QuotaUpdateBook::add(Nanos now, const std::vector<std::size_t>& quotas, bool in_report) {
  updates_->requests.push_back({now, number_of({quotas.begin(), quotas.end()}), in_report});
}

void QuotaUpdateBook::recount(Nanos now, std::size_t quota) {
  updates_->recounts.push_back({now, number_of({static_cast<std::uint32_t>(quota)}), false});
}

void count_conflicts(std::span<ResourceQuotaReport* const> servers) {
  if (servers.empty()) return;
  std::vector<std::vector<QuotaWrite>> requests;
  std::vector<QuotaWrite> recounts;
  std::vector<QuotaSet> sets;
  for (const ResourceQuotaReport* server : servers) {
    const auto first = static_cast<std::uint32_t>(sets.size());
    sets.insert(sets.end(), server->updates->sets.begin(), server->updates->sets.end());
    const auto renumbered = [&](QuotaWrite write) {
      write.quotas += first;
      return write;
    };
    std::vector<QuotaWrite>& own = requests.emplace_back();
    for (const QuotaWrite& write : server->updates->requests) own.push_back(renumbered(write));
    for (const QuotaWrite& write : server->updates->recounts) recounts.push_back(renumbered(write));
  }
  sort_recounts(recounts, sets);
  const QuotaUpdates& any = *servers.front()->updates;
  const std::vector<QuotaWriteCounts> counts =
      count_quota_conflicts(requests, recounts, sets, any.quotas.size(), {any.of.lag, any.of.write});
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const QuotaWriteCounts& of = counts[i];
    servers[i]->conflicts = {any.of, of.requests, of.updates, of.conflicts, of.retried, of.refused, of.timed_out};
    for (QuotaStageReport& quota : servers[i]->quotas) quota.conflicts = conflicts_of(of, any, quota);
  }
}

void add_conflicts(QuotaConflictReport& sum, const QuotaConflictReport& of_one) {
  sum.of = of_one.of;
  sum.requests += of_one.requests;
  sum.updates += of_one.updates;
  sum.conflicts += of_one.conflicts;
  sum.retried += of_one.retried;
  sum.refused += of_one.refused;
  sum.timed_out += of_one.timed_out;
}

}  // namespace apf
