#include "replay/stages/stage_book.h"

#include <algorithm>
#include <tuple>

namespace apf {

namespace {

// The first `top` by `measure`, those of nothing left out; ties by name.
template <class Measure>
std::vector<RequesterReport> leaders(const std::vector<RequesterReport>& all, int top, Measure measure) {
  std::vector<const RequesterReport*> ranked;
  for (const RequesterReport& r : all)
    if (measure(r) > 0) ranked.push_back(&r);
  const auto n = static_cast<std::ptrdiff_t>(std::min(ranked.size(), static_cast<std::size_t>(std::max(top, 0))));
  std::partial_sort(ranked.begin(), ranked.begin() + n, ranked.end(),
                    [&](const RequesterReport* a, const RequesterReport* b) {
                      const auto x = measure(*a), y = measure(*b);
                      return x != y ? x > y : std::tie(a->user, a->user_agent) < std::tie(b->user, b->user_agent);
                    });
  std::vector<RequesterReport> out;
  for (std::ptrdiff_t i = 0; i < n; ++i) out.push_back(*ranked[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

void StageBook::pass_late(Tally& tally, Nanos delay) {
  ++tally.delayed;
  tally.delay_sum += static_cast<double>(delay);
  tally.delay_max = std::max(tally.delay_max, delay);
  delay_.add(delay);
}

void StageBook::refuse(std::uint32_t requester, const char* reason) {
  Tally& tally = of(requester);
  ++tally.requests;
  ++tally.refused;
  ++refused_;
  ++reasons_[reason];
}

void StageBook::fill(StageReport& report, const std::vector<Requester>& requesters, int top) const {
  report.bypassed = bypassed_;
  report.passed = passed_;
  report.delayed = delay_.count();
  report.delay = delay_;
  report.refused = refused_;
  report.reasons = reasons_;
  std::vector<RequesterReport> all;
  for (std::size_t i = 0; i < tallies_.size() && i < requesters.size(); ++i) {
    const Tally& t = tallies_[i];
    if (t.requests == 0) continue;
    all.push_back(
        {requesters[i].user, requesters[i].user_agent, t.requests, t.delayed, t.refused, t.delay_sum, t.delay_max});
  }
  report.requesters = all.size();
  report.delayed_most = leaders(all, top, [](const RequesterReport& r) { return r.delay_sum; });
  report.refused_most = leaders(all, top, [](const RequesterReport& r) { return r.refused; });
}

void StageTable::fill(std::vector<StageReport>& reports, const std::vector<Requester>& requesters, int top) const {
  for (std::size_t i = 0; i < books_.size(); ++i) {
    if (!books_[i]) continue;
    StageReport& report = reports.emplace_back();
    report.stage = static_cast<AdmissionStage>(i);
    books_[i]->fill(report, requesters, top);
  }
}

}  // namespace apf
