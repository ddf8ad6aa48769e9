// Why levels refused requests, by the times and seats of the server's own log.
#include <cmath>
#include <random>

#include <apf/log_summary.h>
#include <fmt/core.h>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

constexpr Nanos kBegin = 1'800'000'000 * kSecond;

// A line of the HTTP log, in milliseconds since the beginning.
struct Served {
  std::int64_t at = 0, wait = 0, run = 0;
  int seats = 1;
  const char* level = "workload-low";
  bool refused = false;
  bool has_seats = true;
};

std::string text_of(std::vector<Served> all) {
  const auto end = [](const Served& s) { return s.at + s.wait + s.run; };
  std::sort(all.begin(), all.end(), [&](const Served& a, const Served& b) { return end(a) < end(b); });
  std::string out;
  int id = 0;
  for (const Served& s : all) {
    const std::string time = format_rfc3339(kBegin + end(s) * kMillisecond + kMicrosecond);  // "2027-01-15T08:00:01.…"
    std::string micros = time.size() > 20 ? time.substr(20, time.size() - 21) : "";
    micros.resize(6, '0');
    out +=
        fmt::format("I{}{} {}.{}      11 httplog.go:134] \"HTTP\" verb=\"GET\" URI=\"/api/v1/namespaces/a/pods/p{}\" ",
                    time.substr(5, 2), time.substr(8, 2), time.substr(11, 8), micros, id % 7);
    out += fmt::format(
        "latency=\"{}ms\" userAgent=\"app/v1\" audit-ID=\"a-{}\" srcIP=\"10.0.0.1:1\" apf_pl=\"{}\" apf_fs=\"{}\" ",
        s.wait + s.run, ++id, s.level, s.level);
    if (s.wait > 0) out += fmt::format("fl_priorityandfairness=\"{}ms\" ", s.wait);
    if (!s.refused && s.has_seats)
      out += fmt::format("apf_iseats={} apf_fseats=0 apf_additionalLatency=\"0s\" apf_execution_time=\"{}ms\" ",
                         s.seats, s.run);
    out += s.refused ? "resp=429\n" : "resp=200\n";
  }
  return out;
}

std::vector<Remark> causes_of(const std::vector<Served>& all, std::optional<int> seats) {
  LogSummaryOptions options;
  options.log.logs = {"kube-apiserver.log"};
  const std::string text = text_of(all);
  options.log.texts["kube-apiserver.log"] = text;
  options.log.log_year = 2027;
  options.seats = seats;
  return summarize_logs(options).causes;
}

// `seats` of a level in use, one request after the other, for `length` ms.
void fill(std::vector<Served>& out, int seats, std::int64_t length, const char* level, std::int64_t run = 500) {
  for (int seat = 0; seat < seats; ++seat)
    for (std::int64_t at = seat; at + run <= length; at += run) out.push_back({at, 0, run, 1, level});
}

void refuse(std::vector<Served>& out, std::int64_t from, std::int64_t to, std::int64_t gap, const char* level) {
  for (std::int64_t at = from; at < to; at += gap) {
    out.push_back({at, 0, 0, 1, level});
    out.back().refused = true;
  }
}

}  // namespace

