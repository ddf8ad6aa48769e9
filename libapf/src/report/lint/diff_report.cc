// What changes from one configuration to another, as a document and as workflow commands of GitHub Actions.
#include <apf/findings_report.h>
#include <fmt/core.h>

#include <algorithm>

#include "report/core/chart.h"
#include "report/core/markup.h"
#include "report/core/units.h"
#include "report/lint/diff_words.h"

namespace apf {

namespace {

// Sentences that stand without the heading of the text.
std::vector<std::string> maintenance_by_name(const ConfigDiff& diff) {
  std::vector<std::string> out = maintenance_sentences(diff);
  for (std::string& sentence : out) sentence.replace(0, 2, "Kubernetes " + diff.new_side.version.str());
  return out;
}

Passage levels_passage(const ConfigDiff& diff) {
  Passage out("Levels");
  out.list(limits_reasons(diff), "  ");
  out.show(limits_table(diff));
  return out;
}

Passage seats_before_and_after(const ConfigDiff& diff) {
  Bars bars("Nominal seats of the levels that change", "Seats of levels before and after",
            "The table has the numbers.");
  bars.mean_marks("before");
  double most = 1;
  const auto seats = [&](const std::optional<LevelLimits>& limits) {
    const double out = limits ? std::max(0, limits->nominal_cl) : 0;
    most = std::max(most, out);
    return out;
  };
  for (const LimitsChange& change : diff.limits) seats(change.old_limits), seats(change.new_limits);
  for (const LimitsChange& change : diff.limits) {
    const double before = seats(change.old_limits), after = seats(change.new_limits);
    if (before == after) continue;
    const std::string now = change.new_limits ? grouped(change.new_limits->nominal_cl) : "none";
    bars.add({change.priority_level,
              (change.old_limits ? grouped(change.old_limits->nominal_cl) : "none") + " → " + now,
              "",
              most,
              {{after < before ? "after" : "served", after, after < before ? "after: fewer" : "after", now}},
              {before}});
  }
  Passage out("Before and after");
  Card card("seats-chart", "");
  if (!bars.empty()) card.add(bars);
  show_cards(out, {card});
  return out;
}

}  // namespace

Document document_of(const ConfigDiff& diff, const View& view, bool commands) {
  Document out("API Priority and Fairness: what changes");
  Passage& first = out.section();
  const std::vector<std::string> alarms = diff_alarms(diff);
  first.judge(diff_verdict(diff), diff.equal() && diff.complete ? Tone::good : Tone::caution);
  for (const std::string& alarm : alarms) first.say(alarm, Tone::bad, 2);
  const bool on_page = view.notation == Notation::html;
  if (on_page) {
    out.add(seats_before_and_after(diff));
    out.add(levels_passage(diff));
  }
  out.section("What Kubernetes " + diff.new_side.version.str() + " does by itself")
      .list(maintenance_sentences(diff), "  ");
  const GroupedRegions regions = grouped_regions(diff);
  Passage& moved = out.section("Requests that move");
  Passage shown("One request of each region, on both sides");
  for (const MovedRegion* region : regions.moved) {
    moved.item(region->requests + ": " + places_words(region->from, region->to), "  ");
    if (!commands || region->old_command.empty()) continue;
    for (const std::string* command : {&region->old_command, &region->new_command})
      (view.notation == Notation::text ? moved : shown).type(*command, "      ", Tone::faint);
  }
  Passage& schemas = out.section("FlowSchemas");
  schemas.list(regions.renamed, "  ");
  schemas.list(schema_sentences(diff), "  ");
  out.section("Flows").list(flow_sentences(diff), "  ");
  if (!on_page) out.add(levels_passage(diff));
  out.add(std::move(shown.folded()));
  return out;
}

std::string render_github(const ConfigDiff& diff) {
  std::string out;
  const auto say = [&](const char* command, const std::string& title, const std::string& message) {
    out += fmt::format("::{} title={}::{}\n", command, workflow_escaped(title, true), workflow_escaped(message, false));
  };
  const bool harm = !diff_alarms(diff).empty();
  say(harm ? "warning" : "notice", "apfctl diff", diff_verdict(diff));
  for (const std::string& alarm : diff_alarms(diff)) say("warning", "apfctl diff", alarm);
  const GroupedRegions regions = grouped_regions(diff);
  for (const MovedRegion* region : regions.moved) {
    say(region->system ? "warning" : "notice", "requests move",
        region->requests + ": " + places_words(region->from, region->to));
  }
  for (const auto& sentences : {maintenance_by_name(diff), regions.renamed, schema_sentences(diff),
                                flow_sentences(diff), limits_reasons(diff)}) {
    for (const std::string& sentence : sentences) say("notice", "apfctl diff", sentence);
  }
  for (const LimitsChange& change : diff.limits) {
    const auto seats = [](const std::optional<LevelLimits>& limits) {
      return limits ? fmt::format("{} seats ({} to {})", limits->nominal_cl, limits->min_cl, limits->max_cl)
                    : std::string("none");
    };
    say("notice", "level " + change.priority_level, seats(change.old_limits) + " → " + seats(change.new_limits));
  }
  return out;
}

}  // namespace apf
