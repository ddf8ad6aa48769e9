// One pass over the request target for the usual case, Go's whole URL grammar (go_url.h) for the rest.
#include "classify/request_view.h"

#include <cstring>

#include "classify/go_int.h"
#include "classify/go_url.h"
#include "classify/selectors.h"

namespace apf {
namespace {

// --- what bytes occur ----------------------------------------------------------------------------

// 16 bytes at a time: compilers turn this into SSE2, NEON or plain code.
using Bytes = unsigned char __attribute__((vector_size(16)));
using Mask = signed char __attribute__((vector_size(16)));

bool any(Mask mask) {
  std::uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

// One number: bytes packed into a register would be put together in memory first.
class Occurrences {
 public:
  Occurrences(bool control, bool percent, bool plus_or_semicolon)
      : bits_((control ? kControl : 0) | (percent ? kPercent : 0) | (plus_or_semicolon ? kPlusOrSemicolon : 0)) {}
  bool control() const { return (bits_ & kControl) != 0; }  // below 0x20, or 0x7f
  bool percent() const { return (bits_ & kPercent) != 0; }
  bool none_of_queries() const { return (bits_ & (kPercent | kPlusOrSemicolon)) == 0; }

 private:
  static constexpr unsigned kControl = 1, kPercent = 2, kPlusOrSemicolon = 4;
  unsigned bits_;
};

Occurrences look_for(std::string_view text) {
  Mask control = {}, percent = {}, other = {};
  const auto look = [&](const void* at) {
    Bytes bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    control |= (bytes < 0x20) | (bytes == 0x7f);
    percent |= bytes == '%';
    other |= (bytes == '+') | (bytes == ';');
  };
  std::size_t i = 0;
  for (; i + 16 <= text.size(); i += 16) look(text.data() + i);
  if (i < text.size()) {
    if (text.size() >= 16) {  // the last 16 again: looking twice at a byte does no harm
      look(text.data() + text.size() - 16);
    } else {
      char filled[16] = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
      std::memcpy(filled, text.data(), text.size());
      look(filled);
    }
  }
  return {any(control), any(percent), any(other)};
}

// The position of `c` from `at` on; text.size() if nowhere. Segments and keys are short: a plain loop wins.
inline std::size_t find_from(std::string_view text, std::size_t at, char c) {
  while (at < text.size() && text[at] != c) ++at;
  return at;
}

// --- verbs -----------------------------------------------------------------------------------------

struct Method {
  std::string_view name, lower, resource_verb;
};
// Compared case-sensitively, as the server does.
constexpr Method kMethods[] = {{"GET", "get", "get"},       {"POST", "post", "create"},     {"PUT", "put", "update"},
                               {"PATCH", "patch", "patch"}, {"DELETE", "delete", "delete"}, {"HEAD", "head", "get"},
                               {"OPTIONS", "options", ""},  {"CONNECT", "connect", ""},     {"TRACE", "trace", ""}};

const Method* find_method(std::string_view name) {
  for (const Method& method : kMethods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string_view lower_case(std::string_view method, std::string& scratch) {
  if (const Method* known = find_method(method)) return known->lower;
  const std::size_t begin = scratch.size();
  for (const char c : method) scratch += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return std::string_view(scratch).substr(begin);
}

// --- path ------------------------------------------------------------------------------------------

// Segments of a path from the left. An empty path has none; "a//b" has three.
struct Segments {
  std::string_view rest;
  bool any;
  explicit Segments(std::string_view path) : rest(path), any(!path.empty()) {}
  std::string_view take() {
    const std::size_t slash = find_from(rest, 0, '/');
    const std::string_view segment = rest.substr(0, slash);
    any = slash < rest.size();
    rest.remove_prefix(any ? slash + 1 : slash);
    return segment;
  }
};

std::string_view trim_slashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Fills everything the path decides but the verb (verb_from_path says whether `verb` was set).
void read_path(std::string_view path, RequestView::Fields& f) {
  f.path = path;
  Segments left(trim_slashes(path));
  if (!left.any) return;
  const std::string_view prefix = left.take();
  if (!left.any) return;
  const std::string_view second = left.take();
  if (!left.any || (prefix != "api" && prefix != "apis")) return;
  f.api_prefix = prefix;
  if (prefix.size() == 4) {
    const std::string_view version = left.take();
    if (!left.any) return;
    f.api_group = second;
    f.api_version = version;
  } else {
    f.api_version = second;
  }
  f.is_resource = true;
  std::string_view parts = left.rest;
  std::string_view first = left.take();
  if (first == "watch" || first == "proxy") {
    if (!left.any) {
      f.fault = RequestView::Fault::no_resource;
      return;
    }
    f.verb = first;
    f.verb_from_path = true;
    parts = left.rest;
    first = left.take();
  }
  if (first == "namespaces" && left.any) {
    Segments after = left;
    f.ns = after.take();
    if (after.any) {
      const std::string_view inside = after.rest;
      const std::string_view third = after.take();
      if (third != "status" && third != "finalize") {
        parts = inside;
        first = third;
        left = after;
      }
    }
  }
  f.parts = parts;
  f.has_parts = true;
  f.resource = first;
  if (!left.any) return;
  f.name = left.take();
  // A proxied request has no subresource: what follows is the path to fetch.
  if (left.any && f.verb != "proxy") f.subresource = left.take();
}

// --- query -----------------------------------------------------------------------------------------

enum Key : std::uint8_t {
  kWatch,
  kLimit,
  kTimeout,
  kContinue,
  kFieldSelector,
  kLabelSelector,
  kTimeoutSeconds,
  kResourceVersion,
  kSendInitialEvents,
  kResourceVersionMatch,
  kKeys
};

Key find_key(std::string_view text) {
  switch (text.size()) {
    case 5:
      return text == "watch" ? kWatch : text == "limit" ? kLimit : kKeys;
    case 7:
      return text == "timeout" ? kTimeout : kKeys;
    case 8:
      return text == "continue" ? kContinue : kKeys;
    case 13:
      return text == "fieldSelector" ? kFieldSelector : text == "labelSelector" ? kLabelSelector : kKeys;
    case 14:
      return text == "timeoutSeconds" ? kTimeoutSeconds : kKeys;
    case 15:
      return text == "resourceVersion" ? kResourceVersion : kKeys;
    case 17:
      return text == "sendInitialEvents" ? kSendInitialEvents : kKeys;
    case 20:
      return text == "resourceVersionMatch" ? kResourceVersionMatch : kKeys;
    default:
      return kKeys;
  }
}

class Query {
 public:
  bool has(Key key) const { return (present_ >> key & 1) != 0; }
  std::string_view get(Key key) const { return has(key) ? std::string_view(at_[key], size_[key]) : std::string_view(); }
  void set(Key key, std::string_view value) {
    present_ |= 1U << key;
    at_[key] = value.data();
    size_[key] = value.size();
  }

 private:
  std::uint32_t present_ = 0;
  const char* at_[kKeys];  // set where `present_` has the bit, and not before: clearing them all would cost
  std::size_t size_[kKeys];
};

// Go's boolean of a query: everything but "0" and "false" (any case) is true.
bool is_true(std::string_view value) {
  if (value == "0") return false;
  return value.size() != 5 || (value[0] | 32) != 'f' || (value[1] | 32) != 'a' || (value[2] | 32) != 'l' ||
         (value[3] | 32) != 's' || (value[4] | 32) != 'e';
}

// Decodes into scratch where needed; false at a bad escape.
bool decode(std::string_view& text, std::string& scratch) {
  std::size_t plain = 0;
  while (plain < text.size() && text[plain] != '%' && text[plain] != '+') ++plain;
  if (plain == text.size()) return true;
  const std::size_t begin = scratch.size();
  if (!append_unescaped(text, true, scratch)) {
    scratch.resize(begin);
    return false;
  }
  text = std::string_view(scratch).substr(begin);
  return true;
}

// Of several values of a key the first counts; a pair with a semicolon or a bad escape is as good as absent.
void read_query(std::string_view text, bool plain, Query& out, std::string& scratch) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t equals = at;
    while (equals < text.size() && text[equals] != '=' && text[equals] != '&') ++equals;
    const bool has_value = equals < text.size() && text[equals] == '=';
    std::string_view key_text = text.substr(at, equals - at), value;
    std::size_t end = equals;
    if (has_value) {
      const void* amp = std::memchr(text.data() + equals, '&', text.size() - equals);
      end = amp == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(amp) - text.data());
      value = text.substr(equals + 1, end - equals - 1);
    }
    const std::string_view pair = text.substr(at, end - at);
    at = end + 1;
    if (!plain && !decode(key_text, scratch)) continue;
    const Key key = find_key(key_text);
    if (key == kKeys || out.has(key)) continue;
    if (!plain && (find_from(pair, 0, ';') != pair.size() || !decode(value, scratch))) continue;
    out.set(key, value);
  }
}

// What the work estimator and the deadline filter take from the query.
void read_list_options(const Query& query, RequestView::Fields& f) {
  if (query.has(kLimit) && !parse_go_int64(query.get(kLimit), f.limit)) f.list_options_ok = false;
  if (query.has(kTimeoutSeconds)) {
    std::int64_t seconds = 0;
    if (!parse_go_int64(query.get(kTimeoutSeconds), seconds)) f.list_options_ok = false;
    else if (seconds > 0) f.timeout_seconds = seconds < kEndOfTime / kSecond ? seconds * kSecond : kEndOfTime;
  }
  f.has_selector = !query.get(kFieldSelector).empty() || !query.get(kLabelSelector).empty();
  f.has_continue = !query.get(kContinue).empty();
  f.send_initial_events = query.has(kSendInitialEvents) && is_true(query.get(kSendInitialEvents));
  f.resource_version = query.get(kResourceVersion);
  f.resource_version_match = query.get(kResourceVersionMatch);
  if (const std::string_view text = query.get(kTimeout); !text.empty()) {
    const std::optional<Nanos> timeout = parse_go_duration(text);
    f.timeout_invalid = !timeout;
    f.timeout = timeout && *timeout > 0 ? *timeout : 0;
  }
}

bool is_path_segment_name(std::string_view name) {
  return name != "." && name != ".." && name.find('/') == name.npos && name.find('%') == name.npos;
}

// The object that a list or watch pins down, and the node of a watch on pods. Both need a query that parses as
// list options as a whole, label selector included; that one is only read if something depends on it.
void read_selectors(const Query& query, RequestView::Fields& f, std::string& scratch) {
  const std::string_view selector = query.get(kFieldSelector);
  if (selector.empty() || !f.list_options_ok) return;
  const FieldDemands demands = parse_field_selector(selector, scratch);
  if (demands.name.empty() && demands.node_name.empty()) return;
  if (!is_valid_label_selector(query.get(kLabelSelector))) return;
  if (f.name.empty() && !f.verb_from_path && is_path_segment_name(demands.name)) f.name = demands.name;
  f.node_name_selector = !demands.node_name.empty();
}

// --- the whole ---------------------------------------------------------------------------------------

// The target's path (decoded) and raw query by the full grammar. A text that is a URL but no request target, to which
// a server would answer 400, is read as url.Parse does.
bool read_unusual_target(std::string_view uri, std::string& scratch, std::string_view& path, std::string_view& query) {
  GoUrl url;
  std::string error;
  if (!parse_request_uri(uri, url, error) && !parse_url(uri, url, error)) return false;
  const std::size_t begin = scratch.size();
  scratch += url.path;
  scratch += url.raw_query;
  path = std::string_view(scratch).substr(begin, url.path.size());
  query = std::string_view(scratch).substr(begin + url.path.size());
  return true;
}

bool read_target(std::string_view uri, const Occurrences& has, std::string& scratch, std::string_view& path,
                 std::string_view& query) {
  if (!uri.starts_with('/') || has.control()) return read_unusual_target(uri, scratch, path, query);
  const void* mark = std::memchr(uri.data(), '?', uri.size());
  const std::size_t length =
      mark == nullptr ? uri.size() : static_cast<std::size_t>(static_cast<const char*>(mark) - uri.data());
  path = uri.substr(0, length);
  if (mark != nullptr) query = uri.substr(length + 1);
  if (!has.percent() || path.find('%') == path.npos) return true;
  if (!append_unescaped(path, false, scratch)) {
    scratch.clear();
    return read_unusual_target(uri, scratch, path, query);  // the whole grammar has the last word
  }
  path = scratch;
  return true;
}

template <bool kAudited>
void parse_view(std::string_view method_or_verb, std::string_view uri, RequestView& out) {
  RequestView::Fields& f = out.f;
  static constexpr RequestView::Fields kEmpty;  // copied over: building one in place first costs twice as much
  f = kEmpty;
  std::string& scratch = out.scratch;
  scratch.clear();
  // Room for every decoded copy there can be (path, query, values, selector terms): views must not move.
  const std::size_t room = 4 * uri.size() + method_or_verb.size() + 16;
  if (scratch.capacity() < room) scratch.reserve(room);

  const Occurrences has = look_for(uri);
  std::string_view path, query_text;
  if (!read_target(uri, has, scratch, path, query_text)) {
    f.fault = RequestView::Fault::bad_url;
    return;
  }
  read_path(path, f);
  Query query;
  if (!query_text.empty()) {
    read_query(query_text, has.none_of_queries(), query, scratch);
    read_list_options(query, f);
  }
  if constexpr (kAudited) {
    f.verb = method_or_verb;
  } else if (!f.verb_from_path) {
    const Method* method = find_method(method_or_verb);
    const bool known_so_far = f.is_resource && f.fault == RequestView::Fault::none;
    f.verb = !known_so_far       ? lower_case(method_or_verb, scratch)
             : method != nullptr ? method->resource_verb
                                 : std::string_view();
    if (known_so_far && f.name.empty()) {
      if (f.verb == "get") f.verb = query.has(kWatch) && is_true(query.get(kWatch)) ? "watch" : "list";
    }
  }
  if (f.is_resource && f.fault == RequestView::Fault::none) {
    const bool is_watch = f.verb == "watch";
    if (is_watch || f.verb == "list") {
      read_selectors(query, f, scratch);
      if (!is_watch) f.node_name_selector = false;
    }
    if constexpr (!kAudited) {
      if (f.name.empty() && f.verb == "delete") f.verb = "deletecollection";
    }
    if (!f.verb_from_path && (is_watch || f.verb == "list" || f.verb == "deletecollection")) {
      f.field_selector = query.get(kFieldSelector);
      f.label_selector = query.get(kLabelSelector);
    }
  }
  f.long_running = is_long_running_request(f.is_resource, f.verb, f.subresource, f.path);
}

}  // namespace

void parse_request_view(std::string_view method, std::string_view uri, RequestView& out) {
  parse_view<false>(method, uri, out);
}

void parse_audited_view(std::string_view verb, std::string_view uri, RequestView& out) {
  parse_view<true>(verb, uri, out);
}

bool is_long_running_request(bool is_resource, std::string_view verb, std::string_view subresource,
                             std::string_view path) {
  if (verb == "watch" || verb == "proxy") return true;
  if (!is_resource) return path.starts_with("/debug/pprof/");
  return subresource == "attach" || subresource == "exec" || subresource == "proxy" || subresource == "log" ||
         subresource == "portforward";
}

void view_request(const RequestInfo& info, const RequestQuery* query, RequestView& out) {
  RequestView::Fields& f = out.f;
  f = RequestView::Fields();
  f.path = info.path;
  f.verb = info.verb;
  f.api_prefix = info.api_prefix;
  f.api_group = info.api_group;
  f.api_version = info.api_version;
  f.ns = info.ns;
  f.resource = info.resource;
  f.subresource = info.subresource;
  f.name = info.name;
  f.field_selector = info.field_selector;
  f.label_selector = info.label_selector;
  f.is_resource = info.is_resource_request;
  f.long_running = is_long_running(info);
  if (query == nullptr) return;
  f.resource_version = query->resource_version;
  f.resource_version_match = query->resource_version_match;
  f.limit = query->limit;
  f.timeout = query->timeout.value_or(0);
  f.list_options_ok = query->list_options_ok;
  f.has_selector = query->has_selector;
  f.has_continue = query->has_continue;
  f.send_initial_events = query->send_initial_events;
  f.timeout_invalid = query->timeout_invalid;
  f.node_name_selector = query->node_name_selector;
}

}  // namespace apf
