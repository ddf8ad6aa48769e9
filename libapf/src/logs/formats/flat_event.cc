#include "logs/formats/flat_event.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <apf/output.h>
#include <apf/time.h>

#include "base/month.h"
#include "base/text.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

constexpr std::string_view kUri = "requesturi";
constexpr std::string_view kWaitAnnotation = "annotationsapiserverlatencyk8sioapfqueuewait",
                           kLatencyAnnotation = "annotationsapiserverlatency";

// Letters and digits in lower case.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const char lower = static_cast<char>(c | 0x20);
    if (is_digit(c)) out += c;
    else if (lower >= 'a' && lower <= 'z') out += lower;
  }
  return out;
}

bool says_nothing(std::string_view text) { return text.empty() || text == "-" || text == "null" || text == "NULL"; }

// The times of exports for people: "Sep 8, 2026 @ 14:15:00.024", "9/8/2026, 2:15:00.024 PM"; seconds since 1970 and
// fractions of them.
std::optional<std::string> time_of_people(const std::string& text) {
  char word[4] = {}, half = 0;
  int month = 0, day = 0, year = 0, hour = 0, minute = 0, read = 0;
  double second = 0;
  const char* const p = text.c_str();
  if (std::sscanf(p, "%3[A-Za-z] %2d, %4d @ %2d:%2d:%9lf%n", word, &day, &year, &hour, &minute, &second, &read) == 6) {
    const std::optional<int> named = month_named(word);
    if (!named) return std::nullopt;
    month = *named;
  } else if (std::sscanf(p, "%2d/%2d/%4d%*[, ]%2d:%2d:%9lf %c%n", &month, &day, &year, &hour, &minute, &second, &half,
                         &read) >= 6) {
    half = static_cast<char>(half & ~0x20);
    if (half == 'P' || half == 'A') hour = hour % 12 + (half == 'P' ? 12 : 0);
  } else if (!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos) {
    std::string digits = text.substr(0, text.find('.'));
    std::string fraction = digits.size() == text.size() ? "" : text.substr(digits.size() + 1);
    if (digits.size() > 10) fraction = digits.substr(10) + fraction;
    if (digits.size() < 10 || fraction.find('.') != std::string::npos) return std::nullopt;
    fraction.resize(9, '0');
    return format_rfc3339(std::stoll(digits.substr(0, 10)) * kSecond + std::stoll(fraction));
  } else {
    return std::nullopt;
  }
  char out[64];
  std::snprintf(out, sizeof out, "%04d-%02d-%02dT%02d:%02d:%09.6fZ", year, month, day, hour, minute, second);
  return out;
}

}  // namespace

bool ends_as_uri(std::string_view key) {
  if (key.size() < kUri.size() || (key.back() | 0x20) != 'i') return false;
  if ((key[key.size() - 3] | 0x20) != 'u' || (key[key.size() - 2] | 0x20) != 'r') return false;
  std::string_view rest = key.substr(0, key.size() - 3);
  if (rest.back() == '_') rest.remove_suffix(1);
  return rest.ends_with("equest");
}

void FlatEvent::clear() {
  for (std::vector<Value>& list : lists_) list.clear();
  scratch_.clear();
}

FlatEvent::Field FlatEvent::find_field(std::string_view name) const {
  static constexpr std::pair<std::string_view, Field> kFieldNames[] = {
      {"auditid", id},
      {"stage", stage},
      {"requesturi", uri},
      {"verb", verb},
      {"useragent", agent},
      {"requestreceivedtimestamp", received},
      {"requestreceivedtime", received},
      {"requestreceivedtimeutc", received},
      {"stagetimestamp", stage_time},
      {"stagereceivedtime", stage_time},
      {"stagereceivedtimeutc", stage_time},
      {"sourceips", addresses},
      {"user", user},
      {"userusername", user_name},
      {"usergroups", groups},
      {"impersonateduser", impersonated},
      {"impersonateduserusername", impersonated_name},
      {"impersonatedusergroups", impersonated_groups},
      {"responsestatus", status},
      {"responsestatuscode", status_code},
      {"responsestatusmessage", status_message},
      {"responsestatusreason", status_reason},
      {"annotations", annotations},
      {kWaitAnnotation, queue_wait},
      {"requestobject", request_object},
      {"responseobject", response_object},
  };
  static constexpr std::string_view kTimes[] = {"timestamp", "timegenerated", "timegeneratedutc", "time", "date"};
  const std::string plain = plain_name(name);
  if (is_one_of(kTimes, plain)) return other_time;
  if (!plain.starts_with(prefix_)) return kFields;
  std::string_view rest = std::string_view(plain).substr(prefix_.size());
  for (const auto& [known, field] : kFieldNames)
    if (rest == known) return field;
  if (rest.starts_with(kLatencyAnnotation)) return latency;
  while (!rest.empty() && is_digit(rest.back())) rest.remove_suffix(1);  // elements, each a member
  for (const auto& [known, field] : kFieldNames)
    if (rest == known && is_list(field)) return field;
  return kFields;
}

