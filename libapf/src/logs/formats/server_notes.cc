#include "logs/formats/server_notes.h"

#include <charconv>

#include "base/text.h"
#include "logs/formats/klog_line.h"

namespace apf {
namespace {

constexpr std::string_view kUpdate = "Update CurrentCL";

// The number behind `key`, if there is one.
bool number_behind(std::string_view text, std::string_view key, std::int64_t& out) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return false;
  const char* const begin = text.data() + at + key.size();
  return std::from_chars(begin, text.data() + text.size(), out).ec == std::errc();
}

// `… priority level "NAME"…`
bool level_name(std::string_view text, JsonScratch& scratch, ServerNote& out, std::string_view& rest) {
  const std::size_t quote = text.find('"');
  if (quote == std::string_view::npos) return false;
  std::size_t end = quote + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return false;
  out.level = go_text(text.substr(quote + 1, end - quote - 1), scratch);
  rest = text.substr(end);
  return true;
}

// `FLAG: --max-requests-inflight="400"`, of those that a replay has to know, and `Version: v1.34.2`.
bool is_server_flag(std::string_view message, ServerNote& out) {
  constexpr std::string_view kFlag = "FLAG: --", kVersion = "Version: v";
  constexpr std::string_view kKnown[] = {"max-requests-inflight", "max-mutating-requests-inflight",
                                         "request-timeout",       "min-request-timeout",
                                         "feature-gates",         "enable-priority-and-fairness"};
  if (message.starts_with(kVersion)) {
    out.kind = ServerNote::Kind::version;
    out.level = message.substr(kVersion.size() - 1);
    return true;
  }
  if (!message.starts_with(kFlag)) return false;
  out.kind = ServerNote::Kind::flag;
  out.level = message.substr(kFlag.size());
  return is_one_of(kKnown, out.level.substr(0, out.level.find('=')));
}

// Written by a server without API Priority and Fairness alone.
bool is_max_in_flight(std::string_view message, ServerNote& out) {
  const bool reads = message.starts_with("\"Initialized nonMutatingChan\"");
  if (!reads && !message.starts_with("\"Initialized mutatingChan\"")) return false;
  out.kind = ServerNote::Kind::flag;
  out.level = reads ? "max-requests-inflight" : "max-mutating-requests-inflight";
  return number_behind(message, "len=", out.value);
}

constexpr std::string_view kController = "apf_controller.go";

// "apf_controller.go" of "flowcontrol/apf_controller.go:292"
std::string_view file_of(std::string_view place) {
  const std::string_view file = place.substr(place.rfind('/') + 1);
  return file.substr(0, file.find(':'));
}

}  // namespace

bool may_hold_note(std::string_view place) {
  constexpr std::string_view kFiles[] = {kController, "flags.go", "server.go", "main.go", "maxinflight.go"};
  return is_one_of(kFiles, file_of(place));
}

bool read_trouble(std::string_view place, bool bad, std::string_view message, ServerNote& out) {
  constexpr std::size_t kMost = 200;
  if (!bad || message.empty() || file_of(place) != kController) return false;
  out.kind = ServerNote::Kind::trouble;
  out.level = message.substr(0, kMost);
  out.value = 0;
  return true;
}

bool read_note(std::string_view message, JsonScratch& scratch, ServerNote& out) {
  constexpr std::string_view kQuotedUpdate = "\"Update CurrentCL\"";
  if (message.starts_with(kQuotedUpdate)) {
    std::string_view level, current;
    KlogPairs pairs(message.substr(kQuotedUpdate.size()));
    while (pairs.next() == KlogPairs::Next::pair) {
      if (pairs.key() == "plName") level = go_text(pairs.raw(), scratch);
      if (pairs.key() == "currentCL") current = pairs.raw();
    }
    return read_note(kUpdate, level, current, scratch, out);
  }
  return read_note(message, {}, {}, scratch, out);
}

// Sentences of v1.26 to v1.36 (apf_controller.go); before v1.26 levels had a concurrencyLimit and did not borrow.
bool read_note(std::string_view message, std::string_view level, std::string_view current_cl, JsonScratch& scratch,
               ServerNote& out) {
  std::string_view rest;
  out.level = {};
  out.value = 0;
  if (message == kUpdate) {
    out.kind = ServerNote::Kind::current_cl;
    out.level = level;
    return !level.empty() &&
           std::from_chars(current_cl.data(), current_cl.data() + current_cl.size(), out.value).ec == std::errc();
  }
  if (message.starts_with("NewTestableController ")) {
    out.kind = ServerNote::Kind::created;
    return number_behind(message, "serverConcurrencyLimit=", out.value);
  }
  if (message.starts_with("Running API Priority and Fairness periodic rebalancing process")) {
    out.kind = ServerNote::Kind::rebalancing;
    return true;
  }
  if (is_server_flag(message, out) || is_max_in_flight(message, out)) return true;
  out.kind = ServerNote::Kind::configured;
  if (message.starts_with("Introducing queues for priority level ") ||
      message.starts_with("Retaining queues for priority level ")) {
    if (!level_name(message, scratch, out, rest)) return false;
    return number_behind(rest, "nominalCL=", out.value) || number_behind(rest, "concurrencyLimit=", out.value);
  }
  if (message.starts_with("Removing undesired priority level ")) {
    out.value = ServerNote::kRemoved;
    return level_name(message, scratch, out, rest);
  }
  return false;
}

}  // namespace apf
