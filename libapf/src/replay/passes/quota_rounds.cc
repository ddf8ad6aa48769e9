#include "replay/passes/quota_rounds.h"

#include <algorithm>
#include <utility>

#include <apf/error.h>

#include "replay/passes/ensemble.h"

namespace apf {

namespace {

// Where requests wait for each other, a round may make no more certain than that the next answer stays.
constexpr std::uint64_t kLeastRounds = 8, kMostRequests = 500'000;

std::uint64_t most_rounds(std::span<const ReplayReport> reports) {
  std::uint64_t requests = 1;
  for (const ReplayReport& report : reports) requests += report.requests;
  return std::max(kLeastRounds, kMostRequests / requests);
}

bool is_interrupted(std::span<const ReplayReport> reports) {
  return std::any_of(reports.begin(), reports.end(), [](const ReplayReport& report) { return report.interrupted; });
}

// What a server asked; null: nothing arrived.
const QuotaUpdates* updates_of(const ReplayReport& report) {
  return report.resource_quota ? report.resource_quota->updates.get() : nullptr;
}

std::uint64_t changed(const QuotaUpdates& updates, const std::vector<QuotaAnswer>& answers) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) count += answers[i] != updates.asked[i].answer;
  return count;
}

std::shared_ptr<const QuotaRound> next_round(const QuotaUpdates& updates, std::vector<QuotaAnswer>&& answers,
                                             const ResourceQuotaReport& report) {
  auto round = std::make_shared<QuotaRound>();
  round->first = false;
  round->report = report;
  for (std::size_t i = 0; i < answers.size(); ++i)
    round->answers.insert_or_assign(updates.asked[i].request, std::move(answers[i]));
  return round;
}

}  // namespace

void check_can_begin_again(const OutputFile& file, const char* refusal) {
  if (!file.can_begin_again()) throw Error(refusal);
}

QuotaRounds::QuotaRounds(std::span<const ReplayOptions> servers, bool kept) : servers_(servers), kept_(kept) {
  if (servers.empty() || !servers.front().limits_resources() || servers.front().quota_round) return;
  if (servers.size() > 1 || servers.front().quota_conflicts)
    rounds_.assign(servers.size(), std::make_shared<const QuotaRound>());
}

bool QuotaRounds::again(std::span<ReplayReport> reports) {
  if (single()) return false;
  std::vector<std::size_t> numbers;  // of servers that asked
  std::vector<const QuotaUpdates*> updates;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!updates_of(reports[i])) continue;
    numbers.push_back(i);
    updates.push_back(updates_of(reports[i]));
  }
  if (updates.empty()) return false;
  QuotaSettlement settled = settle_quotas(updates);
  std::uint64_t unsettled = 0;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    ResourceQuotaReport& report = settled.reports[i];
    report.shared = servers_.size() > 1;
    report.unsettled = changed(*updates[i], settled.answers[i]);
    unsettled += report.unsettled;
  }
  if (unsettled == 0 || ++number_ >= most_rounds(reports) || is_interrupted(reports)) {
    for (std::size_t i = 0; i < updates.size(); ++i) {
      ReplayReport& report = reports[numbers[i]];
      for (ReplayReport& other : report.others)
        if (other.resource_quota) other.resource_quota = settled.reports[i];
      report.resource_quota = std::move(settled.reports[i]);
    }
    return false;
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (!kept_)
      check_can_be_read_again(servers_[numbers[i]], "a quota that several servers share, or whose updates conflict,");
    rounds_[numbers[i]] = next_round(*updates[i], std::move(settled.answers[i]), settled.reports[i]);
  }
  return true;
}

}  // namespace apf
