// Which combination of a sweep works best, by load, and which size of server is enough.
#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "base/sort_stably.h"
#include "report/advise/sweep_words.h"
#include "report/core/units.h"
#include "report/lint/preset_seats.h"
#include "report/replay/doubts.h"
#include "report/replay/outcome_columns.h"

namespace apf {

namespace {

constexpr std::size_t kMostLoads = 4;  // that the verdict names

std::string name_of(std::size_t combination, const SweepReport& report) {
  const SweepReport::Combination& of = report.combinations[combination];
  return "\"" + of.configuration + (has_flags(report) ? "\" with \"" + of.flags : std::string()) + "\"";
}

Range<std::uint64_t> rejected_of(const SweepResult& result) { return versions_of(result.totals).range(refused_of); }
Range<Nanos> p99_of(const SweepResult& result) {
  return versions_of(result.totals).range([](const RequestTally& tally) { return wait_of(tally, 0.99); });
}
std::string p99_text(const SweepResult& result) { return wait_text(versions_of(result.totals), 0.99); }

// Flags may scale the load.
double refused_part(const SweepResult& result) {
  const RequestTally& first = result.totals.front();
  return first.requests == 0 ? 0 : static_cast<double>(first.rejected()) / static_cast<double>(first.requests);
}

std::string refused_text(const SweepResult& result) {
  return rejected_of(result).high == 0 ? "none" : count_text(rejected_of(result));
}

// The first fares better in all of its replays than the other in any.
bool are_apart(const SweepResult& better, const SweepResult& worse) {
  const Range<std::uint64_t> a = rejected_of(better), b = rejected_of(worse);
  if (a.high < b.low) return true;
  return a.decided() && b.decided() && a.value == b.value && p99_of(better).high < p99_of(worse).low;
}

// Of one of several servers that differ by their seats alone.
bool is_sized(const SweepResult& result, const SweepReport& report) {
  return report.combinations[result.combination].seats > 0;
}

// Results that are alike together, in the order of the plan: servers of several sizes, or all others.
template <class Alike>
std::vector<std::vector<const SweepResult*>> together(const SweepReport& report, bool sized, Alike alike) {
  std::vector<std::vector<const SweepResult*>> out;
  for (const SweepResult& result : report.results) {
    if (is_sized(result, report) != sized) continue;
    const auto same = std::find_if(out.begin(), out.end(), [&](const std::vector<const SweepResult*>& of) {
      return alike(report.combinations[of.front()->combination], report.combinations[result.combination]);
    });
    (same == out.end() ? out.emplace_back() : *same).push_back(&result);
  }
  return out;
}

std::string load_verdict(const std::vector<const SweepResult*>& order, bool is_one_of_several,
                         const SweepReport& report) {
  const SweepResult& best = *order.front();
  const std::string& load = report.combinations[best.combination].load;
  const std::string at = !is_one_of_several ? std::string()
                         : load.empty()     ? "At the load of the logs, "
                                            : "At " + load + ", ";
  const auto requests = versions_of(best.totals).range([](const RequestTally& t) { return t.requests; });
  const std::string name = at + name_of(best.combination, report);
  const std::string refused = refused_text(best) + " of " + count_text(requests) + " requests";
  if (order.size() == 1)
    return fmt::format("{} refuses {}; the p99 of their waits is {}.", name, refused, p99_text(best));
  const SweepResult& next = *order[1];
  return fmt::format("{} works best: it refuses {}, p99 wait {}. {} {}: {}, {}.", name, refused, p99_text(best),
                     are_apart(best, next) ? "Next is" : "No more than chance apart is",
                     name_of(next.combination, report), refused_text(next), p99_text(next));
}

// Of each configuration with each of the sets of flags that are of several sizes: the smallest first, as in the plan.
std::vector<std::vector<const SweepResult*>> by_size(const SweepReport& report) {
  using Combination = SweepReport::Combination;
  return together(report, true, [](const Combination& a, const Combination& b) {
    return a.configuration == b.configuration && a.sizes_of == b.sizes_of;
  });
}

// The smallest from which on nothing is refused.
void judge_sizes(const std::vector<const SweepResult*>& sizes, bool alone, const SweepReport& report,
                 Verdict& verdict) {
  const auto refuses = [](const SweepResult* result) { return rejected_of(*result).high > 0; };
  const auto last = std::find_if(sizes.rbegin(), sizes.rend(), refuses);  // the largest that refuses
  const auto enough = last.base();
  const auto seats_of = [&](const SweepResult* result) {
    return seats_in_words(report.combinations[result->combination].seats);
  };
  const SweepReport::Combination& of = report.combinations[sizes.front()->combination];
  const std::string name = fmt::format("\"{}\" with \"{}\"", of.configuration, of.sizes_of);
  if (!verdict.what.empty()) verdict.what += ' ';
  if (enough == sizes.end()) {
    verdict.tone = Tone::bad;
    verdict.what += fmt::format("{} needs more than {}, the most that were tried: it refuses {}.", name,
                                seats_of(sizes.back()), refused_text(*sizes.back()));
    return;
  }
  verdict.what += fmt::format("{}: {} {} with which nothing is refused, p99 wait {}.", name, seats_of(*enough),
                              enough == sizes.begin() ? "or fewer are enough; they are the fewest that were tried,"
                                                      : "are the fewest of those tried",
                              p99_text(**enough));
  if (last != sizes.rend())
    verdict.what += fmt::format(" With {}, {} {} refused.", seats_of(*last), refused_text(**last),
                                rejected_of(**last).high == 1 ? "is" : "are");
  if (alone && doubts_of(report).empty())
    if (const std::string presets = presets_with(report.combinations[(*enough)->combination].seats); !presets.empty())
      verdict.what += ' ' + presets;
}

}  // namespace

std::vector<std::vector<const SweepResult*>> by_load(const SweepReport& report) {
  using Combination = SweepReport::Combination;
  std::vector<std::vector<const SweepResult*>> out =
      together(report, false, [](const Combination& a, const Combination& b) { return a.load == b.load; });
  for (std::vector<const SweepResult*>& results : out)
    sort_stably(results, [](const SweepResult* a, const SweepResult* b) {
      return std::tuple(refused_part(*a), p99_of(*a).value) < std::tuple(refused_part(*b), p99_of(*b).value);
    });
  return out;
}

Verdict verdict_of(const SweepReport& report) {
  if (report.results.empty()) return {Tone::bad, "No log has all of its replays: no combination can be compared."};
  if (report.requests == 0) return {Tone::bad, "No log has a request: nothing can be said."};
  // What refuses less of a smaller load is not better for it.
  const std::vector<std::vector<const SweepResult*>> loads = by_load(report);
  Verdict out{doubts_of(report).empty() ? Tone::good : Tone::caution, ""};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const SweepResult& best = *loads[i].front();
    if (rejected_of(best).high > 0) out.tone = Tone::caution;
    if (i < kMostLoads) out.what += (i == 0 ? "" : " ") + load_verdict(loads[i], loads.size() > 1, report);
  }
  const std::vector<std::vector<const SweepResult*>> sized = by_size(report);
  for (const std::vector<const SweepResult*>& sizes : sized) judge_sizes(sizes, sized.size() == 1, report, out);
  if (loads.size() > kMostLoads)
    out.what += fmt::format(" The table has {}.", counted(loads.size() - kMostLoads, "more load", "more loads"));
  return out;
}

}  // namespace apf
