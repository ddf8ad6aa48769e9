// The report of a replay for a pull request: short, in GitHub's Markdown.

#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "report/agreement.h"
#include "report/clients.h"
#include "report/coverage.h"
#include "report/doubts.h"
#include "report/markup.h"
#include "report/passage.h"
#include "report/ranges.h"
#include "report/remarks.h"
#include "report/stages.h"
#include "report/systems.h"
#include "report/too_wide.h"
#include "report/units.h"
#include "report/verdict.h"

namespace apf {

namespace {

std::string wait(const TallyVersions& tally, double q) {
  const std::string text = wait_text(tally, q);
  return text == "-" ? "–" : text;
}

std::string refused(const TallyVersions& tally) {
  const auto count = tally.range(refused_of);
  return count.high == 0 ? "0" : fmt::format("**{}** ({})", count_text(count), refused_share(tally));
}

std::string reasons(const TallyVersions& tally) {
  std::string out;
  for (const OutcomeRow& row : refusals()) {
    const auto count = tally.range([&](Tally t) { return t.outcomes[row.outcome]; });
    if (count.high > 0) out += (out.empty() ? "" : ", ") + count_text(count) + " " + row.name;
  }
  return out.empty() ? "–" : out;
}

std::string requests(const TallyVersions& tally) {
  return count_text(tally.range([](Tally t) { return t.requests; }));
}
std::string served(const TallyVersions& tally) {
  return count_text(tally.range([](Tally t) { return t.executed(); }));
}
std::string waited(const TallyVersions& tally) {
  return count_text(tally.range([](Tally t) { return t.queued; }));
}

void write_expectations(std::string& out, const std::vector<ExpectationResult>& results) {
  if (results.empty()) return;
  out += "\n| | Expected |\n|---|---|\n";
  for (const ExpectationResult& result : results)
    out += fmt::format("| {} | {} |\n", expectation_sign(result), prose(result.message));
}

// Levels at which requests wait or are refused, or the others.
void write_levels(std::string& out, const ReplayReport& report, bool burning) {
  const bool limits = report.summed == 0;
  out += "\n| Priority level | Requests | Served | Waited | Refused | Why | p50 | p90 | p99 | Max |";
  out += limits ? " Nominal | Limit | Used | Peak |\n" : "\n";
  out += "|:--|--:|--:|--:|--:|:--|--:|--:|--:|--:|";
  out += limits ? "--:|--:|--:|--:|\n" : "\n";
  for (const LevelReport* shown : worst_first(report)) {
    const LevelReport& level = *shown;
    if (level.tally.requests == 0 || refuses_or_waits(level, report) != burning) continue;
    const Versions<LevelReport> versions = versions_of(level, report);
    const TallyVersions t = versions.part(&LevelReport::tally);
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |", code(level.name), requests(t), served(t),
                       waited(t), refused(t), reasons(t), wait(t, 0.5), wait(t, 0.9), wait(t, 0.99), wait(t, 1));
    if (limits) {
      const int least = versions.range([](const LevelReport& l) { return l.current_cl_min; }).low;
      const int most = versions.range([](const LevelReport& l) { return l.current_cl_max; }).high;
      const std::string limit = level.exempt    ? "none"
                                : least == most ? grouped(most)
                                                : fmt::format("{}–{}", grouped(least), grouped(most));
      out += fmt::format(" {} | {} | {} | {} |", grouped(level.nominal_cl), limit,
                         range_text(versions.range([](const LevelReport& l) { return l.seats_avg; }), one_decimal),
                         range_text(versions.range([](const LevelReport& l) { return l.seats_peak; }),
                                    [](int n) { return grouped(n); }));
    }
    out += '\n';
  }
}

// Those that served everything at once are folded where others did not.
void write_levels(std::string& out, const ReplayReport& report) {
  std::string at_once;
  bool any_burns = false;
  for (const LevelReport* level : worst_first(report)) {
    any_burns = any_burns || refuses_or_waits(*level, report);
    if (level->tally.requests > 0 && !refuses_or_waits(*level, report))
      at_once += (at_once.empty() ? "" : ", ") + prose(level->name);
  }
  if (any_burns) write_levels(out, report, true);
  if (at_once.empty()) return;
  if (any_burns) out += "\n<details><summary>Served at once: " + at_once + "</summary>\n";
  write_levels(out, report, false);
  if (any_burns) out += "\n</details>\n";
}

void write_flows(std::string& out, const char* title, const std::vector<FlowReport>& flows,
                 const ReplayReport& report) {
  if (flows.empty()) return;
  out += fmt::format("\n<details><summary>{}</summary>\n\n", title);
  out +=
      "| Flow | FlowSchema | Priority level | Requests | Waited | Refused | p99 | Max "
      "|\n|:--|:--|:--|--:|--:|--:|--:|--:|\n";
  for (const FlowReport& flow : flows) {
    const TallyVersions t = versions_of(flow, report).part(&FlowReport::tally);
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                       flow.distinguisher.empty() ? "(all of the FlowSchema)" : code(flow.distinguisher),
                       code(flow.flow_schema), code(flow.priority_level), requests(t), waited(t), refused(t),
                       wait(t, 0.99), wait(t, 1));
  }
  out += "\n</details>\n";
}

// The first one in full, the others folded.
void write_passages(std::string& out, const std::vector<Passage>& passages) {
  for (const Passage& passage : passages) {
    if (&passage != &passages.front()) {
      write_folded_passage(out, passage);
    } else if (!passage.empty()) {
      out += "\n#### " + prose(passage.title()) + "\n\n";
      out += markdown_blocks(passage);
    }
  }
}

