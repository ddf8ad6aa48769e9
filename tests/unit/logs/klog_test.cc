// kube-apiserver's own log: the forms of the HTTP log's lines over the years, what comes before and between them, and
// the server's notes.
#include "catch.h"
#include "logs/answer_cause.h"
#include "logs/formats/httplog.h"
#include "logs/formats/klog_line.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

KeepingSink parse_klog(std::string_view text, int year = 2026) {
  const auto parser = make_klog_parser();
  LogChunk chunk = make_chunk(text);
  chunk.calendar.year = year;
  KeepingSink sink;
  parser->parse(chunk, sink);
  return sink;
}

KeepingSink parse_klog_json(std::string_view text) {
  const auto parser = make_klog_json_parser();
  return parse_with(*parser, text);
}

Nanos at(const char* text) { return *parse_rfc3339(text); }

constexpr const char* kHead = "I1120 12:00:01.500000      11 httplog.go:134] ";

const std::string kLine =
    std::string(kHead) +
    R"x("HTTP" verb="LIST" URI="/api/v1/pods?limit=500" latency="1.25s" userAgent="kubectl/v1.36 (linux/amd64)" )x"
    R"(audit-ID="6f0b0e5c-0000-4000-8000-000000000001" srcIP="10.0.0.1:1234" apf_pl="workload-low" )"
    R"(apf_fs="service-accounts" apf_iseats=3 apf_fseats=2 apf_additionalLatency="5ms" )"
    R"(fl_priorityandfairness="150.5ms" apf_execution_time="1.0995s" resp=200)";

}  // namespace

TEST_CASE("A line of the HTTP log with all its fields", "[logs]") {
  const KeepingSink sink = parse_klog(kLine + "\n");
  REQUIRE(sink.events.size() == 1);
  const KeptEvent& e = sink.events[0];
  CHECK(e.event.http);
  CHECK(e.event.stage == Stage::response_complete);
  CHECK(e.method == "LIST");
  CHECK(e.verb.empty());
  CHECK(e.uri == "/api/v1/pods?limit=500");
  CHECK(e.id == "6f0b0e5c-0000-4000-8000-000000000001");
  CHECK(e.user_agent == "kubectl/v1.36 (linux/amd64)");
  CHECK(e.source_ip == "10.0.0.1");
  CHECK(e.priority_level == "workload-low");
  CHECK(e.flow_schema == "service-accounts");
  CHECK(e.event.stage_time == at("2026-11-20T12:00:01.5Z"));
  CHECK(e.event.received == at("2026-11-20T12:00:00.25Z"));
  CHECK(e.event.queue_wait == 150'500 * kMicrosecond);
  CHECK(e.event.execution == 1'099'500 * kMicrosecond);
  CHECK(e.event.init == kNoTime);
  REQUIRE(e.event.has_seats);
  CHECK(e.event.seats.initial_seats == 3);
  CHECK(e.event.seats.final_seats == 2);
  CHECK(e.event.seats.additional_latency == 5 * kMillisecond);
  CHECK(e.event.code == 200);
  CHECK_FALSE(may_be_apf(e.event.cause));
  CHECK(e.event.user_json.empty());
  CHECK(sink.unusable.empty());
  CHECK(sink.other_lines == 0);
}

TEST_CASE("Since 1.37 a line of the HTTP log has the content type before the audit ID", "[logs]") {
  std::string line = kLine;
  line.insert(line.find("audit-ID="), "contentType=\"application/vnd.kubernetes.protobuf\" ");
  const KeepingSink sink = parse_klog(line + "\n"), before = parse_klog(kLine + "\n");
  REQUIRE(sink.events.size() == 1);
  const KeptEvent &e = sink.events[0], &other = before.events[0];
  CHECK(e.id == other.id);
  CHECK(e.source_ip == other.source_ip);
  CHECK(e.priority_level == other.priority_level);
  CHECK(e.flow_schema == other.flow_schema);
  CHECK(e.event.queue_wait == other.event.queue_wait);
  CHECK(e.event.execution == other.event.execution);
  CHECK(e.event.seats.initial_seats == 3);
  CHECK(e.event.code == 200);
}

TEST_CASE("Refusals, watches and hijacked connections of the HTTP log", "[logs]") {
  const std::string head = std::string(kHead) + R"("HTTP" verb="WATCH" URI="/api/v1/pods?watch=1" latency="1m0.5s" )";
  KeepingSink sink = parse_klog(head + R"(audit-ID="" srcIP="[::1]:39696" apf_fs="a" apf_init_latency="320.89µs" )"
                                       R"(apf_execution_time="330µs" resp=200)");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].source_ip == "::1");
  CHECK(sink.events[0].event.init == 320'890);
  CHECK(sink.events[0].event.execution == 330'000);
  CHECK(sink.events[0].event.received == at("2026-11-20T11:59:01Z"));

  sink = parse_klog(head + R"(apf_fs="a" apf_pl="b" resp=429)");
  REQUIRE(sink.events.size() == 1);
  CHECK(may_be_apf(sink.events[0].event.cause));
  sink = parse_klog(head + R"(apf_fs="a" apf_pl="b" apf_execution_time="2ms" resp=429)");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.execution == 2 * kMillisecond);  // an eviction's: it ran
  sink = parse_klog(head + "hijacked=true");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.hijacked);
  CHECK(sink.events[0].event.code == 0);
}

