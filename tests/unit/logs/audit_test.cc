// The audit parser: what it takes from an event, in which forms events come, and what becomes of lines that are
// damaged.
#include <apf/time.h>

#include "catch.h"
#include "logs/answer_cause.h"
#include "support/times.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

Unusable only_reason(const KeepingSink& sink) {
  REQUIRE(sink.events.empty());
  REQUIRE(sink.unusable.size() == 1);
  return sink.unusable[0].first;
}

}  // namespace

TEST_CASE("an audit event's fields", "[logs][audit]") {
  const KeepingSink sink = parse_audit(audit_line("a-1") + "\n");
  REQUIRE(sink.unusable.empty());
  REQUIRE(sink.events.size() == 1);
  const KeptEvent& e = sink.events[0];
  CHECK(e.line == 1);
  CHECK(e.id == "a-1");
  CHECK(e.event.stage == Stage::response_complete);
  CHECK_FALSE(e.event.trace);
  CHECK(e.verb == "list");
  CHECK(e.method.empty());
  CHECK(e.uri == "/api/v1/pods?limit=5&watch=0");
  CHECK(e.user == R"({"username":"jane","uid":"7","groups":["dev","system:authenticated"])");
  CHECK_FALSE(e.event.impersonated);
  CHECK(e.source_ip == "10.0.0.1");
  CHECK(e.user_agent == "kubectl/v1.36");
  CHECK(e.event.code == 200);
  CHECK_FALSE(may_be_apf(e.event.cause));
  CHECK(e.event.received == kNoon + 1000);
  CHECK(e.event.stage_time == kNoon + 1500 * kMillisecond);
  CHECK(e.event.queue_wait == 250178185);
}

TEST_CASE("stages", "[logs][audit]") {
  const auto stage = [](const std::string& name) {
    return parse_audit(with(audit_line("x"), "ResponseComplete", name));
  };
  CHECK(stage("RequestReceived").events.at(0).event.stage == Stage::received);
  CHECK(stage("ResponseStarted").events.at(0).event.stage == Stage::response_started);
  CHECK(stage("Panic").events.at(0).event.stage == Stage::panic);
  CHECK(only_reason(stage("Nonsense")) == Unusable::bad_field);
  CHECK(parse_audit(with(audit_line("x"), R"("stage":"ResponseComplete",)", "")).events.at(0).event.stage ==
        Stage::response_complete);
}

TEST_CASE("the user", "[logs][audit]") {
  const auto user = [](const std::string& json) { return parse_user_json(json); };
  const User jane =
      user(R"({"username":"ja\u006ee","uid":"7","groups":["dev","system:authenticated"])");  // as it is cut
  CHECK(jane.name == "jane");
  CHECK(jane.groups == std::vector<std::string>{"dev", "system:authenticated"});
  CHECK(user(R"({"user":"t","groups":["g"]})").name == "t");
  CHECK(user(R"({"user":"t","groups":["g"]})").groups == std::vector<std::string>{"g"});
  CHECK(user("{}").name.empty());
  CHECK(user("").name.empty());
  CHECK(user("{").groups.empty());
  CHECK(user("[]").name.empty());
  CHECK(user("{\"username\":\"a").name.empty());
  CHECK(user(R"({"groups":null,"username":5})").name.empty());
  CHECK(user(R"({"groups":["a",5,{"x":[]},"b"],"username":"u","username":"v"})").groups ==
        std::vector<std::string>{"a", "b"});
  CHECK(user(R"({"username":"u","username":"v"})").name == "v");

  // Only `extra` differs: the same key.
  const std::string other = with(audit_line("x"), R"("extra":{"a":["b"]})", R"("extra":{"a":["c"]})");
  CHECK(parse_audit(audit_line("x")).events.at(0).user == parse_audit(other).events.at(0).user);

  const KeptEvent impersonated =
      parse_audit(with(audit_line("x"), R"("sourceIPs")",
                       R"("impersonatedUser":{"username":"bob","groups":["g"]},"sourceIPs")"))
          .events.at(0);
  CHECK(impersonated.event.impersonated);
  CHECK(user(impersonated.user).name == "bob");
  const KeptEvent null =
      parse_audit(with(audit_line("x"), R"("sourceIPs")", R"("impersonatedUser":null,"sourceIPs")")).events.at(0);
  CHECK_FALSE(null.event.impersonated);
  CHECK(user(null.user).name == "jane");
  // 401: the server knows no user.
  CHECK(
      parse_audit(
          R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"u","stage":"ResponseStarted","requestURI":"/api","verb":"get",)"
          R"("user":{},"responseStatus":{"code":401},"stageTimestamp":"2026-11-20T12:00:00Z"})")
          .events.at(0)
          .user == "{");
}

