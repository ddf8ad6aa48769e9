// Log lines as shippers and stores wrap them.
#include <fmt/format.h>

#include <apf/output.h>

#include "catch.h"
#include "logs/formats/csv_table.h"
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string json_string(std::string_view text) {
  JsonWriter json;
  json.value(text);
  return json.take();
}

constexpr const char* kKlog =
    R"(I1120 12:00:01.500000      11 httplog.go:134] "HTTP" verb="GET" URI="/a" latency="1ms" apf_fs="x" resp=200)";

KeepingSink parse(std::string_view text, bool documents = false, LogFormat format = kAnyFormat) {
  if (format == kAnyFormat) format = recognise_log(text, documents);
  REQUIRE(format != kAnyFormat);
  LogParsers parsers;
  return parse_with(parsers.of(format), text, documents);
}

}  // namespace

TEST_CASE("An audit event in every wrapping", "[logs]") {
  const std::string event = audit_line("e1"), text = json_string(event), text_line = json_string(event + "\n");
  struct Case {
    LogFormat format;
    std::string record;
  };
  const Case cases[] = {
      {&kCloudwatchFormat, R"({"@timestamp":"2026-11-20 12:00:00.000","@message":)" + text + "}"},
      {&kCloudwatchFormat, R"({"@timestamp":"2026-11-20 12:00:00.000","@message":)" + event + "}"},
      {&kCloudwatchFormat, R"({"events":[{"logStreamName":"kube-apiserver-audit-1","timestamp":1,"message":)" + text +
                               R"(,"eventId":"1"}]})"},
      {&kCloudwatchFormat,
       R"({"messageType":"DATA_MESSAGE","logEvents":[{"id":"1","timestamp":1,"message":)" + text + "}]}"},
      {&kElasticFormat, R"({"kubernetes":{"audit":)" + event + R"(},"host":{"name":"a"}})"},
      {&kElasticFormat, R"({"_index":"x","_source":)" + event + "}"},
      {&kElasticFormat, R"({"_index":"x","_source":{"kubernetes":{"audit":)" + event + "}}}"},
      {&kElasticFormat, R"({"took":1,"hits":{"hits":[{"_source":{"message":)" + text + "}}]}}"},
      {&kElasticFormat, R"({"@timestamp":"x","event":{"original":)" + text + "}}"},
      {&kFluentBitFormat, R"({"log":)" + text_line + R"(,"stream":"stdout","time":"2026-11-20T12:00:01Z"})"},
      {&kFluentBitFormat, R"({"date":1.5,"kubernetes":{"host":"cp-1"},"log":)" + event + "}"},
      {&kFluentBitFormat, R"({"@timestamp":"x","message":)" + text + "}"},
      {&kLokiFormat, R"({"line":)" + text + R"(,"timestamp":"1","labels":{}})"},
      {&kLokiFormat, R"({"streams":[{"stream":{"pod":"a"},"values":[["1",)" + text + "]]}]}"},
      {&kLokiFormat, R"({"status":"success","data":{"resultType":"streams","result":[{"stream":{},"values":[["1",)" +
                         text + "]]}]}}"},
      {&kAzureFormat, R"({"category":"kube-audit","operationName":"x","properties":{"pod":"kube-apiserver-1","log":)" +
                          text_line + "}}"},
      {&kAzureFormat, R"({"category":"kube-audit-admin","operationName":"x","properties":{"log":)" + event + "}}"},
      {&kAzureFormat,
       R"({"records":[{"category":"kube-audit","operationName":"x","properties":{"log":)" + text + "}}]}"},
      {&kAzureFormat, R"({"TimeGenerated":"x","pod_s":"a","log_s":)" + text + "}"},
      {&kOtlpFormat, R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":)" + text + "}}]}]}]}"},
      {&kAuditFormat, R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[)" + event + "]}"},
      {&kAuditFormat, "[" + event + "]"},
      {&kAuditFormat, "2026-11-20T12:00:01.5Z stdout F " + event},
      {&kAuditFormat, "I1120 12:00:01.500000       1 audit.go:1] " + event},
      {&kAuditFormat, "Nov 20 12:00:01 cp-1 kube-apiserver[7]: " + event},
      // Graylog: flattened, beside members of its own, with the text once more.
      {&kAuditFormat, R"({"gl2_remote_ip":"10.0.0.9","streams":["1"],"message":"x",)" + event.substr(1)},
  };
  for (const Case& c : cases) {
    for (const bool documents : {false, true}) {
      INFO(c.record);
      if (documents && c.record[0] != '{' && c.record[0] != '[') continue;
      CHECK(recognise_log(c.record + "\n", documents) == c.format);
      const KeepingSink sink = parse(c.record + "\n", documents, c.format);
      CHECK(sink.unusable.empty());
      CHECK(sink.other_lines == 0);
      REQUIRE(sink.events.size() == 1);
      const KeptEvent& e = sink.events[0];
      CHECK(e.id == "e1");
      CHECK(e.uri == "/api/v1/pods?limit=5&watch=0");
      CHECK(parse_user_json(e.user).groups == std::vector<std::string>{"dev", "system:authenticated"});
      CHECK(e.event.received == *parse_rfc3339("2026-11-20T12:00:00.000001Z"));
      CHECK(e.event.queue_wait == 250'178'185);
    }
  }
}

