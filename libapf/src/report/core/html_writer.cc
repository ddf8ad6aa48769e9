// A document as a page.
#include <fmt/core.h>

#include "base/text.h"
#include "report/core/html_frame.h"
#include "report/core/html_markup.h"
#include "report/core/writers.h"

namespace apf {

namespace {

using Block = Passage::Block;
using Form = Passage::Block::Form;

std::string item_of(const Block& block) {
  if (block.form == Form::item) return "<li>" + html_text(block.text) + "</li>";
  const std::string_view label = trimmed(block.sign);
  return "<li>" + (label.empty() ? "" : "<strong>" + html_text(label) + "</strong> ") + html_text(block.text) +
         (block.remark.empty() ? "" : " <span class=\"soft\">" + html_text(block.remark) + "</span>") + "</li>";
}

// Lines that are kept apart.
std::string html_lines(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += html_text(lines.substr(0, end)) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

std::string block_of(const Block& block) {
  const std::string text = html_text(block.text);
  switch (block.form) {
    case Form::verdict:
      return fmt::format("<p class=\"verdict {}\">{}</p>\n", verdict_class(block.tone), text);
    case Form::command:
    case Form::quote:
      return "<pre>" + html_lines(block.text) + "</pre>\n";
    case Form::table:
      return html_table(block.table);
    case Form::tile:
      return fmt::format("<div><dt>{}</dt><dd{}>{}<small>{}</small></dd></div>", html_text(block.sign),
                         block.tone == Tone::bad ? " class=\"bad\"" : "", text, html_text(block.remark));
    case Form::chart:
      return block.text;
    default:
      return fmt::format("<p{}>{}</p>\n",
                         block.tone == Tone::faint ? " class=\"soft\""
                         : block.tone == Tone::bad ? " class=\"unmet\""
                                                   : "",
                         text);
  }
}

// What blocks that follow each other are in: lists, tiles.
const char* group_of(const Block& block) {
  return block.form == Form::item || block.form == Form::fact ? "ul class=\"says\""
         : block.form == Form::tile                           ? "dl class=\"tiles\""
                                                              : "";
}

std::string end_of(std::string_view group) {
  return group.empty() ? "" : "</" + std::string(group.substr(0, 2)) + ">\n";
}

std::string html_blocks(const Passage& passage) {
  std::string out;
  std::string_view group;
  for (const Block& block : passage.blocks()) {
    if (const std::string_view next = group_of(block); next != group) {
      out += end_of(group) + (next.empty() ? "" : "<" + std::string(next) + ">");
      group = next;
    }
    out += group.starts_with("ul") ? item_of(block) : block_of(block);
  }
  return out + end_of(group);
}

}  // namespace

std::string as_page(const Document& document) {
  const std::string title = html_text(document.title);
  std::string out = html_head(title) + "<header>\n<h1>" + title + "</h1>\n</header>\n<main>\n", end;
  for (const Passage& passage : document.sections) {
    if (passage.empty() && !passage.is_report()) continue;
    const bool is_report = passage.is_report() && &passage != &document.sections.front();
    if (is_report) {
      out += end + "<section class=\"server\"><h1>" + html_text(passage.title()) + "</h1>\n";
      end = "</section>\n";
    } else if (!passage.title().empty() && !passage.is_report()) {
      out += "<h2>" + html_text(passage.title()) + "</h2>\n";
    }
    out += html_blocks(passage);
  }
  return out + end + html_foot();
}

}  // namespace apf