TEST_CASE("a 429 is the filter's if nothing else spoke", "[logs][audit]") {
  const auto refusal = [](const std::string& status) {
    return may_be_apf(
        parse_audit(with(audit_line("x"), R"({"metadata":{},"code":200})", status)).events.at(0).event.cause);
  };
  CHECK(refusal(R"({"metadata":{},"code":429})"));
  CHECK(refusal(R"({"code":429,"message":"Too many requests, please try again later."})"));
  CHECK_FALSE(refusal(
      R"({"code":429,"reason":"TooManyRequests","message":"Cannot evict pod as it would violate the pod's disruption budget."})"));
  CHECK_FALSE(refusal(R"({"code":429,"reason":"TooManyRequests"})"));
  CHECK_FALSE(refusal(R"({"code":200,"message":"Too many requests, please try again later."})"));
}

TEST_CASE("v1beta1 and v1alpha1 have their time elsewhere", "[logs][audit]") {
  const auto received = [](const std::string& fields) {
    const KeepingSink sink = parse_audit(
        R"({"kind":"Event","apiVersion":"audit.k8s.io/v1beta1","auditID":"b","stage":"ResponseComplete","requestURI":"/a",)"
        R"("verb":"get",)" +
        fields + "}");
    return sink.events.empty() ? kNoTime : sink.events[0].event.received;
  };
  CHECK(received(R"("timestamp":"2026-11-20T12:00:01Z","metadata":{"creationTimestamp":"2026-11-20T12:00:02Z"})") ==
        kNoon + kSecond);
  CHECK(received(R"("metadata":{"x":1,"creationTimestamp":"2026-11-20T12:00:02Z"})") == kNoon + 2 * kSecond);
  CHECK(received(R"("timestamp":"2026-11-20T12:00:01Z","requestReceivedTimestamp":"2026-11-20T12:00:03Z")") ==
        kNoon + 3 * kSecond);
  CHECK(received(R"("metadata":{"creationTimestamp":null},"stageTimestamp":"2026-11-20T12:00:04Z")") ==
        kNoon + 4 * kSecond);
  CHECK(received(R"("metadata":{"creationTimestamp":null})") == kNoTime);
  // What else is there in place of a time leaves the event's other times as they are.
  CHECK(received(R"("metadata":{"creationTimestamp":7},"requestReceivedTimestamp":"2026-11-20T12:00:03Z")") ==
        kNoon + 3 * kSecond);
}

TEST_CASE("what is no usable event, and why", "[logs][audit]") {
  const std::string line = audit_line("x");
  const auto reason = [](const std::string& text) { return only_reason(parse_audit(text)); };
  CHECK(reason(R"({"kind": 0})") == Unusable::not_event);
  CHECK(reason(R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"x"},"reason":"Killing"})") ==
        Unusable::not_event);
  CHECK(reason(R"({"a":1})") == Unusable::not_event);
  CHECK(reason("{}") == Unusable::not_event);
  CHECK(reason("17") == Unusable::not_event);
  CHECK(reason("\"text\"") == Unusable::not_event);
  CHECK(reason("[1]") == Unusable::not_event);
  CHECK(reason(R"({"kind":"Pod","apiVersion":"v1"})") == Unusable::not_event);
  CHECK(reason(with(line, R"("verb":"list")", R"("verb":5)")) == Unusable::bad_field);
  CHECK(reason(with(line, R"("code":200)", R"("code":"200")")) == Unusable::bad_field);
  CHECK(reason(with(line, R"("code":200)", R"("code":2e2)")) == Unusable::bad_field);
  CHECK(reason(with(line, R"("stage":"ResponseComplete")", R"("stage":5)")) == Unusable::bad_field);
  CHECK(reason(with(line, R"("stageTimestamp":"2026-11-20T12:00:01.5Z")", R"("stageTimestamp":5)")) ==
        Unusable::bad_field);
  CHECK(parse_audit(with(line, R"("apiVersion":"audit.k8s.io/v1")", R"("apiVersion":7)")).events.size() == 1);
  for (const char* none : {R"("code":0)", R"("code":null)"})
    CHECK(parse_audit(with(line, R"("code":200)", none)).events.at(0).event.code == 0);
  CHECK(reason(with(line, R"("username":"jane")", R"("username":["jane"])")) == Unusable::bad_field);
  CHECK(reason(with(line, R"("x")", R"(7)")) == Unusable::bad_field);
  CHECK(reason(with(line, R"("verb":"list",)", "")) == Unusable::no_verb_or_uri);
  CHECK(reason(with(line, R"("requestURI":"/api/v1/pods?limit=5\u0026watch=0",)", "")) == Unusable::no_verb_or_uri);
  const std::string no_received = with(line, R"("2026-11-20T12:00:00.000001Z")", R"("%s")");
  CHECK(parse_audit(no_received).events.at(0).event.received == kNoon + 1500 * kMillisecond);
  CHECK(reason(with(no_received, R"("2026-11-20T12:00:01.5Z")", R"("%s")")) == Unusable::no_timestamp);
  // Elements of an EventList outside a list.
  CHECK(parse_audit(with(line, R"("apiVersion":"audit.k8s.io/v1",)", "")).events.size() == 1);
  CHECK(parse_audit(with(line, R"("kind":"Event","apiVersion":"audit.k8s.io/v1",)", "")).events.size() == 1);
}