TEST_CASE("An audit event that a collector took to pieces", "[logs]") {
  const std::string values =
      R"({"key":"auditID","value":{"stringValue":"e\"1"}},{"key":"stage","value":{"stringValue":"ResponseComplete"}},)"
      R"({"key":"requestURI","value":{"stringValue":"/api/v1/pods"}},{"key":"verb","value":{"stringValue":"list"}},)"
      R"({"key":"stageTimestamp","value":{"stringValue":"2026-11-20T12:00:00.5Z"}},)"
      R"({"key":"requestReceivedTimestamp","value":{"stringValue":"2026-11-20T12:00:00Z"}},)";
  const std::string objects =
      R"({"key":"user","value":{"kvlistValue":{"values":[{"key":"username","value":{"stringValue":"anna"}},)"
      R"({"key":"groups","value":{"arrayValue":{"values":[{"stringValue":"dev"},{"stringValue":"ops"}]}}}]}}},)"
      R"({"key":"annotations","value":{"kvlistValue":{}}},)"
      R"({"key":"responseStatus","value":{"kvlistValue":{"values":[{"key":"code","value":{"intValue":"429"}}]}}})";
  const std::string paths =
      R"({"key":"user.username","value":{"stringValue":"anna"}},)"
      R"({"key":"user.groups","value":{"arrayValue":{"values":[{"stringValue":"dev"},{"stringValue":"ops"}]}}},)"
      R"({"key":"responseStatus.code","value":{"intValue":429}})";
  const auto event = [](const std::string& members) { return R"({"kvlistValue":{"values":[)" + members + "]}}"; };
  std::string snake = R"("body":)" + event(values + objects);
  for (std::size_t at; (at = snake.find("Value\"")) != std::string::npos;) snake.replace(at, 1, "_v");
  for (const std::string& record : {
           R"("body":)" + event(values + objects),
           R"("body":{"stringValue":"audit"},"attributes":[)" + values + objects + "]",
           R"("body":{"stringValue":""},"attributes":[)" + values + paths + "]",
           R"("body":{"stringValue":"audit"},"attributes":[{"key":"k8s.audit","value":)" + event(values + objects) +
               "}]",
           snake,
       }) {
    INFO(record);
    const std::string text =
        R"({"resourceLogs":[{"resource":{"attributes":[{"key":"k8s.node.name","value":{"stringValue":"cp-1"}}]},)"
        R"("scopeLogs":[{"scope":{},"logRecords":[{"timeUnixNano":"1",)" +
        record + "}]}]}]}\n";
    CHECK(recognise_log(text, false) == &kOtlpFormat);
    const KeepingSink sink = parse(text, false, &kOtlpFormat);
    CHECK(sink.unusable.empty());
    CHECK(sink.other_lines == 0);
    REQUIRE(sink.events.size() == 1);
    CHECK(sink.events[0].id == "e\"1");
    CHECK(sink.events[0].uri == "/api/v1/pods");
    CHECK(sink.events[0].event.code == 429);
    CHECK(parse_user_json(sink.events[0].user).groups == std::vector<std::string>{"dev", "ops"});
  }
  // In a form that is not known.
  const KeepingSink lost = parse(R"({"message":"audit","fields":[{"k":"auditID","v":"a"},{"k":"requestURI","v":"/a"}]})"
                                 "\n",
                                 false, &kFluentBitFormat);
  CHECK(lost.other_lines == 0);
  REQUIRE(lost.unusable.size() == 1);
  CHECK(lost.unusable[0].first == Unusable::not_event);
}

