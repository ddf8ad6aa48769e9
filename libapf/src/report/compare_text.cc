// A comparison on the traffic of a log, for a terminal.
#include <algorithm>

#include <apf/advise.h>
#include <apf/report.h>

#include "report/compare_words.h"
#include "report/coverage.h"

namespace apf {

namespace {

class CompareText {
 public:
  CompareText(const CompareReport& comparison, const CompareFrame& frame, const TextStyle& style)
      : comparison_(comparison), frame_(frame), style_(style) {}

  std::string render() {
    const bool several = frame_.new_names.size() > 1;
    if (comparison_.old_report.interrupted) say("Interrupted: this report covers the time until then.", Tone::bad);
    if (several) {
      say_incomplete();
      out_ += compare_summary(comparison_, frame_).render(style_);
    }
    for (std::size_t side = 0; side < comparison_.new_reports.size(); ++side) {
      if (several) out_ += "\n" + toned(printable(frame_.new_names[side]), Tone::strong, style_) + "\n";
      say(compare_verdict(comparison_, side), Tone::strong);
      if (!several) say_incomplete();
      for (const Table& table : compare_headlines(comparison_, side))
        out_ += table.render(style_).substr(1);  // without its line of titles, of which there are none
      for (const Passage& passage : compare_passages(comparison_, side)) out_ += passage.text(style_);
    }
    out_ += "\n";
    for (const std::string& sentence : compare_notes(comparison_, frame_)) say(sentence, Tone::faint);
    list("Assumptions", compare_assumptions(comparison_));
    list("Warnings", compare_warnings(comparison_));
    return std::move(out_);
  }

 private:
  void say(const std::string& sentence, Tone tone, std::size_t indent = 0) {
    out_ += toned(wrapped(printable(sentence), static_cast<std::size_t>(std::max(style_.width, 40)), indent), tone,
                  style_) +
            "\n";
  }
  void say_incomplete() {
    for (const std::string& sentence : incomplete_sentences(comparison_.old_report))
      say(sentence, Tone::caution, sentence.starts_with("- ") ? 2 : 0);
  }
  void list(const char* title, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    out_ += "\n" + toned(title, Tone::strong, style_) + "\n";
    for (const std::string& sentence : sentences) say("- " + sentence, Tone::plain, 2);
  }

  const CompareReport& comparison_;
  const CompareFrame& frame_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string render_text(const CompareReport& comparison, const CompareFrame& frame, const TextStyle& style) {
  return CompareText(comparison, frame, style).render();
}

}  // namespace apf