void write_incomplete(std::string& out, const ReplayReport& report) {
  for (const std::string& sentence : incomplete_sentences(report))
    out += sentence.starts_with("- ") ? "- " + prose(sentence.substr(2)) + "\n" : "\n" + prose(sentence) + "\n\n";
}

std::string heading(const ReplayReport& report) {
  if (report.summed > 0) return fmt::format("All {} servers", report.summed);
  std::string logs;
  for (std::size_t i = 0; i < report.logs.size() && i < 3; ++i) logs += (i ? ", " : "") + code(report.logs[i]);
  if (report.logs.size() > 3) logs += fmt::format(" and {} more", grouped(report.logs.size() - 3));
  return report.server.empty() ? "Replay of " + logs : "Server " + code(report.server) + ": replay of " + logs;
}

void write_verdict(std::string& out, const ReplayReport& report) {
  const Verdict verdict = verdict_of(report);
  const std::vector<std::string> doubts = doubts_of(report);
  for (const std::string& doubt : doubts)
    out += (&doubt == &doubts.front() ? "⚠️ **" + prose(doubt) + "**\n" : "\n" + prose(doubt) + "\n");
  if (!doubts.empty()) {
    out += "\nThe replay: " + prose(verdict.what) + "\n";
  } else {
    out += verdict_sign(verdict.tone) + std::string(" **") + prose(verdict.what) + "**\n";
  }
  for (const std::string& sentence : verdict.sentences) out += "\n- " + prose(sentence);
  out += verdict.sentences.empty() ? "\n" : "\n\n";
}

void write_report(std::string& out, const ReplayReport& report) {
  const RequestTally& total = report.total;
  out += "### " + heading(report) + "\n\n";
  if (report.total.requests > 0) write_verdict(out, report);
  if (report.interrupted) out += "**Interrupted: this report covers the time until then.**\n\n";
  if (report.first_arrival && report.last_arrival) {
    out += fmt::format("{} in {} from {}", counted(total.requests, "request", "requests"),
                       human_duration(*report.last_arrival - *report.first_arrival),
                       format_rfc3339(*report.first_arrival));
  } else {
    out += "No requests";
  }
  if (report.summed == 0)
    out += fmt::format("; Kubernetes {}, {}", report.version.str(),
                       report.in_flight ? "API Priority and Fairness off"
                                        : seats_in_words(report.server_concurrency_limit) +
                                              (report.seats_by_log ? " (by the server's log)" : ""));
  const TallyVersions all = versions_of(report).part(&ReplayReport::total);
  const auto part = [&](auto figure) {
    const auto n = all.range(figure);
    return fmt::format("{} ({})", count_text(n), share_in_words(share_of(all, figure)));
  };
  out += fmt::format(".\n**Served {}, refused {}.**\n", part([](Tally t) { return t.executed(); }), part(refused_of));
  for (const std::string& sentence : first_sentences(report)) out += prose(sentence) + "\n";
  write_incomplete(out, report);
  if (const std::string agreement = agreement_sentence(report); !agreement.empty() && !report.what_if)
    out += prose(agreement) + "\n";
  if (total.requests == 0) return;
  write_passages(out, stage_passages(report));
  if (!report.in_flight) write_levels(out, report);
  write_passages(out, in_flight_passages(report));
  for (const Passage& passage : culprit_passages(report)) write_folded_passage(out, passage);
  write_flows(out, "Flows that waited most", report.waited_most, report);
  write_flows(out, "Flows that were refused most", report.refused_most, report);
  write_folded_passage(out, too_wide_passage(report));
  write_folded_passage(out, clients_passage(report));
  write_folded_passage(out, retries_passage(report));
  for (const Passage& passage : coverage_passages(report)) write_folded_passage(out, passage);
  write_folded_passage(out, spread_passage(report));
  write_folded_passage(out, agreement_passage(report));
  write_folded_list(out, "Assumptions", texts_of(report.assumptions));
  write_folded_list(out, "Warnings", further_warnings(report));
}

}  // namespace

std::string render_markdown(std::span<const ReplayReport> servers, const ReplayReport* total,
                            const ReportFrame& frame) {
  std::string out = "## API Priority and Fairness: replay\n";
  if (!frame.configuration.empty()) out += "\nConfiguration: " + prose(frame.configuration) + "\n";
  write_expectations(out, frame.expectations);
  for (const ReplayReport& report : servers) {
    out += '\n';
    write_report(out, report);
  }
  if (total) {
    out += '\n';
    write_report(out, *total);
  }
  return out;
}

std::string render_markdown(const SystemsTable& table, const ReportFrame& frame) {
  std::string out = "## Request limits: systems side by side\n";
  if (!frame.configuration.empty()) out += "\nConfiguration: " + prose(frame.configuration) + "\n";
  write_expectations(out, frame.expectations);
  out += "\n### " + prose(systems_heading(table)) + "\n\n" + prose(systems_span(table)) + ".\n";
  for (const Passage& passage : systems_passages(table)) {
    if (passage.empty()) continue;
    out += "\n#### " + prose(passage.title()) + "\n\n";
    out += markdown_blocks(passage);
  }
  write_folded_list(out, "Assumptions", systems_texts(table, &ReplayReport::assumptions));
  write_folded_list(out, "Warnings", systems_texts(table, &ReplayReport::warnings));
  return out;
}

}  // namespace apf