TEST_CASE("Stacks of calls behind a line are other lines", "[logs]") {
  const std::string text =
      std::string(kHead) + R"("HTTP" verb="GET" URI="/a" latency="60s" apf_fs="x" resp=504 statusStack=<)" +
      "\n\t\n\tgoroutine 7 [running]:\n\tresp=200 verb=\"PUT\"\n > addedInfo=<\n\t\n >\n" + kLine + "\n";
  const KeepingSink sink = parse_klog(text);
  REQUIRE(sink.events.size() == 2);
  CHECK(sink.events[0].event.code == 504);
  CHECK(sink.events[0].method == "GET");
  CHECK(sink.events[1].line == 8);
  CHECK(sink.unusable.empty());
  CHECK(sink.other_lines == 4);  // blank ones do not count
}

TEST_CASE("Values as Go quotes them", "[logs]") {
  const std::string text =
      std::string(kHead) +
      R"("HTTP" verb="GET" URI="/a?b=\"c\"" latency="1ms" userAgent="a \"b\" [c] \\ \x00\u00e9\n" resp=200)";
  const KeepingSink sink = parse_klog(text);
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].uri == "/a?b=\"c\"");
  CHECK(sink.events[0].user_agent == std::string("a \"b\" [c] \\ \0\xc3\xa9\n", 16));
  JsonScratch scratch;
  CHECK(unquote_go(R"(\q\u12)", scratch) == R"(\q\u12)");  // no escapes: unchanged
  CHECK(unquote_go(R"(\ud800\)", scratch) == R"(\ud800\)");
  CHECK(unquote_go(R"(\U0001F600)", scratch) == "\xF0\x9F\x98\x80");
}

