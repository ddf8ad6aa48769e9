// Tables of levels and flows.
#include <fmt/core.h>

#include <algorithm>

#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/units.h"
#include "report/verdict.h"

namespace apf {

namespace {

std::uint64_t served_after_waiting(const RequestTally& tally) {
  const std::uint64_t left = tally.queued - std::min(tally.queued, tally.outcomes.refused_after_wait());
  return std::min(left, tally.executed());
}

std::string outcome_cells(const TallyVersions& t) {
  return count_cell(t.range([](Tally v) { return v.requests; })) +
         count_cell(t.range([](Tally v) { return v.executed(); })) +
         count_cell(t.range([](Tally v) { return v.queued; }), "caution") + count_cell(t.range(refused_of), "bad") +
         fmt::format("<td{}>{}</td>", t.range(refused_of).high > 0 ? " class=\"bad\"" : " class=\"zero\"",
                     refused_share(t));
}

std::string wait_cells(const TallyVersions& t) {
  return wait_cell(t, 0.5) + wait_cell(t, 0.9) + wait_cell(t, 0.99) + wait_cell(t, 1);
}

std::string limit_text(const Versions<LevelReport>& level) {
  if (level.value().exempt) return "none";
  const int least = level.range([](const LevelReport& l) { return l.current_cl_min; }).low;
  const int most = level.range([](const LevelReport& l) { return l.current_cl_max; }).high;
  return least == most ? grouped(most) : fmt::format("{}–{}", grouped(least), grouped(most));
}

Nanos total_wait(Tally tally) {
  const double total = tally.wait.mean() * static_cast<double>(tally.wait.count());
  return total < 9e18 ? static_cast<Nanos>(total) : INT64_MAX;
}

void flow_table(std::string& all, const char* caption, const std::vector<FlowReport>& flows,
                const ReplayReport& report) {
  if (flows.empty()) return;
  std::string out = fmt::format(
      "<div class=\"scroll\"><table><caption>{}</caption><thead><tr><th class=\"t\" scope=\"col\">Flow</th>"
      "<th class=\"t\" scope=\"col\">FlowSchema</th><th class=\"t\" scope=\"col\">Priority level</th>"
      "<th scope=\"col\">Requests</th><th scope=\"col\">Waited</th><th scope=\"col\">Refused</th>"
      "<th scope=\"col\">Total wait</th><th scope=\"col\">p99</th><th scope=\"col\">Longest</th>"
      "<th class=\"t\" scope=\"col\">Outcomes</th></tr></thead><tbody>\n",
      caption);
  for (const FlowReport& flow : flows) {
    const TallyVersions t = versions_of(flow, report).part(&FlowReport::tally);
    out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"t\">{}</td><td class=\"t\">{}</td>",
                       flow.distinguisher.empty() ? "(all of the FlowSchema)" : html_text(flow.distinguisher),
                       html_text(flow.flow_schema), html_text(flow.priority_level));
    out +=
        count_cell(t.range([](Tally v) { return v.requests; })) +
        count_cell(t.range([](Tally v) { return v.queued; }), "caution") + count_cell(t.range(refused_of), "bad") +
        fmt::format("<td>{}</td>", range_text(t.range(total_wait), [](Nanos wait) { return human_duration(wait); })) +
        wait_cell(t, 0.99) + wait_cell(t, 1) + "<td class=\"t\">" + outcome_bar(flow.tally) + "</td></tr>\n";
  }
  all += stacking(out + "</tbody></table></div>\n");
}

}  // namespace

std::string count_cell(const Range<std::uint64_t>& count, const char* style) {
  if (count.high == 0) return "<td class=\"zero\">0</td>";
  return *style ? fmt::format("<td class=\"{}\">{}</td>", style, count_text(count))
                : "<td>" + count_text(count) + "</td>";
}

std::string count_cell(std::uint64_t count, const char* style) {
  return count_cell(Range<std::uint64_t>{count, count, count}, style);
}

std::string wait_cell(const TallyVersions& tally, double quantile) {
  const std::string text = wait_text(tally, quantile);
  if (text == "-") return "<td class=\"zero\">–</td>";
  const Nanos wait = tally.range([&](Tally t) { return wait_of(t, quantile); }).high;
  const char* style = wait == 0 ? " class=\"zero\"" : wait >= kSecond ? " class=\"caution\"" : "";
  return fmt::format("<td{}>{}</td>", style, text);
}

