#include "logs/formats/wrapped.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "logs/formats/base64_text.h"
#include "logs/formats/flat_event.h"
#include "logs/formats/format.h"
#include "logs/formats/json_index.h"
#include "logs/formats/json_outline.h"
#include "logs/formats/klog_line.h"
#include "logs/formats/line_prefix.h"
#include "logs/formats/otlp_values.h"
#include "logs/formats/text_scan.h"

namespace apf {
namespace {

constexpr int kMostObjects = 6;

// How surely a member is what is looked for, the surest first.
enum class Rank : std::uint8_t { event, text, klog, any_text, none };

constexpr std::string_view kTextMembers[] = {"log",  "message", "msg",      "MESSAGE", "line",        "body",
                                             "_raw", "raw",     "text",     "_msg",    "@message",    "log_s",
                                             "data", "value",   "original", "values",  "textPayload", "stringValue"};
constexpr std::string_view kServerMembers[] = {
    "pod",  "pod_s",     "pod_name", "PodName",   "Pod",        "host", "hostname",      "_HOSTNAME",
    "node", "node_name", "nodeName", "logStream", "@logStream", "Node", "logStreamName", "@logStream_s"};
// The time of what a record holds, as those have it who take klog's header off a line.
constexpr std::string_view kTimeMembers[] = {"timestamp", "@timestamp", "_time", "time"};
// Objects whose `name` names a server, and those that hold such members of records beside them.
constexpr std::string_view kNamedMembers[] = {"host", "pod", "node"},
                           kBesideMembers[] = {"host", "pod", "node", "kubernetes", "stream", "labels", "resource"};

bool is_event_member(std::string_view key) {
  return is_key(key, "auditID") || is_key(key, "requestReceivedTimestamp") || is_key(key, "protoPayload");
}

bool ends_as_verb(std::string_view key) {
  return key.size() >= 4 && (key.ends_with("verb") || key.ends_with("Verb") || key.ends_with("VERB"));
}

bool is_columns(std::string_view key) { return key == "columns" || key == "Columns" || key == "fields"; }
bool is_rows(std::string_view key) { return key == "rows" || key == "Rows"; }

Rank rank_of(std::string_view key, std::string_view raw) {
  if (raw.size() >= 24 || raw.starts_with("H4sI")) {
    if (has_audit_names(raw)) return Rank::text;
    if (find_klog_header(raw) != std::string_view::npos || raw.starts_with(R"(\"HTTP\" verb=)") || is_klog_json(raw))
      return Rank::klog;
    if (const auto decoded = decoded_text(raw); decoded && (decoded->is_damaged || is_text_of_server(decoded->text)))
      return Rank::text;
  }
  const bool number = std::all_of(raw.begin(), raw.end(), [](char c) { return is_digit(c); });
  return is_one_of(kTextMembers, key) && (!number || raw.empty()) ? Rank::any_text : Rank::none;
}

// Microseconds since 1970, as journald has them.
Nanos time_of_journal(std::string_view raw) {
  const bool sound = !raw.empty() && raw.size() <= 16 && std::all_of(raw.begin(), raw.end(), is_digit);
  Nanos out = 0;
  for (const char c : sound ? raw : std::string_view()) out = out * 10 + (c - '0');
  return sound ? out * kMicrosecond : kNoTime;
}

class Search {
 public:
  Search(JsonText json, std::vector<WrappedRecord>& out) : json_(json), out_(out) {}

  struct Found {
    JsonToken next = nullptr;
    Rank rank = Rank::none;
    std::uint32_t origin = 0;  // of an object that wraps nothing: what it says of those beside it
    bool pair = false;         // a field and its value
  };

