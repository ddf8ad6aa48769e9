// What a PriorityLevelConfiguration asks for, and the limits that come of it among its peers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/limits.h>
#include <apf/version.h>
#include "schedule/queue_set.h"

#include "schedule/borrow.h"

namespace apf {

// A well-formed level, its optional fields read as the server reads them without defaulting: what is absent counts as
// 0, an absent borrowing limit as none.
struct LevelSpec {
  std::string name;
  bool exempt = false;
  std::int64_t nominal_concurrency_shares = 0;
  std::int32_t lendable_percent = 0;
  std::optional<std::int32_t> borrowing_limit_percent;
  int queues = 0, hand_size = 0, queue_length_limit = 0;  // 0 unless the level queues

  bool reject() const { return !exempt && queues == 0; }
  QueueSetSettings settings(int current_cl) const;
};

LevelSpec level_spec(const PriorityLevel& level);
// The mandatory levels that a server imagines while there are no such objects.
std::vector<LevelSpec> mandatory_levels();
// The same; none with a configuration in the KEP's dialect, which has backstops of its own.
std::vector<LevelSpec> mandatory_levels(const Config& config);
// Sorted by name, malformed ones left out; of several with one name the last counts. Nothing is supplied but what the
// KEP's dialect implies.
std::vector<LevelSpec> well_formed_levels(const Config& config);

struct NominalSums {
  std::int64_t share_sum = 0, nominal_sum = 0;
};
// Divides the server's seats among `specs` by their shares and writes everything but initial_cl into `limits`, which
// is parallel to `specs`. max_seats of a level that does not queue is left as it was.
NominalSums divide_concurrency(std::span<const LevelSpec> specs, int server_concurrency_limit, KubeVersion version,
                               std::span<LevelLimits> limits);

// What a new level starts from, before the borrowing step of its digest.
inline int initial_current_cl(const LevelLimits& limits) { return limits.nominal_cl - limits.lendable_cl / 2; }

// Sets the bounds in `state` that the division gave.
void take_limits(const LevelLimits& limits, BorrowState& state);

// Null if the table has no level of that name.
const LevelLimits* find_level(const LimitsTable& table, std::string_view name);

}  // namespace apf
