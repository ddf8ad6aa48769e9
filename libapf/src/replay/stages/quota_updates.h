// Quotas that several servers share, or whose updates conflict: what the servers ask of them in one replay, what they
// are answered by all of it in order of time, and what of that holds in the next replay.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/replay.h>

#include "replay/stages/quota_ledger.h"

namespace apf {

struct QuotaAnswer {
  HandlerStage::Verdict verdict = HandlerStage::Verdict::bypassed;
  Outcome outcome = Outcome::resource_quota;  // if refused
  std::string_view reason;                    // as long as the program lives
  int code = 0;
  std::string message;
  Nanos held = 0;  // how much later it comes by others' updates; of a refused one, after it was asked

  // Of a request that its quotas refuse.
  void set(const QuotaVerdict& refusal);
  bool operator==(const QuotaAnswer&) const = default;
};

// What a server asked, in order of time.
struct QuotaUpdates {
  struct Asked {
    std::uint64_t request = 0;  // its number in the log
    Nanos time = 0, end = 0;
    bool in_report = true;
    QuotaAsk ask;
    QuotaAnswer answer;  // that it got
  };
  std::shared_ptr<const QuotaSettings> settings;
  std::vector<Asked> asked;
  std::optional<Nanos> first_request;  // of all that the stage saw
  Nanos end = 0;                       // of the replay
};

// What holds for a server in one replay of several.
struct QuotaRound {
  bool first = true;                                       // the server's own quotas answer; there is nothing else yet
  std::unordered_map<std::uint64_t, QuotaAnswer> answers;  // by number of the request
  ResourceQuotaReport report;
};

struct QuotaSettlement {
  std::vector<std::vector<QuotaAnswer>> answers;  // by server, in the order of QuotaUpdates::asked
  std::vector<ResourceQuotaReport> reports;
};
// The servers of one cluster, of the same settings; there is at least one.
QuotaSettlement settle_quotas(std::span<const QuotaUpdates* const> servers);

// Sets what reports say of conflicts: for replays that do not feel them.
void count_conflicts(std::span<ResourceQuotaReport* const> servers);
void add_conflicts(QuotaConflictReport& sum, const QuotaConflictReport& of_one);

}  // namespace apf
