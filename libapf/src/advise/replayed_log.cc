#include "advise/replayed_log.h"

#include <utility>

#include "replay/engine/central_run.h"
#include "replay/engine/run_options.h"
#include "replay/engine/unused_entries.h"
#include "replay/passes/replay_into.h"

namespace apf {

namespace {

bool clients_react(const ReplayOptions& options) {
  return options.retries || !options.client_models.empty() || options.client_models_by_log;
}

}  // namespace

ReplayedLog::ReplayedLog(const ReplayOptions& options, FlowBooks books) : books_(books) {
  check_options(options);
  ReplayOptions arrivals = options;
  if (clients_react(options)) {
    kept_ = read_and_keep(options, KeptReading::Flow::of_shapes);
    arrivals.client_models.clear();
    arrivals.client_models_by_log = arrivals.retries = false;
  }
  prepared_ = std::make_unique<const PreparedLog>(arrivals, kept_.get());
  const bool is_short = prepared_->events().size() <= kShortLog;
  if (!kept_ && options.recorded && options.candidates > 0 && is_short && can_be_read_again(options))
    usual_ = read_and_keep(options, KeptReading::Flow::of_shapes);
}

ReplayedLog::Classes ReplayedLog::classify(const ReplayOptions& options) const {
  if (kept_) return {nullptr, kept_->classify(options, books_)};
  return {prepared_->classify(options, books_), nullptr};
}

ReplayReport ReplayedLog::replay(const ReplayOptions& options, const Classes& classes,
                                 const PreparedLog::Decided& decided) const {
  if (!kept_) return prepared_->replay(options, *classes.prepared, decided);
  ReplayOptions alone = options;  // one replay, and not the median of several
  alone.candidates = 0;
  return kept_->replay_alone(alone, classes.kept);
}

ReplayReport ReplayedLog::median_replay(const ReplayOptions& options) const {
  const KeptReading& log = kept_ ? *kept_ : *usual_;
  return log.replay_alone(options, log.classify(options, books_));
}

void ReplayedLog::name_unused_entries(const ReplayOptions& options, ReplayReport& report) const {
  if (kept_) return;
  std::erase_if(report.warnings, is_of_unused_entry);  // of time-outs alone: no scale has been read
  for (Remark& remark : prepared_->unused_entries_of(options)) report.warnings.push_back(std::move(remark));
}

}  // namespace apf
