// What a sweep came to, for a terminal and for a pull request.
#include <algorithm>

#include <apf/report.h>

#include "report/document.h"
#include "report/markup.h"
#include "report/sweep_words.h"

namespace apf {

std::string render_text(const SweepReport& report, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string out;
  const auto say = [&](const std::string& sentence, Tone tone = Tone::plain) {
    if (!sentence.empty()) out += toned(wrapped(printable(sentence), width, 0), tone, style) + "\n";
  };
  for (const std::string& doubt : doubts_of(report)) say(doubt, Tone::caution);
  const SweepVerdict verdict = verdict_of(report);
  say(verdict.what, verdict.tone == Tone::good ? Tone::strong : verdict.tone);
  if (report.interrupted) say("Interrupted: the results until then.", Tone::bad);
  for (const std::string& sentence : warnings_of(report)) say(sentence, Tone::caution);
  say(missing_sentence(report), Tone::bad);
  const auto show = [&](const char* title, const Table& table) {
    if (table.empty()) return;
    out += "\n";
    if (*title) out += toned(title, Tone::strong, style) + "\n";
    out += table.render(style);
  };
  show("", combinations_table(report));
  show("Levels that refuse requests, or where more than 1 % wait", levels_table(report));
  show("Stages, in order", stages_table(report));
  show("Retries of clients that were refused; those after the log are in no other figure", retries_table(report));
  show("Logs with the worst results", worst_table(report));
  if (!report.missing.empty()) {
    out += "\n" + toned("Missing", Tone::strong, style) + "\n";
    for (const std::string& task : missing_tasks(report)) out += "- " + wrapped(printable(task), width, 2) + "\n";
  }
  out += "\n";
  for (const std::string& sentence : explanations_of(report)) say(sentence, Tone::faint);
  return out;
}

std::string render_markdown(const SweepReport& report) {
  const SweepVerdict verdict = verdict_of(report);
  std::string out = "### API Priority and Fairness: comparison of configurations\n";
  for (const std::string& doubt : doubts_of(report)) out += "\n⚠️ **" + prose(doubt) + "**\n";
  out += std::string("\n") + verdict_sign(verdict.tone) + " **" + prose(verdict.what) + "**\n";
  if (report.interrupted) out += "\n**Interrupted: the results until then.**\n";
  for (const std::string& sentence : warnings_of(report)) out += "\n⚠️ " + prose(sentence) + "\n";
  if (const std::string missing = missing_sentence(report); !missing.empty()) out += "\n❌ **" + prose(missing) + "**\n";
  for (const std::string& task : missing_tasks(report)) out += "\n- " + prose(task);
  if (!report.missing.empty()) out += "\n";
  if (const Table table = combinations_table(report); !table.empty()) out += "\n" + markdown_table(table);
  const auto fold = [&](const char* title, const Table& table) {
    if (table.empty()) return;
    out += std::string("\n<details><summary>") + title + "</summary>\n\n" + markdown_table(table) + "\n</details>\n";
  };
  fold("Levels that refuse requests, or where more than 1 % wait", levels_table(report));
  fold("Stages, in order", stages_table(report));
  fold("Retries of clients that were refused; those after the log are in no other figure", retries_table(report));
  fold("Logs with the worst results", worst_table(report));
  write_folded_list(out, "What was replayed", explanations_of(report));
  return out;
}

}  // namespace apf
