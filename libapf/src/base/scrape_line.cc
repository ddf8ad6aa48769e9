#include "base/scrape_line.h"

#include <algorithm>
#include <charconv>

#include "base/decimal.h"

namespace apf {

namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

// A quoted label value with its escapes; false if it does not end.
bool take_label_value(std::string_view& text, std::string& out) {
  out.clear();
  if (!text.starts_with('"')) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      out += text[i] == 'n' ? '\n' : text[i];
    } else {
      out += text[i];
    }
  }
  return false;
}

bool take_labels(std::string_view& text, ScrapeLine& out) {
  text.remove_prefix(1);
  for (;;) {
    text = without_blanks(text);
    if (text.starts_with('}')) break;
    std::size_t length = 0;
    while (length < text.size() && is_name_char(text[length])) ++length;
    const std::string_view name = text.substr(0, length);
    text = without_blanks(text.substr(length));
    if (name.empty() || !text.starts_with('=')) return false;
    text = without_blanks(text.substr(1));
    auto& label = out.labels.emplace_back(name, std::string());
    if (!take_label_value(text, label.second)) return false;
    text = without_blanks(text);
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool read_sample(std::string_view text, double& out) {
  text = without_blanks(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return read_decimal(text, out) == std::errc();
}

std::string_view ScrapeLine::label(std::string_view name) const {
  for (const auto& [key, text] : labels)
    if (key == name) return text;
  return {};
}

bool take_metric(std::string_view& line, ScrapeLine& out) {
  out.labels.clear();
  if (line.starts_with('{')) {
    const std::string_view whole = line;
    if (!take_labels(line, out)) return false;
    const std::string_view name = out.label("__name__");
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_char)) return false;
    out.metric = whole.substr(whole.find('"' + std::string(name) + '"') + 1, name.size());
    return true;
  }
  std::size_t length = 0;
  while (length < line.size() && is_name_char(line[length])) ++length;
  if (length == 0 || length == line.size()) return false;
  out.metric = line.substr(0, length);
  line.remove_prefix(length);
  return line[0] != '{' || take_labels(line, out);
}

bool parse_scrape_line(std::string_view line, ScrapeLine& out) {
  out.time.reset();
  if (!take_metric(line, out)) return false;
  std::string_view rest = without_blanks(line);
  if (rest.size() == line.size() && out.labels.empty()) return false;  // no blank before the number
  const std::size_t blank = rest.find_first_of(" \t");
  if (!read_sample(rest.substr(0, blank), out.value)) return false;
  if (blank == rest.npos) return true;
  rest = without_blanks(rest.substr(blank));
  if (rest.starts_with('#')) return true;  // an exemplar of OpenMetrics
  std::int64_t time = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), time);
  // OpenMetrics writes seconds; only whole milliseconds are sure to be the text format's.
  constexpr std::int64_t kLeastMilliseconds = 100'000'000'000;
  if (fault == std::errc() && end == rest.data() + rest.size() && time > kLeastMilliseconds &&
      time < INT64_MAX / 1'000'000)
    out.time = time * kMillisecond;
  return true;
}

}  // namespace apf
