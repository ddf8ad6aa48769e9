#include "report/markup.h"

#include <algorithm>

#include <apf/report.h>
#include <fmt/core.h>

#include "report/passage.h"

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

std::string markdown_table(const Table& table) {
  std::string head = "|", rule = "|", out;
  for (const Table::Column& column : table.columns()) {
    head += " " + sentence_case(column.title) + " |";
    rule += column.right ? "--:|" : "---|";
  }
  out = "\n" + head + "\n" + rule + "\n";
  for (const std::vector<Table::Cell>& row : table.rows()) {
    out += "|";
    for (const Table::Cell& cell : row) out += " " + (cell.name ? code(cell.text) : prose(cell.text)) + " |";
    out += "\n";
  }
  return out;
}

const char* expectation_sign(const ExpectationResult& result) {
  return !result.decided ? "⚠️ **not decided**" : result.met ? "✅ met" : "❌ **not met**";
}

}  // namespace apf