TEST_CASE("broken lines cost themselves only", "[logs][audit]") {
  const std::string a = audit_line("a"), b = audit_line("b");
  struct Case {
    const char* name;
    std::string text;
    Unusable reason;
  };
  const Case cases[] = {
      {"stray text", "hello, world", Unusable::not_json},
      {"a quote too many", "{\"kind\":\"Event\"\"}", Unusable::truncated},
      {"cut within a string", a.substr(0, a.find("pods") + 2), Unusable::truncated},
      {"cut behind a value", a.substr(0, a.find(",\"stage\"")), Unusable::truncated},
      {"cut behind a colon", a.substr(0, a.find("\"ResponseComplete\"")), Unusable::truncated},
      {"a brace too many", a + "}", Unusable::not_json},
      {"two commas", with(a, R"(,"verb")", R"(,,"verb")"), Unusable::not_json},
      {"no colon", with(a, R"("verb":)", R"("verb" )"), Unusable::not_json},
      {"brackets that cross", R"({"kind":"Event","x":[{]}})", Unusable::not_json},
      {"broken in what is skipped", with(a, R"("resource":"pods")", R"("resource" "pods")"), Unusable::not_json},
      {"no literal", with(a, R"("metadata":{})", R"("metadata":nul)"), Unusable::not_json},
      {"no number", with(a, "200", "0200"), Unusable::not_json},
      {"unknown escape", with(a, "\\u0026", "\\x26"), Unusable::not_json},
      {"a raw tab", with(a, "kubectl", "kube\tctl"), Unusable::not_json},
      {"latin-1",
       with(a, "kubectl",
            "kub\xe9"
            "ctl"),
       Unusable::not_utf8},
      {"NUL within", with(a, "kubectl", std::string("kube\0ctl", 8)), Unusable::nul_bytes},
      {"NULs only", std::string(500, '\0'), Unusable::nul_bytes},
      {"too deep", R"({"kind":"Event","x":)" + std::string(5000, '[') + std::string(5000, ']') + "}",
       Unusable::not_json},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const KeepingSink sink = parse_audit(a + "\n" + c.text + "\n" + b + "\n");
    REQUIRE(sink.events.size() == 2);
    CHECK(sink.events[0].id == "a");
    CHECK(sink.events[1].id == "b");
    CHECK(sink.events[1].line == 3);
    CHECK(sink.unusable == Lost{{c.reason, 2}});
    // Alone, as the last line, and before many others.
    CHECK(parse_audit(c.text).unusable == Lost{{c.reason, 1}});
    std::string many = c.text + "\n";
    for (int i = 0; i < 1000; ++i) many += a + "\n";
    const KeepingSink rest = parse_audit(many);
    CHECK(rest.events.size() == 1000);
    CHECK(rest.events.back().line == 1001);
    CHECK(rest.unusable == Lost{{c.reason, 1}});
  }
}

