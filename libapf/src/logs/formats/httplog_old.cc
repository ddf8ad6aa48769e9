// The HTTP log before its lines were structured: handlers.go:109 (0.10) over wrap.go:42 and :47 to httplog.go:90
// (1.17).
//
//   GET /api/v1/x: (1.2ms) 200 [agent address:port]
//
// The agent may hold brackets, commas and blanks, and stood in brackets of its own up to 1.12; answers of 500 and above
// are followed by a stack of calls, then the agent is on a line of its own.
#include <algorithm>
#include <charconv>

#include "logs/answer_cause.h"
#include "logs/formats/httplog.h"

namespace apf {
namespace {

constexpr std::string_view kHijacked = "hijacked";

struct Shape {
  std::string_view method, uri, latency, rest;
};

bool is_method(std::string_view word) {
  return !word.empty() && word.size() <= 16 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool take_apart(std::string_view message, Shape& out) {
  const std::size_t blank = message.find(' ');
  if (blank == std::string_view::npos || !is_method(message.substr(0, blank)) || blank + 1 == message.size() ||
      message[blank + 1] != '/') {
    return false;
  }
  std::size_t colon = message.find(": (", blank);
  if (colon == std::string_view::npos) colon = message.find(":(", blank);  // as people copy it
  if (colon == std::string_view::npos) return false;
  const std::size_t open = message.find('(', colon), close = message.find(')', open);
  if (close == std::string_view::npos) return false;
  out.method = message.substr(0, blank);
  out.uri = message.substr(blank + 1, colon - blank - 1);
  out.latency = message.substr(open + 1, close - open - 1);
  out.rest = message.substr(close + 1);
  return true;
}

bool is_address(std::string_view text) {
  return !text.empty() && text.find_first_of(".:") != std::string_view::npos &&
         text.find_first_not_of("0123456789abcdefABCDEF.:[]%") == std::string_view::npos;
}

void read_client(std::string_view text, LogEvent& out) {
  if (!text.starts_with(" [")) return;
  text.remove_prefix(2);
  if (text.ends_with(']')) text.remove_suffix(1);
  const std::size_t blank = text.rfind(' ');
  if (blank != std::string_view::npos && is_address(text.substr(blank + 1))) {
    out.source_ip = without_port(text.substr(blank + 1));
    text = text.substr(0, blank);
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  out.user_agent = text;
}

}  // namespace

bool is_old_http_message(std::string_view message) {
  Shape shape;
  return take_apart(message, shape);
}

Unusable read_old_http_message(std::string_view message, Nanos time, LogEvent& out) {
  Shape shape;
  if (!take_apart(message, shape)) return Unusable::truncated;
  const Nanos latency = read_logged_duration(shape.latency);
  if (latency == kNoTime) return Unusable::bad_field;
  if (!is_duration_in_range(latency) || !is_time_in_range(time)) return Unusable::out_of_range;
  std::string_view rest = shape.rest;
  if (!rest.starts_with(' ')) return Unusable::truncated;
  rest.remove_prefix(1);
  out = LogEvent();
  out.http = true;
  out.hijacked = rest.starts_with(kHijacked);
  if (out.hijacked) {
    rest.remove_prefix(kHijacked.size());
  } else {
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.code);
    if (error != std::errc() || out.code < 100 || out.code > 999) return Unusable::truncated;
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  }
  out.method = shape.method;
  out.uri = shape.uri;
  out.stage_time = time;
  out.received = time - latency;
  out.cause = answer_cause(out.code, {}, {});
  read_client(rest, out);
  return Unusable::kCount;
}

}  // namespace apf
