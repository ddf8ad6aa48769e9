#include "sweep/sums.h"

#include <algorithm>
#include <tuple>

#include <apf/error.h>

#include "replay/books/tally.h"

namespace apf {

namespace {

constexpr std::size_t kMostWorst = 10;

// Figures are of each seed with both assumptions, so that logs that leave nothing open add up with those that do.
constexpr std::size_t kAssumptions = 2;

std::uint64_t log_of(const SweepCell& cell, const SweepReport& report) {
  return cell.number / (report.combinations.size() * report.seeds.size());
}

bool has_same_stages(const SweepStages& a, const SweepStages& b) {
  return std::equal(a.stages.begin(), a.stages.end(), b.stages.begin(), b.stages.end(),
                    [](const StageReport& x, const StageReport& y) { return x.stage == y.stage; });
}

// Of a result with its versions: what is the same in all of them is kept once.
void thin_out(SweepResult& result, bool open) {
  if (open) return;
  const auto every_second = [](auto& versions) {
    for (std::size_t i = 0; i * kAssumptions < versions.size(); ++i)
      if (i > 0) versions[i] = std::move(versions[i * kAssumptions]);
    versions.resize(versions.size() / kAssumptions);
  };
  every_second(result.totals);
  every_second(result.stages);
  for (SweepResult::Level& level : result.levels) every_second(level.tallies);
}

}  // namespace

void SweepSums::add(SweepCell&& cell) {
  if (!cells_.empty() && log_of(cells_.front(), report_) != log_of(cell, report_)) finish_log();
  ++report_.replayed;
  cells_.push_back(std::move(cell));
}

// Each set of flags once: its entries are the same with all configurations.
std::vector<SweepReport::UnusedEntry> SweepSums::unused_in_log() const {
  std::vector<SweepReport::UnusedEntry> out;
  for (const SweepCell& cell : cells_) {
    const auto combination = static_cast<std::size_t>(cell.number / report_.seeds.size()) % report_.combinations.size();
    for (const Remark& remark : cell.unused) {
      SweepReport::UnusedEntry entry{report_.combinations[combination].flags, remark};
      if (std::find(out.begin(), out.end(), entry) == out.end()) out.push_back(std::move(entry));
    }
  }
  return out;
}

// A name with a slip is in no log; what is in some of them is meant.
void SweepSums::keep_unused(const std::vector<SweepReport::UnusedEntry>& in_log) {
  if (report_.complete_logs == 0) report_.unused = in_log;
  std::erase_if(report_.unused, [&](const SweepReport::UnusedEntry& entry) {
    return std::find(in_log.begin(), in_log.end(), entry) == in_log.end();
  });
}

SweepSums::Replays SweepSums::replays_of(std::size_t combination) const {
  const std::size_t seeds = report_.seeds.size();
  Replays out;
  for (const SweepCell& cell : cells_) {
    if (cell.number / seeds % report_.combinations.size() != combination) continue;
    for (std::size_t i = 0; i < kAssumptions; ++i) out.push_back(&cell.replays[std::min(i, cell.replays.size() - 1)]);
  }
  if (out.size() != seeds * kAssumptions) out.clear();
  return out;
}

void SweepSums::finish_log() {
  SweepLogReport log;
  const CellLog& own = cells_.front().log;
  log.name = own.name;
  log.bytes = own.bytes;
  log.requests = own.requests;
  log.unusable = own.unusable;
  log.warnings = own.warnings;
  // Of configurations that are tried, the one that the server ran need not be known; but it is one of them.
  const bool any_agrees = std::any_of(cells_.begin(), cells_.end(), [](const SweepCell& cell) { return cell.agrees; });
  if (!any_agrees)
    log.warnings.insert(log.warnings.begin(), cells_.front().contradiction.begin(), cells_.front().contradiction.end());
  const std::vector<SweepReport::UnusedEntry> unused = unused_in_log();
  for (const SweepCell& cell : cells_)
    if (cell.replays.size() > 1) (cell.clients_open ? log.clients_open : log.undecided) = true;
  for (std::size_t combination = 0; combination < report_.combinations.size(); ++combination) {
    const Replays replays = replays_of(combination);
    if (replays.empty()) continue;
    SweepResult& result = log.results.emplace_back();
    result.combination = combination;
    for (const SweepCell::Level& level : replays.front()->levels)
      result.levels.push_back({level.name, level.exempt, std::vector<RequestTally>(replays.size())});
    for (std::size_t i = 0; i < replays.size(); ++i) {
      result.totals.push_back(replays[i]->total);
      result.stages.push_back(replays[i]->stages);
      if (!has_same_stages(replays[i]->stages, replays.front()->stages))
        throw Error("the replays of " + log.name + " differ in their stages");
      if (replays[i]->levels.size() != result.levels.size())
        throw Error("the replays of " + log.name + " differ in their levels");
      for (std::size_t level = 0; level < result.levels.size(); ++level) {
        if (replays[i]->levels[level].name != result.levels[level].name)
          throw Error("the replays of " + log.name + " differ in their levels");
        result.levels[level].tallies[i] = replays[i]->levels[level].tally;
      }
    }
  }
  log.complete = log.results.size() == report_.combinations.size();
  cells_.clear();
  if (log.complete) {
    keep_unused(unused);
    sum_up(log);
  }
  for (SweepResult& result : log.results) thin_out(result, log.undecided || log.clients_open);
  if (log.complete) rank(log);
  if (rows_) rows_(log, report_);
}

void SweepSums::sum_up(const SweepLogReport& log) {
  ++report_.complete_logs;
  report_.bytes += log.bytes;
  report_.requests += log.requests;
  report_.unusable += log.unusable;
  report_.unusable_in += log.unusable > 0 ? 1 : 0;
  if (log.requests == 0 || !log.warnings.empty()) report_.doubtful.push_back({log.name, log.requests, log.warnings});
  report_.undecided += log.undecided ? 1 : 0;
  report_.clients_open += log.clients_open ? 1 : 0;
  const std::size_t versions = report_.seeds.size() * kAssumptions;
  sums_.resize(report_.combinations.size());
  for (const SweepResult& result : log.results) {
    Sum& sum = sums_[result.combination];
    sum.totals.resize(versions);
    sum.stages.resize(versions);
    for (std::size_t i = 0; i < versions; ++i) {
      merge(sum.totals[i], result.totals[i]);
      merge(sum.stages[i], result.stages[i]);
    }
    for (const SweepResult::Level& level : result.levels) {
      SweepResult::Level& into = sum.levels[level.name];
      into.name = level.name;
      into.exempt = level.exempt;
      into.tallies.resize(versions);
      for (std::size_t i = 0; i < versions; ++i) merge(into.tallies[i], level.tallies[i]);
    }
  }
}

// Those that fare worst, in the order of the plan where they fare alike.
void SweepSums::rank(const SweepLogReport& log) {
  const auto key = [](const SweepWorst& worst) {
    const RequestTally& first = worst.totals.front();
    return std::tuple(first.rejected(), first.wait.quantile(0.99));
  };
  for (const SweepResult& result : log.results) {
    const RequestTally& first = result.totals.front();
    if (first.rejected() == 0 && first.queued == 0) continue;
    SweepWorst worst{log.name, result.combination, result.totals};
    const auto at = std::upper_bound(report_.worst.begin(), report_.worst.end(), worst,
                                     [&](const SweepWorst& a, const SweepWorst& b) { return key(a) > key(b); });
    if (at - report_.worst.begin() >= static_cast<std::ptrdiff_t>(kMostWorst)) continue;
    report_.worst.insert(at, std::move(worst));
    if (report_.worst.size() > kMostWorst) report_.worst.pop_back();
  }
}

void SweepSums::finish() {
  if (!cells_.empty()) finish_log();
  for (std::size_t combination = 0; combination < sums_.size(); ++combination) {
    SweepResult& result = report_.results.emplace_back();
    result.combination = combination;
    result.totals = std::move(sums_[combination].totals);
    result.stages = std::move(sums_[combination].stages);
    for (auto& [name, level] : sums_[combination].levels) result.levels.push_back(std::move(level));
    thin_out(result, report_.undecided > 0 || report_.clients_open > 0);
  }
}

}  // namespace apf