std::string outcome_bar(const RequestTally& tally) {
  if (tally.requests == 0) return {};
  const std::uint64_t waited = served_after_waiting(tally);
  std::vector<std::pair<std::string_view, std::uint64_t>> parts = {{"served", tally.executed() - waited},
                                                                   {"after", waited}};
  for (const OutcomeRow& row : refusals()) {
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const auto& known) { return known.first == row.mark; });
    if (part == parts.end()) parts.emplace_back(row.mark, tally.outcomes[row.outcome]);
    else part->second += tally.outcomes[row.outcome];
  }
  std::string out = "<svg viewBox=\"0 0 120 12\" aria-hidden=\"true\">";
  double at = 0;
  for (const auto& [style, count] : parts) {
    const double width = 120.0 * static_cast<double>(count) / static_cast<double>(tally.requests);
    if (count > 0)
      out += fmt::format("<path class=\"{}\" d=\"M{} 1h{}v10h-{}Z\"/>", style, svg_number(at),
                         svg_number(std::max(width, 0.5)), svg_number(std::max(width, 0.5)));
    at += width;
  }
  return out + "</svg>";
}

std::string level_table(const ReplayReport& report) {
  const bool limits = report.summed == 0;
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><td></td><th class=\"g\" scope=\"colgroup\" colspan=\"6\">Requests</th>"
      "<th class=\"g\" scope=\"colgroup\" colspan=\"4\">Waits</th>";
  if (limits) out += "<th class=\"g\" scope=\"colgroup\" colspan=\"4\">Seats</th>";
  out +=
      "</tr><tr><th class=\"t\" scope=\"col\">Priority level</th><th scope=\"col\">All</th><th "
      "scope=\"col\">Served</th>"
      "<th scope=\"col\">Waited</th><th scope=\"col\" colspan=\"2\">Refused</th><th class=\"t\" "
      "scope=\"col\">Outcomes</th>"
      "<th scope=\"col\">p50</th><th scope=\"col\">p90</th><th scope=\"col\">p99</th><th scope=\"col\">Longest</th>";
  if (limits) {
    out +=
        "<th scope=\"col\">Nominal</th><th scope=\"col\">Limit</th><th scope=\"col\">Used</th><th "
        "scope=\"col\">Peak</th>";
  }
  out += "</tr></thead><tbody>\n";
  const std::string head = out;
  std::string idle, loud, quiet, at_once;  // rows, but for names
  for (const LevelReport* shown : worst_first(report)) {
    const LevelReport& level = *shown;
    if (level.tally.requests == 0) {
      idle += (idle.empty() ? "" : ", ") + html_text(level.name);
      continue;
    }
    const bool burning = refuses_or_waits(level, report);
    if (!burning) at_once += (at_once.empty() ? "" : ", ") + html_text(level.name);
    std::string& rows = burning ? loud : quiet;
    const Versions<LevelReport> versions = versions_of(level, report);
    const TallyVersions tally = versions.part(&LevelReport::tally);
    rows += "<tr><th scope=\"row\"" + std::string(level.tally.rejected() > 0 ? " class=\"bad\"" : "") + ">" +
            html_text(level.name) + "</th>" + outcome_cells(tally) + "<td class=\"t\">" + outcome_bar(level.tally) +
            "</td>" + wait_cells(tally);
    if (limits)
      rows +=
          fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{}</td>", grouped(level.nominal_cl), limit_text(versions),
                      range_text(versions.range([](const LevelReport& l) { return l.seats_avg; }), one_decimal),
                      range_text(versions.range([](const LevelReport& l) { return l.seats_peak; }),
                                 [](int n) { return grouped(n); }));
    rows += "</tr>\n";
  }
  const auto table = [&](const std::string& rows) { return stacking(head + rows + "</tbody></table></div>\n"); };
  out = table(loud.empty() ? quiet : loud);
  if (!loud.empty() && !quiet.empty())
    out += "<details><summary>Served at once: " + at_once + "</summary>" + table(quiet) + "</details>\n";
  if (!idle.empty()) out += "<p class=\"soft\">Without requests: " + idle + "</p>\n";
  return out +
         "<ul class=\"key\"><li><svg viewBox=\"0 0 22 10\"><path class=\"served\" d=\"M0 0h22v10H0Z\"/></svg>served at "
         "once</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"after\" d=\"M0 0h22v10H0Z\"/></svg>served after a wait</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"full\" d=\"M0 0h22v10H0Z\"/></svg>refused: queue full</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"over\" d=\"M0 0h22v10H0Z\"/></svg>refused: no queue and over "
         "the limit, or by admission</li>"
         "<li><svg viewBox=\"0 0 22 10\"><path class=\"late\" d=\"M0 0h22v10H0Z\"/></svg>refused: waited too "
         "long</li></ul>\n";
}

std::string flow_tables(const ReplayReport& report) {
  std::string out;
  flow_table(out, "Flows that waited most", report.waited_most, report);
  flow_table(out, "Flows that were refused most", report.refused_most, report);
  return out;
}

}  // namespace apf