TEST_CASE("Records of several forms in one file", "[logs]") {
  const std::string event = audit_line("plain");
  const std::string text =
      event + "\n" + R"({"log":)" + json_string(audit_line("docker")) + "}\n" + kKlog + "\n" +
      R"({"ts":1795177989606.352,"caller":"a","msg":"HTTP","verb":"GET","URI":"/b","latency":"1ms","resp":200})"
      "\n" +
      R"({"category":"kube-audit","operationName":"x","properties":{"log":)" + audit_line("azure") + "}}\n" +
      R"({"log":)" + json_string(kKlog) +
      R"(,"time":"2020-11-20T12:00:01.6Z"})"
      "\n" +
      R"({"log":"goroutine 1 [running]:\n","stream":"stderr"})"
      "\n{\"a\":1}\n";
  const auto check = [](const KeepingSink& sink, std::size_t from) {
    REQUIRE(sink.events.size() == 6 - from);
    std::vector<std::string> ids;
    for (const KeptEvent& e : sink.events) ids.push_back(e.event.http ? e.uri : e.id);
    const std::vector<std::string> all{"plain", "docker", "/a", "/b", "azure", "/a"};
    CHECK(ids == std::vector<std::string>(all.begin() + static_cast<long>(from), all.end()));
    CHECK(sink.events.back().event.stage_time == *parse_rfc3339("2020-11-20T12:00:01.5Z"));
    CHECK(sink.other_lines == 1);
    CHECK(sink.unusable.size() == 1);
    CHECK(sink.unusable[0].first == Unusable::not_event);
  };
  CHECK(recognise_log(text, false) == &kAuditFormat);
  check(parse(text), 0);
  // Whatever comes first.
  for (const LogFormat format : {&kHttplogFormat, &kHttplogJsonFormat, &kAzureFormat}) {
    INFO(format->name);
    const KeepingSink sink = parse(text, false, format);
    if (format == &kHttplogFormat) {
      CHECK(sink.events.size() == 6);
    } else {
      check(sink, 0);
    }
  }
}

TEST_CASE("A forced format takes nothing else", "[logs]") {
  const std::string text = audit_line("plain") + "\n" + R"({"@message":)" + json_string(audit_line("cloud")) + "}\n" +
                           R"({"properties":{"log":)" + json_string(audit_line("azure")) + "}}\n" + kKlog + "\n";
  const auto ids = [&](LogFormat format) {
    LogParsers parsers;
    LogChunk chunk = make_chunk(text);
    chunk.forced = true;
    KeepingSink sink;
    parsers.of(format).parse(chunk, sink);
    std::string out;
    for (const KeptEvent& e : sink.events) out += (e.event.http ? e.uri : e.id) + " ";
    CHECK(sink.events.size() + sink.unusable.size() + sink.other_lines == 4);
    return out;
  };
  CHECK(ids(&kAuditFormat) == "plain ");
  CHECK(ids(&kHttplogFormat) == "/a ");
  // The wrapping named, and lines without any.
  CHECK(ids(&kCloudwatchFormat) == "plain cloud ");
  CHECK(ids(&kAzureFormat) == "plain azure ");
}

