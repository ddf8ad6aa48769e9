#include "advise/figures.h"

#include <algorithm>

#include <apf/time.h>

#include "base/thousands.h"

namespace apf {

namespace {

// Another replay.
void widen(std::optional<Figures>& out, const RequestTally& tally, int seats) {
  const std::uint64_t rejected = tally.rejected();
  const Nanos p99 = tally.wait.quantile(0.99);
  if (!out) out = {tally.requests, rejected, rejected, rejected, p99, p99, p99, seats};
  out->rejected_low = std::min(out->rejected_low, rejected);
  out->rejected_high = std::max(out->rejected_high, rejected);
  out->p99_low = std::min(out->p99_low, p99);
  out->p99_high = std::max(out->p99_high, p99);
}

}  // namespace

std::optional<Figures> figures_of(const std::vector<ReplayReport>& reports, const std::string& level) {
  std::optional<Figures> out;
  for (const ReplayReport& report : reports)
    for (const LevelReport& each : report.levels)
      if (each.name == level) widen(out, each.tally, each.nominal_cl);
  return out;
}

std::map<std::string, Figures> figures_by_user(const ReplayReport& report) {
  std::map<std::string, Figures> out;  // a user may have flows in several FlowSchemas
  for (const FlowReport& flow : report.all_flows) {
    const std::string& flow_name = flow.distinguisher.empty() ? flow.flow_schema : flow.distinguisher;
    Figures& figures = out[flow.user.empty() ? flow_name : flow.user];
    figures.requests += flow.tally.requests;
    figures.rejected += flow.tally.rejected();
    figures.p99 = std::max(figures.p99, flow.tally.wait.quantile(0.99));
  }
  for (auto& [name, figures] : out) {
    figures.rejected_low = figures.rejected_high = figures.rejected;
    figures.p99_low = figures.p99_high = figures.p99;
  }
  return out;
}

std::map<std::string, Figures> figures_by_user(const std::vector<ReplayReport>& reports) {
  std::map<std::string, Figures> out;
  for (std::size_t number = 0; number < reports.size(); ++number) {
    for (const auto& [name, figures] : figures_by_user(reports[number])) {
      const auto [known, fresh] = out.emplace(name, figures);
      Figures& all = known->second;
      if (fresh && number > 0) all.rejected_low = all.p99_low = 0;  // it has no requests in the first replay
      all.rejected_low = std::min(all.rejected_low, figures.rejected);
      all.rejected_high = std::max(all.rejected_high, figures.rejected);
      all.p99_low = std::min(all.p99_low, figures.p99);
      all.p99_high = std::max(all.p99_high, figures.p99);
    }
  }
  return out;
}

std::optional<Figures> figures_of_flows(const std::vector<ReplayReport>& reports,
                                        const std::function<bool(const FlowReport&)>& is_one) {
  std::optional<Figures> out;
  for (const ReplayReport& report : reports) {
    RequestTally all;
    for (const FlowReport& flow : report.all_flows) {
      if (!is_one(flow)) continue;
      all.requests += flow.tally.requests;
      all.outcomes += flow.tally.outcomes;
      all.wait.merge(flow.tally.wait);
    }
    if (all.requests > 0) widen(out, all, 0);
  }
  return out;
}

std::string between(const std::string& low, const std::string& high) { return low == high ? low : low + " to " + high; }

std::string in_words(const Figures& figures, bool of) {
  const auto wait = [](Nanos p99) { return format_go_duration(p99 / kMillisecond * kMillisecond); };
  return between(with_thousands(figures.rejected_low), with_thousands(figures.rejected_high)) +
         (of ? " of " + with_thousands(figures.requests) + (figures.requests == 1 ? " request" : " requests") : "") +
         (figures.rejected_high == 1 && figures.rejected_low == 1 ? " is" : " are") + " refused, and p99 is " +
         between(wait(figures.p99_low), wait(figures.p99_high));
}

}  // namespace apf
