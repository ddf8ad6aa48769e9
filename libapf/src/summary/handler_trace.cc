#include "summary/handler_trace.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/month.h"
#include "base/text.h"

namespace apf {
namespace {

constexpr std::string_view kTrace = "Trace[";

// Handlers by the names of their traces, and the verbs of requests. "HTTP Request" is around one of them, in 1.19 and
// 1.20.
constexpr std::pair<std::string_view, std::string_view> kHandlers[] = {
    {"List", "list"},   {"Get", "get"},       {"Create", "create"},   {"Update", "update"},
    {"Patch", "patch"}, {"Delete", "delete"}, {"HTTP Request", "get"}};

std::string_view verb_of(std::string_view name) {
  const auto* at =
      std::find_if(std::begin(kHandlers), std::end(kHandlers), [&](const auto& row) { return row.first == name; });
  return at == std::end(kHandlers) ? std::string_view() : at->second;
}

// The fields of a request: a value ends where the next one begins, since it may hold commas.
std::string_view field_of(std::string_view fields, std::string_view key) {
  constexpr std::string_view kKeys[] = {"accept",      "audit-id",  "client",   "api-group", "api-version",
                                        "name",        "namespace", "protocol", "resource",  "scope",
                                        "subresource", "url",       "method",   "verb",      "user-agent"};
  const auto find_key = [&](std::string_view wanted, std::size_t from) {
    for (std::size_t at = fields.find(wanted, from); at != std::string_view::npos; at = fields.find(wanted, at + 1))
      if ((at == 0 || fields[at - 1] == ',') && fields.substr(at + wanted.size()).starts_with(":")) return at;
    return std::string_view::npos;
  };
  const std::size_t at = find_key(key, 0);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + key.size() + 1;
  std::size_t end = fields.size();
  for (const std::string_view next : kKeys)
    if (const std::size_t found = find_key(next, begin); found < end) end = found - 1;
  return fields.substr(begin, end - begin);
}

// "12-Jul-2022 12:18:22.667"; 0: it is something else, or no year of a server.
Nanos time_of(std::string_view text) {
  constexpr std::string_view kForm = "99-xxx-9999 99:99:99.999";
  if (text.size() != kForm.size()) return 0;
  const std::optional<int> month = month_named(text.substr(3, 3));
  const std::string_view day = text.substr(0, 2), of_year = text.substr(7, 4), time = text.substr(12);
  if (!month || of_year < "1970" || of_year > "2200") return 0;
  const std::string two = std::to_string(100 + *month).substr(1);
  return parse_rfc3339(std::string(of_year).append("-" + two + "-").append(day).append("T").append(time) + "Z")
      .value_or(0);
}

// "started: 2020-06-02 10:38:00.615 +0200 CEST m=+7.06", before 1.20.
Nanos start_of(std::string_view text) {
  constexpr std::string_view kStarted = "started: ";
  if (!text.starts_with(kStarted)) return 0;
  text.remove_prefix(kStarted.size());
  const std::size_t day = text.find(' '), time = text.find(' ', day + 1);
  if (day == text.npos || time == text.npos || text.size() < time + 6) return 0;
  const std::string_view zone = text.substr(time + 1, 5);
  return parse_rfc3339(std::string(text.substr(0, day))
                           .append("T")
                           .append(text.substr(day + 1, time - day - 1))
                           .append(zone.substr(0, 3))
                           .append(":")
                           .append(zone.substr(3)))
      .value_or(0);
}

// The text between the quotes that it begins with; `rest` is what follows.
bool take_name(std::string_view text, std::string& name, std::string_view& rest) {
  if (!text.starts_with('"')) return false;
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return false;
  name = text.substr(1, end - 1);
  rest = text.substr(end + 1);
  return true;
}

// `"List" fields (12-Jul-2022 12:18:22.667) (total time: 1234ms):`
bool read_begin(std::string_view text, TracePiece& out) {
  constexpr std::string_view kTotal = ") (total time: ";
  std::string_view rest;
  if (!take_name(text, out.name, rest)) return false;
  const std::size_t total = rest.find(kTotal);
  if (total == std::string_view::npos) return false;
  const std::string_view duration = rest.substr(total + kTotal.size());
  const auto read = parse_go_duration(duration.substr(0, duration.find(')')));
  const std::size_t time = rest.substr(0, total).rfind(" (");
  if (!read || *read < 0 || *read > kLongestDuration || time == std::string_view::npos) return false;
  const std::string_view fields = trimmed(rest.substr(0, time));
  out.kind = TracePiece::Kind::begin;
  out.duration = out.trace.total = *read;
  const std::string_view begin = rest.substr(time + 2, total - time - 2);
  out.trace.begin = begin.starts_with("started: ") ? start_of(begin) : time_of(begin);
  // "List /api/v1/pods", before 1.16
  if (const std::size_t path = out.name.find(" /"); path != out.name.npos) {
    out.trace.url = out.name.substr(path + 1);
    out.name.resize(path);
  }
  out.trace.verb = verb_of(out.name);
  if (out.trace.url.empty()) out.trace.url = field_of(fields, "url");
  out.trace.agent = field_of(fields, "user-agent");
  out.trace.id = field_of(fields, "audit-id");
  if (out.trace.verb == "delete" && field_of(fields, "verb") == "DELETECOLLECTION") out.trace.verb = "deletecollection";
  if (out.name == "HTTP Request") out.trace.verb = in_lower_case(field_of(fields, "method"));
  return true;
}

// `---"Listing from storage done" count:500 900ms (12:18:23.567)]`, or with "[" of what is nested.
bool read_step(std::string_view text, TracePiece& out) {
  constexpr std::string_view kStep = "---", kUnit = "ms (";
  const bool nested = text.starts_with('[');
  if (!nested && !text.starts_with(kStep)) return false;
  std::string_view rest;
  if (!take_name(text.substr(nested ? 1 : kStep.size()), out.name, rest)) return false;
  const std::size_t unit = rest.rfind(kUnit);
  const std::size_t end = unit == std::string_view::npos ? unit : rest.find(')', unit);
  if (end == std::string_view::npos) return false;
  std::size_t begin = unit;
  while (begin > 0 && is_digit(rest[begin - 1])) --begin;
  std::int64_t millis = 0;
  const auto read = std::from_chars(rest.data() + begin, rest.data() + unit, millis);
  if (read.ec != std::errc()) return false;
  out.kind = nested ? TracePiece::Kind::nested : TracePiece::Kind::step;
  out.duration = std::min(millis, kLongestDuration / kMillisecond) * kMillisecond;
  for (std::size_t at = end + 1; at < rest.size() && rest[at] == ']'; ++at) ++out.closes;
  return true;
}

// `[2.1s] [99ms] Writing http response done count:500`, before 1.20: the time since the beginning, and the step's own.
bool read_old_step(std::string_view text, TracePiece& out) {
  if (!text.starts_with('[')) return false;
  const std::size_t next = text.find("] [");
  if (next == text.npos) return false;
  const std::size_t end = text.find("] ", next + 3);
  if (end == text.npos) return false;
  const auto read = parse_go_duration(text.substr(next + 3, end - next - 3));
  if (!read || *read < 0) return false;
  std::string_view name = trimmed(text.substr(end + 2));
  // Without its fields.
  for (std::size_t word = name.rfind(' '); word != name.npos && name.find(':', word) != name.npos;
       word = name.rfind(' '))
    name = name.substr(0, word);
  out.kind = TracePiece::Kind::step;
  out.name = name;
  out.duration = std::min(*read, kLongestDuration);
  return true;
}

bool is_end(std::string_view text) {
  const std::size_t end = text.find("] END");
  return text.starts_with('[') && end != std::string_view::npos && end < 80;
}

// JSON's escapes of a line within JSON, at up to three depths.
std::string unescaped(std::string_view line) {
  std::string text(line);
  for (int depth = 0; depth < 3 && text.find("\\\"") != std::string::npos; ++depth) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        out += text[i];
        continue;
      }
      ++i;
      out += text[i] == 'n' || text[i] == 't' ? ' ' : text[i];
    }
    text = std::move(out);
  }
  return text;
}

