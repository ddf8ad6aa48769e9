// read_requests() with work in the reading threads: the texts belong to their requests, in the order of the log.
#include <stdlib.h>

#include <atomic>
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
        CHECK(request.user.name == "user-" + std::to_string((line - 1) % 5));
        CHECK(text.text == text_of(request));
        CHECK(text.remark == request.user.name);
      });
  CHECK(line == kLines);
  CHECK(errors == kLines / 100);
  // What was made once is used again; each thread remembers for itself.
  CHECK(rendered >= kKinds);
  CHECK(rendered < kLines);
}

TEST_CASE("long texts of requests are made anew", "[logs]") {
  const std::string line = audit_line("x");
  const Folder folder("apf-requests-");
  const std::string file = folder.write("log", line + "\n" + line + "\n" + with(line, "jane", "") + "\n");
  std::vector<std::string> texts;
  read_requests(
      file,
      [](const LoggedRequest& request) {
        return RequestText{std::string(5000, 'x') + request.user.name, {}};
      },
      [&](const LoggedRequest&, const RequestText& text) { texts.push_back(text.text.substr(5000)); });
  // The second line is the same event again.
  CHECK(texts == std::vector<std::string>{"jane", "jane", ""});
}
