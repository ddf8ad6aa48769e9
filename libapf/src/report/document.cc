#include "report/document.h"

#include <algorithm>

#include "report/html/frame.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/markup.h"

namespace apf {
namespace {

std::string as_text(const Document& document, const TextStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  const Verdict& verdict = document.verdict;
  std::string out = toned(wrapped(printable(verdict.what), width, 0), verdict.tone, style) + "\n";
  for (const std::string& sentence : verdict.sentences) out += wrapped(printable(sentence), width, 0) + "\n";
  for (const std::string& sentence : document.lead)
    out += toned(wrapped(printable(sentence), width, 0), Tone::faint, style) + "\n";
  for (const Document::Section& section : document.sections) out += section.passage.text(style);
  return out;
}

std::string as_markdown(const Document& document) {
  const Verdict& verdict = document.verdict;
  std::string out =
      "## " + prose(document.title) + "\n\n" + verdict_sign(verdict.tone) + " **" + prose(verdict.what) + "**\n";
  for (const std::string& sentence : verdict.sentences) out += "\n- " + prose(sentence);
  if (!verdict.sentences.empty()) out += "\n";
  for (const std::string& sentence : document.lead) out += "\n" + prose(sentence) + "\n";
  for (const Document::Section& section : document.sections) {
    if (section.passage.empty()) continue;
    if (section.folded) write_folded_passage(out, section.passage);
    else out += "\n### " + prose(section.passage.title()) + "\n\n" + markdown_blocks(section.passage);
  }
  return out;
}

std::string as_page(const Document& document) {
  const Verdict& verdict = document.verdict;
  const std::string title = html_text(document.title);
  std::string out = html_head(title) + "<header>\n<h1>" + title + "</h1>\n";
  for (const std::string& sentence : document.lead) out += "<p class=\"soft\">" + html_text(sentence) + "</p>\n";
  out += "</header>\n<main>\n<p class=\"verdict " + std::string(verdict_class(verdict.tone)) + "\">" +
         html_text(verdict.what) + "</p>\n";
  if (!verdict.sentences.empty()) {
    out += "<ul class=\"says\">";
    for (const std::string& sentence : verdict.sentences) out += "<li>" + html_text(sentence) + "</li>";
    out += "</ul>\n";
  }
  for (const Document::Section& section : document.sections) out += html_passage(section.passage);
  return out + html_foot();
}

}  // namespace

const char* verdict_sign(Tone tone) { return tone == Tone::bad ? "❌" : tone == Tone::caution ? "⚠️" : "✅"; }

const char* verdict_class(Tone tone) { return tone == Tone::bad ? "bad" : tone == Tone::caution ? "caution" : "good"; }

std::string render(const Document& document, Notation notation, const TextStyle& style) {
  return notation == Notation::text       ? as_text(document, style)
         : notation == Notation::markdown ? as_markdown(document)
                                          : as_page(document);
}

}  // namespace apf
