#include "advise/experiments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/parallel.h"
#include "base/sort_stably.h"
#include "replay/clients/retry_chains.h"
#include "replay/engine/run_options.h"
#include "replay/passes/ensemble.h"

namespace apf {

Experiments::Result Experiments::result_of(const ReplayReport& report) const {
  Result out{report.total.outcomes.refused(AdmissionStage::apf), report.total.wait.sum(), 0, report.levels};
  if (apart_.empty()) return out;
  for (const FlowReport& flow : report.all_flows)
    if (flow.user != apart_) out.others_refused += flow.tally.outcomes.refused(AdmissionStage::apf);
  return out;
}

void Experiments::set_apart(const std::string& user) {
  apart_ = user;
  base_ = result_of(report_);
}

Experiments::Experiments(const ReplayOptions& options, std::uint64_t most_requests)
    : options_(options), log_(options_), classes_(log_.classify(options_, FlowBooks::of_users)) {
  if (log_.read().requests > most_requests) find_worst_part(most_requests);
  report_ = log_.replay(options_, *classes_, nullptr, covers_);
  base_ = result_of(report_);
}

// The time in which most is refused, or waits longest, with as many requests as the bound allows.
void Experiments::find_worst_part(std::uint64_t most_requests) {
  ReplayOptions own = options_;
  own.series = true;
  const ReplaySeries series = log_.replay(own, *classes_).series;
  const std::size_t bins = series.levels.empty() ? 0 : series.levels.front().bins.size();
  std::vector<double> arrived(bins), harm(bins);
  for (const LevelSeries& level : series.levels)
    for (std::size_t i = 0; i < bins; ++i) {
      const SeriesBin& bin = level.bins[i];
      arrived[i] += static_cast<double>(bin.arrived);
      harm[i] += static_cast<double>(bin.refused.refused()) * 1e6 + bin.wait_sum;
    }
  if (bins == 0) return;
  auto begin = static_cast<std::size_t>(std::max_element(harm.begin(), harm.end()) - harm.begin());
  std::size_t end = begin + 1;
  double sum = arrived[begin];
  while (begin > 0 || end < bins) {
    const bool left = begin > 0 && (end == bins || harm[begin - 1] >= harm[end]);
    sum += left ? arrived[begin - 1] : arrived[end];
    if (sum > static_cast<double>(most_requests)) break;
    left ? --begin : ++end;
  }
  const Nanos from = series.begin + static_cast<Nanos>(begin) * series.width,
              to = series.begin + static_cast<Nanos>(end) * series.width;
  part_ = {from, to};
  covers_ = [from, to](JoinedEvent& joined) {
    return joined.kind != JoinedEvent::Kind::request || (joined.event.received >= from && joined.event.received < to);
  };
}

double Experiments::part_gone(const Result& result, const Result& base) {
  constexpr double kLongestWait = 15e9, kLittle = 0.1;  // ns of a wait that ends with a refusal; a part of the waits
  const auto part = [](double left, double all) { return all > 0 ? 1 - left / all : 0; };
  const auto refused = static_cast<double>(base.refused);
  return refused > 0 && refused * kLongestWait >= kLittle * base.wait
             ? part(static_cast<double>(result.refused), refused)
             : part(result.wait, base.wait);
}

Experiments::Result Experiments::replay(const Experiment& experiment) {
  ++replays_;
  return result_of(log_.replay(options_, *classes_, nullptr, experiment));
}

Experiments::Result Experiments::with(const CureCandidate& cure, const Experiment& experiment, int number) const {
  ReplayOptions own = options_;
  if (number > 0) vary(own, number, kFurther, clock_is_open(options_, report_));
  own.leaves_out_retries = true;
  if (!own.recorded) own.recorded = as_recorded(own);  // so that what was refused there runs as long as the rest
  if (cure.apply) cure.apply(own);
  return result_of(log_.replay(own, *log_.classify(own, FlowBooks::of_users), nullptr, experiment));
}

PreparedLog::Experiment Experiments::without(const Suspect& suspect) const {
  return [this, &suspect](JoinedEvent& joined) {
    return is_covered(joined) && (joined.kind != JoinedEvent::Kind::request || !suspect.takes(joined.event));
  };
}

namespace {

// Requests that may be repeats of a refused one, of clients that are not known to retry.
class OpenRepeats {
 public:
  bool add(const PreparedEvent& event) {
    const bool is_known = chains_.add(event).gap.has_value();
    const std::array<std::uint32_t, 4> key{event.requester, event.flow, event.target, event.copy};
    const bool is_repeat = event.recorded_refusal ? !refused_.insert(key).second : refused_.erase(key) > 0;
    return is_repeat && !is_known;
  }