// Members of members, by which others say what an event says: Datadog where it has remapped the event's own, and
// records of OCSF.
FlatEvent::Field FlatEvent::find_nested(std::string_view path) {
  static constexpr std::pair<std::string_view, Field> kPaths[] = {
      {"http.method", verb},
      {"http.status_code", status_code},
      {"http.useragent", agent},
      {"network.client.ip", addresses},
      {"usr.name", user_name},
      {"http_request.url.path", uri},
      {"http_request.user_agent", agent},
      {"api.operation", verb},
      {"api.request.uid", id},
      {"api.response.code", status_code},
      {"api.response.message", status_message},
      {"api.response.error", status_reason},
      {"actor.user.name", user_name},
      {"actor.user.groups.name", groups},
      {"src_endpoint.ip", addresses},
      {"start_time_dt", received},
      {"start_time", received},
      {"time_dt", stage_time},
      {"time", stage_time},
  };
  for (const auto& [known, field] : kPaths)
    if (path == known) return field;
  return kFields;
}

bool FlatEvent::read_nested(JsonText json, JsonToken object, const std::string& path) {
  constexpr std::size_t kLongestPath = 64;
  bool sound = true;
  const auto take_value = [&](const std::string& of, JsonToken value) -> JsonToken {
    const JsonToken next = json.skip(value);
    const char c = json.first(value);
    if (next == nullptr || of.size() > kLongestPath) return next;
    if (c == '{') {
      sound = read_nested(json, value, of + ".") && sound;
    } else if (const Field field = find_nested(of); field != kFields && c != '[') {
      Value taken{json.between(value, next), c == '"'};
      if (taken.is_text) sound = json_text(json.string(value), scratch_, taken.text) && sound;
      if (taken.is_text && !is_list(field) && has(field) && !lists_[field].front().is_text) lists_[field].clear();
      take(field, taken);
    }
    return next;
  };
  walk_object(json, object, [&](std::string_view key, JsonToken value) -> JsonToken {
    const std::string of = path + std::string(key);
    if (json.first(value) != '[') return take_value(of, value);
    return walk_array(json, value, [&](JsonToken element) { return take_value(of, element); });
  });
  return sound;
}

// Records of a file have the same members in the same order, as a rule.
FlatEvent::Field FlatEvent::known_field(std::size_t place, std::string_view name) {
  if (place < known_.size() && known_[place].first == name) return known_[place].second;
  const Field field = find_field(name);
  if (place >= known_.size()) known_.resize(place + 1);
  known_[place] = {std::string(name), field};
  return field;
}

void FlatEvent::take(Field field, Value value) {
  if (field == kFields || says_nothing(value.text) || (has(field) && !is_list(field))) return;
  lists_[field].push_back(value);
}

