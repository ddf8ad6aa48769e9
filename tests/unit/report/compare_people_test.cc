// Whose loss decides the verdict of a comparison: that of those beside who floods.
#include "report/advise/compare_people.h"

#include <apf/advise.h>

#include "catch.h"
#include "report/advise/compare_words.h"

using namespace apf;

namespace {

using What = ComparedChange::What;

constexpr std::uint64_t kRequests = 1000;

// order-sync takes the seats of workload-low; `refused_others` is what is refused of others there under OLD.
CompareReport comparison_of(std::uint64_t refused_others) {
  CompareReport out;
  FlowReport flood;
  flood.priority_level = "workload-low";
  flood.distinguisher = "order-sync";
  flood.tally.seat_seconds = 700;
  flood.tally.outcomes[Outcome::queue_full] = 600;
  LevelReport level;
  level.name = "workload-low";
  level.tally.seat_seconds = 1000;
  level.tally.outcomes[Outcome::queue_full] = 600 + refused_others;
  out.old_report.refused_most.push_back(flood);
  out.old_report.levels.push_back(level);
  out.new_reports.emplace_back();
  out.flows = {10};
  return out;
}

void add(CompareReport& to, What what, const std::string& name, double before, double after) {
  ComparedChange& change = to.changes.emplace_back();
  change.what = what;
  change.name = name;
  change.metric = ComparedChange::Metric::rejected;
  change.beyond_chance = true;
  change.verdict = after > before ? ComparedChange::Verdict::worse : ComparedChange::Verdict::better;
  change.old_figure = {before, before, before, before, before, kRequests};
  change.new_figure = {after, after, after, after, after, kRequests};
}

}  // namespace

TEST_CASE("A comparison is bad where somebody beside the culprit is hurt, whatever the sum", "[compare]") {
  CompareReport better = comparison_of(200);
  add(better, What::flow, "order-sync", 600, 940);  // it alone is refused more, and so is the level
  add(better, What::flow, "web", 100, 0);
  add(better, What::level, "workload-low", 700, 940);
  CHECK(compare_tone(better, 0) == Tone::good);
  CHECK(people_words(better, 0) ==
        "Better for 1 flow, worse for 1 (order-sync, which floods: refused 60 % → 94 %), same for 8.");

  CompareReport hurt = comparison_of(200);
  add(hurt, What::flow, "order-sync", 600, 100);  // fewer refusals in sum
  add(hurt, What::flow, "web", 0, 5);
  add(hurt, What::level, "workload-low", 600, 105);
  CHECK(compare_tone(hurt, 0) == Tone::bad);
  CHECK(people_words(hurt, 0) == "Better for 1 flow, worse for 1 (web: refused 0 % → 0.5 %), same for 8.");
}

TEST_CASE("A level that loses more than its culprit hurts others", "[compare]") {
  CompareReport comparison = comparison_of(200);
  add(comparison, What::flow, "order-sync", 600, 700);
  add(comparison, What::level, "workload-low", 600, 701);
  CHECK(compare_tone(comparison, 0) == Tone::bad);
  comparison.changes.back().new_figure.value = 700;
  CHECK(compare_tone(comparison, 0) == Tone::good);
}

TEST_CASE("Who costs nobody else a refusal is no culprit: its loss counts", "[compare]") {
  CompareReport comparison = comparison_of(0);
  add(comparison, What::flow, "order-sync", 600, 940);
  CHECK(compare_tone(comparison, 0) == Tone::bad);
  CHECK(people_words(comparison, 0) ==
        "Better for 0 flows, worse for 1 (order-sync: refused 60 % → 94 %), same for 9.");
}
