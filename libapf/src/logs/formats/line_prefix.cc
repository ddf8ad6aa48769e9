#include "logs/formats/line_prefix.h"

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "base/text.h"
#include "logs/formats/csv_table.h"
#include "logs/formats/klog_line.h"
#include "logs/formats/text_scan.h"
#include "logs/server_names.h"

namespace apf {
namespace {

constexpr std::size_t kLongest = 4096;

// "Nov 20 12:00:00 host kube-apiserver[7]: "
bool is_journal(std::string_view prefix) {
  return prefix.size() > 16 && prefix[3] == ' ' && prefix[9] == ':' && prefix[12] == ':' && prefix.ends_with("]: ");
}

// How the object that begins with this brace is quoted, if one does.
bool find_quoting(std::string_view object, LinePrefix::Quoting& out) {
  if (object.starts_with("{\"\"")) {
    out = LinePrefix::Quoting::doubled;
  } else if (object.starts_with("{\\\"")) {
    out = LinePrefix::Quoting::escaped;
  } else {
    const std::size_t quote = object.find_first_not_of(' ', 1);
    if (quote == std::string_view::npos || object[quote] != '"') return false;
    out = LinePrefix::Quoting::none;
  }
  return true;
}

// Where the text of an event begins in a shipper's record, as Fluentd and Fluent Bit write them into files:
// {"log":"{\"kind\":…; 0: the object is an event itself.
std::size_t find_inner(std::string_view object) {
  const std::size_t inner = object.find("\"{\\\"");
  if (inner == std::string_view::npos || has_audit_names(object.substr(0, inner)) ||
      object.substr(0, inner).find("\"kind\"") != std::string_view::npos)
    return 0;
  return has_audit_names(object.substr(inner)) ? inner + 1 : 0;
}

// Times, numbers of lines and processes; the streams and marks of container runtimes.
bool names_nothing(std::string_view word) {
  if (word.size() < 2 || word == "stdout" || word == "stderr" || word.starts_with("\xEF\xBB\xBF")) return true;
  bool letters = false, time = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    letters = letters || (!is_digit(word[i]) && std::string_view(":.,[]{}").find(word[i]) == std::string_view::npos);
    time = time || (i > 0 && i + 1 < word.size() && (word[i] == ':' || word[i] == '-' || word[i] == '/') &&
                    is_digit(word[i - 1]) && is_digit(word[i + 1]));
  }
  if (is_digit(word[0]) && time) return true;
  return !letters && std::count(word.begin(), word.end(), '.') != 3;  // addresses have three
}

}  // namespace

std::uint32_t origin_of_words(std::string_view prefix) {
  std::uint64_t hash = 0;
  while (!prefix.empty()) {
    const std::string_view word = prefix.substr(0, prefix.find_first_of(" \t,"));
    // Of a file's name, what names the server: the parts of a rotated log have many names.
    const bool file = word.find(".log") != std::string_view::npos;
    const std::string server = file ? server_of_log(word.substr(0, word.find(':'))) : std::string();
    if (file ? !server.empty() : !names_nothing(word)) hash = hash_bytes(file ? server : word, hash);
    prefix.remove_prefix(std::min(word.size() + 1, prefix.size()));
  }
  return static_cast<std::uint32_t>(hash);
}

LinePrefix find_line_prefix(std::string_view line) {
  LinePrefix out;
  const std::string_view head = line.substr(0, kLongest);
  std::size_t brace = 0;
  do {
    brace = head.find('{', brace + 1);
    if (brace == std::string_view::npos) return out;
  } while (!find_quoting(line.substr(brace), out.quoting));
  if (const std::size_t inner = find_inner(line.substr(brace)); inner > 0) {
    brace += inner;
    out.quoting = LinePrefix::Quoting::escaped;
  }
  const std::string_view prefix = line.substr(0, brace);
  if (prefix.find('\0') != std::string_view::npos) return {};  // damage
  const std::size_t header = find_klog_header(prefix);
  const bool behind_klog = header != std::string_view::npos;
  // Of klog the JSON must be the whole message: its own lines have JSON in them, too.
  if (behind_klog && !prefix.ends_with("] ")) return out;
  const bool known = leading_time(prefix) != kNoTime || prefix.starts_with("[pod/") || prefix.ends_with("| ") ||
                     is_journal(prefix) || behind_klog;
  if (!known && !has_audit_names(line.substr(brace)) && !is_klog_json(line.substr(brace))) return out;
  out.size = brace;
  out.written = leading_time(prefix);
  out.origin = origin_of_words(prefix.substr(0, std::min(header, prefix.size())));
  return out;
}

std::string_view text_behind(std::string_view line, const LinePrefix& prefix, JsonScratch& scratch) {
  std::string_view text = line.substr(prefix.size);
  if (prefix.quoting == LinePrefix::Quoting::doubled) return read_csv_cell(text, scratch);
  if (prefix.quoting == LinePrefix::Quoting::none) {
    // Other cells may follow.
    DocumentScanner scanner;
    const std::size_t size = scanner.scan_one(text);
    return size < text.size() && text.find('{', size) == std::string_view::npos ? text.substr(0, size) : text;
  }
  std::size_t end = 0;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  std::string_view plain;
  return json_text(text.substr(0, end), scratch, plain) ? plain : text;
}

}  // namespace apf
