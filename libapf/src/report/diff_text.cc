// A diff of two configurations for the terminal.
#include <algorithm>

#include <apf/report.h>
#include <fmt/core.h>

#include "report/diff_words.h"

namespace apf {

namespace {

std::string heading(const char* title, const TextStyle& style) {
  return "\n" + toned(title, Tone::strong, style) + "\n";
}

}  // namespace

std::string render_text(const ConfigDiff& diff, const TextStyle& style, bool commands) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string out = toned(wrapped(diff_verdict(diff), width, 0), Tone::strong, style) + "\n";
  const auto say = [&](const std::string& sentence) {
    out += "  " + wrapped(printable(sentence), width - 2, 4) + "\n";
  };
  for (const std::string& alarm : diff_alarms(diff))
    out += toned(wrapped(printable(alarm), width, 2), Tone::bad, style) + "\n";
  const std::vector<std::string> maintenance = maintenance_sentences(diff);
  if (!maintenance.empty())
    out += heading(("What Kubernetes " + diff.new_side.version.str() + " does by itself").c_str(), style);
  for (const std::string& sentence : maintenance) say(sentence);
  const GroupedRegions regions = grouped_regions(diff);
  if (!regions.moved.empty()) out += heading("Requests that move", style);
  for (const MovedRegion* region : regions.moved) {
    say(region->requests + ": " + places_words(region->from, region->to));
    if (!commands || region->old_command.empty()) continue;
    for (const std::string* command : {&region->old_command, &region->new_command})
      out += toned("      " + printable(*command), Tone::faint, style) + "\n";
  }
  const std::vector<std::string> schemas = schema_sentences(diff), flows = flow_sentences(diff),
                                 reasons = limits_reasons(diff);
  if (!regions.renamed.empty() || !schemas.empty()) out += heading("FlowSchemas", style);
  for (const std::string& sentence : regions.renamed) say(sentence);
  for (const std::string& sentence : schemas) say(sentence);
  if (!flows.empty()) out += heading("Flows", style);
  for (const std::string& sentence : flows) say(sentence);
  if (!diff.limits.empty() || !reasons.empty()) out += heading("Levels", style);
  for (const std::string& reason : reasons) say(reason);
  if (!diff.limits.empty()) out += limits_table(diff).render(style);
  return out;
}

}  // namespace apf