TEST_CASE("what a line lacks does not come from the next one", "[logs][audit]") {
  const std::string a = audit_line("a");
  const KeepingSink sink =
      parse_audit(a.substr(0, a.size() - 1) + "\n}\n" + a.substr(0, a.size() - 2) + "\n}}\n" + a + "\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].line == 5);
  CHECK(sink.unusable ==
        Lost{{Unusable::truncated, 1}, {Unusable::not_json, 2}, {Unusable::truncated, 3}, {Unusable::not_json, 4}});
}

TEST_CASE("line ends, blank lines, byte order marks", "[logs][audit]") {
  const std::string a = audit_line("a"), b = audit_line("b");
  const KeepingSink sink = parse_audit("\n\r\n   \t\n" + a + "\r\n\n \xEF\xBB\xBF" + b + "   \n\n" + a);
  CHECK(sink.unusable.empty());
  REQUIRE(sink.events.size() == 3);
  CHECK(sink.events[0].line == 4);
  CHECK(sink.events[1].line == 6);
  CHECK(sink.events[2].line == 8);
  CHECK(parse_audit("").events.empty());
  CHECK(parse_audit("\n").unusable.empty());
  CHECK(parse_audit("\xEF\xBB\xBF").unusable.size() == 1);
  CHECK(parse_audit("\xEF\xBB\xBF\n" + a).events.size() == 1);
}

TEST_CASE("what a crash leaves", "[logs][audit]") {
  const std::string a = audit_line("a"), b = audit_line("b");
  const std::string nuls(300, '\0');
  SECTION("NULs, and the server goes on behind them") {
    const KeepingSink sink = parse_audit(nuls + a + "\n" + b + "\n" + nuls);
    CHECK(sink.events.size() == 2);
    CHECK(sink.unusable == Lost{{Unusable::nul_bytes, 1}, {Unusable::nul_bytes, 3}});
  }
  SECTION("half a line, and the next one right behind it") {
    const KeepingSink sink = parse_audit(a.substr(0, 200) + b + "\n" + a + "\n");
    REQUIRE(sink.events.size() == 2);
    CHECK(sink.events[0].id == "b");
    CHECK(sink.unusable == Lost{{Unusable::truncated, 1}});
  }
  SECTION("two lines without a newline") {
    const KeepingSink sink = parse_audit(a + b);
    CHECK(sink.events.size() == 2);
    CHECK(sink.unusable.empty());
  }
}

TEST_CASE("lists and arrays on one line", "[logs][audit]") {
  const std::string a = audit_line("a"), b = audit_line("b");
  const std::string bare = with(b, R"("kind":"Event","apiVersion":"audit.k8s.io/v1",)", "");
  for (const std::string& text :
       {R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[)" + a + "," + bare + "]}",
        R"({"items":[)" + a + "," + bare + R"(],"kind":"EventList","apiVersion":"audit.k8s.io/v1"})",
        "[" + a + "," + bare + "]", R"([{"items":[)" + a + "]}," + b + "]",
        R"({"\u0069tems":[)" + a + " , " + bare + "]}"}) {
    INFO(text);
    const KeepingSink sink = parse_audit("\n" + text + "\n" + a + "\n");
    CHECK(sink.unusable.empty());
    REQUIRE(sink.events.size() == 3);
    CHECK(sink.events[0].id == "a");
    CHECK(sink.events[1].id == "b");
    CHECK(sink.events[1].line == 2);
    CHECK(sink.events[1].uri == "/api/v1/pods?limit=5&watch=0");
    CHECK(sink.events[2].line == 3);
  }
  CHECK(parse_audit(R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":null})").unusable.empty());
  CHECK(parse_audit("[]").unusable.empty());
  const KeepingSink mixed = parse_audit("[" + a + ",7,{\"b\":1}," + b + "]");
  CHECK(mixed.events.size() == 2);
  CHECK(mixed.unusable.size() == 2);
  // A list that breaks off gives nothing: which of its events are whole is not known before its end.
  CHECK(only_reason(parse_audit(R"({"kind":"EventList","items":[)" + a + "," + b.substr(0, 300))) ==
        Unusable::truncated);
  CHECK(only_reason(parse_audit("[[[[" + a + "]]]]")) == Unusable::not_event);
}

