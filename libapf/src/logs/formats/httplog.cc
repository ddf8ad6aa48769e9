#include "logs/formats/httplog.h"

#include <charconv>

#include "logs/answer_cause.h"
#include "logs/formats/klog_line.h"

namespace apf {
namespace {

constexpr std::string_view kFirstWord = "\"HTTP\" ";

// A whole number that is not negative.
bool read_int(std::string_view text, int& out) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && stop == text.data() + text.size() && out >= 0;
}

bool is_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// "12.345ms" without a sign or further units: nearly all of them.
Nanos read_short_duration(std::string_view text) {
  std::uint64_t digits = 0, scale = 1;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < text.size() && i < 16 && is_number(text[i]); ++i) {
    if (text[i] == '.') {
      if (fraction) return kNoTime;
      fraction = true;
      continue;
    }
    digits = digits * 10 + static_cast<unsigned>(text[i] - '0');
    if (fraction) scale *= 10;
  }
  const std::string_view unit = text.substr(i);
  std::uint64_t size = 0;
  if (unit == "ms") size = kMillisecond;
  else if (unit == "s") size = kSecond;
  else if (unit == "\xc2\xb5s") size = kMicrosecond;
  else return kNoTime;
  // Go never writes more decimals than whole nanoseconds have; no more than nine digits of seconds fit.
  if (scale > size || digits > std::uint64_t{9'000'000'000}) return kNoTime;
  return static_cast<Nanos>(digits * (size / scale));
}

}  // namespace

Nanos read_logged_duration(std::string_view text) {
  const Nanos quick = read_short_duration(text);
  if (quick != kNoTime) return quick;
  if (const auto duration = parse_go_duration(text)) return *duration;
  std::size_t end = 0;
  while (end < text.size() && is_number(text[end])) ++end;
  // Only the µ is beyond ASCII: what replaced it may be anything, and may have swallowed the s.
  const bool mangled =
      end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) >= 0x80 || text[end] == '?');
  if (!mangled) return kNoTime;
  return parse_go_duration(std::string(text.substr(0, end)) + "us").value_or(kNoTime);
}

std::string_view without_port(std::string_view source) {
  if (source.starts_with('[')) {
    const std::size_t end = source.find(']');
    return end == std::string_view::npos ? source : source.substr(1, end - 1);
  }
  const std::size_t colon = source.rfind(':');
  // Two colons without brackets: an IPv6 address alone.
  if (colon == std::string_view::npos || source.find(':') != colon) return source;
  return source.substr(0, colon);
}

void HttpFields::clear() {
  event_.http = true;
  event_.hijacked = event_.has_seats = false;
  event_.id = event_.method = event_.uri = event_.user_agent = event_.source_ip = {};
  event_.recorded_flow_schema = event_.recorded_priority_level = {};
  event_.queue_wait = event_.execution = event_.init = kNoTime;
  event_.seats = WorkEstimate();
  event_.code = 0;
  event_.origin = 0;
  latency_ = kNoTime;
  bad_ = out_of_range_ = false;
}

void HttpFields::duration(std::string_view text, Nanos& out) {
  out = read_logged_duration(text);
  if (out == kNoTime) bad_ = true;
  else if (!is_duration_in_range(out)) out_of_range_ = true;
}

void HttpFields::number(std::string_view text, int& out) {
  if (!read_int(text, out)) bad_ = true;
}

