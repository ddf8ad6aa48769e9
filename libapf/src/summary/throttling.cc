#include "summary/throttling.h"

#include <algorithm>
#include <utility>

#include "base/saturated.h"
#include "base/text.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

using Kind = ClientLine::Kind;

constexpr std::string_view kStatus = "429 Too Many Requests";
constexpr std::string_view kBudget = "violate the pod's disruption budget", kEventLimit = "limit reached on type ";
constexpr std::string_view kLimiterOver = "rate: Wait(n=";

std::string_view up_to(std::string_view text, std::string_view ends) {
  return text.substr(0, text.find_first_of(ends));
}

// What comes behind the text; empty: it is not there.
std::string_view behind(std::string_view line, std::string_view text) {
  const std::size_t at = line.find(text);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + text.size());
}

// Of key="value", also where quotes are escaped, and of "key":"value" in JSON; empty: there is none.
std::string_view value_of(std::string_view line, std::string_view key) {
  constexpr std::string_view kBetween = "\\\":= ";
  for (std::size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1)) {
    const std::string_view rest = line.substr(at + key.size());
    const std::size_t begin = rest.find_first_not_of(kBetween);
    const bool is_key = at > 0 && kBetween.find(line[at - 1]) != kBetween.npos && begin != rest.npos;
    if (is_key && rest.substr(0, begin).find_first_of(":=") != rest.npos &&
        rest.substr(0, begin).find('"') != rest.npos)
      return up_to(rest.substr(begin), "\\\"");
  }
  return {};
}

// "GET 10.0.0.1:6443 /api/v1/pods" of GET:https://10.0.0.1:6443/api/v1/pods?limit=1.
std::string target_of(std::string_view verb, std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = up_to(url, "? \n\r\"\\");
  const std::string_view host = up_to(url, "/");
  return std::string(verb) + " " + std::string(host) + " " + std::string(url.substr(host.size()));
}

// A UID as an answer has it.
std::string uid_of(std::string_view text) {
  std::string_view uid = text.substr(std::min(text.size(), text.find_first_not_of("\\\"':=[] ")));
  uid = uid.substr(0, uid.find_first_not_of("0123456789abcdefABCDEF-"));
  constexpr std::size_t kUid = 36;
  return std::string(uid.size() == kUid ? uid : std::string_view());
}

// The wordings of 1.14, 1.21 and 1.33; in each of the newer ones a server may be the cause.
bool read_wait(std::string_view line, ClientLine& out) {
  const bool by_server = holds(line, "server-side throttling");
  std::string_view delay, verb, url;
  if (holds(line, "Waited before sending request")) {
    if (!by_server && !holds(line, "client-side throttling")) return false;
    delay = value_of(line, "delay");
    verb = value_of(line, "verb");
    url = value_of(line, "URL");
  } else {
    std::string_view rest = behind(line, "Throttling request took ");
    if (rest.empty() && (by_server || holds(line, "client-side throttling"))) rest = behind(line, "Waited for ");
    delay = up_to(rest, ", ");
    const std::string_view request = behind(rest, "request: ");
    verb = up_to(request, ":");
    url = request.substr(std::min(request.size(), verb.size() + 1));
  }
  const std::optional<Nanos> read = parse_go_duration(delay);
  if (!read || *read < 0 || verb.empty()) return false;
  out = {by_server ? Kind::retry : Kind::limiter, *read, target_of(verb, url),
         by_server ? uid_of(behind(line, "FlowSchema UID:")) : std::string()};
  return true;
}

// "(get pods)" of a message, or nothing.
std::string in_brackets(std::string_view message) {
  const std::size_t begin = message.find_first_not_of(' ');
  if (begin == message.npos || message[begin] != '(') return {};
  return std::string(up_to(message.substr(begin + 1), ")\n\"\\"));
}

bool read_message(std::string_view line, ClientLine& out) {
  constexpr std::string_view kRefused = "the server has received too many requests and has asked us to try again later";
  if (holds(line, kRefused)) {
    out = {Kind::message, 0, in_brackets(behind(line, kRefused)), {}};
    return true;
  }
  if (!holds(line, "client rate limiter Wait returned an error")) return false;
  out = {Kind::gave_up, 0, {}, {}};
  return true;
}

// The request of an answer: in its line, or in the one before.
std::string target_before(std::string_view text, std::size_t at) {
  constexpr std::size_t kFarthest = 16 * 1024;
  const std::string_view near = text.substr(at - std::min(at, kFarthest), std::min(at, kFarthest));
  const std::size_t scheme = near.rfind("://");
  if (scheme == near.npos) return {};
  const std::size_t url = near.find_last_of(" \"\\", scheme);
  if (url == near.npos) return {};
  const std::string_view line = near.substr(begin_of_line(near, url));
  if (const std::string_view verb = value_of(line, "verb"); !verb.empty()) return target_of(verb, near.substr(url + 1));
  const std::size_t end = near.find_last_not_of(" \"\\", url);
  if (end == near.npos) return {};
  const std::size_t begin = near.find_last_of(" ]'", end);
  return target_of(near.substr(begin + 1, end - begin), near.substr(url + 1));
}