TEST_CASE("idle seats beside refusals are the configuration's doing, none idle is overload", "[summary]") {
  std::vector<Served> held_back;
  fill(held_back, 8, 60'000, "workload-low");
  refuse(held_back, 5'000, 55'000, 200, "workload-low");  // 5 a second, of 0.5 s each: the idle seats would do
  const auto idle = causes_of(held_back, 30);
  REQUIRE(idle.size() == 1);
  CHECK(idle[0].kind == RemarkKind::configuration_refuses);
  CHECK(idle[0].name == "workload-low");
  CHECK(idle[0].count == 22);
  CHECK(idle[0].total == 30);

  std::vector<Served> full = held_back;
  fill(full, 22, 60'000, "workload-high");
  const auto overload = causes_of(full, 30);
  REQUIRE(overload.size() == 1);
  CHECK(overload[0].kind == RemarkKind::server_is_full);

  std::vector<Served> much = held_back;
  refuse(much, 5'000, 55'000, 10, "workload-low");  // 100 a second more: 50 seats' worth
  const auto both = causes_of(much, 30);
  REQUIRE(both.size() == 1);
  CHECK(both[0].kind == RemarkKind::load_exceeds_seats);

  CHECK(causes_of(held_back, std::nullopt).empty());
  for (Served& request : held_back) request.has_seats = false;
  CHECK(causes_of(held_back, 30).empty());
}

TEST_CASE("wide requests fill a server, exempt ones do not, and a calm log has no cause", "[summary]") {
  std::vector<Served> wide;
  for (std::int64_t at = 0; at < 60'000; at += 1'000)
    for (int i = 0; i < 3; ++i) wide.push_back({at + i, 0, 998, 10, "workload-low"});
  refuse(wide, 1'500, 59'000, 1'000, "workload-low");
  const auto full = causes_of(wide, 30);
  REQUIRE(full.size() == 1);
  CHECK(full[0].kind == RemarkKind::server_is_full);

  std::vector<Served> exempt;
  fill(exempt, 5, 60'000, "workload-low");
  fill(exempt, 40, 60'000, "exempt");
  refuse(exempt, 5'000, 55'000, 500, "workload-low");
  const auto idle = causes_of(exempt, 30);
  REQUIRE(idle.size() == 1);
  CHECK(idle[0].count == 25);

  std::vector<Served> calm;
  fill(calm, 25, 60'000, "workload-low");
  CHECK(causes_of(calm, 30).empty());
}

TEST_CASE("idle seats at refusals are those that counting each by itself gives", "[summary]") {
  const std::uint64_t first_seed = test::seed();
  INFO("APF_TEST_SEED=" << first_seed);
  std::mt19937_64 random(first_seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int run = 0; run < 30; ++run) {
    const char* const levels[] = {"workload-low", "workload-high", "exempt"};
    std::vector<Served> all;
    for (int i = 0; i < 300; ++i)
      all.push_back({below(20'000), below(3) == 0 ? 1 + below(900) : 0, 1 + below(800), static_cast<int>(1 + below(4)),
                     levels[below(3)]});
    for (int i = 0; i < 60; ++i) {
      all.push_back({below(20'000), below(2) == 0 ? 0 : 1 + below(900), 0, 1, "workload-low"});
      all.back().refused = true;
    }
    const int seats = static_cast<int>(200 + below(200));  // more than are ever in use: no verdict hides the figure
    double idle = 0;
    for (const Served& refused : all) {
      if (!refused.refused) continue;
      const std::int64_t at = refused.at + refused.wait;
      int in_use = 0;
      for (const Served& s : all)
        if (!s.refused && std::string_view(s.level) != "exempt" && s.at + s.wait <= at && at < s.at + s.wait + s.run)
          in_use += s.seats;
      idle += std::max(0, seats - in_use);
    }
    const auto causes = causes_of(all, seats);
    REQUIRE(!causes.empty());
    CHECK(causes[0].name == "workload-low");
    CHECK(causes[0].kind == RemarkKind::configuration_refuses);
    CHECK(causes[0].count == static_cast<std::uint64_t>(std::llround(idle / 60)));
  }
}

TEST_CASE("what decides nothing has no cause: refusals alone, more than one server, hardly anything that ran",
          "[summary]") {
  std::vector<Served> refusals;
  refuse(refusals, 0, 30'000, 100, "workload-low");
  CHECK(causes_of(refusals, 10).empty());
  refusals.push_back({10, 0, 100, 1, "workload-low"});
  CHECK(causes_of(refusals, 10).empty());

  std::vector<Served> two;  // each of them uses 6 of its 10 seats
  fill(two, 12, 60'000, "workload-low");
  refuse(two, 5'000, 55'000, 200, "workload-low");
  CHECK(causes_of(two, 10).empty());
}

TEST_CASE("one short wait changes nothing where refusals come without waits", "[summary]") {
  std::vector<Served> all;
  fill(all, 6, 60'000, "workload-low");
  refuse(all, 5'000, 55'000, 500, "workload-low");
  const auto without = causes_of(all, 10);
  all.push_back({30'000, 2, 500, 1, "workload-low"});
  const auto with = causes_of(all, 10);
  REQUIRE(without.size() == 1);
  REQUIRE(with.size() == 1);
  CHECK(without[0].kind == RemarkKind::configuration_refuses);
  CHECK(with[0].kind == without[0].kind);
  CHECK(with[0].other == without[0].other);
}

TEST_CASE("seats that are handed over are in use at a stretch", "[summary]") {
  std::vector<Served> full;
  fill(full, 10, 60'000, "workload-low");
  refuse(full, 5'000, 55'000, 200, "workload-low");
  const auto causes = causes_of(full, 10);
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].kind == RemarkKind::server_is_full);
  REQUIRE(causes[0].time);
  CHECK(*causes[0].time > 55 * kSecond);
}
