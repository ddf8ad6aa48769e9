// The report of a replay for a pull request: short, in GitHub's Markdown.

#include <apf/report.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/agreement.h"
#include "report/coverage.h"
#include "report/markup.h"
#include "report/remarks.h"
#include "report/stages.h"
#include "report/systems.h"
#include "report/units.h"
#include "report/verdict.h"

namespace apf {

namespace {

std::string wait(const RequestTally& tally, double q) {
  if (tally.wait.count() == 0) return "–";
  return human_duration(q >= 1 ? tally.wait.max() : tally.wait.quantile(q));
}

std::string refused(const RequestTally& tally) {
  if (tally.rejected() == 0) return "0";
  return fmt::format("**{}** ({})", grouped(tally.rejected()), human_percent(tally.rejected(), tally.requests));
}

std::string reasons(const RequestTally& tally) {
  std::string out;
  for (const OutcomeRow& row : refusals()) {
    const std::uint64_t count = tally.outcomes[row.outcome];
    if (count > 0) out += (out.empty() ? "" : ", ") + grouped(count) + " " + row.name;
  }
  return out.empty() ? "–" : out;
}

void write_expectations(std::string& out, const std::vector<ExpectationResult>& results) {
  if (results.empty()) return;
  out += "\n| | Expected |\n|---|---|\n";
  for (const ExpectationResult& result : results)
    out += fmt::format("| {} | {} |\n", result.met ? "✅ met" : "❌ **not met**", prose(result.message));
}

void write_levels(std::string& out, const ReplayReport& report) {
  const bool limits = report.summed == 0;
  out += "\n| Priority level | Requests | Served | Waited | Refused | Why | p50 | p90 | p99 | Max |";
  out += limits ? " Nominal | Limit | Used | Peak |\n" : "\n";
  out += "|:--|--:|--:|--:|--:|:--|--:|--:|--:|--:|";
  out += limits ? "--:|--:|--:|--:|\n" : "\n";
  for (const LevelReport* shown : by_harm(report.levels)) {
    const LevelReport& level = *shown;
    const RequestTally& t = level.tally;
    if (t.requests == 0) continue;
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |", code(level.name), grouped(t.requests),
                       grouped(t.executed()), grouped(t.queued), refused(t), reasons(t), wait(t, 0.5), wait(t, 0.9),
                       wait(t, 0.99), wait(t, 1));
    if (limits) {
      const std::string limit =
          level.exempt ? "none"
          : level.current_cl_min == level.current_cl_max
              ? grouped(level.current_cl_max)
              : fmt::format("{}–{}", grouped(level.current_cl_min), grouped(level.current_cl_max));
      out += fmt::format(" {} | {} | {} | {} |", grouped(level.nominal_cl), limit, one_decimal(level.seats_avg),
                         grouped(level.seats_peak));
    }
    out += '\n';
  }
}

void write_flows(std::string& out, const char* title, const std::vector<FlowReport>& flows) {
  if (flows.empty()) return;
  out += fmt::format("\n<details><summary>{}</summary>\n\n", title);
  out +=
      "| Flow | FlowSchema | Priority level | Requests | Waited | Refused | p99 | Max "
      "|\n|:--|:--|:--|--:|--:|--:|--:|--:|\n";
  for (const FlowReport& flow : flows) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                       flow.distinguisher.empty() ? "(all of the FlowSchema)" : code(flow.distinguisher),
                       code(flow.flow_schema), code(flow.priority_level), grouped(flow.tally.requests),
                       grouped(flow.tally.queued), refused(flow.tally), wait(flow.tally, 0.99), wait(flow.tally, 1));
  }
  out += "\n</details>\n";
}

std::string cell_text(const Table::Cell& cell) {
  if (cell.name) return code(cell.text);
  return cell.tone == Tone::bad ? "**" + prose(cell.text) + "**" : prose(cell.text);
}

void write_table(std::string& out, const Table& table) {
  out += "|";
  for (const Table::Column& column : table.columns()) out += " " + prose(sentence_case(column.title)) + " |";
  out += "\n|";
  for (const Table::Column& column : table.columns()) out += column.right ? "--:|" : ":--|";
  out += "\n";
  for (const auto& row : table.rows()) {
    out += "|";
    for (const Table::Cell& cell : row) out += " " + cell_text(cell) + " |";
    out += "\n";
  }
}

// Sentences that follow each other are one paragraph; tables have blank lines around them.
void write_blocks(std::string& out, const Passage& passage) {
  bool after_table = false, first = true;
  for (const Passage::Block& block : passage.blocks()) {
    const bool table = !block.table.empty();
    if (!first && (table || after_table)) out += "\n";
    if (table) write_table(out, block.table);
    else out += prose(block.sentence) + "\n";
    after_table = table;
    first = false;
  }
}

void write_folded(std::string& out, const Passage& passage) {
  if (passage.empty()) return;
  out += "\n<details><summary>" + prose(passage.title()) + "</summary>\n\n";
  write_blocks(out, passage);
  out += "\n</details>\n";
}

// The first one in full, the others folded.
void write_passages(std::string& out, const std::vector<Passage>& passages) {
  for (const Passage& passage : passages) {
    if (&passage != &passages.front()) {
      write_folded(out, passage);
    } else if (!passage.empty()) {
      out += "\n#### " + prose(passage.title()) + "\n\n";
      write_blocks(out, passage);
    }
  }
}

void write_list(std::string& out, const char* title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  out += fmt::format("\n<details><summary>{}</summary>\n\n", title);
  for (const std::string& sentence : sentences) out += "- " + prose(sentence) + "\n";
  out += "\n</details>\n";
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
  out += verdict.tone == Tone::bad ? "❌ **" : verdict.tone == Tone::caution ? "⚠️ **" : "✅ **";
  out += prose(verdict.what) + "**\n";
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
    out += fmt::format(
        "; Kubernetes {}, {}", report.version.str(),
        report.in_flight ? "API Priority and Fairness off" : seats_in_words(report.server_concurrency_limit));
  out += fmt::format(".\n**Served {} ({}), refused {} ({}).**\n", grouped(total.executed()),
                     human_percent(total.executed(), total.requests), grouped(total.rejected()),
                     human_percent(total.rejected(), total.requests));
  for (const std::string& sentence : what_if_sentences(report)) out += prose(sentence) + "\n";
  write_incomplete(out, report);
  if (const std::string agreement = agreement_sentence(report.recorded); !agreement.empty())
    out += prose(agreement) + "\n";
  if (total.requests == 0) return;
  write_passages(out, stage_passages(report));
  if (!report.in_flight) write_levels(out, report);
  write_passages(out, in_flight_passages(report));
  for (const Passage& passage : culprit_passages(report)) write_folded(out, passage);
  write_flows(out, "Flows that waited most", report.waited_most);
  write_flows(out, "Flows that were refused most", report.refused_most);
  for (const Passage& passage : coverage_passages(report)) write_folded(out, passage);
  write_folded(out, spread_passage(report));
  write_folded(out, agreement_passage(report));
  write_list(out, "Assumptions", texts_of(report.assumptions));
  write_list(out, "Warnings", texts_of(report.warnings));
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
    write_blocks(out, passage);
  }
  write_list(out, "Assumptions", systems_texts(table, &ReplayReport::assumptions));
  write_list(out, "Warnings", systems_texts(table, &ReplayReport::warnings));
  return out;
}

}  // namespace apf
