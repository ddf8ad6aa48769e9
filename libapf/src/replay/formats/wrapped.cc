#include "replay/formats/wrapped.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "replay/formats/json_index.h"

namespace apf {
namespace {

// Paths name members, "[]" all elements of an array, a digit one of them. Origin and time are looked for in each item.
struct Wrapping {
  LogFormat format;
  std::string_view items;    // from the record to what holds one payload each; empty: the record itself
  std::string_view payload;  // from the item
  std::string_view origin;   // from the item: which server's log it is
  std::string_view written;  // from the item: RFC 3339, given by a container runtime with the line
};

// The first that fits is taken: forms whose names are their own stand before those with common ones.
constexpr Wrapping kWrappings[] = {
    {LogFormat::azure, "records[]", "properties.log", "properties.pod", ""},
    {LogFormat::azure, "", "properties.log", "properties.pod", ""},
    {LogFormat::azure, "", "log_s", "pod_s", ""},
    {LogFormat::otlp, "resourceLogs[].scopeLogs[].logRecords[]", "body.stringValue", "", ""},
    {LogFormat::cloudwatch, "", "@message", "@logStream", ""},
    {LogFormat::cloudwatch, "events[]", "message", "logStreamName", ""},
    {LogFormat::cloudwatch, "logEvents[]", "message", "", ""},
    {LogFormat::elastic, "hits.hits[]", "_source", "", ""},
    {LogFormat::elastic, "", "_source", "", ""},
    {LogFormat::elastic, "", "kubernetes.audit", "host.name", ""},
    {LogFormat::elastic, "", "event.original", "host.name", ""},
    {LogFormat::loki, "data.result[].values[]", "1", "", ""},
    {LogFormat::loki, "streams[].values[]", "1", "", ""},
    {LogFormat::loki, "", "line", "", ""},
    {LogFormat::fluent_bit, "", "log", "kubernetes.host", "time"},
    {LogFormat::fluent_bit, "", "message", "kubernetes.host", ""},
};

std::string_view first_segment(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

// Calls take(value) for each value at the path from `token`. The text is sound JSON.
template <class Take>
void walk_path(JsonText json, JsonToken token, std::string_view path, Take& take) {
  if (path.empty()) return take(token);
  if (path.front() == '.') path.remove_prefix(1);
  if (path.starts_with("[]")) {
    if (json.first(token) != '[') return;
    walk_array(json, token, [&](JsonToken element) {
      walk_path(json, element, path.substr(2), take);
      return json.skip(element);
    });
    return;
  }
  const std::string_view segment = first_segment(path), rest = path.substr(segment.size());
  if (segment.size() == 1 && segment[0] >= '0' && segment[0] <= '9') {
    if (json.first(token) != '[') return;
    int index = segment[0] - '0';
    walk_array(json, token, [&](JsonToken element) {
      if (index-- == 0) walk_path(json, element, rest, take);
      return json.skip(element);
    });
    return;
  }
  if (json.first(token) != '{') return;
  walk_object(json, token, [&](std::string_view key, JsonToken value) -> JsonToken {
    if (key != segment) return kUnknownKey;
    walk_path(json, value, rest, take);
    return json.skip(value);
  });
}

std::string_view text_at(JsonText json, JsonToken item, std::string_view path) {
  std::string_view out;
  const auto take = [&](JsonToken value) {
    if (json.first(value) == '"') out = json.string(value);
  };
  if (!path.empty()) walk_path(json, item, path, take);
  return out;
}

void take_items(JsonText json, JsonToken object, const Wrapping& row, std::vector<WrappedRecord>& out) {
  const auto item = [&](JsonToken token) {
    const auto payload = [&](JsonToken value) {
      if (json.first(value) != '"' && json.first(value) != '{') return;
      WrappedRecord record;
      record.payload = value;
      const std::string_view origin = text_at(json, token, row.origin);
      if (!origin.empty()) record.origin = static_cast<std::uint32_t>(hash_bytes(origin)) | 1;
      record.written = parse_rfc3339(text_at(json, token, row.written)).value_or(kNoTime);
      out.push_back(record);
    };
    walk_path(json, token, row.payload, payload);
  };
  walk_path(json, object, row.items, item);
}

using RowSet = std::uint32_t;
static_assert(std::size(kWrappings) <= 32);

// The rows whose first member the object has.
RowSet possible_rows(JsonText json, JsonToken object) {
  RowSet rows = 0;
  walk_object(json, object, [&](std::string_view key, JsonToken value) {
    for (std::size_t i = 0; i < std::size(kWrappings); ++i) {
      const Wrapping& row = kWrappings[i];
      if (key == first_segment(row.items.empty() ? row.payload : row.items)) rows |= RowSet{1} << i;
    }
    return json.skip(value);
  });
  return rows;
}

const Wrapping* find_wrapping(JsonText json, JsonToken object, LogFormat only, std::vector<WrappedRecord>& out) {
  const RowSet rows = possible_rows(json, object);
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < std::size(kWrappings); ++i) {
    const Wrapping& row = kWrappings[i];
    if ((rows >> i & 1) == 0 || (only != LogFormat::automatic && row.format != only)) continue;
    take_items(json, object, row, out);
    if (out.size() > before) return &row;
  }
  return nullptr;
}

}  // namespace

bool unwrap(JsonText json, JsonToken object, LogFormat only, std::vector<WrappedRecord>& out) {
  return find_wrapping(json, object, only, out) != nullptr;
}

LogFormat recognise_wrapping(std::string_view record) {
  const std::string text(record);  // the index wants to read one byte more
  JsonIndex index;
  if (text.empty() || index.build(text.data(), text.size()) != JsonIndex::Result::ok || index.begin() == index.end())
    return LogFormat::automatic;
  const JsonText json{text.data(), static_cast<std::uint32_t>(text.size())};
  JsonToken token = index.begin();
  if (json.first(token) == '[') ++token;  // an array of records
  if (json.first(token) != '{' || json.skip(token) == nullptr) return LogFormat::automatic;
  std::vector<WrappedRecord> found;
  const Wrapping* const row = find_wrapping(json, token, LogFormat::automatic, found);
  if (row == nullptr) return LogFormat::automatic;
  const WrappedRecord& first = found.front();
  // Members of these names hold anything: what is wrapped must look like a log of kube-apiserver.
  const std::string_view payload = json.between(first.payload, json.skip(first.payload));
  const bool audit = payload.find("audit.k8s.io/") != std::string_view::npos ||
                     payload.find("auditID") != std::string_view::npos;
  if (audit || find_klog_header(payload) != std::string_view::npos) return row->format;
  if (json.first(first.payload) == '{') return recognise_wrapping(payload);  // in two layers
  return LogFormat::automatic;
}

}  // namespace apf