TEST_CASE("The HTTP log up to 1.17 and between the forms", "[logs]") {
  struct Case {
    const char *message, *method, *uri, *agent, *address;
    Nanos latency;
    int code;
  };
  const Case cases[] = {
      {"handlers.go:109] GET /api/v1beta1/minions/a: (2.978675593s) 200 [[kubelet/v0.10.0 (linux/amd64)] "
       "10.240.151.207:46823]",
       "GET", "/api/v1beta1/minions/a", "kubelet/v0.10.0 (linux/amd64)", "10.240.151.207", 2'978'675'593, 200},
      {"wrap.go:47] GET /api/v1/x: (7m39.000719686s) 429 [e2e.test/v1 -- [sig-a] Density [Feature:P] a, b 10.0.0.2:1]",
       "GET", "/api/v1/x", "e2e.test/v1 -- [sig-a] Density [Feature:P] a, b", "10.0.0.2", 459'000'719'686, 429},
      {"httplog.go:90] POST /api/v1/x/binding: (6.841722ms) 201 [hyperkube/v1.16.3 [::1]:35762]", "POST",
       "/api/v1/x/binding", "hyperkube/v1.16.3", "::1", 6'841'722, 201},
      {"wrap.go:47] PUT /api/v1/x?timeout=10s:(9.05251ms) 200 [hyperkube/v1.12.8 (linux/amd64) "
       "kubernetes/a89f8c1/leader-el",
       "PUT", "/api/v1/x?timeout=10s", "hyperkube/v1.12.8 (linux/amd64) kubernetes/a89f8c1/leader-el", "", 9'052'510,
       200},
      {"wrap.go:42] POST /api/v1/x: (30.00091179s) 504", "POST", "/api/v1/x", "", "", 30'000'911'790, 504},
      {"wrap.go:42] POST /api/v1/bar: (338.229\xEF\xBE\x86\xE6\xB4\xA5\xE9\x83\xAD) 403", "POST", "/api/v1/bar", "", "",
       338'229, 403},
      {R"(httplog.go:90] verb="GET" URI="/healthz" latency=2.055089ms resp=200 UserAgent="probe/1" srcIP="10.0.0.3:9": )",
       "GET", "/healthz", "probe/1", "10.0.0.3", 2'055'089, 200},
      {R"(httplog.go:89] "HTTP" verb="GET" URI="/apis" latency="3.9ms" userAgent="a" srcIP="10.0.0.3:9" resp=200)",
       "GET", "/apis", "a", "10.0.0.3", 3'900'000, 200},
  };
  for (const Case& c : cases) {
    INFO(c.message);
    const KeepingSink sink = parse_klog(std::string("I1120 12:00:01.500000       1 ") + c.message + "\n");
    REQUIRE(sink.events.size() == 1);
    const KeptEvent& e = sink.events[0];
    CHECK(e.method == c.method);
    CHECK(e.uri == c.uri);
    CHECK(e.user_agent == c.agent);
    CHECK(e.source_ip == c.address);
    CHECK(e.event.stage_time - e.event.received == c.latency);
    CHECK(e.event.code == c.code);
    CHECK(may_be_apf(e.event.cause) == (c.code == 429));
    CHECK(e.flow_schema.empty());
    CHECK_FALSE(e.event.has_seats);
  }
}

TEST_CASE("What stands before a klog line", "[logs]") {
  const std::string prefixes[] = {"2026-11-20T12:00:01.500123456Z stderr F ",
                                  "Nov 20 12:00:01 cp-1 kube-apiserver[11]: ",
                                  "// ",
                                  "\t\t",
                                  "/var/log/kube-apiserver.log:",
                                  "[pod/kube-apiserver-a/kube-apiserver] "};
  for (const std::string& prefix : prefixes) {
    INFO(prefix);
    const KeepingSink sink = parse_klog(prefix + kLine + "\r\n");
    REQUIRE(sink.events.size() == 1);
    CHECK(sink.events[0].event.stage_time == at("2026-11-20T12:00:01.5Z"));
    CHECK(sink.events[0].event.code == 200);
  }
}

TEST_CASE("A runtime's time tells year and zone", "[logs]") {
  // The server's clock shows Paris, the year is not that of the calendar.
  KeepingSink sink = parse_klog("2024-11-20T11:00:01.600123456Z stderr F " + kLine);
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.stage_time == at("2024-11-20T11:00:01.5Z"));
  // Over New Year, and an offset.
  sink = parse_klog("2025-01-01T01:00:00.1+01:00 stderr F I1231 23:59:59.900000       1 wrap.go:47] GET /a: (1ms) 200");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.stage_time == at("2024-12-31T23:59:59.9Z"));
}

TEST_CASE("Rows of an export as CSV", "[logs]") {
  std::string quoted;
  for (const char c : kLine) quoted.append(c == '"' ? 2 : 1, c);
  const KeepingSink sink = parse_klog("\"log_s\"\r\n\"" + quoted + "\n\"\r\nx,\"" + quoted + "\",y\r\n");
  REQUIRE(sink.events.size() == 2);
  CHECK(sink.events[0].uri == "/api/v1/pods?limit=500");
  CHECK(sink.events[1].event.code == 200);
  CHECK(sink.other_lines == 2);
  CHECK(sink.unusable.empty());
}

TEST_CASE("Over New Year and back", "[logs]") {
  const auto line = [](const char* time) {
    return std::string("I") + time + ".000000       1 wrap.go:47] GET /a: (1ms) 200\n";
  };
  const KeepingSink sink = parse_klog(line("1231 23:59:59") + line("0101 00:00:01") + line("1231 23:59:58") +
                                          line("0101 00:00:02") + line("0228 10:00:00") + line("0131 10:00:00"),
                                      2024);
  REQUIRE(sink.events.size() == 6);
  const char* const times[] = {"2024-12-31T23:59:59Z", "2025-01-01T00:00:01Z", "2024-12-31T23:59:58Z",
                               "2025-01-01T00:00:02Z", "2025-02-28T10:00:00Z", "2025-01-31T10:00:00Z"};
  for (int i = 0; i < 6; ++i) CHECK(sink.events[static_cast<std::size_t>(i)].event.stage_time == at(times[i]));
}

TEST_CASE("Lines of the HTTP log that cannot be used", "[logs]") {
  const auto why = [](const std::string& message) {
    const KeepingSink sink = parse_klog("I1120 12:00:01.500000       1 httplog.go:134] " + message + "\n");
    CHECK(sink.events.empty());
    REQUIRE(sink.unusable.size() == 1);
    return sink.unusable[0].first;
  };
  CHECK(why(R"("HTTP" verb="GET" URI="/a)") == Unusable::truncated);
  CHECK(why(R"("HTTP" verb="GET" URI="/a" latency="1ms")") == Unusable::truncated);
  CHECK(why(R"("HTTP" verb="GET" URI="/a" latency="1ms" resp=20x)") == Unusable::bad_field);
  CHECK(why(R"("HTTP" verb="GET" URI="/a" latency="soon" resp=200)") == Unusable::bad_field);
  CHECK(why(R"("HTTP" verb="" URI="/a" latency="1ms" resp=200)") == Unusable::no_verb_or_uri);
  CHECK(why("GET /a: (1ms) ") == Unusable::truncated);
  CHECK(why("GET /a: (x) 200") == Unusable::bad_field);
}

TEST_CASE("Lines that are no lines of klog, and NUL bytes", "[logs]") {
  KeepingSink sink =
      parse_klog("goroutine 1 [running]:\n\n \nI9920 12:00:01.500000 1 a.go:1] x\nI1120 12:00:61.500000 1 a\n");
  CHECK(sink.events.empty());
  CHECK(sink.unusable.empty());
  CHECK(sink.other_lines == 3);
  sink = parse_klog(std::string("I1120 12:00\0\0\0\0", 15) + kLine + "\n" + kLine);
  CHECK(sink.events.size() == 2);
  CHECK(sink.unusable == Lost{{Unusable::nul_bytes, 1}});
}

TEST_CASE("Durations as logs have them", "[logs]") {
  CHECK(read_logged_duration("12.345678ms") == 12'345'678);
  CHECK(read_logged_duration("0s") == 0);
  CHECK(read_logged_duration("15s") == 15 * kSecond);
  CHECK(read_logged_duration("-1.5ms") == -1'500'000);
  CHECK(read_logged_duration("50.89\xc2\xb5s") == 50'890);
  CHECK(read_logged_duration("50.89\xce\xbcs") == 50'890);
  CHECK(read_logged_duration("50.89?s") == 50'890);
  CHECK(read_logged_duration("50.89\x80") == 50'890);
  CHECK(read_logged_duration("120ns") == 120);
  CHECK(read_logged_duration("1.2.3ms") == kNoTime);
  CHECK(read_logged_duration("") == kNoTime);
  CHECK(read_logged_duration("5") == kNoTime);
  CHECK(read_logged_duration("123456789012345678s") == kNoTime);
}

TEST_CASE("klog in JSON", "[logs]") {
  const KeepingSink sink = parse_klog_json(
      R"({"ts":1795177989606.352,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"GET","URI":"/m\u0026n","latency":"5.258122ms",)"
      R"("userAgent":"a\"b","audit-ID":"i","srcIP":"127.0.0.1:43383","apf_pl":"exempt","apf_fs":"exempt","apf_iseats":1,"apf_fseats":0,)"
      R"("apf_additionalLatency":"0s","apf_execution_time":"4.513522ms","resp":200})"
      "\n"
      R"({"ts":1795177987753.028,"caller":"flowcontrol/apf_controller.go:292","msg":"NewTestableController \"Controller\" with serverConcurrencyLimit=30, name=Controller","v":2})"
      "\n"
      R"({"ts":1795177987753.5,"caller":"flowcontrol/apf_controller.go:493","msg":"Update CurrentCL","v":2,"plName":"system","currentCL":4,"backstop":false})"
      "\n"
      R"({"ts":1795177987753.1145,"caller":"flowcontrol/apf_controller.go:898","msg":"Introducing queues for priority level \"a\": config={}, nominalCL=3, lendableCL=2"})"
      "\n"
      R"({"ts":"x","msg":"HTTP","caller":"a","verb":"GET","URI":"/","latency":"1ms","resp":200})"
      "\n"
      R"({"a":1})"
      "\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].uri == "/m&n");
  CHECK(sink.events[0].user_agent == "a\"b");
  CHECK(sink.events[0].event.stage_time == 1795177989606'352'000);
  CHECK(sink.events[0].event.received == 1795177989606'352'000 - 5'258'122);
  CHECK(sink.events[0].event.seats.initial_seats == 1);
  CHECK(sink.events[0].event.code == 200);
  REQUIRE(sink.notes.size() == 3);
  CHECK(sink.notes[0].kind == ServerNote::Kind::created);
  CHECK(sink.notes[0].value == 30);
  CHECK(sink.notes[1].level == "system");
  CHECK(sink.notes[1].value == 4);
  CHECK(sink.notes[1].time == 1795177987753'500'000);
  CHECK(sink.notes[2].kind == ServerNote::Kind::configured);
  CHECK(sink.notes[2].level == "a");
  CHECK(sink.notes[2].value == 3);
  CHECK(sink.other_lines == 3);
  CHECK(sink.unusable == Lost{{Unusable::no_timestamp, 5}, {Unusable::not_event, 6}});
}

TEST_CASE("What the flow controller says of itself", "[logs]") {
  const std::string head = "I1120 12:26:23.413140    1546 apf_controller.go:898] ";
  const KeepingSink sink = parse_klog(
      head + "NewTestableController \"Controller\" with serverConcurrencyLimit=30, name=Controller\n" + head +
      "Introducing queues for priority level \"a\\\"b\": config={}, nominalCL=13, lendableCL=0\n" + head +
      "Introducing queues for priority level \"old\": config={}, concurrencyLimit=7, quiescing=false\n" + head +
      "Running API Priority and Fairness periodic rebalancing process\n" + head +
      "\"Update CurrentCL\" plName=\"workload-low\" seatDemandAvg=1.5 fairFrac=2.3 currentCL=9 backstop=false\n" +
      head + "Retaining queues for priority level \"a\": config={}, nominalCL=6, numPending=0\n" + head +
      "Removing undesired priority level \"a\", Type=Limited\n" + head +
      "\"Update CurrentCL\" plName=\"workload-low\" currentCL=\n" + head + "Something else\n" + head +
      "\"Update CurrentCL\n" + head + "Introducing queues for priority level \"a\\\n" +
      "I1120 12:26:23.413140    1546 other.go:1] Running API Priority and Fairness periodic rebalancing process\n");
  using Kind = ServerNote::Kind;
  const std::vector<std::tuple<Kind, std::string, std::int64_t>> expected = {
      {Kind::created, "", 30},
      {Kind::configured, "a\"b", 13},
      {Kind::configured, "old", 7},
      {Kind::rebalancing, "", 0},
      {Kind::current_cl, "workload-low", 9},
      {Kind::configured, "a", 6},
      {Kind::configured, "a", ServerNote::kRemoved}};
  REQUIRE(sink.notes.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(i);
    CHECK(std::tuple(sink.notes[i].kind, sink.notes[i].level, sink.notes[i].value) == expected[i]);
    CHECK(sink.notes[i].time == at("2026-11-20T12:26:23.41314Z"));
  }
  CHECK(sink.other_lines == 12);
}