TEST_CASE("Log entries of Google Cloud", "[logs]") {
  const auto entry = [](const char* method, const char* resource, const char* rest) {
    return fmt::format(
        R"({{"protoPayload":{{"@type":"type.googleapis.com/google.cloud.audit.AuditLog","authenticationInfo":{{"principalEmail":"system:serviceaccount:ci:builder"}},)"
        R"("methodName":"{}","resourceName":"{}","requestMetadata":{{"callerIp":"10.0.0.1","callerSuppliedUserAgent":"kubectl/v1"}},"status":{{"code":7}}}},)"
        R"("insertId":"i1","timestamp":"2026-11-20T12:00:00.5Z","logName":"x"{}}})",
        method, resource, rest);
  };
  const std::string text =
      entry("io.k8s.core.v1.pods.list", "core/v1/namespaces/ci/pods", "") + "\n" +
      entry("io.k8s.apps.v1.deployments.scale.update", "apps/v1/namespaces/ci/deployments/a/scale",
            R"(,"operation":{"id":"op","first":true,"last":true})") +
      "\n" + entry("io.k8s.get", "readyz", R"(,"operation":{"id":"op","first":true})") + "\n" +
      entry("io.k8s.core.v1.pods.watch", "core/v1/pods", R"(,"operation":{"id":"op","last":true})") + "\n" +
      entry("v2.deploymentmanager.deployments.insert", "x", "") + "\n" + entry("io.k8s.core.v1.pods.list", "", "") +
      "\n";
  CHECK(recognise_log(text, false) == &kGcpFormat);
  // One of its fields alone is nothing of Google's.
  for (const char* field : {"insertId", "logName"})
    CHECK(recognise_log(fmt::format(R"({{"{}":"x","log":{}}})", field, json_string(audit_line("x"))), false) ==
          &kFluentBitFormat);
  const KeepingSink sink = parse(text);
  REQUIRE(sink.events.size() == 4);
  const KeptEvent& first = sink.events[0];
  CHECK(first.verb == "list");
  CHECK(first.uri == "/api/v1/namespaces/ci/pods");
  CHECK(first.id == "i1");
  CHECK(first.event.code == 403);
  CHECK(first.event.implied_groups);
  CHECK(first.user_agent == "kubectl/v1");
  CHECK(first.source_ip == "10.0.0.1");
  CHECK(first.event.received == *parse_rfc3339("2026-11-20T12:00:00.5Z"));
  CHECK(first.event.stage_time == kNoTime);
  CHECK(parse_user_json(first.user).name == "system:serviceaccount:ci:builder");
  CHECK(parse_user_json(first.user).groups ==
        std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"});
  CHECK(sink.events[1].uri == "/apis/apps/v1/namespaces/ci/deployments/a/scale");
  CHECK(sink.events[1].verb == "update");
  CHECK(sink.events[1].id == "op");
  CHECK(sink.events[2].uri == "/readyz");
  CHECK(sink.events[2].event.stage == Stage::response_started);
  CHECK(sink.events[3].event.stage == Stage::response_complete);
  CHECK(sink.events[3].event.stage_time == sink.events[3].event.received);
  CHECK(sink.unusable == Lost{{Unusable::not_event, 5}, {Unusable::no_verb_or_uri, 6}});
  // A status of 0 is OK in words of RPC; beyond them are those of HTTP.
  for (const auto& [given, code] :
       {std::pair("0", 200), std::pair("16", 401), std::pair("17", 0), std::pair("404", 404)}) {
    std::string coded = entry("io.k8s.core.v1.pods.list", "core/v1/pods", "");
    coded.replace(coded.find("\"code\":7"), 8, std::string("\"code\":") + given);
    CHECK(parse(coded).events.at(0).event.code == code);
  }
}

TEST_CASE("Log entries of Google Cloud in YAML", "[logs]") {
  const auto entry = [](int i, const char* indent, const char* first) {
    return fmt::format(
        "{1}insertId: i{0}\n{2}logName: projects/a/logs/b\n{2}operation:\n{2}  id: op{0}\n{2}  first: true\n{2}  last: "
        "true\n"
        "{2}protoPayload:\n{2}  '@type': type.googleapis.com/google.cloud.audit.AuditLog\n{2}  authenticationInfo:\n"
        "{2}    principalEmail: \"jane@example.com\"\n{2}  methodName: io.k8s.core.v1.pods.list\n{2}  request:\n{2}    "
        "text: |\n"
        "{2}      ---\n{2}      - insertId: no\n{2}  resourceName: core/v1/namespaces/ci/pods\n{2}  status: {{code: "
        "5}}\n"
        "{2}timestamp: '2026-11-20T12:00:00.{0:06}Z'\n",
        i, first, indent);
  };
  const auto check = [](const KeepingSink& sink, std::size_t count) {
    REQUIRE(sink.events.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(sink.events[i].id == "op" + std::to_string(i));
      CHECK(sink.events[i].verb == "list");
      CHECK(sink.events[i].uri == "/api/v1/namespaces/ci/pods");
      CHECK(sink.events[i].event.code == 404);
      CHECK(sink.events[i].event.received ==
            *parse_rfc3339("2026-11-20T12:00:00Z") + static_cast<Nanos>(i) * kMicrosecond);
      CHECK(parse_user_json(sink.events[i].user).name == "jane@example.com");
    }
  };
  const std::string documents =
      "# of a cluster\n" + entry(0, "", "") + "---\n" + entry(1, "", "") + "---\n" + entry(2, "", "");
  CHECK(recognise_log(documents, false) == &kGcpYamlFormat);
  check(parse(documents), 3);
  const std::string items = entry(0, "  ", "- ") + entry(1, "  ", "- ");
  CHECK(recognise_log(items, false) == &kGcpYamlFormat);
  check(parse(items), 2);
  // What is wrong with one entry costs that one.
  const KeepingSink damaged =
      parse(entry(0, "", "") + "---\na: [\n---\n" + entry(1, "", "") + "---\njust: this\n---\n---\n");
  check(damaged, 2);
  CHECK(damaged.unusable == Lost{{Unusable::not_yaml, 19}, {Unusable::not_event, 40}});
  // Entries are never cut, however large the file is.
  for (const bool listed : {false, true}) {
    std::string large;
    for (int i = 0; i < 6000; ++i) large += listed ? entry(i, "  ", "- ") : "---\n" + entry(i, "", "");
    LogOptions options;
    options.texts["gcp.yaml"] = large;
    ChunkSource source(std::vector<std::string>{"gcp.yaml"}, kAnyFormat, options);
    LogParsers parsers;
    KeepingSink sink;
    int chunks = 0;
    for (LogChunk chunk; source.next(chunk); ++chunks) parsers.of(chunk.format).parse(chunk, sink);
    CHECK(chunks > 1);
    CHECK(sink.unusable.empty());
    check(sink, 6000);
  }
}

TEST_CASE("Which server a wrapped line is of", "[logs]") {
  const auto azure = [](const char* pod, const std::string& log) {
    return std::string(R"({"properties":{"pod":")") + pod + R"(","log":)" + log + "}}\n";
  };
  const std::string event = audit_line("x");
  const KeepingSink sink =
      parse(azure("a", event) + azure("b", json_string(event)) + azure("a", json_string(event)) + event + "\n", false,
            &kAzureFormat);
  REQUIRE(sink.events.size() == 4);
  CHECK(sink.events[0].event.origin != 0);
  CHECK(sink.events[0].event.origin != sink.events[1].event.origin);
  CHECK(sink.events[0].event.origin == sink.events[2].event.origin);
  CHECK(sink.events[3].event.origin == 0);
  // The wrapping inside does not say the server: it is that of the wrapping around it.
  const std::string inside = R"({"_source":)" + event + "}";
  const KeepingSink nested = parse(azure("a", event) + azure("a", inside) + azure("b", inside), false, &kAzureFormat);
  REQUIRE(nested.events.size() == 3);
  CHECK(nested.events[0].event.origin == nested.events[1].event.origin);
  CHECK(nested.events[1].event.origin != nested.events[2].event.origin);
  CHECK(nested.events[2].event.origin != 0);
}

TEST_CASE("Wrapped nonsense", "[logs]") {
  const auto counts = [](const std::string& text) {
    const KeepingSink sink = parse(text, false, &kFluentBitFormat);
    CHECK(sink.events.empty());
    return std::pair(sink.unusable.empty() ? Unusable::kCount : sink.unusable[0].first, sink.other_lines);
  };
  CHECK(counts(R"({"log":"{\"kind\":\"Event\",\"auditID\":"})") == std::pair(Unusable::truncated, std::uint64_t{0}));
  CHECK(counts(R"({"log":"\ud800\q"})").first == Unusable::not_json);
  CHECK(counts(R"({"log":""})") == std::pair(Unusable::kCount, std::uint64_t{0}));
  CHECK(counts(R"({"log":7})").first == Unusable::not_event);
  // Layer upon layer.
  std::string deep = audit_line("x");
  for (int i = 0; i < 6; ++i) deep = R"({"log":)" + json_string(deep) + "}";
  CHECK(counts(deep).first == Unusable::not_event);
  std::string nested = R"({"_source":)" + audit_line("x") + "}";
  for (int i = 0; i < 6; ++i) nested = R"({"_source":)" + nested + "}";
  CHECK(counts(nested).first == Unusable::not_event);
}

TEST_CASE("Audit events exported as CSV", "[logs][wrapped]") {
  std::string cell;
  for (const char c : audit_line("x")) cell.append(c == '"' ? 2 : 1, c);
  for (const char* separator : {",", ";", "\t", "|"}) {
    const std::string at = separator;
    const std::string header = "\"log_s\"" + at + "\"pod_s\"";
    const std::string text = header + "\n\"" + cell + "\"" + at + "\"a\"\n\"" + cell + "\"" + at + "b\n\n" + header +
                             "\n" + "x" + at + "y\n";
    CHECK(recognise_log(text, false) == &kAzureFormat);
    CHECK(std::string(label_of_log(text, &kAzureFormat, false)) == "Log Analytics export");
    LogOptions options;
    options.texts["log.csv"] = text;
    ChunkSource source(std::vector<std::string>{"log.csv"}, kAnyFormat, options);
    LogChunk chunk;
    REQUIRE(source.next(chunk));
    CHECK(chunk.header == header);
    KeepingSink sink;
    LogParsers().of(chunk.format).parse(chunk, sink);
    REQUIRE(sink.events.size() == 2);
    CHECK(sink.events[0].line == 2);
    CHECK(sink.events[0].event.origin != sink.events[1].event.origin);
    CHECK(sink.unusable.empty());
    CHECK(sink.other_lines == 3);  // the names, twice, and a row of something else
  }
  // Without names, and where commas of what is not quoted make more cells.
  CHECK(parse("2026-11-20,\"" + cell + "\"\n").events.size() == 1);
  CHECK(table_header("a,b\n1,2,3\n").empty());
  CHECK(table_header("a,b\n1," + audit_line("x") + "\n") == "a,b");
  CHECK(table_header("a\n" + audit_line("x") + "\n").empty());
}

TEST_CASE("A cell may hold separators, quotes and lines", "[logs][wrapped]") {
  TableRows rows("a,\"b \"\"c\"\"\"");
  CHECK(rows.names() == std::vector<std::string_view>{"a", "b \"c\""});
  const std::string text = "\"1,\n\"\"2\"\"\",3\r\n4,\n";
  CHECK(rows.row_size(text) == text.size() - 3);
  CHECK(rows.cells(text.substr(0, text.size() - 3)) == std::vector<std::string_view>{"1,\n\"2\"", "3"});
  CHECK(rows.cells("4,\n") == std::vector<std::string_view>{"4", ""});
}

TEST_CASE("Events whose members were flattened, renamed or made text", "[logs][wrapped]") {
  const char* const records[] = {
      R"({"a.audit.auditID":"e1","a.audit.requestURI":"/u","a.audit.verb":"list","a.audit.user.username":"jane",)"
      R"("a.audit.user.groups":["dev","x"],"a.audit.responseStatus.code":429,"a.audit.sourceIPs":["10.0.0.1"],)"
      R"("a.audit.requestReceivedTimestamp":"2026-11-20T12:00:00Z","a.audit.stageTimestamp":"2026-11-20T12:00:01Z",)"
      R"("a.audit.annotations.apiserver.latency.k8s.io/apf-queue-wait":"250ms"})",
      R"({"AuditId":"e1","RequestUri":"/u","Verb":"list","User":"{\"username\":\"jane\",\"groups\":[\"dev\",\"x\"]}",)"
      R"("ResponseStatus":{"code":429},"SourceIps":"[\"10.0.0.1\"]","RequestReceivedTime":"2026-11-20T12:00:00Z",)"
      R"("StageReceivedTime":"2026-11-20T12:00:01Z","Annotations":"{\"apiserver.latency.k8s.io/apf-queue-wait\":\"250ms\"}"})",
      R"({"auditid":"e1","request_uri":"/u","verb":"list","user_username":"jane","user_groups":"dev, x",)"
      R"("response_status_code":"429","source_ips_0":"10.0.0.1","request_received_timestamp":"2026-11-20 12:00:00 UTC",)"
      R"("stage_timestamp":"Nov 20, 2026 @ 12:00:01.000",)"
      R"("annotations_apiserver_latency_k8s_io_apf_queue_wait":"250ms"})",
      R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"e1","requestURI":"/u","verb":"list",)"
      R"("user":"{\"username\":\"jane\",\"groups\":[\"dev\",\"x\"]}","responseStatus":"{\"code\":429}",)"
      R"("sourceIPs":"[\"10.0.0.1\"]","requestReceivedTimestamp":"2026-11-20T12:00:00Z",)"
      R"("stageTimestamp":"2026-11-20T12:00:01Z","annotations":"{\"apiserver.latency.k8s.io/apf-queue-wait\":\"250ms\"}"})",
      R"({"results":[[{"field":"auditID","value":"e1"},{"field":"requestURI","value":"/u"},{"field":"verb","value":"list"},)"
      R"({"field":"user.username","value":"jane"},{"field":"user.groups.0","value":"dev"},{"field":"user.groups.1","value":"x"},)"
      R"({"field":"responseStatus.code","value":"429"},{"field":"sourceIPs.0","value":"10.0.0.1"},)"
      R"({"field":"requestReceivedTimestamp","value":"11/20/2026, 12:00:00.000 PM"},)"
      R"({"field":"stageTimestamp","value":"1795176001"},)"
      R"({"field":"annotations.apiserver.latency.k8s.io/apf-queue-wait","value":"250ms"}]]})",
      R"({"tables":[{"columns":[{"name":"AuditId"},{"name":"RequestUri"},{"name":"Verb"},{"name":"User"},{"name":"SourceIps"},)"
      R"({"name":"ResponseStatus"},{"name":"RequestReceivedTime"},{"name":"StageReceivedTime"},{"name":"Annotations"}],)"
      R"("rows":[["e1","/u","list",{"username":"jane","groups":["dev","x"]},"['10.0.0.1']","{\"code\":429}",)"
      R"("2026-11-20T12:00:00Z","2026-11-20T12:00:01Z","{\"apiserver.latency.k8s.io/apf-queue-wait\":\"250ms\"}"]]}]})",
  };
  for (const char* record : records) {
    INFO(record);
    const KeepingSink sink = parse(std::string(record) + "\n");
    CHECK(sink.unusable.empty());
    REQUIRE(sink.events.size() == 1);
    const KeptEvent& e = sink.events[0];
    CHECK(e.id == "e1");
    CHECK(e.uri == "/u");
    CHECK(e.verb == "list");
    CHECK(parse_user_json(e.user).name == "jane");
    CHECK(parse_user_json(e.user).groups == std::vector<std::string>{"dev", "x"});
    CHECK(e.source_ip == "10.0.0.1");
    CHECK(e.event.code == 429);
    CHECK(e.event.queue_wait == 250 * kMillisecond);
    CHECK(e.event.received == *parse_rfc3339("2026-11-20T12:00:00Z"));
    CHECK(e.event.stage_time == *parse_rfc3339("2026-11-20T12:00:01Z"));
  }
  // Only what a query asked for.
  const KeepingSink fields = parse(R"({"@timestamp":"2026-11-20T12:00:01Z","x.requestURI":"/u","x.verb":"get"})");
  REQUIRE(fields.events.size() == 1);
  CHECK(fields.events[0].event.received == *parse_rfc3339("2026-11-20T12:00:01Z"));
  CHECK(fields.events[0].user.empty());
}