  Found in_object(std::string_view name, JsonToken object, int depth) {
    Found found;
    Scope scope{out_.size(), Rank::none};
    std::uint64_t origin = 0;
    Nanos written = kNoTime, stamped = kNoTime;
    bool event = false, uri = false, verb = false, time = false, message = false, place = false;
    bool field = false, columns = false, rows = false;
    found.next = walk_object(json_, object, [&](std::string_view key, JsonToken value) -> JsonToken {
      event = event || is_event_member(key);
      uri = uri || ends_as_uri(key);
      verb = verb || ends_as_verb(key);
      time = time || is_key(key, "ts");
      message = message || is_key(key, "msg");
      place = place || is_key(key, "caller") || is_key(key, "v");
      const char c = json_.first(value);
      field = field || (is_key(key, "field") && c == '"');
      found.pair = field && (found.pair || is_key(key, "value"));
      columns = columns || (c == '[' && is_columns(key));
      rows = rows || (c == '[' && is_rows(key));
      if (c == '"') {
        const std::string_view raw = json_.string(value);
        if (names_server(key) || (is_key(key, "name") && is_one_of(kNamedMembers, name)))
          origin = hash_bytes(raw, origin);
        if (is_one_of(kTimeMembers, key)) stamped = parse_rfc3339(raw).value_or(stamped);
        if (is_key(key, "time")) written = parse_rfc3339(raw).value_or(kNoTime);
        if (is_key(key, "__REALTIME_TIMESTAMP")) written = time_of_journal(raw);
        take(rank_of(key, raw), value, scope);
        return value + 1;
      }
      if (c != '{' && c != '[') return kUnknownKey;
      if (c == '{' && depth == kMostObjects) return kUnknownKey;
      if (c == '[' && is_key(key, "MESSAGE")) {
        const JsonToken next = json_.skip(value);
        if (!next) return next;
        const std::string text = text_of_bytes(json_.between(value, next));
        if (!text.empty()) {
          take(rank_of(key, text), value, scope);
          return next;
        }
      }
      const std::size_t before = out_.size();
      const Found inner = c == '{' ? in_object(key, value, depth + 1) : in_array(key, value, depth);
      if (inner.rank == Rank::none && inner.origin != 0 && is_one_of(kBesideMembers, key))
        origin = hash_bytes({reinterpret_cast<const char*>(&inner.origin), sizeof inner.origin}, origin);
      keep(inner.rank, before, scope);
      return inner.next;
    });
    if (found.next == nullptr) return found;
    found.rank = scope.rank;
    const bool is_event = event || (uri && verb), is_klog = time && message && place;
    if (depth > 0 && (is_event || is_klog)) {  // the record itself has been looked at
      give_whole(object, false, scope.begin);
      found.rank = is_event ? Rank::event : Rank::klog;
    } else if (columns && rows) {
      give_whole(object, true, scope.begin);
      found.rank = Rank::event;
    }
    if (!is_time_in_range(written)) written = kNoTime;
    if (!is_time_in_range(stamped)) stamped = kNoTime;
    found.origin = static_cast<std::uint32_t>(origin);
    for (std::size_t i = scope.begin; i < out_.size(); ++i) {
      if (out_[i].origin == 0) out_[i].origin = found.origin;
      if (out_[i].written == kNoTime) out_[i].written = written;
      if (out_[i].stamped == kNoTime) out_[i].stamped = stamped;
    }
    return found;
  }

 private:
  struct Scope {
    std::size_t begin;  // of what was found in it
    Rank rank;
  };

  Found in_array(std::string_view name, JsonToken array, int depth) {
    Found found;
    const std::size_t before = out_.size();
    bool pairs = false;
    found.next = walk_array(json_, array, [&](JsonToken element) -> JsonToken {
      const char c = json_.first(element);
      if (c == '"') {
        const Rank rank = rank_of(name, json_.string(element));
        found.rank = std::min(found.rank, rank);
        if (rank != Rank::none) out_.push_back({.payload = element});
        return element + 1;
      }
      if (c == '[' && ++arrays_ <= kMostArrays) {
        const Found inner = in_array(name, element, depth);
        --arrays_;
        found.rank = std::min(found.rank, inner.rank);
        return inner.next;
      }
      if (c != '{' || depth == kMostObjects) return json_.skip(element);
      const Found inner = in_object({}, element, depth + 1);
      pairs = inner.pair;
      found.rank = std::min(found.rank, inner.rank);
      return inner.next;
    });
    if (pairs && found.next != nullptr) {
      give_whole(array, true, before);
      found.rank = Rank::event;
    }
    return found;
  }

  void give_whole(JsonToken token, bool table, std::size_t from) {
    out_.resize(from);
    out_.push_back({.payload = token, .table = table});
  }
  void take(Rank rank, JsonToken value, Scope& scope) {
    if (rank > scope.rank || rank == Rank::none) return;
    out_.push_back({.payload = value});
    keep(rank, out_.size() - 1, scope);
  }
  // What was found from `before` on takes the place of what the scope had, or goes.
  void keep(Rank rank, std::size_t before, Scope& scope) {
    if (rank > scope.rank || (rank == scope.rank && !is_whole_of(before, scope))) return out_.resize(before);
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(scope.begin),
               out_.begin() + static_cast<std::ptrdiff_t>(before));
    scope.rank = rank;
  }

  // Whether the text that was found last is that of which the scope has the beginning: shippers cut the one that is
  // for people.
  bool is_whole_of(std::size_t before, const Scope& scope) const {
    constexpr std::size_t kMark = 16;  // "… (truncated)"
    if (before != scope.begin + 1 || out_.size() != before + 1) return false;
    const JsonToken part = out_[scope.begin].payload, whole = out_[before].payload;
    if (json_.first(part) != '"' || json_.first(whole) != '"') return false;
    const std::string_view cut = json_.string(part), text = json_.string(whole);
    return text.size() > cut.size() && cut.size() > kMark && text.starts_with(cut.substr(0, cut.size() - kMark));
  }