bool FlatEvent::read(JsonText json, JsonToken object) {
  clear();
  std::string prefix;  // with the name of the URI itself at first; a key is there no longer than for the call
  walk_object(json, object, [&](std::string_view key, JsonToken) {
    if (prefix.empty() && ends_as_uri(key)) prefix = plain_name(key);
    return kUnknownKey;
  });
  if (prefix.empty()) return read_foreign(json, object);
  prefix.resize(prefix.size() - kUri.size());
  if (prefix != prefix_) known_.clear();
  prefix_ = std::move(prefix);
  bool changed = false, sound = true;
  std::size_t place = 0;
  walk_object(json, object, [&](std::string_view key, JsonToken value) -> JsonToken {
    const Field field = known_field(place++, key);
    if (field == kFields) return kUnknownKey;
    const JsonToken next = json.skip(value);
    if (next == nullptr) return next;
    JsonToken end = next;
    const bool is_array =
        json.first(value) == '[' && std::string_view("{[]").find(json.first(value + 1)) == std::string_view::npos;
    if (is_array && !is_list(field)) {  // a list of one, as Kibana has it
      end = json.skip(++value);
      if (end == nullptr) return end;
      changed = true;
    }
    Value taken{json.between(value, end), false};
    if (json.first(value) == '"') {
      taken.is_text = true;
      sound = json_text(json.string(value), scratch_, taken.text) && sound;
    }
    const auto holds = [](const auto& fields, Field one) {
      return std::find(std::begin(fields), std::end(fields), one) != std::end(fields);
    };
    static constexpr Field kNotOwn[] = {user_name,           groups,      impersonated_name,
                                        impersonated_groups, status_code, status_message,
                                        status_reason,       queue_wait,  latency};
    static constexpr Field kTexted[] = {user, impersonated, status, annotations};
    changed = changed || holds(kNotOwn, field) || (taken.is_text && holds(kTexted, field)) ||
              (field == uri && !is_key(key, "requestURI"));
    take(field, taken);
    return next;
  });
  if (has(uri) && !has(verb)) {
    sound = read_nested(json, object, {}) && sound;
    changed = changed || has(verb);
  }
  changed = take_alone(json, object) || changed;
  if (!changed || !sound || !has(uri) || !has(verb)) return false;
  write();
  return true;
}

// A record in which nothing is called as in an event, but that says of which API it is.
bool FlatEvent::read_foreign(JsonText json, JsonToken object) {
  const JsonToken next = json.skip(object);
  if (next == nullptr || !holds(json.between(object, next), "audit.k8s.io/")) return false;
  if (!read_nested(json, object, {}) || !has(uri) || !has(verb)) return false;
  write();
  return true;
}

bool FlatEvent::set_columns(const std::vector<std::string_view>& columns) {
  columns_.clear();
  const auto uri_column = std::find_if(columns.begin(), columns.end(), ends_as_uri);
  if (uri_column == columns.end()) return false;
  prefix_ = plain_name(*uri_column);
  prefix_.resize(prefix_.size() - kUri.size());
  known_.clear();
  for (const std::string_view column : columns) columns_.push_back(find_field(column));
  // Columns of queries have names of people: they count where no column is named as in events.
  const auto is_there = [&](Field field) {
    return std::find(columns_.begin(), columns_.end(), field) != columns_.end();
  };
  for (const Name& name : kNames) {
    if (is_there(name.field) || is_there(name.whole)) continue;
    const auto at = std::find_if(columns.begin(), columns.end(),
                                 [&](std::string_view column) { return plain_name(column) == name.name; });
    if (at != columns.end()) columns_[static_cast<std::size_t>(at - columns.begin())] = name.field;
  }
  if (std::find(columns_.begin(), columns_.end(), verb) == columns_.end()) columns_.clear();
  return has_columns();
}

const FlatEvent::Name FlatEvent::kNames[] = {{"username", user_name, user},         {"groups", groups, user},
                                             {"code", status_code, status},         {"statuscode", status_code, status},
                                             {"responsecode", status_code, status}, {"httpstatus", status_code, status},
                                             {"sourceip", addresses, addresses},    {"clientip", addresses, addresses}};

// Members with names of people, as these pick them out with jq.
bool FlatEvent::take_alone(JsonText json, JsonToken object) {
  bool changed = false;
  walk_object(json, object, [&](std::string_view key, JsonToken value) -> JsonToken {
    const JsonToken next = json.skip(value);
    const std::string plain = plain_name(key);
    const auto name =
        std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& n) { return plain == n.name; });
    if (next == nullptr || name == std::end(kNames) || has(name->field) || has(name->whole)) return next;
    const char c = json.first(value);
    if (c == '{' || c == 'n') return next;
    Value taken{json.between(value, next), c == '"'};
    if (taken.is_text && !json_text(json.string(value), scratch_, taken.text)) return nullptr;
    take(name->field, taken);
    changed = true;
    return next;
  });
  return changed;
}