TEST_CASE("Of an object's members, an event wins over its text, and text of the server over other text",
          "[logs][wrapped]") {
  const std::string event = audit_line("object"), text = json_string(audit_line("text"));
  const auto ids = [](const std::string& record) {
    std::string out;
    for (const KeptEvent& e : parse(record, false, &kElasticFormat).events) out += e.id + " ";
    return out;
  };
  CHECK(ids(R"({"message":)" + text + R"(,"kubernetes":{"audit":)" + event + "}}") == "object ");
  CHECK(ids(R"({"kubernetes":{"audit":)" + event + R"(},"event":{"original":)" + text + "}}") == "object ");
  CHECK(ids(R"({"log":{"file":{"path":"/a"}},"message":)" + text + "}") == "text ");
  CHECK(ids(R"({"msg":"hello","deep":{"er":)" + text + "}}") == "text ");
  CHECK(ids(R"({"all":[)" + event + "," + text + "," + event + "]}") == "object text object ");
}

TEST_CASE("Audit events behind prefixes, and what they say of their server", "[logs][wrapped]") {
  const auto origin = [](const std::string& prefix) {
    const KeepingSink sink = parse(prefix + audit_line("e1") + "\n");
    INFO(prefix);
    CHECK(sink.unusable.empty());
    CHECK(sink.other_lines == 0);
    REQUIRE(sink.events.size() == 1);
    CHECK(sink.events[0].id == "e1");
    return sink.events[0].event.origin;
  };
  for (const char* nobody : {"2026-11-20T12:00:01.5Z stdout F ", "12:", "audit.log:",
                             "/var/log/kubernetes/audit.log:7:", "2026/11/20 12:00:00 ", "2026-11-20T12:00:00+00:00\t"})
    CHECK(origin(nobody) == 0);
  for (const char* node : {"172.20.0.2: ", "master-0.example ", "kube-apiserver-cp1 kube-apiserver ",
                           "master-0-audit.log:", "172.20.0.2: 2026-11-20T12:00:01.5Z stdout F "})
    CHECK(origin(node) != 0);
  CHECK(origin("master-0.example ") != origin("master-1.example "));
  CHECK(origin("172.20.0.2: ") == origin("172.20.0.2: 2026-11-20T12:00:01.5Z stdout F "));
  // Quoted once more; what is behind it is another cell.
  CHECK(origin("level=info msg=") != 0);
  std::string quoted = json_string(audit_line("e1"));
  CHECK(parse("level=info msg=" + quoted + " n=1\n").events.size() == 1);
  CHECK(parse("2026-11-20," + audit_line("e1") + ",a\n").events.size() == 1);
}

