// yaml-cpp's exceptions as faults that say what was expected.
#include <fmt/core.h>
#include <yaml-cpp/exceptions.h>

#include "config/tree_builder.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

// yaml-cpp's messages in terms of what was expected. Those not listed are passed on.
struct Wording {
  std::string_view theirs, ours;
};
const Wording kWordings[] = {
    {YAML::ErrorMsg::END_OF_MAP, "expected a key at the indentation of this mapping's other keys, or its end"},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "expected ',' or '}' in a mapping in braces"},
    {YAML::ErrorMsg::END_OF_SEQ, "expected '- ' at the indentation of this list's other items, or its end"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "expected ',' or ']' in a list in brackets"},
    {YAML::ErrorMsg::MAP_KEY, "did not expect a mapping key here"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "did not expect '- ' here: a list begins on a line of its own"},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket or brace without its opening one"},
    {YAML::ErrorMsg::EOF_IN_SCALAR, "expected the closing quote of this string, found the end of the document"},
    {YAML::ErrorMsg::DOC_IN_SCALAR, "expected the closing quote of this string, found the end of the document"},
    {YAML::ErrorMsg::TAB_IN_INDENTATION, "expected spaces as indentation, found a tab"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "expected a value; a text that begins with this character needs quotes"},
    {YAML::ErrorMsg::ALIAS_NOT_FOUND, "expected a name after '*'; a text that begins with '*' needs quotes"},
    {YAML::ErrorMsg::ANCHOR_NOT_FOUND, "expected a name after '&'; a text that begins with '&' needs quotes"},
    {YAML::ErrorMsg::CHAR_IN_ALIAS,
     "expected a name of letters and digits after '*'; a text that begins with '*' needs quotes"},
    {YAML::ErrorMsg::CHAR_IN_ANCHOR,
     "expected a name of letters and digits after '&'; a text that begins with '&' needs quotes"},
    {YAML::ErrorMsg::CHAR_IN_BLOCK, "expected nothing but an indentation indicator and a comment after '|' or '>'"},
};

// The first line of [begin, at's line] whose indentation holds a tab before content, looking back from `at`.
std::size_t find_indenting_tab(std::string_view text, std::size_t begin, std::size_t at) {
  std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  for (int back = 0; back < 3; ++back) {
    std::size_t first = line;
    while (first < text.size() && is_blank(text[first])) ++first;
    const std::size_t tab = text.substr(line, first - line).find('\t');
    if (tab != text.npos && first < text.size() && !is_space(text[first]) && text[first] != '#') return line + tab;
    if (line <= begin || line < 2) break;
    line = text.rfind('\n', line - 2) + 1;
  }
  return text.npos;
}

// A key without its colon shows only at the next key's: looks for it on the line before the one of `at`.
SyntaxFault explain_colon(std::string_view text, std::size_t begin, std::size_t at) {
  const auto content = [&](std::size_t line) { return std::min(text.find_first_not_of(' ', line), text.size()); };
  SyntaxFault fault{kSyntaxError, at, at + 1, kStrayColon};
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  if (line <= begin || line < 2) return fault;
  const std::size_t before = text.rfind('\n', line - 2) + 1;
  const std::size_t key = content(before);
  const bool same_indent = key - before == content(line) - line && before >= begin;
  const std::string_view rest = text.substr(key, line - 1 - key);
  if (!same_indent || rest.find(':') != rest.npos || rest.find_first_of("-#") == 0) return fault;
  return no_colon(text, key, EndFinder(text).word(key));
}

}  // namespace

SyntaxFault explain(const YAML::Exception& error, const ConfigTree& tree, std::size_t offset) {
  const std::string_view text = tree.text();
  std::size_t at =
      error.mark.is_null() ? offset : std::min(offset + static_cast<std::size_t>(error.mark.pos), text.size());
  if (error.msg == YAML::ErrorMsg::BAD_FILE) {
    return {kNestedTooDeep, at, at + 1, fmt::format("nested deeper than {} levels", kMaxTreeDepth)};
  }
  const std::size_t tab = find_indenting_tab(text, offset, at);
  if (tab != text.npos) {
    return {kSyntaxError, tab, tab + 1, kIndentingTab};
  }
  if (error.msg == YAML::ErrorMsg::MAP_VALUE) return explain_colon(text, offset, at);
  const std::string_view rest = text.substr(at, line_end(text, at) - at);
  if (error.msg == YAML::ErrorMsg::END_OF_MAP && rest.find(':') == rest.npos && rest.find_first_of("-[{") != 0) {
    return no_colon(text, at, EndFinder(text).word(at));
  }
  std::string message = error.msg;
  if (message.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
    const std::size_t end = EndFinder(text).word(at);
    return {kSyntaxError, at, end,
            fmt::format("YAML: no anchor '&{}' comes before this alias; a text that begins with '*' needs quotes",
                        text.substr(at + 1, end - at - 1))};
  }
  for (const Wording& wording : kWordings) {
    if (error.msg == wording.theirs) message = wording.ours;
  }
  return {kSyntaxError, at, at + 1, "YAML: " + message};
}

SyntaxFault no_colon(std::string_view text, std::size_t begin, std::size_t end) {
  const std::size_t before = begin == 0 ? text.npos : text.find_last_not_of(" \t\r\n", begin - 1);
  const bool in_brackets = before != text.npos && (text[before] == '[' || text[before] == ',');
  if (in_brackets && EndFinder(text).skip_space(end) >= text.size()) {
    return {kSyntaxError, begin, end,
            "YAML: expected ',' or ']' after this item of a list in brackets, found the end of the document"};
  }
  return {kSyntaxError, begin, end, kNoColon};
}

}  // namespace apf
