#include "advise/replayed_log.h"

#include <utility>

#include "replay/central_run.h"
#include "replay/clients/unused_entries.h"
#include "replay/replay_into.h"
#include "replay/run_options.h"

namespace apf {

namespace {

bool has_models(const ReplayOptions& options) { return !options.client_models.empty() || options.client_models_by_log; }

}  // namespace

ReplayedLog::ReplayedLog(const ReplayOptions& options, FlowBooks books) : books_(books) {
  check_options(options);
  ReplayOptions arrivals = options;
  if (has_models(options)) {
    kept_ = read_and_keep(options, KeptReading::Flow::of_shapes);
    arrivals.client_models.clear();
    arrivals.client_models_by_log = false;
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

ReplayReport ReplayedLog::replay(const ReplayOptions& options, const Classes& classes) const {
  return kept_ ? kept_->replay_alone(options, classes.kept) : prepared_->replay(options, *classes.prepared);
}

void ReplayedLog::name_unused_entries(const ReplayOptions& options, ReplayReport& report) const {
  if (kept_) return;
  std::erase_if(report.warnings, is_of_unused_entry);  // of time-outs alone: no scale has been read
  for (Remark& remark : prepared_->unused_entries_of(options)) report.warnings.push_back(std::move(remark));
}

}  // namespace apf