TEST_CASE("Values one after the other, and pieces of arrays", "[logs][wrapped]") {
  const std::string a = audit_line("a"), b = audit_line("b");
  for (const std::string& text : {a + b, a + " " + b + "\n", a + ",\n" + b + ",\n", "[" + a + ",\n" + b + "]\n",
                                  "\x1E" + a + "\n\x1E" + b + "\n", "," + a + "\n," + b + "\n]\n"}) {
    INFO(text);
    const KeepingSink sink = parse(text);
    CHECK(sink.unusable.empty());
    REQUIRE(sink.events.size() == 2);
    CHECK(sink.events[1].id == "b");
  }
  const KeepingSink cut = parse(a + b.substr(0, 40) + "\n");
  CHECK(cut.events.size() == 1);
  CHECK(cut.unusable == Lost{{Unusable::truncated, 1}});
}

TEST_CASE("A container's log begins with a time, not with what is cut like one", "[logs][wrapped]") {
  const std::string rest = "Z stderr F hello\n";
  const std::string container = describe_foreign("2026-11-20T12:00:00" + rest).words;
  CHECK_FALSE(container.empty());
  CHECK(describe_foreign("abcd-ef-ghTij:kl:mn" + rest).words != container);
  CHECK(describe_foreign("2026-11-20T12:00:0x" + rest).words != container);
  CHECK(describe_foreign("2026-11-20T12:00:0/" + rest).words != container);
}

TEST_CASE("A record whose values of OTLP cannot be unfolded is read once", "[wrapped]") {
  CHECK(recognise_log(R"({"a":{"stringValue":"x","b":1},"requestURI":"/a"})", false) == kAnyFormat);
}
