#include "report/replay/completeness.h"

#include <algorithm>

#include <apf/report_words.h>
#include <fmt/core.h>

#include "base/joined.h"
#include "report/core/units.h"
#include "report/logs/coverage.h"
#include "report/replay/doubts.h"
#include "report/replay/stages.h"

namespace apf {

namespace {

constexpr std::size_t kMostNames = 8;

// With and without what was added, by level.
Passage fill_passage(const ReplayReport& report) {
  Passage out("With and without the requests that were added");
  if (!report.without_fill) return out;
  out.say(fmt::format("{} {} added to those of the log; all other parts of this report also count them.",
                      counted(report.filled, "request", "requests"), report.filled == 1 ? "was" : "were"));
  if (const std::vector<std::string>& unknown = report.coverage.executions_unknown; !unknown.empty())
    out.say(fmt::format(
        "Neither the metrics nor the log say how long requests of {} run: those that were added run as long as others "
        "of the log. If they are shorter, the truth is between with and without.",
        printable(joined_first(unknown, kMostNames))));
  Table table;
  table.left("LEVEL", 12).left("").right("REQUESTS").right("REFUSED").right("MEAN WAIT").right("P99").right("USED");
  for (const LevelReport& level : report.levels) {
    const auto& levels = report.without_fill->levels;
    const auto plain =
        std::find_if(levels.begin(), levels.end(), [&](const LevelReport& other) { return other.name == level.name; });
    if (plain == levels.end() || level.tally.requests == 0) continue;
    for (const LevelReport* of : {&level, &*plain}) {
      const RequestTally& t = of->tally;
      const bool with = of == &level;
      table.row({with ? name_cell(level.name, Tone::strong) : Table::Cell(),
                 {with ? "with" : "without", with ? Tone::plain : Tone::faint, {}},
                 count_cell(t.requests, Tone::plain),
                 count_cell(t.rejected(), Tone::bad),
                 {t.wait.count() ? human_duration(static_cast<Nanos>(t.wait.mean())) : "-", Tone::plain, {}},
                 {t.wait.count() ? human_duration(t.wait.quantile(0.99)) : "-", Tone::plain, {}},
                 {one_decimal(of->seats_avg), Tone::plain, {}}});
    }
  }
  out.show(std::move(table));
  return out;
}

}  // namespace

std::vector<std::string> incomplete_sentences(const ReplayReport& report) {
  std::vector<std::string> out;
  for (const Remark& remark : report.incomplete) {
    if (is_doubt(remark)) continue;
    if (out.empty()) out.push_back("The log is not the whole traffic:");
    out.push_back("- " + render_text(remark));
  }
  if (out.empty()) return out;
  if (report.filled > 0)
    out.push_back(counted(report.filled, "request is", "requests are") + " added to those of the log.");
  return out;
}

void say_incomplete(const ReplayReport& report, Passage& out, Tone tone) {
  for (const std::string& sentence : incomplete_sentences(report))
    if (sentence.starts_with("- ")) out.item(sentence.substr(2), "- ", tone);
    else out.say(sentence, tone);
}

std::vector<Passage> coverage_passages(const ReplayReport& report) {
  std::vector<Passage> out;
  if (report.without_fill) out.push_back(fill_passage(report));
  if (report.coverage.metrics) out.push_back(coverage_passage(*report.coverage.metrics));
  if (report.coverage.policy) out.push_back(policy_passage(*report.coverage.policy));
  return out;
}

std::string late_sentence(const ReplayReport& report) {
  const bool pipe = std::find(report.logs.begin(), report.logs.end(), "-") != report.logs.end();
  return counted(report.out_of_window, "request", "requests") +
         " came so late in the log that the replay had moved on: replayed late, or without the end" +
         (pipe ? " (requests of more than 75 s find their places if the log is a file)." : ".");
}

}  // namespace apf
