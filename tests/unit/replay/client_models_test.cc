// Clients that wait for their answers, under a configuration that answers sooner than the recorded one: they go on.
#include "catch.h"
#include "support/recorded_server.h"
#include "support/times.h"

using namespace apf;
using namespace apf::test;

namespace {

constexpr Nanos kExecution = kSecond / 10, kThink = kSecond / 10;

// One that waited 0.8 s.
std::string loop_line(Nanos time, const std::string& user, int number) {
  return fmt::format(
             R"({{"time":{},"id":"{}-{}","user":"{}","groups":["system:authenticated"],"verb":"get","uri":"/api/v1/nodes","userAgent":"{}/1","code":200,"execution":{},"recorded":{{"queueWait":{}}}}})",
             kTraceStart + time, user, number, user, user, kExecution, 8 * kExecution) +
         "\n";
}

// Loops of one request a second: three of client "on", which goes on for a minute, and two of client "off", which is
// done after half of it.
std::string log_of_loops() {
  std::string out;
  for (int i = 0; i < 60; ++i) {
    for (int worker = 0; worker < 3; ++worker)
      out += loop_line(i * kSecond + worker * kSecond / 3, "on", 3 * i + worker);
    for (int worker = 0; worker < 2 && i < 30; ++worker)
      out += loop_line(i * kSecond + kSecond / 2 + worker * kSecond / 3, "off", 2 * i + worker);
  }
  return out;
}

const ClientReport& of(const ReplayReport& report, const std::string& user) {
  return *std::find_if(report.clients.begin(), report.clients.end(),
                       [&](const ClientReport& client) { return client.user == user; });
}

}  // namespace

TEST_CASE("a loop that is answered sooner begins once more, unless it had ended in the log", "[replay][clients]") {
  const Folder folder("apf-loops-");
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.recorded.emplace().config = options.config;
  options.logs = {folder.write("log", log_of_loops())};
  options.client_models = {{"*", ClientModel::loop, 0}};
  options.decisions_path = folder.path + "/decisions";
  const ReplayReport report = replay(options);

  // Five requests a second instead of one, from one log's end to the other.
  const ClientReport &on = of(report, "on"), &off = of(report, "off");
  CHECK(std::abs(on.mean_think - kThink) < kMillisecond);
  CHECK(on.repeated >= 3 * (295 - 60));
  CHECK(on.repeated <= 3 * (300 - 60));
  CHECK(off.repeated == 0);
  CHECK(on.beyond_log + off.beyond_log == 0);
  CHECK(report.total.requests == 180 + 60 + on.repeated);
  CHECK(report.last_arrival == kTraceStart + 59 * kSecond + 2 * kSecond / 3);

  // They are named, and are no part of what is compared with the log.
  REQUIRE(report.what_if);
  CHECK(report.what_if->compared == 240);
  const std::string decisions = folder.read("decisions");
  std::uint64_t named = 0;
  for (std::size_t at = 0; (at = decisions.find("\"repeated\":true", at)) != std::string::npos; ++at) ++named;
  CHECK(named == on.repeated);
  CHECK(std::count_if(report.assumptions.begin(), report.assumptions.end(), [&](const Remark& remark) {
          return remark.kind == RemarkKind::client_requests_repeated && remark.count == on.repeated;
        }) == 1);
}