// What a step of a handler's trace, or of one that is nested, was spent on. LatencyPart::kCount: on something else.
struct StepRow {
  const char* name;
  LatencyPart part;
};
constexpr StepRow kHandlerSteps[] = {
    {"Listing from storage done", LatencyPart::storage},
    {"Object stored in database", LatencyPart::storage},
    {"Object deleted from database", LatencyPart::storage},
    {"Write to database call finished", LatencyPart::storage},
    {"Write to database call succeeded", LatencyPart::storage},
    {"Write to database call failed", LatencyPart::storage},
    {"About to write a response", LatencyPart::storage},  // of a get; of writes it comes right behind the former
    {"About to apply patch", LatencyPart::storage},       // the object was read
    {"Transformed response object", LatencyPart::response_write},
    {"Writing http response done", LatencyPart::response_write},
    {"Writing HTTP response done", LatencyPart::response_write},
    {"Conversion done", LatencyPart::transform},
    {"Self-linking done", LatencyPart::transform},
    {"Authenticate check done", LatencyPart::authentication},
    {"Authorize check done", LatencyPart::authorization},
};
constexpr StepRow kEtcdSteps[] = {
    {"initial value restored", LatencyPart::etcd}, {"Transaction committed", LatencyPart::etcd},
    {"Txn call completed", LatencyPart::etcd},     {"Txn call succeeded", LatencyPart::etcd},
    {"Txn call failed", LatencyPart::etcd},        {"Encode succeeded", LatencyPart::transform},
    {"decode succeeded", LatencyPart::transform},  {"TransformToStorage succeeded", LatencyPart::transform},
    {"About to Encode", LatencyPart::kCount},  // admission and the patch, in between
    {"Transaction prepared", LatencyPart::kCount},
};
constexpr StepRow kWritingSteps[] = {
    {"About to start writing response", LatencyPart::serialize},
    {"Write call succeeded", LatencyPart::response_write},
    {"Write call finished", LatencyPart::response_write},
    {"Write call failed", LatencyPart::response_write},
};