 private:
  RetryChains chains_;
  std::set<std::array<std::uint32_t, 4>> refused_;  // last
};

}  // namespace

std::optional<std::uint64_t> Experiments::refused_at_least(const CureCandidate& cure) {
  constexpr std::uint64_t kFew = 20;  // one of
  if (!has_open_repeats_) {
    std::uint64_t repeats = 0, all = 0;
    OpenRepeats open;
    each_request(log_, covers_, [&](const PreparedEvent& event) {
      ++all;
      repeats += open.add(event) ? 1 : 0;
    });
    has_open_repeats_ = repeats * kFew >= all;
  }
  if (!*has_open_repeats_) return std::nullopt;
  ++replays_;
  const auto once = [&, open = OpenRepeats()](JoinedEvent& joined) mutable {
    return is_covered(joined) && (joined.kind != JoinedEvent::Kind::request || !open.add(joined.event));
  };
  return with(cure, once).refused;
}

std::uint64_t Experiments::refused_with_chance(const Experiment& experiment, int number) const {
  ReplayOptions own = options_;
  vary(own, number, kFurther, clock_is_open(options_, report_));
  return result_of(log_.replay(own, *classes_, nullptr, experiment)).refused;
}

std::vector<Experiments::OfSuspect> Experiments::try_all(const std::vector<Suspect>& suspects) {
  std::vector<OfSuspect> out(suspects.size());
  run_tasks(out.size(), options_.threads, [&](std::size_t i) {
    const Result result = result_of(log_.replay(options_, *classes_, nullptr, without(suspects[i])));
    out[i] = {&suspects[i], result, gone(result)};
  });
  // Of those without which about as much is gone, the one that spares others most; of the same, that of fewer requests.
  double most = 2.0 / 3;
  for (const OfSuspect& tried : out) most = std::max(most, 0.9 * tried.gone);
  const auto spared = [&](const OfSuspect& tried) {
    const auto others = static_cast<double>(base_.refused) - static_cast<double>(tried.suspect->refused);
    return others > 0 ? others - static_cast<double>(tried.result.refused) : 0;
  };
  sort_stably(out, [&](const OfSuspect& a, const OfSuspect& b) {
    if ((a.gone >= most) != (b.gone >= most)) return a.gone > b.gone;
    if (a.gone >= most && spared(a) != spared(b)) return spared(a) > spared(b);
    if (std::abs(a.gone - b.gone) > 1e-9) return a.gone > b.gone;
    return a.suspect->requests < b.suspect->requests;
  });
  replays_ += out.size();
  return out;
}

std::vector<Experiments::OfCure> Experiments::try_all(std::vector<CureCandidate> candidates) {
  std::vector<OfCure> out;
  for (CureCandidate& candidate : candidates) out.push_back({std::move(candidate), {}});
  if (out.empty()) return out;
  // What is cured is held against a log in which nobody comes back to what is served.
  if (!base_of_cures_) base_of_cures_ = with({}, covers_);
  run_tasks(out.size(), options_.threads, [&](std::size_t i) {
    out[i].result = with(out[i].candidate, covers_);
    out[i].gone = std::min(gone(out[i].result), part_gone(out[i].result, *base_of_cures_));
    if (const auto others = static_cast<double>(base_.others_refused); others > 0)
      out[i].spares = 1 - static_cast<double>(out[i].result.others_refused) / others;
  });
  sort_stably(out, [](const OfCure& a, const OfCure& b) { return a.candidate.size < b.candidate.size; });
  replays_ += out.size();
  return out;
}

}  // namespace apf
