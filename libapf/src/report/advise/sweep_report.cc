// What a sweep came to.
#include <apf/advice_report.h>

#include "report/advise/sweep_words.h"

namespace apf {

Document document_of(const SweepReport& report, const View& view) {
  Document out("API Priority and Fairness: comparison of configurations");
  Passage& head = out.section();
  for (const std::string& doubt : doubts_of(report)) head.judge(doubt, Tone::caution);
  const Verdict verdict = verdict_of(report);
  head.judge(verdict.what, verdict.tone);
  if (report.interrupted) head.say("Interrupted: the results until then.", Tone::bad);
  for (const std::string& sentence : warnings_of(report)) head.judge(sentence, Tone::caution);
  if (const std::string missing = missing_sentence(report); !missing.empty()) head.judge(missing, Tone::bad);
  out.section().show(combinations_table(report));
  const auto show = [&](const char* title, Table table) { out.section(title).folded().show(std::move(table)); };
  show("Levels that refuse requests, or where more than 1 % wait", levels_table(report));
  show("Stages, in order", stages_table(report));
  show("Retries of clients that were refused; those after the log are in no other figure", retries_table(report));
  show("Logs with the worst results", worst_table(report));
  out.section("Missing").list(missing_tasks(report));
  Passage& explained = out.section(view.notation == Notation::text ? "" : "What was replayed").folded();
  for (const std::string& sentence : explanations_of(report)) explained.item(sentence, "", Tone::faint);
  return out;
}

}  // namespace apf