  static constexpr int kMostArrays = 8;
  const JsonText json_;
  std::vector<WrappedRecord>& out_;
  int arrays_ = 0;
};

// Names that a record of this kind has: members, or members of members. `in`: what the first of them has in its text.
struct NameRow {
  LogFormat format;
  const char* label;
  std::string_view members[2];
  std::string_view in = {};
};

// The first that fits.
constexpr NameRow kWrappingNames[] = {
    {&kAzureFormat, "kube-audit-admin of Azure diagnostics, without get and list", {"category"}, "kube-audit-admin"},
    {&kAzureFormat, "Azure diagnostics", {"operationName", "category"}},
    {&kAzureFormat, "Azure diagnostics", {"records"}, "operationName"},
    {&kAzureFormat, "Azure diagnostics", {"properties.log"}},
    {&kAzureFormat, "Log Analytics export", {"log_s"}},
    {&kAzureFormat, "Log Analytics answer", {"tables"}, "\"columns\""},
    {&kAzureFormat, "Log Analytics answer", {"tables"}, "\"Columns\""},
    {&kAzureFormat, "AKSAuditAdmin table, without get and list", {"Type", "AuditId"}, "AKSAuditAdmin"},
    {&kAzureFormat, "AKSAudit table", {"AuditId", "RequestUri"}},
    {&kOtlpFormat, "OpenTelemetry", {"resourceLogs"}},
    {&kCloudwatchFormat, "CloudWatch Insights export", {"@message"}},
    {&kCloudwatchFormat, "CloudWatch Insights answer", {"results"}, "\"@message\""},
    {&kCloudwatchFormat, "CloudWatch Logs subscription", {"logEvents"}},
    {&kCloudwatchFormat, "CloudWatch Logs answer", {"events"}, "\"message\""},
    {&kCloudwatchFormat, "CloudWatch Logs subscription", {"awslogs.data"}},
    {&kCloudwatchFormat, "Amazon Data Firehose", {"records", "deliveryStreamArn"}},
    {&kCloudwatchFormat, "Amazon Data Firehose", {"records", "requestId"}},
    {&kCloudwatchFormat, "Amazon Kinesis", {"Records"}, "\"Data\""},
    {&kCloudwatchFormat, "Amazon Kinesis", {"Records"}, "\"kinesis\""},
    {&kElasticFormat, "Filebeat", {"@metadata.beat"}},
    {&kElasticFormat, "Filebeat", {"log.offset"}},
    {&kElasticFormat, "Filebeat", {"@timestamp", "json"}},
    {&kElasticFormat, "Elasticsearch answer", {"hits"}, "\"_source\""},
    {&kElasticFormat, "Elasticsearch documents", {"_source"}},
    {&kElasticFormat, "Elastic Agent", {"kubernetes.audit"}},
    {&kElasticFormat, "Elastic Agent", {"event.original"}},
    {&kElasticFormat, "Elasticsearch documents", {"kubernetes.audit.verb"}},
    {&kLokiFormat, "Loki", {"streams"}, "\"values\""},
    {&kLokiFormat, "Loki", {"data.resultType"}},
    {&kLokiFormat, "logcli", {"line"}},
    {&kWrappedFormat, "Sumo Logic export", {"_raw", "_messagetime"}},
    {&kWrappedFormat, "Splunk export", {"_raw"}},
    {&kWrappedFormat, "Splunk export", {"result._raw"}},
    {&kWrappedFormat, "Splunk export", {"results"}, "\"_raw\""},
    {&kWrappedFormat, "Splunk HTTP Event Collector", {"event", "sourcetype"}},
    {&kWrappedFormat, "Datadog archive", {"attributes", "_id"}},
    {&kWrappedFormat, "Datadog answer", {"data"}, "\"attributes\""},
    {&kWrappedFormat, "Datadog export", {"Date", "Message"}},
    {&kWrappedFormat, "Alibaba Cloud SLS", {"__time__"}},
    {&kWrappedFormat, "VictoriaLogs", {"_stream", "_msg"}},
    {&kWrappedFormat, "VictoriaLogs", {"_stream", "_time"}},
    {&kWrappedFormat, "journald", {"__REALTIME_TIMESTAMP"}},
    {&kWrappedFormat, "Google Cloud Logging", {"insertId", "logName"}},
    {&kWrappedFormat, "Google Cloud Pub/Sub", {"message.data"}},
    {&kWrappedFormat, "Graylog", {"gl2_remote_ip"}},
    {&kWrappedFormat, "OpenShift Logging", {"openshift", "log_type"}},
    {&kWrappedFormat, "Kafka (kcat -J)", {"topic", "partition"}},
    {&kWrappedFormat, "stern", {"podName", "containerName"}},
    {&kWrappedFormat, "Wazuh", {"full_log"}},
    {&kWrappedFormat, "Vector", {"source_type", "message"}},
    {&kWrappedFormat, "OCSF (Amazon Security Lake)", {"class_uid", "api"}},
    {&kFluentBitFormat, "json-file log of a container runtime", {"log", "stream"}},
    {&kFluentBitFormat, "Fluent Bit or Fluentd", {"log"}},
    {&kFluentBitFormat, "records with a message", {"message"}},
};

bool has_member(const JsonOutline& members, std::string_view path) {
  if (path.empty() || members.has(path)) return true;
  const std::size_t dot = path.find('.');
  return dot != std::string_view::npos && outline_json(members.value(path.substr(0, dot))).has(path.substr(dot + 1));
}

template <LogFormat kFormat>
bool recognises(std::string_view line, const JsonOutline& record) {
  return record.is_json && name_wrapping(record).format == kFormat && wraps_line_of_server(line);
}

template <LogFormat kFormat>
std::unique_ptr<LogParser> make_parser() {
  return make_record_parser(kFormat);
}

}  // namespace

