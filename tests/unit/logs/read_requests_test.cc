// read_requests() with work in the reading threads: the texts belong to their requests, in the order of the log.
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include <apf/logs.h>

#include "catch.h"
#include "support/folder.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string text_of(const LoggedRequest& request) {
  return request.user.name + " " + request.request.info.verb + " " + request.request.info.ns;
}

}  // namespace

TEST_CASE("texts of requests are made in the reading threads", "[logs]") {
  constexpr std::uint64_t kLines = 5000;  // several chunks
  constexpr std::uint64_t kKinds = 35;    // 5 users in 7 namespaces
  std::string log;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    if (i % 100 == 99) {
      log += "{\"broken\n";
      continue;
    }
    const std::string line = with(audit_line("id-" + std::to_string(i)), "/api/v1/pods?",
                                  "/api/v1/namespaces/n" + std::to_string(i % 7) + "/pods?");
    log += with(line, "jane", "user-" + std::to_string(i % 5)) + "\n";
  }
  const Folder folder("apf-requests-");
  const std::string file = folder.write("log", log);
  std::map<std::uint64_t, std::string> texts;
  read_requests(file, [&](const LoggedRequest& request) {
    if (request.error.empty()) texts[request.line] = text_of(request);
  });
  std::atomic<std::uint64_t> rendered = 0;
  std::uint64_t line = 0, errors = 0;
  read_requests(
      file,
      [&](const LoggedRequest& request) {
        ++rendered;
        return RequestText{text_of(request), request.user.name};
      },
      [&](const LoggedRequest& request, const RequestText& text) {
        CHECK(request.line == ++line);
        if ((line - 1) % 100 == 99) {
          ++errors;
          CHECK_FALSE(request.error.empty());
          CHECK(text.text.empty());
          return;
        }
        CHECK(request.error.empty());
        CHECK(request.id == "id-" + std::to_string(line - 1));
        CHECK(text.text == texts.at(line));
        CHECK(text.remark == "user-" + std::to_string((line - 1) % 5));
      });
  CHECK(line == kLines);
  CHECK(errors == kLines / 100);
  // What was made once is used again; each thread remembers for itself.
  CHECK(rendered >= kKinds);
  CHECK(rendered < kLines);
}

TEST_CASE("long texts of requests are made anew", "[logs]") {
  const std::string last = with(audit_line("z"), "jane", "");
  const Folder folder("apf-requests-");
  const std::string file =
      folder.write("log", audit_line("x") + "\n" + audit_line("y") + "\n" + last + "\n" + last + "\n");
  std::vector<std::string> texts;
  read_requests(
      file,
      [](const LoggedRequest& request) {
        return RequestText{std::string(5000, 'x') + request.user.name, {}};
      },
      [&](const LoggedRequest&, const RequestText& text) { texts.push_back(text.text.substr(5000)); });
  // The last line is the same event again.
  CHECK(texts == std::vector<std::string>{"jane", "jane", ""});
}

// Requests are made of the memory of earlier ones: nothing of those may be left.
TEST_CASE("a request has nothing of those before it", "[logs]") {
  constexpr std::uint64_t kLines = 60000;  // more than are kept for those that repeat themselves
  std::string log;
  const auto name_of = [](std::uint64_t i) { return "user-" + std::to_string(i / 2 % 70000); };
  for (std::uint64_t i = 0; i < kLines; ++i) {
    std::string line = with(audit_line("id-" + std::to_string(i)), "jane", name_of(i));
    if (i % 11 == 3) line = with(line, "/api/v1/pods?", "/healthz/" + std::to_string(i) + "?");
    else if (i % 11 == 5) line = with(line, "/api/v1/pods?", "/api/v1/namespaces/" + std::string(i % 3000, 'n') + "?");
    else if (i % 11 == 7) line = with(line, "ResponseComplete", "RequestReceived");  // comes at the end
    else if (i % 11 == 9)
      line = with(line, R"("user":{)", R"("impersonatedUser":{"username":"else","groups":["g"]},"user":{)");
    else line = with(line, "/api/v1/pods?", "/api/v1/namespaces/n" + std::to_string(i) + "/pods?");
    log += line + "\n";
  }
  const Folder folder("apf-requests-");
  const std::string file = folder.write("log", log);
  std::vector<std::string> texts(kLines);
  read_requests(
      file,
      [&](const LoggedRequest& request) {
        return RequestText{text_of(request), {}};
      },
      [&](const LoggedRequest& request, const RequestText& text) { texts.at(request.line - 1) = text.text; });
  std::vector<char> seen(kLines);
  read_requests(file, [&](const LoggedRequest& request) {
    const std::uint64_t i = request.line - 1;
    if (request.id != "id-" + std::to_string(i) || seen[i]++ != 0) FAIL("line " << request.line);
    const RequestInfo& info = request.request.info;
    const bool impersonated = i % 11 == 9;
    CAPTURE(i);
    REQUIRE(request.user.name == (impersonated ? "else" : name_of(i)));
    REQUIRE(request.authenticated.has_value() == impersonated);
    REQUIRE(info.is_resource_request == (i % 11 != 3));
    if (i % 11 == 3) REQUIRE(info.path == "/healthz/" + std::to_string(i));
    else if (i % 11 == 5) REQUIRE(info.name == std::string(i % 3000, 'n'));
    else if (i % 11 == 7 || impersonated) REQUIRE(info.ns.empty());
    else REQUIRE(info.ns == "n" + std::to_string(i));
    REQUIRE(texts[i] == text_of(request));
  });
  CHECK(std::count(seen.begin(), seen.end(), 1) == kLines);
}

TEST_CASE("a trace has all users, however many there are", "[logs]") {
  constexpr std::uint64_t kLines = 140000, kUsers = 70000;  // more than get a number
  std::string log;
  for (std::uint64_t i = 0; i < kLines; ++i)
    log += with(audit_line("id-" + std::to_string(i)), "jane", "user-" + std::to_string(i % kUsers)) + "\n";
  LogOptions options;
  options.logs = {"log"};
  options.texts["log"] = log;
  std::uint64_t i = 0;
  trace_logs(options, [&](const TraceRequest& request) {
    const std::uint64_t number =
        std::stoull(request.id.substr(3));  // all are of one instant: in the order of their IDs
    if (request.user.name != "user-" + std::to_string(number % kUsers)) FAIL(number << ": " << request.user.name);
    if (request.user.groups.empty()) FAIL(i << " has no groups");
    ++i;
  });
  CHECK(i == kLines);
}