template <std::size_t kSize>
LatencyPart part_of_step(const StepRow (&rows)[kSize], std::string_view name, LatencyPart otherwise) {
  const auto* at = std::find_if(std::begin(rows), std::end(rows), [&](const StepRow& row) { return row.name == name; });
  return at == std::end(rows) ? otherwise : at->part;
}

// Whether the line stands within JSON: quotes at the begin of names are escaped. Those of fields may be so in any line.
bool is_within_json(std::string_view line) {
  for (std::size_t at = line.find(kTrace); at != std::string_view::npos; at = line.find(kTrace, at + 1)) {
    const std::size_t end = line.find("]:", at);
    if (end == std::string_view::npos) return false;
    const std::size_t name = line.find_first_not_of(" -[", end + 2);
    if (name != std::string_view::npos && line[name] == '\\') return true;
  }
  return false;
}

}  // namespace

void read_trace_pieces(std::string_view line, std::vector<TracePiece>& out) {
  std::string plain;
  if (is_within_json(line)) {
    plain = unescaped(line);
    line = plain;
  }
  for (std::size_t at = line.find(kTrace); at != std::string_view::npos;) {
    std::string_view text = line.substr(at + kTrace.size());
    const std::size_t next = line.find(kTrace, at + 1);
    if (next != std::string_view::npos) text = text.substr(0, next - at - kTrace.size());
    at = next;
    TracePiece piece;
    const auto number = std::from_chars(text.data(), text.data() + text.size(), piece.number);
    text.remove_prefix(static_cast<std::size_t>(number.ptr - text.data()));
    if (number.ec != std::errc() || !text.starts_with("]:")) continue;
    text = trimmed(text.substr(2));
    if (is_end(text) || (!read_begin(text, piece) && !read_step(text, piece) && !read_old_step(text, piece))) continue;
    out.push_back(std::move(piece));
  }
}

TraceBuilder::Node TraceBuilder::node_of(const TracePiece& piece) {
  const std::string_view name = piece.name;
  const auto is = [&](Of of) { return Node{of, piece.duration}; };
  if (name.starts_with("GuaranteedUpdate")) return is(Of::guaranteed_update);
  if (name.ends_with(" etcd3")) return is(Of::etcd);
  if (name.starts_with("cacher")) return is(Of::cache);
  if (name == "Call mutating webhook") return is(Of::mutating_webhook);
  if (name == "Call validating webhook") return is(Of::validating_webhook);
  if (name == "SerializeObject") return is(Of::writing);
  if (!verb_of(name).empty()) return is(Of::handler);
  return is(Of::other);
}

