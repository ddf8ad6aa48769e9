// Lines as kube-apiserver writes them are read without an index: with the same result, whatever is changed in them.
#include <random>

#include "catch.h"
#include "logs/answer_cause.h"
#include "logs/formats/usual_audit_line.h"
#include "support/vectors.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

class Lines {
 public:
  explicit Lines(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }

  std::string usual() {
    std::string out = R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":)" + text({"Metadata", "Request"});
    out += R"(,"auditID":)" + text({"45a9c0f4-f7cc-4f3c-8ca9-5a46d5d367be", "x", ""});
    out += R"(,"stage":)" + text({"ResponseComplete", "ResponseStarted", "RequestReceived", "Panic", "Other"});
    out += R"(,"requestURI":)" + text({"/api/v1/pods?limit=5\\u0026watch=0", "/healthz", "/apis/a/b\\\\c", ""});
    out += R"(,"verb":)" + text({"list", "get", "create"});
    out += R"(,"user":{"username":)" + text({"jane", "system:serviceaccount:shop:checkout", "a\\\"b"});
    if (chance(70)) out += R"(,"uid":)" + text({"7", "45a9c0f4-f7cc-4f3c-8ca9-5a46d5d367be"});
    out += R"(,"groups":)" + pick({R"(["dev","system:authenticated"])", R"(["system:serviceaccounts"])", R"(["a\\"])"});
    if (chance(70)) {
      out += R"(,"extra":{"authentication.kubernetes.io/credential-id":["JTI=)" + std::to_string(below(40)) + R"("])";
      for (std::size_t i = below(3); i > 0; --i) out += R"(,"example.org/more":["a","b\nc"])";
      out += "}";
    }
    out += "}";
    if (chance(10)) out += R"(,"impersonatedUser":{"username":"bob","groups":["dev"]})";
    if (chance(10)) out += R"(,"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"})";
    out += R"(,"sourceIPs":["10.0.0.)" + std::to_string(below(99)) + pick({R"("])", R"(","::1"])"});
    if (chance(80)) out += R"(,"userAgent":)" + text({"kubectl/v1.36 (linux/amd64)", ""});
    if (chance(80)) out += R"(,"objectRef":{"resource":"pods","namespace":"shop","apiVersion":"v1"})";
    if (chance(90)) {
      out += R"(,"responseStatus":{"metadata":{})";
      if (chance(40)) out += R"(,"status":"Failure")";
      if (chance(40)) out += R"(,"message":)" + text({"limit reached on type Server", "exceeded quota: is \\\"x\\\""});
      if (chance(40)) out += R"(,"reason":"TooManyRequests")";
      if (chance(20)) out += R"(,"details":{"name":"x","kind":"pods"})";
      out += R"(,"code":)" + pick({"200", "201", "403", "429", "409"}) + "}";
    }
    out += R"(,"requestReceivedTimestamp":)" + text({"2026-11-20T12:00:00.000001Z", "2026-11-20T12:00:59Z", "soon"});
    out += R"(,"stageTimestamp":)" + text({"2026-11-20T12:00:01.5Z", "2026-11-20T12:01:00.25+01:00"});
    if (chance(80)) {
      out += R"(,"annotations":{"authorization.k8s.io/decision":"allow")";
      if (chance(40)) out += R"(,"authorization.k8s.io/reason":"RBAC: \"app\" of )" + std::to_string(below(5)) + "\"";
      if (chance(30))
        out += R"(,"apiserver.latency.k8s.io/apf-queue-wait":)" +
               text({"250.178185ms", "3.019\xC2\xB5s", "\xC2", "\xE2\x82\xAC"});
      if (chance(10)) out += R"(,"apiserver.latency.k8s.io/total":"1s")";
      out += "}";
    }
    return out + "}";
  }

  std::string damaged(std::string line) {
    static const std::string kBytes = std::string("{}[]\":,x1\\ \t\n\r", 14) + '\0' + "\xC3\xA9\x01\x7f";
    const std::size_t at = below(line.size());
    switch (below(5)) {
      case 0:
        line.resize(at);
        break;
      case 1:
        line.erase(at, 1 + below(20));
        break;
      case 2:
        line[at] = kBytes[below(kBytes.size())];
        break;
      case 3:
        line.insert(at, line.substr(below(line.size()), 1 + below(30)));
        break;
      default:
        line.insert(at, 1, kBytes[below(kBytes.size())]);
    }
    return line;
  }

 private:
  std::string pick(std::initializer_list<const char*> from) { return from.begin()[below(from.size())]; }
  std::string text(std::initializer_list<const char*> from) { return '"' + pick(from) + '"'; }
  std::mt19937_64 random_;
};

void check_same(const KeepingSink& a, const KeepingSink& b) {
  CHECK(a.unusable == b.unusable);
  CHECK(a.other_lines == b.other_lines);
  REQUIRE(a.events.size() == b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const KeptEvent &x = a.events[i], &y = b.events[i];
    CHECK(x.line == y.line);
    CHECK(x.id == y.id);
    CHECK(x.verb == y.verb);
    CHECK(x.uri == y.uri);
    CHECK(x.user == y.user);
    CHECK(x.user_agent == y.user_agent);
    CHECK(x.source_ip == y.source_ip);
    CHECK(x.event.stage == y.event.stage);
    CHECK(x.event.received == y.event.received);
    CHECK(x.event.stage_time == y.event.stage_time);
    CHECK(x.event.queue_wait == y.event.queue_wait);
    CHECK(x.event.other_latencies == y.event.other_latencies);
    CHECK(x.event.code == y.event.code);
    CHECK(x.event.cause == y.event.cause);
    CHECK(x.latencies == y.latencies);
    CHECK(x.event.impersonated == y.event.impersonated);
  }
}

