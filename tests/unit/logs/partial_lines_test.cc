// Long lines that a container runtime keeps in parts.
#include "logs/partial_lines.h"

#include <random>

#include <fmt/format.h>

#include "catch.h"
#include "support/vectors.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string joined(PartialLines& lines, std::string_view text, bool last = true) {
  std::string out;
  return lines.join(text, last, out) ? out : std::string(text);
}

}  // namespace

TEST_CASE("parts of a line are put together, each stream's by itself", "[logs][partial]") {
  PartialLines lines(RuntimeLog::cri);
  CHECK(runtime_of_log("2026-11-20T12:00:00.5Z stdout P a\n") == RuntimeLog::cri);
  CHECK(runtime_of_log("2026-11-20T12:00:00.5Z stderr F:x a\n") == RuntimeLog::cri);
  CHECK(runtime_of_log("2026-11-20T12:00:00.5Z stdout Fa\n") == RuntimeLog::none);
  CHECK(runtime_of_log("stdout P a\n") == RuntimeLog::none);
  const std::string t = "2026-11-20T12:00:00.5Z ";
  CHECK(joined(lines, t + "stdout F a\n" + t + "stderr F b\n") == t + "stdout F a\n" + t + "stderr F b\n");
  CHECK(joined(lines, t + "stdout P a\n" + t + "stdout P b \n" + t + "stdout F c\n" + t + "stdout F d") ==
        t + "stdout F ab c\n\n\n" + t + "stdout F d");
  CHECK(joined(lines, t + "stdout P a\r\n" + t + "stderr F x\n" + t + "stderr P y\n" + t + "stdout F b\r\n" + t +
                          "stderr F z\n") == t + "stderr F x\n" + t + "stdout F ab\n\n" + t + "stderr F yz\n\n");
  CHECK(joined(lines, t + "stdout P:k a\n" + t + "stdout F:k b\n") == t + "stdout F:k ab\n\n");
  // What looks like a part within a line is none, and what has no end stays what it is.
  CHECK(joined(lines, t + "stdout F a stdout P b\nplain stdout P\n") == t + "stdout F a stdout P b\nplain stdout P\n");
  CHECK(joined(lines, t + "stdout P a\n") == t + "stdout F a\n");
  // What both streams leave open.
  CHECK(joined(lines, t + "stdout P a\n" + t + "stderr P b\n") == t + "stderr F b\n" + t + "stdout F a\n");
  // Over texts.
  CHECK(joined(lines, t + "stdout P a\n", false).empty());
  CHECK(joined(lines, t + "stderr F n\n", false) == t + "stderr F n\n");
  CHECK(joined(lines, t + "stdout F b\n") == t + "stdout F ab\n\n");
}

TEST_CASE("pieces of Docker's records and of Fluent Bit's are put together", "[logs][partial]") {
  const std::string whole = R"({"log":"a\n","stream":"stdout","time":"t"})"
                            "\n",
                    first = R"({"log":"{\"b","stream":"stderr","time":"t"})"
                            "\n",
                    last = R"({"log":"\":1}\n","stream":"stderr","time":"u"})"
                           "\n";
  CHECK(runtime_of_log(whole) == RuntimeLog::docker);
  CHECK(runtime_of_log(first + whole) == RuntimeLog::docker);
  CHECK(runtime_of_log(first + first) == RuntimeLog::numbered);  // newlines were taken off
  PartialLines docker(RuntimeLog::docker);
  std::string out = "as before";
  CHECK_FALSE(docker.join(whole + whole, false, out));
  CHECK(out == "as before");
  CHECK(joined(docker, whole + first, false) == whole);
  CHECK(joined(docker, whole + last + whole) == whole +
                                                    R"({"log":"{\"b\":1}\n","stream":"stderr","time":"t"})"
                                                    "\n\n" +
                                                    whole);
  CHECK(joined(docker, first) == first);
  for (const char* const key : {"logtag", "_p"}) {
    const auto marked = [&](const char* text, const char* mark, const char* pod) {
      return fmt::format(R"({{"kubernetes":{{"pod":"{}"}},"{}":"{}","message":"{}","stream":"stdout"}})", pod, key,
                         mark, text) +
             "\n";
    };
    CHECK(runtime_of_log(marked("a", "F", "x")) == RuntimeLog::marked);
    PartialLines fluent(RuntimeLog::marked);
    CHECK(joined(fluent, marked("a", "P", "x") + marked("c", "P", "y") + marked("b", "F", "x") +
                             marked("d", "F", "y")) == marked("ab", "P", "x") + "\n" + marked("cd", "P", "y") + "\n");
  }
}

