#include "logs/formats/line_prefix.h"

#include <algorithm>

#include "logs/formats/klog_line.h"

namespace apf {
namespace {

constexpr std::size_t kLongest = 512;

// "Nov 20 12:00:00 host kube-apiserver[7]: "
bool is_journal(std::string_view prefix) {
  return prefix.size() > 16 && prefix[3] == ' ' && prefix[9] == ':' && prefix[12] == ':' && prefix.ends_with("]: ");
}

}  // namespace

LinePrefix find_line_prefix(std::string_view line) {
  LinePrefix out;
  const std::size_t brace = line.substr(0, kLongest).find('{');
  if (brace == std::string_view::npos || brace == 0 || brace + 1 == line.size()) return out;
  const std::string_view prefix = line.substr(0, brace);
  if (prefix.back() == '"' && line.substr(brace + 1).starts_with("\"\"")) {
    out.size = brace;
    out.csv = true;
    return out;
  }
  if (line[brace + 1] != '"' || prefix.back() != ' ') return out;
  out.written = leading_time(prefix);
  const bool runtime = out.written != kNoTime;  // CRI, kubectl logs --timestamps
  const bool pod = prefix.starts_with("[pod/") || prefix.ends_with("| ");
  // Of klog the JSON must be the whole message: its own lines have JSON in them, too.
  const bool klog = find_klog_header(prefix) != std::string_view::npos && prefix.ends_with("] ");
  if (klog || ((runtime || pod || is_journal(prefix)) && find_klog_header(prefix) == std::string_view::npos))
    out.size = brace;
  return out;
}

std::string_view read_csv_cell(std::string_view text, JsonScratch& scratch) {
  char* const begin = scratch.room(text.size());
  char* to = begin;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i + 1 == text.size() || text[++i] != '"')) break;
    *to++ = text[i];
  }
  scratch.take(static_cast<std::size_t>(to - begin));
  return {begin, static_cast<std::size_t>(to - begin)};
}

}  // namespace apf
