// What a server and the quota controller write into quotas' statuses in the course of a replay, and how often the
// servers of a cluster are in each other's way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apf/replay.h>

#include "admission/quota_engine.h"
#include "admission/quota_writes.h"

namespace apf {

struct QuotaUpdates {
  QuotaConflicts of;
  std::vector<std::pair<std::string, std::string>> quotas;  // namespaces and names, by number
  std::vector<QuotaSet> sets;
  std::vector<QuotaWrite> requests, recounts;  // in order of time
};

class QuotaUpdateBook {
 public:
  QuotaUpdateBook(QuotaConflicts of, const QuotaEngine& engine);

  // A request that these quotas of one namespace are charged for.
  void add(Nanos now, const std::vector<std::size_t>& quotas, bool in_report);
  // The quota controller finds less used.
  void recount(Nanos now, std::size_t quota);
  std::shared_ptr<const QuotaUpdates> take() { return std::move(updates_); }

 private:
  std::uint32_t number_of(std::vector<std::uint32_t> quotas);

  std::shared_ptr<QuotaUpdates> updates_ = std::make_shared<QuotaUpdates>();
  std::vector<std::uint32_t> namespaces_;  // by quota
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_;
};

// The servers of one cluster: all with updates, of the same quotas. Sets what they say of conflicts.
void count_conflicts(std::span<ResourceQuotaReport* const> servers);
void add_conflicts(QuotaConflictReport& sum, const QuotaConflictReport& of_one);

}  // namespace apf