TableTokens find_table(JsonText json, JsonToken object) {
  TableTokens out;
  walk_object(json, object, [&](std::string_view key, JsonToken value) {
    if (json.first(value) == '[' && is_columns(key)) out.columns = value;
    if (json.first(value) == '[' && is_rows(key)) out.rows = value;
    return json.skip(value);
  });
  return out;
}

bool names_server(std::string_view member) { return is_one_of(kServerMembers, member); }

std::uint32_t server_of_record(JsonText json, JsonToken object) {
  std::uint64_t origin = 0;
  walk_object(json, object, [&](std::string_view key, JsonToken value) -> JsonToken {
    if (json.first(value) == '"' && names_server(key)) origin = hash_bytes(json.string(value), origin);
    return kUnknownKey;
  });
  return static_cast<std::uint32_t>(origin);
}

Wrapped unwrap(JsonText json, JsonToken object, std::vector<WrappedRecord>& out) {
  const Rank rank = Search(json, out).in_object({}, object, 0).rank;
  return rank == Rank::none ? Wrapped::nothing : rank == Rank::any_text ? Wrapped::any_text : Wrapped::of_server;
}

namespace {

// `unfolds`: values of OTLP, once.
bool wraps_line(std::string_view record, bool unfolds) {
  const std::string text(record);  // the index wants to read one byte more
  JsonIndex index;
  const bool sound = index.build(text.data(), text.size()) == JsonIndex::Result::ok && index.begin() != index.end();
  const JsonText json{text.data(), static_cast<std::uint32_t>(text.size())};
  JsonToken token = index.begin();
  if (sound && json.first(token) == '[') ++token;  // an array of records
  if (!sound || !json.holds(token) || json.first(token) != '{' || json.skip(token) == nullptr)
    return is_text_of_server(record) || begins_encoded_text_of_server(record);  // cut off
  if (const std::string plain = unfolds ? without_otlp_values(json, token) : std::string(); !plain.empty())
    return wraps_line(plain, false);
  std::vector<WrappedRecord> found;
  return unwrap(json, token, found) == Wrapped::of_server || FlatEvent().read(json, token);
}

}  // namespace

bool wraps_line_of_server(std::string_view record) { return wraps_line(record, true); }

WrappingName name_wrapping(const JsonOutline& members) {
  for (const NameRow& row : kWrappingNames) {
    if (!has_member(members, row.members[0]) || !has_member(members, row.members[1])) continue;
    if (row.in.empty() || contains(members.value(row.members[0]), row.in)) return {row.format, row.label};
  }
  return {&kWrappedFormat, "JSON records", false};
}

constinit const FormatRow kAzureFormat{"azure", recognises<&kAzureFormat>, make_parser<&kAzureFormat>, true};
constinit const FormatRow kOtlpFormat{"otlp", recognises<&kOtlpFormat>, make_parser<&kOtlpFormat>, true};
constinit const FormatRow kCloudwatchFormat{"cloudwatch", recognises<&kCloudwatchFormat>,
                                            make_parser<&kCloudwatchFormat>, true};
constinit const FormatRow kElasticFormat{"elastic", recognises<&kElasticFormat>, make_parser<&kElasticFormat>, true};
constinit const FormatRow kLokiFormat{"loki", recognises<&kLokiFormat>, make_parser<&kLokiFormat>, true};
constinit const FormatRow kFluentBitFormat{"fluent-bit", recognises<&kFluentBitFormat>, make_parser<&kFluentBitFormat>,
                                           true};
constinit const FormatRow kWrappedFormat{"wrapped", recognises<&kWrappedFormat>, make_parser<&kWrappedFormat>, true};

}  // namespace apf