TEST_CASE("documents over many lines", "[logs][audit]") {
  const auto pretty = [](const std::string& line) {
    return with(with(line, "{\"kind\"", "{\n  \"kind\""), ",\"verb\"", ",\n  \"verb\"");
  };
  const std::string a = pretty(audit_line("a")), b = pretty(audit_line("b"));
  SECTION("one after the other") {
    const KeepingSink sink = parse_audit(a + "\n" + b + "\n\n" + audit_line("c"), true);
    CHECK(sink.unusable.empty());
    REQUIRE(sink.events.size() == 3);
    CHECK(sink.events[0].line == 1);
    CHECK(sink.events[1].line == 4);
    CHECK(sink.events[2].line == 8);
  }
  SECTION("as a list") {
    const KeepingSink sink =
        parse_audit("{\n\"kind\": \"EventList\",\n\"items\": [\n" + a + ",\n" + b + "\n]}\n", true);
    CHECK(sink.unusable.empty());
    REQUIRE(sink.events.size() == 2);
    CHECK(sink.events[0].line == 4);
    CHECK(sink.events[1].line == 7);
    CHECK(sink.events[1].id == "b");
  }
  SECTION("a broken one between") {
    const KeepingSink sink = parse_audit(a + "\n" + with(b, "\"verb\":", "\"verb\"") + "\n" + b, true);
    CHECK(sink.events.size() == 2);
    CHECK(sink.unusable == Lost{{Unusable::not_json, 4}});
  }
  SECTION("one with an open string between") {
    const KeepingSink sink = parse_audit(a + "\n" + with(b, "\"verb\":\"list\"", "\"verb\":\"list") + "\n" + b, true);
    CHECK(sink.events.size() == 2);
    CHECK(sink.unusable == Lost{{Unusable::truncated, 4}});
  }
  SECTION("stray text between, and the last one cut off") {
    const KeepingSink sink = parse_audit(a + "\n# comment\n" + b + "\n" + b.substr(0, 300), true);
    CHECK(sink.events.size() == 2);
    CHECK(sink.unusable == Lost{{Unusable::not_json, 4}, {Unusable::truncated, 8}});
  }
}

