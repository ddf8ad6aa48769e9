// What a controller is made with, and what it says of its levels.
#pragma once

#include <cstdint>
#include <span>

#include <apf/limits.h>
#include <apf/time.h>
#include <apf/version.h>

namespace apf {

struct ControllerOptions {
  int server_concurrency_limit = 600;  // seats
  KubeVersion version = kNewestKubeVersion;
  Borrowing borrowing = Borrowing::server;
  Nanos start = 0;  // when the server came up: first adjustment then, next ones every 10 s (see ControllerListener)
  bool mandatory_levels = true;    // imagined until the first digest; a configuration in the KEP's dialect has none
  bool watch_dispatching = false;  // see QueueSet::watch_dispatching; on_no_accommodation is called
  bool watch_finishing = true;     // on_finish is called
  // How long a request may wait before another one drives it out of its queue, where the release has no exact limit: a
  // quarter of --request-timeout.
  Nanos lazy_wait_limit = 15 * kSecond;
  // Adjustments that change nothing are left out where more than an hour of them lies ahead.
  bool skips_still_time = true;
};

using LevelId = std::uint32_t;  // stable over configuration changes; a level of the same name that returns while it
                                // lingers keeps its id

// What a digest or an adjustment left a level with.
struct LevelRound {
  LevelId level = 0;
  int nominal_cl = 0, min_cl = 0, max_cl = 0, current_cl = 0;
  double high_watermark = 0, avg = 0, stdev = 0, smoothed = 0;
  double min_current_cl = 0, target = 0;
};
struct Round {
  Nanos time = 0;
  bool config = false;                 // a digest; else a periodic adjustment
  double fair_frac = -1;               // -1: not set in this step
  std::span<const LevelRound> levels;  // sorted by level name, lingering ones included
};

}  // namespace apf