TEST_CASE("pieces that have numbers are put together in any order", "[logs][partial]") {
  const auto piece = [](const char* text, const char* id, int number, bool last) {
    return fmt::format(R"({{"log":"{}","partial_id":"{}","partial_ordinal":"{}","partial_last":"{}"}})", text, id,
                       number, last) +
           "\n";
  };
  const auto head_with = [&](const char* text) { return piece(text, "x", 1, false) + "\n\n"; };
  const std::string whole = R"({"log":"w","container_id":"c"})"
                            "\n",
                    a = piece("a", "x", 1, false), b = piece("b", "x", 2, false), c = piece("c", "x", 3, true);
  CHECK(runtime_of_log(whole) == RuntimeLog::numbered);
  PartialLines lines(RuntimeLog::numbered);
  CHECK(joined(lines, whole + whole) == whole + whole);
  CHECK(joined(lines, a + whole + piece("y", "y", 1, true) + b, false) == whole + piece("y", "y", 1, true));
  CHECK(joined(lines, whole + c) == whole + head_with("abc"));
  for (const auto& [text, first] : {std::pair(c + b + a, &c), {b + a + c, &b}, {c + a + b, &c}}) {
    std::string expected = *first;
    expected.replace(expected.find(first == &b ? "\"b\"" : "\"c\""), 3, "\"abc\"");
    CHECK(joined(lines, text) == expected + "\n\n");
  }
  CHECK(joined(lines, a + c) == piece("ac", "x", 1, false) + "\n");  // what is missing is missing
  const std::string journal =
      R"({"MESSAGE":"m","CONTAINER_PARTIAL_ID":"j","CONTAINER_PARTIAL_ORDINAL":1,"CONTAINER_PARTIAL_LAST":true})"
      "\n";
  CHECK(joined(lines, journal) == journal);
}

TEST_CASE("events in parts are the events", "[logs][partial][property]") {
  INFO("APF_TEST_SEED=" << seed());
  std::mt19937_64 random(seed());
  std::string text;
  constexpr int kEvents = 3000;
  int part = 0;
  const auto write = [&](const char* stream, const std::string& line, bool whole) {
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t size = whole ? line.size() : std::min<std::size_t>(1 + random() % 400, line.size() - at);
      const bool last = at + size == line.size();
      text +=
          fmt::format("2026-11-20T12:00:00.{:09}Z {} {} {}\n", part++, stream, last ? 'F' : 'P', line.substr(at, size));
      at += size;
      if (!last && random() % 8 == 0)
        text += fmt::format("2026-11-20T12:00:00.{:09}Z stderr F I1120 12:00:00.000000       1 a.go:1] x\n", part++);
    }
  };
  for (int i = 0; i < kEvents; ++i)
    write(
        "stdout",
        fmt::format(
            R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"e{}","stage":"ResponseComplete","requestURI":"/api/v1/nodes/n-{}","verb":"get",)"
            R"("user":{{"username":"jane","groups":["a"]}},"responseObject":{{"text":"{}"}},"requestReceivedTimestamp":"2026-11-20T12:00:00Z","stageTimestamp":"2026-11-20T12:00:01Z"}})",
            i, i, std::string(random() % 900, 'x')),
        random() % 3 == 0);
  LogOptions options;
  options.texts["pod.log"] = text;
  ChunkSource source(std::vector<std::string>{"pod.log"}, kAnyFormat, options);
  LogParsers parsers;
  KeepingSink sink;
  int chunks = 0;
  for (LogChunk chunk; source.next(chunk); ++chunks) parsers.of(chunk.format).parse(chunk, sink);
  CHECK(chunks > 1);
  CHECK(sink.unusable.empty());
  REQUIRE(sink.events.size() == kEvents);
  for (int i = 0; i < kEvents; ++i) {
    CHECK(sink.events[static_cast<std::size_t>(i)].id == fmt::format("e{}", i));
    CHECK(sink.events[static_cast<std::size_t>(i)].uri == fmt::format("/api/v1/nodes/n-{}", i));
  }
}
