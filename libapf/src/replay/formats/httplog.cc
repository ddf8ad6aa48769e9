#include "replay/formats/httplog.h"

#include <charconv>

#include "replay/formats/klog_line.h"

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
  // Only the µ is beyond ASCII: what stands for it may be anything, and may have swallowed the s.
  const bool mangled = end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) >= 0x80 || text[end] == '?');
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
  verb_ = uri_ = id_ = user_agent_ = source_ = flow_schema_ = priority_level_ = {};
  latency_ = queue_wait_ = init_ = execution_ = kNoTime;
  seats_ = WorkEstimate();
  code_ = 0;
  has_seats_ = hijacked_ = bad_ = false;
}

// The length tells most names apart.
void HttpFields::take(std::string_view key, std::string_view value) {
  const auto duration = [&](Nanos& out) {
    out = read_logged_duration(value);
    if (out == kNoTime) bad_ = true;
  };
  const auto number = [&](int& out) {
    if (!read_int(value, out)) bad_ = true;
  };
  switch (key.size()) {
    case 3:
      if (is_key(key, "URI")) uri_ = value;
      return;
    case 4:
      if (is_key(key, "verb")) verb_ = value;
      else if (is_key(key, "resp")) number(code_);
      return;
    case 5:
      if (is_key(key, "srcIP")) source_ = value;
      return;
    case 6:
      if (is_key(key, "apf_fs")) flow_schema_ = value;
      else if (is_key(key, "apf_pl")) priority_level_ = value;
      return;
    case 7:
      if (is_key(key, "latency")) duration(latency_);
      return;
    case 8:
      if (is_key(key, "audit-ID")) id_ = value;
      else if (is_key(key, "hijacked")) hijacked_ = value == "true";
      return;
    case 9:
      if (is_key(key, "userAgent") || is_key(key, "UserAgent")) user_agent_ = value;
      return;
    case 10:
      if (is_key(key, "apf_iseats")) {
        number(seats_.initial_seats);
        has_seats_ = true;
      } else if (is_key(key, "apf_fseats")) {
        number(seats_.final_seats);
      }
      return;
    case 16:
      if (is_key(key, "apf_init_latency")) duration(init_);
      return;
    case 18:
      if (is_key(key, "apf_execution_time")) duration(execution_);
      return;
    case 21:
      if (is_key(key, "apf_additionalLatency")) duration(seats_.additional_latency);
      return;
    case 22:
      if (is_key(key, "fl_priorityandfairness")) duration(queue_wait_);
      return;
    default:
      return;
  }
}

Unusable HttpFields::finish(Nanos time, LogEvent& out) const {
  if (bad_) return Unusable::bad_field;
  if (verb_.empty() || uri_.empty()) return Unusable::no_verb_or_uri;
  // The server writes the code, or that there is none, behind all the others.
  if (latency_ == kNoTime || (code_ == 0 && !hijacked_)) return Unusable::truncated;
  out = LogEvent();
  out.http = true;
  out.hijacked = hijacked_;
  out.id = id_;
  out.method = verb_;
  out.uri = uri_;
  out.stage_time = time;
  out.received = time - latency_;
  out.queue_wait = queue_wait_;
  out.execution = execution_;
  out.init = init_;
  out.has_seats = has_seats_;
  out.seats = seats_;
  out.code = code_;
  out.apf_refusal_text = code_ == 429 && execution_ == kNoTime;
  out.user_agent = user_agent_;
  out.source_ip = without_port(source_);
  out.recorded_flow_schema = flow_schema_;
  out.recorded_priority_level = priority_level_;
  return Unusable::kCount;
}

bool is_http_message(std::string_view message) {
  return message.starts_with(kFirstWord) || message.starts_with("verb=\"");
}

Unusable read_http_message(std::string_view message, Nanos time, JsonScratch& scratch, LogEvent& out) {
  if (message.starts_with(kFirstWord)) message.remove_prefix(kFirstWord.size());
  HttpFields fields;
  fields.clear();
  KlogPairs pairs(message);
  for (;;) {
    const KlogPairs::Next next = pairs.next();
    if (next == KlogPairs::Next::cut_off) return Unusable::truncated;
    // A stack of calls over several lines: nothing that is needed comes behind it.
    if (next == KlogPairs::Next::done || pairs.raw() == "<") break;
    fields.take(pairs.key(), go_text(pairs.raw(), scratch));
  }
  return fields.finish(time, out);
}

}  // namespace apf
