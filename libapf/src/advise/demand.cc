#include "advise/demand.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace apf {

namespace {

constexpr std::size_t kBins = 512;

// How long it runs; 0: nobody knows.
Nanos duration_of(const PreparedEvent& event) {
  if (event.watch || event.left_out != LeftOut::no || event.recorded_refusal) return 0;
  if (event.execution != kNoTime) return std::max<Nanos>(event.execution, 0);
  if (event.stage_time == kNoTime || event.http) return 0;
  const Nanos total = event.stage_time - event.received;
  return std::max<Nanos>(0, total - (event.queue_wait == kNoTime ? 0 : event.queue_wait));
}

// For each bin in which requests arrive, what they do in each bin when they begin as late as they may.
class Grid {
 public:
  Grid(Nanos begin, Nanos end)
      : begin_(begin),
        width_(std::max<Nanos>(1, (end - begin) / static_cast<Nanos>(kBins) + 1)),
        work_(kBins * kBins),
        arrived_(kBins) {}

  void add(Nanos arrival, Nanos starts, Nanos runs) {
    if (arrival < begin_) return;
    const std::size_t row = bin_of(arrival);
    if (row >= kBins) return;
    ++arrived_[row];
    for (Nanos at = starts; at < starts + runs;) {
      const std::size_t column = bin_of(at);
      if (column >= kBins) return;
      const Nanos next = std::min(starts + runs, edge(column + 1));
      work_[row * kBins + column] += static_cast<double>(next - at);
      at = next;
    }
  }

  Demand densest() const;

 private:
  std::size_t bin_of(Nanos time) const { return static_cast<std::size_t>((time - begin_) / width_); }
  Nanos edge(std::size_t bin) const { return begin_ + static_cast<Nanos>(bin) * width_; }

  const Nanos begin_, width_;
  std::vector<double> work_;  // by row and column, in ns
  std::vector<std::uint64_t> arrived_;
};

Demand Grid::densest() const {
  Demand best;
  std::vector<double> columns(kBins);  // of all rows from this one on
  std::uint64_t arrived = 0;
  for (std::size_t row = kBins; row-- > 0;) {
    arrived += arrived_[row];
    double sum = 0;
    std::uint64_t later = arrived;
    for (std::size_t column = row; column < kBins; ++column) {
      columns[column] += work_[row * kBins + column];
      sum += columns[column];
      later -= arrived_[column];
      const double seconds = sum / static_cast<double>(kSecond);
      const Nanos length = edge(column + 1) - edge(row);
      const Demand found{edge(row), edge(column + 1), seconds, arrived - later};
      if (length >= kSecond && found.seats() > best.seats()) best = found;
    }
  }
  return best;
}

std::vector<bool> flows_that_count(const PreparedLog& log, const ReplayOptions& options, const std::string& level,
                                   const Plan& levels) {
  ReplayOptions changed = options;
  apply_plan(levels, changed);
  const std::vector<PreparedLog::FlowPlace> before = log.places_of_flows(options), after = log.places_of_flows(changed);
  std::vector<bool> out;
  for (std::size_t flow = 0; flow < before.size(); ++flow)
    out.push_back(!before[flow].exempt &&
                  (level.empty() || (before[flow].priority_level == level && after[flow].priority_level == level)));
  return out;
}

}  // namespace

double Demand::seats() const {
  return to > from ? seat_seconds / (static_cast<double>(to - from) / static_cast<double>(kSecond)) : 0;
}

Demand densest_demand(const PreparedLog& log, const ReplayOptions& options, const std::string& level,
                      const Plan& levels, std::optional<Nanos> longest_wait) {
  const std::vector<bool> counts = flows_that_count(log, options, level, levels);
  std::optional<Nanos> first, last;
  Nanos now = 0;
  JoinedEvent joined;
  for (CompactEvents::Reader events(log.events()); events.next(now, joined);) {
    if (joined.kind != JoinedEvent::Kind::request) continue;
    first = std::min(first.value_or(joined.event.received), joined.event.received);
    last = std::max(last.value_or(joined.event.received), joined.event.received + duration_of(joined.event));
  }
  if (!first) return {};
  Grid grid(*first, *last + 1);
  for (CompactEvents::Reader events(log.events()); events.next(now, joined);) {
    const PreparedEvent& event = joined.event;
    const Nanos runs = joined.kind == JoinedEvent::Kind::request ? duration_of(event) : 0;
    if (runs == 0 || !counts[event.flow]) continue;
    grid.add(event.received, event.received + std::min(event.wait_limit, longest_wait.value_or(event.wait_limit)),
             runs);
  }
  return grid.densest();
}

}  // namespace apf
