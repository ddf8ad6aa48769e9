#include "flags/report_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "shared/output.h"

namespace apfctl {

namespace {

using DocumentOf = std::function<apf::Document(const apf::View&)>;

const apf::Passage::Block* verdict_of(const apf::Document& document) {
  for (const apf::Passage& passage : document.sections)
    for (const apf::Passage::Block& block : passage.blocks())
      if (block.form == apf::Passage::Block::Form::verdict) return &block;
  return nullptr;
}

std::size_t line_count(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The whole lines that a terminal shows in so many rows: of a line that is too wide for it, one is not enough.
std::string first_rows(const std::string& text, std::size_t rows, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::size_t taken = rows_of_line(std::string_view(text).substr(at, end - 1 - at), columns);
    if (taken > rows) break;
    rows -= taken;
    at = end;
  }
  return text.substr(0, at);
}

// What a terminal of so many rows shows of a report: its verdict first. `all`: the flag that shows the rest; empty:
// this is all of it, however long, and the verdict is also last, where the eye is.
std::string for_terminal(const DocumentOf& document, const apf::TextStyle& style, std::size_t rows,
                         const std::string& all) {
  const apf::Document main = document({apf::Notation::text, style.full, style.width});
  std::string text = apf::render(main, apf::Notation::text, style);
  const apf::Passage::Block* verdict = verdict_of(main);
  // Where text says it in several sentences, Markdown has it in one.
  std::optional<apf::Document> other;
  if (!verdict) verdict = verdict_of(other.emplace(document({apf::Notation::markdown, style.full, style.width})));
  std::string judged;
  if (verdict) {
    apf::Document alone;
    alone.section().judge(verdict->text, verdict->tone);
    judged = apf::render(alone, apf::Notation::text, style);
  }
  if (!judged.empty() && !text.starts_with(judged)) text = judged + "\n" + text;
  const auto columns = static_cast<std::size_t>(style.width);
  // The last one is for the prompt, the first ones may be with what standard error has said.
  const std::size_t taken = rows_on_stderr() + 1, room = rows > taken ? rows - taken : 1;
  if (first_rows(text, room, columns) == text) return text;
  if (all.empty()) return judged.empty() ? text : text + "\n" + judged;
  const std::string shown = first_rows(text, room - 1, columns);
  return shown +
         apf::toned(fmt::format("... {} more lines: {}", line_count(text) - line_count(shown), all), apf::Tone::faint,
                    style) +
         "\n";
}

}  // namespace

std::string page_of(apf::Document document, const Setup& setup, const OutputFlags& output, apf::Passage last) {
  apf::Passage& facts = document.section("What this holds for");
  for (const auto& [name, value] : setup) facts.fact(name + ":", value);
  document.add(std::move(last));
  document.made_by = output.made_by();
  return apf::render(document, apf::Notation::html);
}

apf::Document told(apf::Document document, const apf::View& view, const std::string& assumed, apf::Passage next) {
  document.qualify(assumed);
  if (view.notation == apf::Notation::text) document.add(std::move(next));
  return document;
}

std::string github_notice(const char* command, const std::string& sentence) {
  return sentence.empty() ? sentence : fmt::format("::notice title=apfctl {}::{}\n", command, sentence);
}

void write_report(const OutputFlags& output, const Console& console,
                  const std::function<apf::Document(const apf::View&)>& document, const TextOf& json,
                  const std::map<std::string, TextOf>& others, const Setup& setup) {
  output.write_to_fit(console, [&](const std::string& format, const apf::TextStyle& style, std::size_t rows) {
    if (format == "json") return json() + "\n";
    if (const auto other = others.find(format); other != others.end()) return other->second();
    const apf::Notation notation = format == "markdown" ? apf::Notation::markdown
                                   : format == "html"   ? apf::Notation::html
                                   : format == "svg"    ? apf::Notation::svg
                                                        : apf::Notation::text;
    if (rows == 0 || notation != apf::Notation::text) {
      apf::Document whole = document({format == "svg" ? apf::Notation::html : notation, style.full, style.width});
      if (format == "html") return page_of(std::move(whole), setup, output);
      return apf::render(whole, notation, style);
    }
    return for_terminal(document, style, rows, style.full ? "" : output.accepts("wide") ? "-o wide" : "| less");
  });
}

}  // namespace apfctl