// What its steps do not tell of a nested trace is of its own kind.
void TraceBuilder::close(Open& open) {
  const Node node = open.path.back();
  open.path.pop_back();
  LatencyPart part = LatencyPart::kCount;
  switch (node.of) {
    case Of::handler:
    case Of::other:
      return;
    case Of::etcd:
      part = LatencyPart::etcd;
      break;
    case Of::guaranteed_update:
    case Of::cache:
      part = LatencyPart::storage;
      break;
    case Of::mutating_webhook:
      part = LatencyPart::mutating_webhook;
      break;
    case Of::validating_webhook:
      part = LatencyPart::validating_webhook;
      break;
    case Of::writing:
      part = LatencyPart::serialize;
      break;
  }
  spend(open, part, node.left);
}

// No part is longer than the trace.
void TraceBuilder::spend(Open& open, LatencyPart part, Nanos time) {
  Nanos& spent = open.parts[static_cast<std::size_t>(part)];
  spent = std::min(open.trace.total, spent + time);
}

LatencyPart TraceBuilder::part_of(Of of, std::string_view step) {
  switch (of) {
    case Of::handler:
      return part_of_step(kHandlerSteps, step, LatencyPart::kCount);
    case Of::etcd:
    case Of::guaranteed_update:
      return part_of_step(kEtcdSteps, step, LatencyPart::storage);
    case Of::cache:
      return LatencyPart::storage;
    case Of::writing:
      return part_of_step(kWritingSteps, step, LatencyPart::serialize);
    default:
      return LatencyPart::kCount;
  }
}

void TraceBuilder::take(TracePiece&& piece) {
  using Kind = TracePiece::Kind;
  const auto at = open_.find(piece.number);
  if (piece.kind == Kind::begin) {
    if (at != open_.end()) end(at->second);
    if (open_.size() >= kMostOpen) {
      const auto oldest = std::min_element(
          open_.begin(), open_.end(), [](const auto& a, const auto& b) { return a.second.order < b.second.order; });
      end(oldest->second);
      open_.erase(oldest);
    }
    Open& open = open_[piece.number] = {};
    open.path.push_back(node_of(piece));
    open.order = ++begun_;
    open.trace = std::move(piece.trace);
    open.trace.number = piece.number;
    if (const auto early = early_.find(piece.number); early != early_.end()) {
      std::vector<TracePiece> pieces = std::move(early->second);
      early_.erase(early);
      for (auto last = pieces.rbegin(); last != pieces.rend(); ++last) take(std::move(*last));
    }
    return;
  }
  if (at == open_.end()) return keep_early(std::move(piece));
  if (at->second.path.empty()) return;
  Open& open = at->second;
  Node& node = open.path.back();
  piece.duration = std::min(piece.duration, open.trace.total);
  node.left = std::max<Nanos>(0, node.left - piece.duration);
  if (piece.kind == Kind::nested) {
    if (const std::string_view verb = verb_of(piece.name); !verb.empty()) open.trace.verb = verb;
    open.path.push_back(node_of(piece));
  } else if (const LatencyPart part = part_of(node.of, piece.name); part != LatencyPart::kCount) {
    spend(open, part, piece.duration);
  }
  for (int i = 0; i < piece.closes && open.path.size() > 1; ++i) close(open);
}

void TraceBuilder::keep_early(TracePiece&& piece) {
  constexpr std::size_t kMostPieces = 256;
  if (early_.size() >= kMostOpen && !early_.contains(piece.number)) early_.clear();  // they began before the log
  std::vector<TracePiece>& pieces = early_[piece.number];
  if (pieces.size() < kMostPieces) pieces.push_back(std::move(piece));
}

void TraceBuilder::end(Open& open) {
  while (!open.path.empty()) close(open);
  HandlerTrace& trace = open.trace;
  if (trace.verb.empty() || !trace.url.starts_with('/')) return;
  // Admission runs beside the update of an object that waits for it: that time counts once.
  constexpr auto kStorage = static_cast<std::size_t>(LatencyPart::storage);
  Nanos others = 0;
  for (std::size_t i = 0; i < kLatencyParts; ++i) others += i == kStorage ? 0 : open.parts[i];
  open.parts[kStorage] = std::clamp<Nanos>(trace.total - others, 0, open.parts[kStorage]);
  for (std::size_t i = 0; i < kLatencyParts; ++i)
    if (open.parts[i] > 0) trace.parts[i] = open.parts[i];
  sink_(trace);
}

void TraceBuilder::finish() {
  std::vector<Open*> left;
  for (auto& [number, open] : open_) left.push_back(&open);
  std::sort(left.begin(), left.end(), [](const Open* a, const Open* b) { return a->order < b->order; });
  for (Open* open : left) end(*open);
  open_.clear();
}

}  // namespace apf
