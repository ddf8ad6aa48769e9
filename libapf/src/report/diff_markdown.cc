// A diff of two configurations for a pull request's comment, and as workflow commands of GitHub Actions.
#include <apf/report.h>
#include <fmt/core.h>

#include "report/diff_words.h"
#include "report/markup.h"
#include "report/passage.h"

namespace apf {

namespace {

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? code(before) : code(before) + " → " + code(after);
}

// Sentences that stand without the heading of the text.
std::vector<std::string> maintenance_by_name(const ConfigDiff& diff) {
  std::vector<std::string> out = maintenance_sentences(diff);
  for (std::string& sentence : out) sentence.replace(0, 2, "Kubernetes " + diff.new_side.version.str());
  return out;
}

}  // namespace

std::string render_markdown(const ConfigDiff& diff) {
  std::string out = "### API Priority and Fairness: what changes\n\n**" + prose(diff_verdict(diff)) + "**\n";
  for (const std::string& alarm : diff_alarms(diff)) out += "\n⚠️ " + prose(alarm) + "\n";
  const GroupedRegions regions = grouped_regions(diff);
  std::string commands;
  if (!regions.moved.empty()) out += "\n| Requests | FlowSchema | Level |\n|---|---|---|\n";
  for (const MovedRegion* region : regions.moved) {
    out += fmt::format("| {} | {} | {} |\n", prose(region->requests),
                       arrow(region->from.flow_schema, region->to.flow_schema),
                       arrow(region->from.priority_level, region->to.priority_level));
    if (!region->old_command.empty())
      commands += printable(region->old_command) + "\n" + printable(region->new_command) + "\n";
  }
  const auto list = [&](const std::vector<std::string>& sentences) {
    if (!sentences.empty()) out += "\n";
    for (const std::string& sentence : sentences) out += "- " + prose(sentence) + "\n";
  };
  list(regions.renamed);
  list(maintenance_by_name(diff));
  list(schema_sentences(diff));
  list(flow_sentences(diff));
  list(limits_reasons(diff));
  if (!diff.limits.empty()) out += "\n" + markdown_table(limits_table(diff));
  if (!commands.empty()) {
    out += "\n<details><summary>One request of each region, on both sides</summary>\n\n" + shell_block(commands) +
           "\n</details>\n";
  }
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