// The length distinguishes most names.
void HttpFields::take(std::string_view key, std::string_view value) {
  LogEvent& e = event_;
  switch (key.size()) {
    case 3:
      if (is_key(key, "URI")) e.uri = value;
      return;
    case 4:
      if (is_key(key, "verb")) e.method = value;
      else if (is_key(key, "resp")) number(value, e.code);
      return;
    case 5:
      if (is_key(key, "srcIP")) e.source_ip = value;
      return;
    case 6:
      if (is_key(key, "apf_fs")) e.recorded_flow_schema = value;
      else if (is_key(key, "apf_pl")) e.recorded_priority_level = value;
      return;
    case 7:
      if (is_key(key, "latency")) duration(value, latency_);
      return;
    case 8:
      if (is_key(key, "audit-ID")) e.id = value;
      else if (is_key(key, "hijacked")) e.hijacked = value == "true";
      return;
    case 9:
      if (is_key(key, "userAgent") || is_key(key, "UserAgent")) e.user_agent = value;
      return;
    case 10:
      if (is_key(key, "apf_iseats")) {
        number(value, e.seats.initial_seats);
        e.has_seats = true;
      } else if (is_key(key, "apf_fseats")) {
        number(value, e.seats.final_seats);
      }
      return;
    case 16:
      if (is_key(key, "apf_init_latency")) duration(value, e.init);
      return;
    case 18:
      if (is_key(key, "apf_execution_time")) duration(value, e.execution);
      return;
    case 21:
      if (is_key(key, "apf_additionalLatency")) duration(value, e.seats.additional_latency);
      return;
    case 22:
      if (is_key(key, "fl_priorityandfairness")) duration(value, e.queue_wait);
      return;
    default:
      return;
  }
}

bool HttpFields::take_pairs(std::string_view message, JsonScratch& scratch) {
  using Next = KlogPairs::Next;
  KlogPairs pairs(message);
  LogEvent& e = event_;
  Next next = Next::pair;
  const auto text = [&](const auto& key, std::string_view& out) {
    if (next != Next::cut_off && (next = pairs.next_if(key)) == Next::pair) out = go_text(pairs.raw(), scratch);
  };
  const auto time = [&](const auto& key, Nanos& out) {
    if (next != Next::cut_off && (next = pairs.next_if(key)) == Next::pair) duration(pairs.raw(), out);
  };
  const auto count = [&](const auto& key, int& out) {
    if (next == Next::cut_off || (next = pairs.next_if(key)) != Next::pair) return false;
    number(pairs.raw(), out);
    return true;
  };
  // In the order in which the server writes them, since v1.24; what is missing or elsewhere is found below.
  text("verb=", e.method);
  text("URI=", e.uri);
  time("latency=", latency_);
  text("userAgent=", e.user_agent);
  if (next != Next::cut_off) next = pairs.next_if("contentType=");  // since v1.37
  text("audit-ID=", e.id);
  text("srcIP=", e.source_ip);
  text("apf_pl=", e.recorded_priority_level);
  text("apf_fs=", e.recorded_flow_schema);
  e.has_seats = count("apf_iseats=", e.seats.initial_seats);
  count("apf_fseats=", e.seats.final_seats);
  time("apf_additionalLatency=", e.seats.additional_latency);
  time("fl_priorityandfairness=", e.queue_wait);
  time("apf_init_latency=", e.init);
  time("apf_execution_time=", e.execution);
  count("resp=", e.code);
  while (next != Next::cut_off && (next = pairs.next()) == Next::pair) {
    // A stack of calls over several lines: nothing that is needed comes behind it.
    if (pairs.raw() == "<") break;
    take(pairs.key(), go_text(pairs.raw(), scratch));
  }
  return next != Next::cut_off;
}

Unusable HttpFields::finish(Nanos time) {
  if (bad_) return Unusable::bad_field;
  if (out_of_range_ || !is_time_in_range(time)) return Unusable::out_of_range;
  if (event_.method.empty() || event_.uri.empty()) return Unusable::no_verb_or_uri;
  // The server writes the code, or that there is none, behind all the others.
  if (latency_ == kNoTime || (event_.code == 0 && !event_.hijacked)) return Unusable::truncated;
  event_.stage_time = time;
  event_.received = time - latency_;
  event_.cause = answer_cause(event_.code, {}, {});
  event_.source_ip = without_port(event_.source_ip);
  return Unusable::kCount;
}

bool is_http_message(std::string_view message) {
  return message.starts_with(kFirstWord) || message.starts_with("verb=\"");
}

Unusable read_http_message(std::string_view message, Nanos time, JsonScratch& scratch, HttpFields& out) {
  if (message.starts_with(kFirstWord)) message.remove_prefix(kFirstWord.size());
  out.clear();
  return out.take_pairs(message, scratch) ? out.finish(time) : Unusable::truncated;
}

}  // namespace apf
