#include "report/core/markup.h"

#include <algorithm>
#include <utility>

#include <apf/report_words.h>
#include <fmt/core.h>

#include "base/text.h"
#include "report/core/writers.h"

namespace apf {

std::string code(std::string_view name) {
  const std::string text = printable(name);
  const auto harmless = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), harmless)) return "`" + text + "`";
  std::string out = "<code>";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || byte >= 0x80;
    out += plain ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(byte));
  }
  return out + "</code>";
}

std::string prose(std::string_view sentence) {
  std::string out;
  for (const char c : printable(sentence)) {
    if (std::string_view("\\`*_{}[]<>()#|@~&$!").find(c) != std::string_view::npos) {
      out += fmt::format("&#{};", static_cast<int>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out;
}

std::string workflow_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') out += "%25";
    else if (property && c == ':') out += "%3A";
    else if (property && c == ',') out += "%2C";
    else out += c;
  }
  return out;
}

namespace {

using Form = Passage::Block::Form;

std::string cell_text(const Table::Cell& cell) {
  if (cell.name) return code(cell.text);
  return cell.tone == Tone::bad && !cell.text.empty() ? "**" + prose(cell.text) + "**" : prose(cell.text);
}

std::string markdown_table(const Table& table) {
  std::string out = "|";
  for (const Table::Column& column : table.columns()) out += " " + prose(sentence_case(column.title)) + " |";
  out += "\n|";
  for (const Table::Column& column : table.columns()) out += column.right ? "--:|" : ":--|";
  out += "\n";
  for (const auto& row : table.rows()) {
    out += "|";
    for (const Table::Cell& cell : row) out += " " + cell_text(cell) + " |";
    out += "\n";
  }
  return out;
}

// Lines that nothing in them can end.
std::string fenced(const char* language, const std::string& lines) {
  std::string fence = "```";
  while (lines.find(fence) != std::string::npos) fence += '`';
  return fence + language + "\n" + lines + (lines.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string markdown_block(const Passage::Block& block) {
  const std::string text = prose(block.text);
  const std::string_view label = trimmed(block.sign);
  const bool nested = block.sign.size() > 3 && label.empty();
  switch (block.form) {
    case Form::verdict:
      return verdict_sign(block.tone) + ("**" + text + "**\n");
    case Form::item:
      return (nested ? "  - " : "- ") + text + "\n";
    case Form::fact:
      return "- " + (label.empty() ? "" : "**" + prose(label) + "** ") + text +
             (block.remark.empty() ? "" : " (" + prose(block.remark) + ")") + "\n";
    case Form::quote:
      return fenced("", block.text);
    case Form::table:
      return markdown_table(block.table);
    default:
      return (block.tone == Tone::bad || block.tone == Tone::strong ? "**" + text + "**" : text) + "\n";
  }
}

// Sentences that follow each other are one paragraph, and commands one block; what is around others is a blank line.
std::string markdown_blocks(const Passage& passage) {
  std::string out, commands;
  const Passage::Block* before = nullptr;
  const auto is_listed = [](Form form) { return form == Form::item || form == Form::fact; };
  const auto type = [&] {
    if (!commands.empty()) out += fenced("sh", std::exchange(commands, {}));
  };
  for (const Passage::Block& block : passage.blocks()) {
    if (block.form == Form::chart) continue;
    const bool follows = before && (before->form == block.form || (is_listed(before->form) && is_listed(block.form))) &&
                         block.form != Form::table && block.form != Form::quote && block.form != Form::verdict;
    if (before && !follows) {
      type();
      out += "\n";
    }
    if (block.form == Form::command) commands += printable(block.text) + "\n";
    else out += markdown_block(block);
    before = &block;
  }
  type();
  return out;
}

}  // namespace

std::string as_markdown(const Document& document) {
  std::string out = document.title.empty() ? "" : "## " + prose(document.title) + "\n";
  for (const Passage& passage : document.sections) {
    if (has_no_words(passage) && !passage.is_report()) continue;
    const bool is_title = passage.is_report() && passage.title() == document.title;
    const std::string blocks = markdown_blocks(passage), title = is_title ? "" : prose(passage.title());
    if (passage.is_folded() && !title.empty())
      out += "\n<details><summary>" + title + "</summary>\n\n" + blocks + "\n</details>\n";
    else if (!title.empty()) out += (passage.is_report() ? "\n## " : "\n### ") + title + "\n\n" + blocks;
    else out += (out.empty() ? "" : "\n") + blocks;
  }
  return out;
}

}  // namespace apf