void FlatEvent::read_row(const std::vector<std::string_view>& cells) {
  clear();
  for (std::size_t i = 0; i < cells.size() && i < columns_.size(); ++i) take(columns_[i], {trimmed(cells[i]), true});
  write();
}

void FlatEvent::begin(const char* name) {
  if (json_.back() != '{') json_ += ',';
  json_.append("\"").append(name).append("\":");
}

void FlatEvent::write_text(const char* name, Field field) {
  if (!has(field)) return;
  begin(name);
  const Value& value = lists_[field].front();
  if (value.is_text) append_json_string(json_, value.text);
  else json_ += value.text;
}

void FlatEvent::write_time(const char* name, Field field) {
  if (!has(field)) return;
  std::string text(lists_[field].front().text);
  for (const char* zone : {" UTC", "+00:00", "+0000"})
    if (text.ends_with(zone)) text.replace(text.size() - std::string_view(zone).size(), std::string::npos, "Z");
  if (const auto time = time_of_people(text)) text = *time;
  if (text.size() > 18 && text[10] == ' ' && text[13] == ':') {  // of a database, in UTC
    text[10] = 'T';
    if (is_digit(text.back())) text += 'Z';
  }
  begin(name);
  append_json_string(json_, text);
}

// A list as JSON, as its text, as texts behind commas, or each element by itself.
void FlatEvent::write_list(const char* name, Field field) {
  const std::vector<Value>& list = lists_[field];
  if (list.empty()) return;
  begin(name);
  const std::string_view first = list.front().text;
  if (list.size() == 1 && (first.starts_with("[\"") || first == "[]" || (!list.front().is_text && first[0] == '['))) {
    json_ += first;
    return;
  }
  json_ += '[';
  for (const Value& value : list) {
    std::string_view rest = value.text;
    if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
    while (!rest.empty()) {
      const std::string_view element = rest.substr(0, rest.find_first_of(",\n"));
      rest.remove_prefix(std::min(element.size() + 1, rest.size()));
      std::string_view text = trimmed(element);
      if (text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\''))
        text = text.substr(1, text.size() - 2);
      if (json_.back() != '[') json_ += ',';
      append_json_string(json_, text);
    }
  }
  json_ += ']';
}

// An object as JSON or as its text.
bool FlatEvent::write_whole(const char* name, Field field) {
  if (!has(field) || lists_[field].front().text.front() != '{') return false;
  begin(name);
  json_ += lists_[field].front().text;
  return true;
}

void FlatEvent::write_user(const char* name, Field whole, Field alone, Field list) {
  if (write_whole(name, whole) || !(has(whole) || has(alone) || has(list))) return;
  begin(name);
  json_ += '{';
  write_text("username", has(alone) ? alone : whole);
  write_list("groups", list);
  json_ += '}';
}

void FlatEvent::write_status() {
  if (write_whole("responseStatus", status) || !(has(status_code) || has(status_message) || has(status_reason))) return;
  begin("responseStatus");
  json_ += '{';
  if (has(status_code)) {
    begin("code");
    std::string_view code = lists_[status_code].front().text;
    if (code.ends_with(".0")) code.remove_suffix(2);  // tables of numbers have them as 429.0
    json_ += code;
  }
  write_text("message", status_message);
  write_text("reason", status_reason);
  json_ += '}';
}

void FlatEvent::write_annotations() {
  if (write_whole("annotations", annotations) || !(has(queue_wait) || has(latency))) return;
  begin("annotations");
  json_ += '{';
  write_text("apiserver.latency.k8s.io/apf-queue-wait", queue_wait);
  write_text("apiserver.latency.k8s.io/total", latency);
  json_ += '}';
}

void FlatEvent::write() {
  json_ = "{";
  write_text("auditID", id);
  write_text("stage", stage);
  write_text("requestURI", uri);
  write_text("verb", verb);
  write_user("user", user, user_name, groups);
  write_user("impersonatedUser", impersonated, impersonated_name, impersonated_groups);
  write_list("sourceIPs", addresses);
  write_text("userAgent", agent);
  write_status();
  write_time("requestReceivedTimestamp", received);
  if (has(received) || has(stage_time)) write_time("stageTimestamp", stage_time);
  else write_time("stageTimestamp", other_time);
  write_annotations();
  write_whole("requestObject", request_object);
  write_whole("responseObject", response_object);
  json_ += '}';
}

}  // namespace apf
