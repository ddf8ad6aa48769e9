// Command lines that wait for what sets their variables, or takes them back.
#include <apf/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "setup/facts.h"

namespace apf {

namespace {

bool has_variable(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const auto& word) { return word.find('$') != word.npos; });
}

}  // namespace

bool is_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

std::string expanded(std::string_view text, const std::function<const std::string*(std::string_view)>& value_of) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char bracket = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool is_in_brackets = bracket == '{' || bracket == '(';
    const std::size_t begin = std::min(at + (is_in_brackets ? 2 : 1), text.size());
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), is_of_name) - text.begin());
    const bool is_whole = text[at] == '$' && end > begin &&
                          (!is_in_brackets || (end < text.size() && text[end] == (bracket == '{' ? '}' : ')')));
    const std::string* value = is_whole ? value_of(text.substr(begin, end - begin)) : nullptr;
    if (value) out += *value;
    else out += text[at];
    at = value ? end + (is_in_brackets ? 1 : 0) : at + 1;
  }
  return out;
}

void FactBook::command_line(CommandLine line) {
  line.file = name_;
  const bool waits = has_variable(line.words);
  const std::vector<std::string_view> words(line.words.begin(), line.words.end());
  if (line.is_carried && !waits && !has_flags(words)) return;
  mention();
  if (waits || line.is_unit) lines_.push_back(std::move(line));
  else read(line);
}

void FactBook::drop_units() {
  const std::filesystem::path folder = std::filesystem::path(name_).parent_path().filename();
  std::erase_if(lines_, [&](const CommandLine& line) {
    return line.is_unit &&
           (line.file == name_ || std::filesystem::path(line.file).filename().string() + ".d" == folder.string());
  });
}

void FactBook::variable(std::string_view name, std::string_view value, bool is_flags) {
  if (is_flags) mention();
  const auto known = [&](std::string_view other) -> const std::string* {
    const auto at = std::find_if(variables_.rbegin(), variables_.rend(),
                                 [&](const Variable& v) { return v.name == other && v.file == name_; });
    return at == variables_.rend() ? nullptr : &at->value;
  };
  std::string text = expanded(value, known);
  std::erase_if(variables_, [&](const Variable& v) { return v.name == name && v.file == name_; });
  variables_.push_back({std::string(name), std::move(text), name_, is_flags});
}

void FactBook::drop_variables() {
  std::erase_if(variables_, [&](const Variable& v) { return v.file == name_; });
}

// An EnvironmentFile comes after the unit's own variables.
const std::string* FactBook::value_of(std::string_view name, std::string_view file) {
  const Variable *own = nullptr, *other = nullptr;
  for (Variable& v : variables_) {
    const bool is_own = v.file == file;
    const bool is_of_another = !is_own && std::any_of(lines_.begin(), lines_.end(),
                                                      [&](const CommandLine& line) { return line.file == v.file; });
    if (v.name != name || is_of_another) continue;
    if (other && !is_own && other->value != v.value)
      throw Error(fmt::format("{} says {} is '{}', and {} says '{}': they are of different servers", other->file, name,
                              other->value, v.file, v.value));
    v.is_used = true;
    (is_own ? own : other) = &v;
  }
  const Variable* const found = other ? other : own;
  return found ? &found->value : nullptr;
}

void FactBook::read(const CommandLine& line) {
  const std::size_t before = count_;
  std::vector<std::string> words;
  for (const std::string& word : line.words) {
    if (word.find('$') == word.npos) {
      words.push_back(word);
      continue;
    }
    const std::string text = expanded(unquoted(word), [&](std::string_view name) { return value_of(name, line.file); });
    const std::vector<std::string_view> parts = words_of(text);
    words.insert(words.end(), parts.begin(), parts.end());
  }
  read_command_words({words.begin(), words.end()}, *this);
  if (std::any_of(words.begin(), words.end(), [](const auto& word) { return word.starts_with('$'); })) open();
  else if (!line.is_carried || count_ > before) complete();
}

void FactBook::settle() {
  for (const CommandLine& line : lines_) {
    file(line.file);
    read(line);
  }
  for (const Variable& v : variables_) {
    if (!v.is_flags || v.is_used) continue;
    file(v.file);
    read_command_words(words_of(v.value), *this);
  }
}

bool FactBook::is_used(std::string_view file) const {
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](const Variable& v) { return v.is_used && v.file == file; });
}

}  // namespace apf
