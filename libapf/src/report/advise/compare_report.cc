// A comparison on the traffic of a log, as a document and as workflow commands of GitHub Actions.
#include <apf/advice_report.h>
#include <apf/advise.h>
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "report/advise/compare_people.h"
#include "report/advise/compare_words.h"
#include "report/advise/plots.h"
#include "report/core/markup.h"
#include "report/core/writers.h"
#include "report/replay/completeness.h"
#include "report/replay/doubts.h"

namespace apf {

namespace {

class CompareDocument {
 public:
  CompareDocument(const CompareReport& comparison, const CompareFrame& frame, const View& view)
      : comparison_(comparison), frame_(frame), view_(view) {}

  Document build() {
    const bool several = frame_.new_names.size() > 1;
    out_.title = "What changes on this traffic: " + frame_.old_name;
    for (const std::string& name : frame_.new_names) out_.title += kArrow + name;
    Passage* head = &out_.section();
    if (comparison_.old_report.interrupted)
      head->say("Interrupted: this report covers the time until then.", Tone::bad);
    for (const std::string& doubt : doubts_of(comparison_.old_report)) head->judge(doubt, Tone::caution);
    if (several) {
      say_incomplete(comparison_.old_report, *head, Tone::caution);
      show_summary(*head);
    }
    for (std::size_t side = 0; side < comparison_.new_reports.size(); ++side) {
      if (several)
        head = &out_.section((numbered_ ? number_of(side) + ": " : "") + frame_.new_names[side]).begins_report();
      head->judge(compare_verdict(comparison_, side), compare_tone(comparison_, side));
      if (!several) say_incomplete(comparison_.old_report, *head, Tone::caution);
      if (on_page()) {
        out_.add(people_bars(comparison_, side));
        out_.add(compare_plots(comparison_, side));
        head = &out_.section(several ? "" : "Above all");
      }
      for (Table& table : compare_headlines(comparison_, side)) head->show(std::move(table));
      if (side == 0) out_.add(expectations_passage(frame_.expectations, view_));
      const bool all = on_page() || (is_text() && view_.full);  // a page folds them
      for (Passage& passage : compare_passages(comparison_, side, all ? SIZE_MAX : rows_of(comparison_)))
        out_.add(std::move(passage.folded()));
    }
    Passage& notes = out_.section(is_text() ? "" : "What was compared").folded();
    for (const std::string& sentence : compare_notes(comparison_, frame_)) notes.item(sentence, "", Tone::faint);
    out_.section("Assumptions").folded().list(compare_assumptions(comparison_));
    out_.section("Warnings").folded().list(compare_warnings(comparison_));
    return std::move(out_);
  }

 private:
  bool is_text() const { return view_.notation == Notation::text; }
  bool on_page() const { return view_.notation == Notation::html; }
  static std::string number_of(std::size_t side) { return "NEW " + std::to_string(side + 1); }
  // Where the names of the sides are too long for a line, they have numbers; where there are too many of them, there
  // are several tables.
  void show_summary(Passage& head) {
    const std::size_t sides = frame_.new_names.size();
    std::vector<std::string> names = frame_.new_names;
    std::size_t columns = sides;
    const auto fits = [&](std::size_t first) {
      return fits_into_line(compare_summary(comparison_, names, first, columns));
    };
    if (!fits(0)) {
      numbered_ = true;
      for (std::size_t i = 0; i < sides; ++i) names[i] = number_of(i);
    }
    for (std::size_t first = 0; first < sides; first += columns) {
      while (columns > 1 && !fits(first)) --columns;
      (first == 0 ? head : out_.section()).show(compare_summary(comparison_, names, first, columns));
    }
  }
  bool fits_into_line(const Table& table) const {
    if (!view_.is_brief()) return true;
    const std::string text = table.render({false, view_.width, true});
    std::size_t widest = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find('\n', at), text.size());
      widest = std::max(widest, text_width(std::string_view(text).substr(at, next - at)));
      at = next + 1;
    }
    return widest <= static_cast<std::size_t>(std::max(view_.width, 40));
  }

  const CompareReport& comparison_;
  const CompareFrame& frame_;
  const View& view_;
  Document out_;
  bool numbered_ = false;  // the sides have numbers in place of their names
};

}  // namespace

Document document_of(const CompareReport& comparison, const CompareFrame& frame, const View& view) {
  return CompareDocument(comparison, frame, view).build();
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
