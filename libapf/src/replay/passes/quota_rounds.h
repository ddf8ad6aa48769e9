// Replays in rounds: servers that share quotas, and updates that conflict. Each server is replayed by itself; what it
// asks of quotas is then answered together with what all others ask, in order of time, and with these answers it is
// replayed again, until no answer changes. By then they are those of servers that run side by side: an answer depends
// on earlier ones only. Mostly the second round is the last one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <apf/output.h>
#include <apf/replay.h>

#include "replay/stages/quota_updates.h"

namespace apf {

// Throws Error, which says `refusal`, where what was written of a replay cannot be taken back.
void check_can_begin_again(const OutputFile& file, const char* refusal);
inline constexpr const char* kWrittenInRounds =
    "quotas that several servers share, or whose updates conflict, need several replays, but what was written of the "
    "first cannot be taken back: write decisions and timeline to regular files";

class QuotaRounds {
 public:
  // `kept`: no round reads the logs again.
  explicit QuotaRounds(std::span<const ReplayOptions> servers, bool kept = false);

  // One round is all there is: nothing is shared, nothing conflicts, or another one's rounds are under way.
  bool single() const { return rounds_.empty(); }
  // What holds for a server in this round.
  std::shared_ptr<const QuotaRound> of(std::size_t server) const {
    return single() ? servers_[server].quota_round : rounds_[server];
  }
  // After a round. False: it was the last one, and the reports say what quotas came to. Throws Error where a log would
  // have to be read again that can be read only once.
  bool again(std::span<ReplayReport> reports);

 private:
  const std::span<const ReplayOptions> servers_;
  const bool kept_;
  std::vector<std::shared_ptr<const QuotaRound>> rounds_;  // by server
  std::uint64_t number_ = 0;
};

}  // namespace apf
