// A comparison on the traffic of a log, for a pull request: a comment in GitHub's Markdown, and workflow commands.
#include <apf/advise.h>
#include <apf/report.h>
#include <fmt/core.h>

#include "report/compare_people.h"
#include "report/compare_words.h"
#include "report/coverage.h"
#include "report/document.h"
#include "report/doubts.h"
#include "report/markup.h"

namespace apf {

std::string render_markdown(const CompareReport& comparison, const CompareFrame& frame) {
  const bool several = frame.new_names.size() > 1;
  std::string out = "### API Priority and Fairness: what changes on this traffic\n";
  if (comparison.old_report.interrupted) out += "\n**Interrupted: this report covers the time until then.**\n";
  if (!frame.expectations.empty()) {
    out += "\n| | Expected |\n|---|---|\n";
    for (const ExpectationResult& result : frame.expectations)
      out += fmt::format("| {} | {} |\n", expectation_sign(result), prose(result.message));
  }
  for (const std::string& doubt : doubts_of(comparison.old_report)) out += "\n⚠️ **" + prose(doubt) + "**\n";
  if (several) out += "\n" + markdown_table(compare_summary(comparison, frame.new_names));
  for (std::size_t side = 0; side < comparison.new_reports.size(); ++side) {
    if (several) out += "\n#### " + code(frame.new_names[side]) + "\n";
    out += fmt::format("\n{} **{}**\n", verdict_sign(compare_tone(comparison, side)),
                       prose(compare_verdict(comparison, side)));
    for (const std::string& sentence : incomplete_sentences(comparison.old_report))
      out += sentence.starts_with("- ") ? "- " + prose(sentence.substr(2)) + "\n" : "\n" + prose(sentence) + "\n\n";
    for (const Table& table : compare_headlines(comparison, side)) out += "\n" + markdown_table(table);
    for (const Passage& passage : compare_passages(comparison, side, rows_of(comparison)))
      write_folded_passage(out, passage);
  }
  write_folded_list(out, "What was compared", compare_notes(comparison, frame));
  write_folded_list(out, "Assumptions", compare_assumptions(comparison));
  write_folded_list(out, "Warnings", compare_warnings(comparison));
  return out;
}

std::string render_github(const CompareReport& comparison, const CompareFrame& frame) {
  std::string out;
  const auto say = [&](const char* command, const std::string& title, const std::string& message) {
    out += fmt::format("::{} title={}::{}\n", command, workflow_escaped(title, true), workflow_escaped(message, false));
  };
  for (const std::string& doubt : doubts_of(comparison.old_report)) say("warning", "apfctl compare", doubt);
  for (std::size_t side = 0; side < comparison.new_reports.size(); ++side) {
    const std::string title =
        frame.new_names.size() > 1 ? "apfctl compare: " + frame.new_names[side] : std::string("apfctl compare");
    say(compare_tone(comparison, side) == Tone::good ? "notice" : "warning", title, compare_verdict(comparison, side));
    for (const Table& table : compare_headlines(comparison, side)) {
      for (const auto& row : table.rows()) {
        std::string message;
        for (std::size_t i = 1; i < row.size(); ++i)
          message += (message.empty() || row[i].text.empty() ? "" : ", ") + row[i].text;
        const bool harm = row[0].tone == Tone::bad || row[0].tone == Tone::caution;
        say(harm ? "warning" : "notice", row[0].text, message);
      }
    }
  }
  for (const std::string& sentence : incomplete_sentences(comparison.old_report))
    say("warning", "apfctl compare", sentence);
  for (const ExpectationResult& result : frame.expectations)
    if (!result.met) say("error", "expectation not met", result.message);
  return out;
}

}  // namespace apf
