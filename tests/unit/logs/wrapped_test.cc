// Log lines as shippers and stores wrap them.
#include <fmt/format.h>

#include <apf/output.h>

#include "catch.h"
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

TEST_CASE("Audit events exported as CSV", "[logs]") {
  std::string cell;
  for (const char c : audit_line("x")) cell.append(c == '"' ? 2 : 1, c);
  const std::string text = "\"log_s\",\"pod_s\"\n\"" + cell + "\",\"a\"\n2026-11-20,\"" + cell + "\"\n";
  CHECK(recognise_log(text, false) == &kAuditFormat);
  const KeepingSink sink = parse(text);
  CHECK(sink.events.size() == 2);
  CHECK(sink.unusable.size() == 1);  // the heading
}

TEST_CASE("A container's log begins with a time, not with what is cut like one", "[logs][wrapped]") {
  const std::string rest = "Z stderr F hello\n";
  const std::string container = describe_foreign("2026-11-20T12:00:00" + rest);
  CHECK_FALSE(container.empty());
  CHECK(describe_foreign("abcd-ef-ghTij:kl:mn" + rest) != container);
  CHECK(describe_foreign("2026-11-20T12:00:0x" + rest) != container);
  CHECK(describe_foreign("2026-11-20T12:00:0/" + rest) != container);
}
