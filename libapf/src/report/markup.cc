#include "report/markup.h"

#include <algorithm>

#include <apf/report.h>
#include <fmt/core.h>

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

void write_folded_list(std::string& out, const char* title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  out += fmt::format("\n<details><summary>{}</summary>\n\n", title);
  for (const std::string& sentence : sentences) out += "- " + prose(sentence) + "\n";
  out += "\n</details>\n";
}

namespace {

std::string cell_text(const Table::Cell& cell) {
  if (cell.name) return code(cell.text);
  return cell.tone == Tone::bad ? "**" + prose(cell.text) + "**" : prose(cell.text);
}

}  // namespace

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

// Sentences that follow each other are one paragraph; tables, lists and commands have blank lines around them.
std::string markdown_blocks(const Passage& passage) {
  using Form = Passage::Block::Form;
  std::string out;
  const Passage::Block* before = nullptr;
  const auto kind = [](const Passage::Block& block) { return block.table.empty() ? static_cast<int>(block.form) : -1; };
  for (const Passage::Block& block : passage.blocks()) {
    if (block.form == Form::chart) continue;
    if (before && (kind(*before) != kind(block) || !block.table.empty())) out += "\n";
    if (!block.table.empty()) out += markdown_table(block.table);
    else if (block.form == Form::command) out += shell_block(block.sentence + "\n");
    else out += (block.form == Form::item ? "- " : "") + prose(block.sentence) + "\n";
    before = &block;
  }
  return out;
}

void write_folded_passage(std::string& out, const Passage& passage) {
  if (passage.empty()) return;
  out +=
      "\n<details><summary>" + prose(passage.title()) + "</summary>\n\n" + markdown_blocks(passage) + "\n</details>\n";
}

std::string shell_block(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + "sh\n" + text + fence + "\n";
}

const char* expectation_sign(const ExpectationResult& result) {
  return !result.decided ? "⚠️ **not decided**" : result.met ? "✅ met" : "❌ **not met**";
}

}  // namespace apf