// Of the answer that the header belongs to.
bool is_of_refusal(std::string_view text, std::size_t header) {
  std::size_t last = std::string_view::npos;
  for (const std::string_view word : {"Response Status: ", " status=\""})
    if (const std::size_t at = text.rfind(word, header); at != text.npos && (last == text.npos || at > last))
      last = at + word.size();
  // "GET https://10.0.0.1/api/v1/pods 429 Too Many Requests in 2 milliseconds", of clients before 1.33
  const std::size_t url = text.rfind("://", header), end = url == text.npos ? url : text.find(' ', url);
  if (end != text.npos && end + 1 < header && is_digit(text[end + 1]) && (last == text.npos || end > last))
    last = end + 1;
  return last != text.npos && text.substr(last).starts_with(kStatus);
}

}  // namespace

void read_client_lines(std::string_view text, const std::function<void(ClientLine&&)>& sink) {
  ClientLine found;
  for_each_line_with(text, "hrottling", [&](std::string_view line, std::size_t) {
    if (read_wait(line, found)) sink(std::move(found));
  });
  for (const std::string_view word : {"rate limiter Wait", "asked us to try again"})
    for_each_line_with(text, word, [&](std::string_view line, std::size_t) {
      if (read_message(line, found)) sink(std::move(found));
    });
  for_each_line_with(text, kLimiterOver, [&](std::string_view line, std::size_t) {
    if (!holds(line, "rate limiter Wait")) sink({Kind::gave_up, 0, {}, {}});
  });
  for_each_line_with(text, kBudget, [&](std::string_view, std::size_t) { sink({Kind::eviction, 0, {}, {}}); });
  for_each_line_with(text, kEventLimit, [&](std::string_view, std::size_t) { sink({Kind::event, 0, {}, {}}); });
  for_each_line_with(text, kStatus, [&](std::string_view line, std::size_t at) {
    if (holds(line, "round_trippers.go") || holds(line, "\"Response\""))
      sink({Kind::status, 0, target_before(text, at), {}});
  });
  for_each_line_with(text, "-Pf-Flowschema-Uid: ", [&](std::string_view line, std::size_t at) {
    if (std::string uid = uid_of(behind(line, "Uid: ")); !uid.empty() && is_of_refusal(text, at))
      sink({Kind::schema, 0, {}, std::move(uid)});
  });
}

void ThrottlingSums::add(Targets& to, const std::string& name, Nanos delay) {
  constexpr std::size_t kMost = 1u << 14;
  if (name.empty()) return;
  LogTally& of = to[to.size() < kMost || to.contains(name) ? name : "…"];
  ++of.requests;
  of.wait = saturated_sum(of.wait, delay);
}

void ThrottlingSums::add(const ClientLine& line) {
  add(schemas_, line.schema, 0);
  switch (line.kind) {
    case Kind::limiter:
      out_.shortest = out_.lines == 0 ? line.delay : std::min(out_.shortest, line.delay);
      out_.longest = std::max(out_.longest, line.delay);
      out_.sum = saturated_sum(out_.sum, line.delay);
      ++out_.lines;
      return add(limited_, line.target, line.delay);
    case Kind::gave_up:
      ++out_.gave_up;
      return;
    case Kind::retry:
    case Kind::message:
      ++others_;
      return add(others_of_, line.target, line.delay);
    case Kind::status:
      ++statuses_;
      return add(statuses_of_, line.target, 0);
    case Kind::eviction:
      ++out_.evictions;
      return;
    case Kind::event:
      ++out_.events;
      return;
    case Kind::schema:
      return;
  }
}

std::vector<LogRow> ThrottlingSums::rows(const Targets& of, std::size_t top) {
  std::vector<LogRow> out;
  for (const auto& [target, tally] : of) out.push_back({{target}, tally});
  std::sort(out.begin(), out.end(), [](const LogRow& a, const LogRow& b) {
    return a.tally.requests != b.tally.requests ? a.tally.requests > b.tally.requests : a.names < b.names;
  });
  out.resize(std::min(out.size(), top));
  return out;
}

ClientThrottling ThrottlingSums::finish(std::size_t top) {
  out_.targets = rows(limited_, top);
  out_.refused = statuses_ > 0 ? statuses_ : others_;
  out_.refused_targets = rows(statuses_ > 0 ? statuses_of_ : others_of_, top);
  out_.schemas = rows(schemas_, top);
  return std::move(out_);
}

}  // namespace apf