TEST_CASE("spacing and unusual forms of sound events", "[logs][audit]") {
  const std::string spaced =
      R"( { "kind" : "Event" , "apiVersion" : "audit.k8s.io/v1" , "auditID" : "s" , "verb" : "get" , "requestURI" : "\/a\/\"b\"" ,)"
      R"( "user" : { "username" : "u" , "groups" : [ "g" ] } , "responseStatus" : { "code" : 404 } , "sourceIPs" : "10.9.9.9" ,)"
      R"( "requestReceivedTimestamp" : "2026-11-20T13:00:00+01:00" , "stageTimestamp" : null , "userAgent" : 5 } )";
  const KeepingSink sink = parse_audit(spaced);
  REQUIRE(sink.unusable.empty());
  const KeptEvent& e = sink.events.at(0);
  CHECK(e.uri == "/a/\"b\"");
  CHECK(e.event.code == 404);
  CHECK(e.source_ip == "10.9.9.9");
  CHECK(e.event.received == kNoon);
  CHECK(e.event.stage_time == kNoTime);
  CHECK(e.user_agent.empty());
  CHECK(parse_user_json(e.user).groups == std::vector<std::string>{"g"});
  CHECK(e.event.queue_wait == kNoTime);
  // The last of repeated members counts; a missing auditID is allowed.
  const KeepingSink twice = parse_audit(
      with(with(audit_line("x"), R"("verb":"list")", R"("verb":"get","verb":"list")"), R"("auditID":"x",)", ""));
  CHECK(twice.events.at(0).verb == "list");
  CHECK(twice.events.at(0).id.empty());
  // Lone surrogates as in Go, pairs as they are meant.
  CHECK(parse_audit(with(audit_line("x"), "kubectl", "\\ud83d\\ude00\\ud83d!\\u00e9")).events.at(0).user_agent ==
        "\xF0\x9F\x98\x80\xEF\xBF\xBD!\xC3\xA9/v1.36");
}

TEST_CASE("keys of objects that are skipped are texts before a colon", "[logs][audit]") {
  const auto events = [](const char* object) {
    return parse_audit(with(audit_line("x"), R"("verb":"list")", std::string(R"("verb":"list","x":)") + object))
        .events.size();
  };
  CHECK(events(R"({"a":{"b":1},"c":[]})") == 1);
  CHECK(events(R"({7:1})") == 0);
  CHECK(events(R"({"a" 1})") == 0);
  CHECK(events(R"({"a":1,7:1})") == 0);
}

TEST_CASE("a time without a zone is UTC", "[logs][audit]") {
  for (const char last : {'0', '5', '9'}) {
    const std::string time = std::string(R"("2026-11-20 12:00:01.50000000)") + last + '"';
    const KeepingSink sink = parse_audit(with(audit_line("x"), R"("2026-11-20T12:00:01.5Z")", time));
    REQUIRE(sink.events.size() == 1);
    CHECK(sink.events[0].event.stage_time == kNoon + 1500 * kMillisecond + (last - '0'));
  }
}

TEST_CASE("characters beyond the first plane in escapes", "[logs][audit]") {
  const auto uri = [](const char* escaped) {
    const KeepingSink sink = parse_audit(with(audit_line("x"), R"(/api/v1/pods?limit=5\u0026watch=0)", escaped));
    return sink.events.empty() ? std::string() : sink.events[0].uri;
  };
  CHECK(uri(R"(/\ud83d\ude00)") == "/\xf0\x9f\x98\x80");
  CHECK(uri(R"(/\udb40\udc01)") == "/\xf3\xa0\x80\x81");
  CHECK(uri(R"(/\udbff\udfff)") == "/\xf4\x8f\xbf\xbf");
}

TEST_CASE("which refusals are a quota's", "[logs][audit]") {
  const auto by_quota = [](const std::string& status) {
    const AnswerCause cause =
        parse_audit(with(audit_line("x"), R"({"metadata":{},"code":200})", status)).events.at(0).event.cause;
    return cause == AnswerCause::resource_quota || cause == AnswerCause::quota_conflict;
  };
  CHECK(by_quota(R"({"code":403,"message":"pods \"p\" is forbidden: exceeded quota: q, requested: pods=1"})"));
  CHECK(by_quota(R"({"code":500,"message":"Internal error occurred: resource quota evaluation timed out"})"));
  CHECK_FALSE(by_quota(R"({"code":403,"message":"pods is forbidden: User \"jane\" cannot create resource"})"));
  CHECK_FALSE(by_quota(R"({"code":403})"));
}

TEST_CASE("a reason that is no text says nothing", "[logs][audit]") {
  const KeepingSink sink =
      parse_audit(with(audit_line("x"), R"({"metadata":{},"code":200})", R"({"code":403,"reason":7,"message":[]})"));
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.unusable.empty());
  CHECK(sink.events[0].event.code == 403);
}
