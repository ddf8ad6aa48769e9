// The levels of one server over time: which are present, with what limits, and what a digest or an adjustment makes
// of them (lockAndDigestConfigObjects and updateBorrowingLocked of apf_controller.go, v1.36).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/borrow.h"
#include "schedule/controller_options.h"
#include "schedule/level_state.h"
#include "schedule/queue_set.h"
#include "schedule/retry_after.h"

namespace apf {

struct ControllerLevel {
  LevelSpec spec;
  LevelLimits limits;
  BorrowState borrow;
  std::optional<QueueSet> queues;
  RetryAfter retry_after;
  bool quiescing = false;  // no longer wanted, but busy
  bool gone = false;       // not wanted and idle: its last seats may still linger, but it has no shares any more

  // As the server sees it: lingering seats do not keep a level.
  bool idle() const {
    const QueueSet::Counts counts = queues->counts();
    return counts.waiting == 0 && counts.executing == 0;
  }
};

class ControllerLevels {
 public:
  explicit ControllerLevels(const ControllerOptions& options);

  // Takes in the wanted levels and computes the limits. The queue sets know nothing of it before apply().
  // `imagines`: the mandatory levels are there whether wanted or not. (They are not in the KEP's dialect.)
  void digest(Nanos now, std::vector<LevelSpec> wanted, bool imagines);
  // The same with the levels wanted last: a level that lingered has become idle.
  void digest_again(Nanos now) { digest(now, std::vector<LevelSpec>(wanted_), imagines_); }
  // The same for the periodic adjustment.
  void adjust(Nanos now);
  // After adjust() and apply() at `now`: would adjustments `period` apart leave all limits as they are, as long as
  // nothing happens?
  bool is_still(Nanos now, Nanos period);
  // As many such adjustments, the first one a period after `now`.
  void stay(Nanos now, Nanos period, std::uint64_t times);
  // Gives level `id` its new settings; its queue set may dispatch.
  void apply(Nanos now, LevelId id);

  bool borrows() const { return rule_ != BorrowRule::none; }
  // Whether the last digest was an adjustment that ended its period early, so that the next one is a whole period
  // later. KEP-1040 has that; the server's clock runs on.
  bool restarts_period() const { return restarts_period_; }
  // Deviations of demand that were no numbers (a variance that rounding made negative).
  std::uint64_t odd_deviations() const { return odd_deviations_; }
  // Did the last step move anything that a later step could build on?
  bool settled() const { return settled_; }
  // What the last digest or adjustment left. Valid until the next.
  Round round(Nanos now, bool config) const { return {now, config, fair_frac_, rounds_}; }

  std::span<const LevelId> present() const { return present_; }  // sorted by name
  std::optional<LevelId> find(std::string_view name) const;
  std::size_t size() const { return levels_.size(); }
  ControllerLevel& operator[](LevelId id) { return *levels_[id]; }

 private:
  LevelId introduce(const LevelSpec& spec);
  void choose_present(std::vector<LevelId>& next);
  // False: all levels are there as before, with the limits of before.
  bool divide();
  void observe(Nanos now);
  void step();
  bool is_settled(const BorrowState& state) const;

  ControllerOptions options_;
  BorrowRule rule_;
  QueueSetRules queue_rules_;
  std::vector<std::unique_ptr<ControllerLevel>> levels_;  // by id
  std::vector<LevelId> present_;
  std::vector<LevelSpec> wanted_;
  bool imagines_ = true;
  std::int64_t nominal_sum_ = 0;
  double fair_frac_ = -1;
  bool settled_ = false;
  bool restarts_period_ = false;
  std::uint64_t odd_deviations_ = 0;
  std::vector<BorrowState> states_;  // scratch of step()
  std::vector<LevelRound> rounds_;
};

}  // namespace apf
