// A comparison on the traffic of a log, for a terminal.
#include <algorithm>
#include <string_view>

#include <apf/advise.h>
#include <apf/report.h>

#include "report/compare_people.h"
#include "report/compare_words.h"
#include "report/coverage.h"
#include "report/doubts.h"

namespace apf {

namespace {

class CompareText {
 public:
  CompareText(const CompareReport& comparison, const CompareFrame& frame, const TextStyle& style)
      : comparison_(comparison), frame_(frame), style_(style) {}

  std::string render() {
    const bool several = frame_.new_names.size() > 1;
    if (comparison_.old_report.interrupted) say("Interrupted: this report covers the time until then.", Tone::bad);
    for (const std::string& doubt : doubts_of(comparison_.old_report)) say(doubt, Tone::caution);
    if (several) {
      say_incomplete();
      say_summary();
    }
    for (std::size_t side = 0; side < comparison_.new_reports.size(); ++side) {
      if (several) {
        const std::string number = numbered_ ? number_of(side) + ": " : std::string();
        out_ += "\n" + toned(number + printable(frame_.new_names[side]), Tone::strong, style_) + "\n";
      }
      say(compare_verdict(comparison_, side), Tone::strong);
      if (!several) say_incomplete();
      for (const Table& table : compare_headlines(comparison_, side))
        out_ += table.render(style_).substr(1);  // without its line of titles, of which there are none
      for (const Passage& passage : compare_passages(comparison_, side, style_.full ? SIZE_MAX : rows_of(comparison_)))
        out_ += passage.text(style_);
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
  static std::string number_of(std::size_t side) { return "NEW " + std::to_string(side + 1); }
  // Where the names of the sides are too long for a line, they have numbers; where there are too many of them, there
  // are several tables.
  void say_summary() {
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
      if (first > 0) out_ += "\n";
      out_ += compare_summary(comparison_, names, first, columns).render(style_);
    }
  }
  bool fits_into_line(const Table& table) const {
    if (style_.full) return true;
    const std::string text = table.render({false, style_.width, true});
    std::size_t widest = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find('\n', at), text.size());
      widest = std::max(widest, text_width(std::string_view(text).substr(at, next - at)));
      at = next + 1;
    }
    return widest <= static_cast<std::size_t>(std::max(style_.width, 40));
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
  bool numbered_ = false;  // the sides have numbers in place of their names
};

}  // namespace

std::string render_text(const CompareReport& comparison, const CompareFrame& frame, const TextStyle& style) {
  return CompareText(comparison, frame, style).render();
}

}  // namespace apf
