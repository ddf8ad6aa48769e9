// Tables of levels and flows.
#include <fmt/format.h>

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

std::string outcome_cells(const RequestTally& t) {
  return count_cell(t.requests) + count_cell(t.executed()) + count_cell(t.queued, "caution") +
         count_cell(t.rejected(), "bad") +
         fmt::format("<td{}>{}</td>", t.rejected() > 0 ? " class=\"bad\"" : " class=\"zero\"",
                     human_percent(t.rejected(), t.requests));
}

std::string wait_cells(const RequestTally& t) {
  return wait_cell(t, 0.5) + wait_cell(t, 0.9) + wait_cell(t, 0.99) + wait_cell(t, 1);
}

std::string limit_text(const LevelReport& level) {
  if (level.exempt) return "none";
  if (level.current_cl_min == level.current_cl_max) return grouped(level.current_cl_max);
  return fmt::format("{}–{}", grouped(level.current_cl_min), grouped(level.current_cl_max));
}

void flow_table(std::string& all, const char* caption, const std::vector<FlowReport>& flows) {
  if (flows.empty()) return;
  std::string out = fmt::format(
      "<div class=\"scroll\"><table><caption>{}</caption><thead><tr><th class=\"t\" scope=\"col\">Flow</th>"
      "<th class=\"t\" scope=\"col\">FlowSchema</th><th class=\"t\" scope=\"col\">Priority level</th>"
      "<th scope=\"col\">Requests</th><th scope=\"col\">Waited</th><th scope=\"col\">Refused</th>"
      "<th scope=\"col\">Total wait</th><th scope=\"col\">p99</th><th scope=\"col\">Longest</th>"
      "<th class=\"t\" scope=\"col\">Outcomes</th></tr></thead><tbody>\n",
      caption);
  for (const FlowReport& flow : flows) {
    const double total = flow.tally.wait.mean() * static_cast<double>(flow.tally.wait.count());
    out += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"t\">{}</td><td class=\"t\">{}</td>",
                       flow.distinguisher.empty() ? "(all of the FlowSchema)" : html_text(flow.distinguisher),
                       html_text(flow.flow_schema), html_text(flow.priority_level));
    out += count_cell(flow.tally.requests) + count_cell(flow.tally.queued, "caution") +
           count_cell(flow.tally.rejected(), "bad") +
           fmt::format("<td>{}</td>", human_duration(total < 9e18 ? static_cast<Nanos>(total) : INT64_MAX)) +
           wait_cell(flow.tally, 0.99) + wait_cell(flow.tally, 1) + "<td class=\"t\">" + outcome_bar(flow.tally) +
           "</td></tr>\n";
  }
  all += stacking(out + "</tbody></table></div>\n");
}

}  // namespace

std::string count_cell(std::uint64_t count, const char* style) {
  const std::string number = grouped(count);
  if (count == 0) return "<td class=\"zero\">0</td>";
  return *style ? fmt::format("<td class=\"{}\">{}</td>", style, number) : "<td>" + number + "</td>";
}

std::string wait_cell(const RequestTally& tally, double quantile) {
  if (tally.wait.count() == 0) return "<td class=\"zero\">–</td>";
  const Nanos wait = quantile >= 1 ? tally.wait.max() : tally.wait.quantile(quantile);
  const char* style = wait == 0 ? " class=\"zero\"" : wait >= kSecond ? " class=\"caution\"" : "";
  return fmt::format("<td{}>{}</td>", style, human_duration(wait));
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
  std::string idle;
  for (const LevelReport* shown : by_harm(report.levels)) {
    const LevelReport& level = *shown;
    if (level.tally.requests == 0) {
      idle += (idle.empty() ? "" : ", ") + html_text(level.name);
      continue;
    }
    out += "<tr><th scope=\"row\"" + std::string(level.tally.rejected() > 0 ? " class=\"bad\"" : "") + ">" +
           html_text(level.name) + "</th>" + outcome_cells(level.tally) + "<td class=\"t\">" +
           outcome_bar(level.tally) + "</td>" + wait_cells(level.tally);
    if (limits)
      out += fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{}</td>", grouped(level.nominal_cl), limit_text(level),
                         one_decimal(level.seats_avg), grouped(level.seats_peak));
    out += "</tr>\n";
  }
  out = stacking(out + "</tbody></table></div>\n");
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
  flow_table(out, "Flows that waited most", report.waited_most);
  flow_table(out, "Flows that were refused most", report.refused_most);
  return out;
}

}  // namespace apf