std::string padded(std::string_view line) { return std::string(line) + std::string(64, '\0'); }

struct StartSink final : LogEventSink {
  std::vector<std::string> starts;

  void on_start(std::string_view verb, std::string_view uri, std::uint32_t user_memo) override {
    starts.push_back(std::string(verb) + " " + std::string(uri) + " " + std::to_string(user_memo));
  }
  void on_event(const LogEvent&, std::uint64_t) override {}
  void on_unusable(Unusable, std::uint64_t) override {}
};

// How much of the text is a usual line; 0: it is none.
std::size_t usual_size(UsualAuditLines& lines, std::string_view text, std::uint32_t** memo = nullptr) {
  const std::string buffer = padded(text);
  RawAuditEvent event;
  std::uint32_t* place = nullptr;
  StartSink sink;
  const char* const stop = lines.read(buffer.data(), buffer.data() + text.size(), event, place, sink);
  if (memo != nullptr) *memo = place;
  return stop == nullptr ? 0 : static_cast<std::size_t>(stop - buffer.data());
}

}  // namespace

TEST_CASE("the start of a usual line is told before its end is known", "[logs][audit]") {
  UsualAuditLines lines;
  RawAuditEvent event;
  const std::string line = audit_line("a-1"), buffer = padded(line);
  const char* const end = buffer.data() + line.size();
  std::uint32_t* memo = nullptr;
  StartSink sink;
  REQUIRE(lines.read(buffer.data(), end, event, memo, sink) == end);
  const std::string start = std::string(event.texts[kVerb]) + " " + std::string(event.texts[kRequestUri]);
  *memo = 7;  // what the sink knows of the user from now on
  REQUIRE(lines.read(buffer.data(), end, event, memo, sink) == end);
  CHECK(sink.starts == std::vector<std::string>{start + " 0", start + " 7"});
}

TEST_CASE("usual lines are recognised", "[logs][audit]") {
  UsualAuditLines lines;
  const std::string line = audit_line("a-1");
  CHECK(usual_size(lines, line) == line.size());
  CHECK(usual_size(lines, line + "\n" + line) == line.size());
  CHECK(usual_size(lines, line + " ") == 0);
  CHECK(usual_size(lines, " " + line) == 0);
  CHECK(usual_size(lines, with(line, "jane", "j\xC3\xA4ne")) == line.size() + 1);
  CHECK(usual_size(lines, with(line, "jane", "j\xC3ne")) == 0);
  CHECK(usual_size(lines, with(line, "jane", "j\xC1\xA4ne")) == 0);
  CHECK(usual_size(lines, with(line, "jane", "\xE2\x82\xAC")) == 0);
  CHECK(usual_size(
            lines,
            with(line, R"({"username":"jane","uid":"7","groups":["dev","system:authenticated"],"extra":{"a":["b"]}})",
                 "{}")) > 0);
  CHECK(usual_size(lines, with(line, R"("verb":"list")", R"("verb": "list")")) == 0);
  CHECK(usual_size(lines, with(line, R"("verb":"list")", R"("verb":"li\u0073t")")) == line.size() + 5);
  CHECK(usual_size(lines, with(line, R"("code":200)", R"("code":20)")) == 0);
  CHECK(usual_size(lines, with(line, R"("code":200)", R"("code":020)")) == 0);
  for (std::size_t size = 0; size < line.size(); ++size) CHECK(usual_size(lines, line.substr(0, size)) == 0);
}

TEST_CASE("the sink's note of a user is kept while name and groups are the same", "[logs][audit]") {
  UsualAuditLines lines;
  const std::string line = audit_line("a-1");
  std::uint32_t *first = nullptr, *again = nullptr, *other = nullptr;
  REQUIRE(usual_size(lines, line, &first) > 0);
  CHECK(*first == 0);
  *first = 17;
  REQUIRE(usual_size(lines, with(with(line, R"("uid":"7")", R"("uid":"8")"), R"(["b"])", R"(["c"])"), &again) > 0);
  CHECK(*again == 17);
  REQUIRE(usual_size(lines, with(line, R"("dev")", R"("ops")"), &other) > 0);
  CHECK(*other == 0);
  *other = 18;
  REQUIRE(usual_size(lines, line, &again) > 0);
  CHECK(*again == 0);
}

TEST_CASE("usual lines read as they would by the index of their tokens", "[logs][audit][property]") {
  const std::uint64_t first_seed = seed();
  INFO("APF_TEST_SEED=" << first_seed);
  Lines lines(first_seed);
  std::string text, spaced;
  std::vector<std::string> all;
  for (int i = 0; i < 4000; ++i) {
    all.push_back(lines.chance(40) ? lines.damaged(lines.usual()) : lines.usual());
    text += all.back() + "\n";
    // A blank at its end makes another line of it, and nothing else.
    std::string line = all.back();
    for (std::size_t at = 0; (at = line.find('\n', at)) != std::string::npos; at += 2) line.insert(at, 1, ' ');
    spaced += line + " \n";
  }
  check_same(parse_audit(text), parse_audit(spaced));
  // Each in a chunk of its own, where all the others before it were seen.
  const auto parser = make_audit_parser();
  for (const std::string& line : all) {
    INFO(line);
    if (line.find('\n') == std::string::npos) check_same(parse_with(*parser, line), parse_audit(line + " "));
  }
  // And each alone, where nothing was seen before.
  for (const std::string& line : all) {
    INFO(line);
    if (line.find('\n') == std::string::npos) check_same(parse_audit(line), parse_audit(line + " "));
  }
}
