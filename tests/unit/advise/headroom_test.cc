// Headroom: where a level begins to wait and to refuse, and which limit gives way.
#include <apf/advise.h>
#include <apf/error.h>
#include <apf/report.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "advise/multiples.h"
#include "catch.h"
#include "replay/engine/load_scaler.h"
#include "replay/passes/ensemble.h"
#include "report/advise/headroom_words.h"
#include "support/times.h"
#include "support/vectors.h"

using namespace apf;
using namespace apf::test;

namespace {

// Requests of four service accounts, evenly over a minute; each takes 100 ms, so that `per_second` / 10 seats are used.
std::string even_log(int per_second) {
  std::string out;
  for (int i = 0; i < per_second * 60; ++i)
    out += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"system:serviceaccount:shop:s{}\",\"groups\":[\"system:serviceaccounts\","
        "\"system:serviceaccounts:shop\",\"system:authenticated\"],\"verb\":\"get\",\"uri\":\"/api/v1/nodes/n1\","
        "\"execution\":{}}}\n",
        format_rfc3339(kNoon + kSecond / per_second * i), i % 4, 100 * kMillisecond);
  return out;
}

// One level that lends and borrows nothing, with so many seats.
HeadroomOptions headroom_options(std::string&& text, int seats) = delete;  // it keeps a view
HeadroomOptions headroom_options(const std::string& text, int seats) {
  HeadroomOptions options;
  options.replay.config = bootstrap_config(kNewestKubeVersion);
  std::erase_if(options.replay.config.priority_levels, [](const PriorityLevel& level) {
    return level.meta.name != "workload-low" && level.meta.name != "exempt" && level.meta.name != "catch-all";
  });
  for (PriorityLevel& level : options.replay.config.priority_levels) {
    if (level.meta.name == "workload-low") {
      level.limited->nominal_concurrency_shares = 95;
      level.limited->lendable_percent = 0;
      level.limited->borrowing_limit_percent = 0;
    }
    if (level.meta.name == "catch-all") level.limited->nominal_concurrency_shares = 5;
  }
  options.replay.server_concurrency_limit = seats;
  options.replay.logs = {"log.jsonl"};
  options.replay.texts["log.jsonl"] = text;
  options.replay.threads = 2;
  return options;
}

}  // namespace

TEST_CASE("A level waits when its seats are used up", "[headroom]") {
  const std::string text = even_log(100);  // 10 seats
  const HeadroomReport report = find_headroom(headroom_options(text, 20));
  REQUIRE(report.levels.size() == 1);
  const HeadroomLevel& level = report.levels.front();
  CHECK(level.nominal_seats == 19);
  REQUIRE(level.waits_at.value);
  CHECK(*level.waits_at.value > 1.7);  // arrivals of copies meet by chance
  CHECK(*level.waits_at.value < 2.1);
  REQUIRE(level.refuses_at.value);
  CHECK(*level.refuses_at.value > *level.waits_at.value);
  CHECK(level.flow_schema == "service-accounts");
  CHECK(level.distinguisher.starts_with("system:serviceaccount:shop:s"));
  // Seats are what it lacks: of the level or of the server, and not places in queues.
  for (const HeadroomTrial& trial : level.trials) {
    INFO(static_cast<int>(trial.limit));
    if (trial.limit == HeadroomLimit::seats) CHECK(trial.helps);
    if (trial.limit == HeadroomLimit::queue_length || trial.limit == HeadroomLimit::queues) CHECK(!trial.helps);
  }
  for (std::size_t i = 1; i < report.points.size(); ++i)
    CHECK(report.points[i - 1].multiple < report.points[i].multiple);
}

TEST_CASE("A cliff is found where batches begin to meet the batch before", "[headroom]") {
  // Each second 38 requests at once, which fill the level for half of it: from twice the execution time on, half of the
  // batches find no seat.
  std::string text;
  for (int second = 0; second < 60; ++second)
    for (int i = 0; i < 38; ++i)
      text += fmt::format(
          "{{\"time\":\"{}\",\"user\":\"system:serviceaccount:shop:s{}\",\"groups\":[\"system:serviceaccounts\","
          "\"system:authenticated\"],\"verb\":\"get\",\"uri\":\"/api/v1/nodes/n1\",\"execution\":{}}}\n",
          format_rfc3339(kNoon + kSecond * second), i % 4, 500 * kMillisecond);
  HeadroomOptions options = headroom_options(text, 40);
  options.of = HeadroomOf::slowness;
  options.most = 4;
  for (PriorityLevel& level : options.replay.config.priority_levels) {
    if (level.meta.name != "workload-low") continue;
    level.limited->limit_response = "Reject";
    level.limited->queuing.reset();
  }
  const HeadroomReport report = find_headroom(options);
  REQUIRE(report.levels.size() == 1);
  const HeadroomLevel& level = report.levels.front();
  REQUIRE(level.refuses_at.value);
  CHECK(*level.refuses_at.value > 1.9);
  CHECK(*level.refuses_at.value < 2.1);
  REQUIRE(level.cliff);
  CHECK(level.cliff->from < 2);
  CHECK(level.cliff->to >= 2);
  CHECK(level.cliff->to < level.cliff->from * 1.1);
  CHECK(level.cliff->refused < 38);
  CHECK(level.cliff->refused_then == 30 * 38);
  CHECK(cliff_text(*level.cliff).ends_with("to 1,140"));
  // Without a step there is none: evenly spread requests are refused more and more.
  const std::string steady = even_log(100);
  HeadroomOptions even = headroom_options(steady, 20);
  even.of = HeadroomOf::load;
  CHECK(!find_headroom(even).levels.front().cliff);
}

TEST_CASE("A level that has too few seats for the log is found below it", "[headroom]") {
  const std::string text = even_log(100);
  const HeadroomReport report = find_headroom(headroom_options(text, 6));
  REQUIRE(report.levels.front().waits_at.value);
  CHECK(*report.levels.front().waits_at.value < 0.65);
  CHECK(*report.levels.front().waits_at.value > 0.4);
}

TEST_CASE("A level with seats enough neither waits nor refuses", "[headroom]") {
  const std::string text = even_log(10);
  HeadroomOptions options = headroom_options(text, 600);
  options.most = 4;
  const HeadroomReport report = find_headroom(options);
  CHECK(!report.levels.front().waits_at.low);
  CHECK(!report.levels.front().refuses_at.low);
  CHECK(report.levels.front().trials.empty());
}

// Twice the load comes for one and a half times the seats: nobody waits for its place long enough to be refused.
TEST_CASE("A client that hangs up waits, and is not refused", "[headroom]") {
  const std::string text = even_log(100);
  HeadroomOptions options = headroom_options(text, 20);
  options.most = 3;
  const Nanos bound = GENERATE(100 * kMillisecond, 10 * kSecond);
  options.wait_bound = bound;
  options.replay.client_timeouts = {{"*", kSecond}};
  const HeadroomReport report = find_headroom(options);
  CHECK(!report.levels.front().refuses_at.value);
  REQUIRE(report.levels.front().waits_at.value);
  CHECK(*report.levels.front().waits_at.value > 1.5);
}

TEST_CASE("The load of some clients alone is multiplied", "[headroom]") {
  const std::string text = even_log(100);
  HeadroomOptions options = headroom_options(text, 20);
  options.clients = {"system:serviceaccount:shop:s0"};  // a quarter of the load
  options.most = 10;
  const HeadroomReport report = find_headroom(options);
  REQUIRE(report.levels.front().waits_at.value);
  CHECK(*report.levels.front().waits_at.value > 3.5);
  CHECK(*report.levels.front().waits_at.value < 5.5);
}

TEST_CASE("Whatever scales overlap, a multiple multiplies each client's load once", "[headroom]") {
  INFO("APF_TEST_SEED=" << seed());
  std::mt19937_64 random(seed());
  const std::vector<std::string> users = {"a", "ab", "abc", "abd", "b", "bc", "c"};
  const std::vector<std::string> patterns = {"", "*", "a*", "a", "ab*", "ab", "abc", "abc*", "b*", "bc", "c"};
  const auto factor_of = [](const std::vector<LoadScale>& scales, const std::string& user) {
    LoadScale best;
    std::size_t closest = 0;
    for (const LoadScale& scale : scales) {
      if (!fits(scale, user) || closeness(scale) < closest) continue;
      best = scale;
      closest = closeness(scale);
    }
    return std::pair(best.factor, best.clients);
  };
  const auto some = [&] {
    std::vector<std::string> out;
    for (const std::string& pattern : patterns)
      if (random() % 4 == 0 && (pattern != "*" || out.empty())) out.push_back(pattern);
    return out;
  };
  for (int round = 0; round < 5000; ++round) {
    ReplayOptions options;
    for (const std::string& user : some())
      options.scales.push_back({user, 1 + static_cast<double>(random() % 5), random() % 2 == 0});
    const std::vector<std::string> clients = some();
    const std::vector<LoadScale> before = options.scales;
    multiply(options, clients, 3);
    for (const std::string& user : users) {
      const bool is_multiplied =
          clients.empty() || std::any_of(clients.begin(), clients.end(), [&](const auto& client) {
            return fits({client, 1, false}, user);
          });
      const auto [was, were_clients] = factor_of(before, user);
      const auto [is, are_clients] = factor_of(options.scales, user);
      INFO("user " << user << ", round " << round);
      CHECK(is == (is_multiplied ? 3 * was : was));
      CHECK(are_clients == were_clients);
    }
  }
}

TEST_CASE("Ranges hold the replay, and are the same for any number of threads", "[headroom]") {
  const std::string text = even_log(60);
  HeadroomOptions options = headroom_options(text, 12);
  options.replay.spread = 3;
  const HeadroomReport report = find_headroom(options);
  const HeadroomFigure& waits = report.levels.front().waits_at;
  REQUIRE(waits.low);
  REQUIRE(waits.high);
  CHECK(*waits.low <= *waits.value);
  CHECK(*waits.value <= *waits.high);
  CHECK(report.variants >= 4);
  options.replay.threads = 5;
  CHECK(render_json(find_headroom(options)) == render_json(report));
}

// Only two replays of a multiple are searched for where they begin to suffer; the others have to lie within, or are
// searched for as well.
TEST_CASE("No replay of a range suffers below it, or only above it", "[headroom]") {
  const auto seed = static_cast<std::uint32_t>(GENERATE(1, 2, 3));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::string text;
  Nanos time = kNoon;
  for (int i = 0; i < 1500; ++i) {
    time += static_cast<Nanos>(random() % (i % 300 < 60 ? 10 : 60)) * kMillisecond;
    text += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"u{}\",\"groups\":[\"system:serviceaccounts\",\"system:authenticated\"],"
        "\"verb\":\"get\",\"uri\":\"/api/v1/nodes/n1\",\"execution\":{}}}\n",
        format_rfc3339(time), random() % 5, static_cast<Nanos>(random() % 200) * kMillisecond);
  }
  HeadroomOptions options = headroom_options(text, 15);
  options.replay.spread = 6;
  const HeadroomReport report = find_headroom(options);
  const HeadroomFigure& waits = report.levels.front().waits_at;
  REQUIRE(waits.low);
  REQUIRE(waits.high);
  const std::vector<ReplayOptions> variants = variants_of(options.replay, report.log, true);
  REQUIRE(static_cast<int>(variants.size()) == report.variants);
  const auto p99_at = [&](ReplayOptions variant, double multiple) {
    multiply(variant, {}, multiple);
    const ReplayReport replayed = replay(variant);
    const auto level = std::find_if(replayed.levels.begin(), replayed.levels.end(),
                                    [](const LevelReport& each) { return each.name == "workload-low"; });
    REQUIRE(level != replayed.levels.end());
    return level->tally.wait.quantile(0.99);
  };
  for (const ReplayOptions& variant : variants) {
    CHECK(p99_at(variant, *waits.low / 1.1) <= options.wait_bound);
    CHECK(p99_at(variant, *waits.high * 1.1) > options.wait_bound);
  }
}

// A short log of another configuration is replayed several times, as its level may come to quite different ends.
TEST_CASE("The value of a multiple is that of replay", "[headroom]") {
  const std::string text = even_log(100);
  HeadroomOptions options = headroom_options(text, 10);
  RecordedConfig recorded;
  recorded.config = options.replay.config;
  recorded.server_concurrency_limit = 100;
  options.replay.recorded = recorded;
  options.most = 4;
  const HeadroomReport report = find_headroom(options);
  std::size_t refused = 0;
  for (const HeadroomPoint& point : report.points) {
    INFO("multiple " << point.multiple);
    ReplayOptions replayed = options.replay;
    if (point.multiple != 1) replayed.scales = {{"", point.multiple, false}};
    const ReplayReport log = replay(replayed);
    for (const LevelReport& level : log.levels) {
      if (level.name != "workload-low") continue;
      const HeadroomPoint::Level& found = point.levels.front();
      if (point.multiple == 1) {
        CHECK(found.rejected == level.tally.rejected());
        CHECK(found.p99 == level.tally.wait.quantile(0.99));
      }
      // The search makes one replay of each, and replay() shows the one in the middle of many.
      CHECK(std::abs(static_cast<double>(found.rejected) - static_cast<double>(level.tally.rejected())) <=
            2 + 0.02 * static_cast<double>(level.tally.rejected()));
      CHECK(std::abs(static_cast<double>(found.p99 - level.tally.wait.quantile(0.99))) <=
            0.05 * static_cast<double>(level.tally.wait.quantile(0.99)));
      refused += level.tally.rejected();
    }
  }
  CHECK(refused > 0);
  CHECK(report.replays < report.points.size() * static_cast<std::size_t>(options.replay.candidates));
}

TEST_CASE("Multiples that cannot be tried are refused", "[headroom]") {
  const std::string text = even_log(1);
  HeadroomOptions options = headroom_options(text, 10);
  options.most = 0.5;
  CHECK_THROWS_AS(find_headroom(options), Error);
  options.most = 10;
  options.replay.in_flight.emplace();
  CHECK_THROWS_AS(find_headroom(options), Error);
}

TEST_CASE("Interrupted, it says nothing of multiples that were not tried", "[headroom]") {
  const std::string text = even_log(1);
  std::atomic<bool> interrupted = false;
  HeadroomOptions options = headroom_options(text, 20);
  options.replay.interrupted = &interrupted;
  options.progress = [&](const HeadroomProgress& p) {
    if (p.multiple > 1.5) interrupted = true;  // of the first octave
  };
  const HeadroomReport some = find_headroom(options);
  CHECK(some.interrupted);
  REQUIRE(some.points.size() == 1);
  CHECK(some.least == 1);
  CHECK(some.most == 1);
  interrupted = true;
  const HeadroomReport none = find_headroom(options);
  CHECK(none.points.empty());
  CHECK(verdict_of(none).what == "No multiple of the load was replayed to its end.");
}

TEST_CASE("Progress says what is borne so far", "[headroom]") {
  const std::string text = even_log(100);
  HeadroomOptions options = headroom_options(text, 20);
  double first = -1, last = 0;
  std::uint64_t said = 0, most = 0;
  options.progress = [&](const HeadroomProgress& p) {
    if (first < 0) first = p.borne;
    CHECK(p.borne >= last);
    last = p.borne;
    said = p.replays;
    most = p.about_all;
  };
  const HeadroomReport report = find_headroom(options);
  CHECK(first == 0);
  CHECK(said == report.replays);
  CHECK(most > 0);
  CHECK(most < 4 * said);
  REQUIRE(report.levels.front().waits_at.low);
  const double waits_at = *report.levels.front().waits_at.low;
  CHECK(last < waits_at);
  CHECK(last > waits_at / 1.03);  // multiples are tried to within 2 %
}

TEST_CASE("The first line names each level that suffers now once", "[headroom]") {
  HeadroomReport report;
  report.wait_bound = 100 * kMillisecond;
  report.points.resize(1);
  report.points.front().multiple = 1;
  report.points.front().levels = {{10, 0, 0, 0, kSecond}, {10, 3, 3, 3, kSecond}};
  report.levels.resize(2);
  report.levels[0].name = "first";
  report.levels[0].waits_at = {0.5, 0.5, 0.5};
  report.levels[1].name = "second";
  report.levels[1].waits_at = {0.6, 0.6, 0.6};
  report.levels[1].refuses_at = {1, 0.9, 1};
  CHECK(verdict_of(report).what == "second already refuses requests at this load, and first waits (p99 above 100ms).");
  report.levels[1].waits_at = report.levels[1].refuses_at = {2, 1.5, 3};
  report.levels[0].refuses_at = {4, 4, 4};
  CHECK(verdict_of(report).what ==
        "first already waits (p99 above 100ms) at this load, and from 1.50x-3.00x on second refuses requests.");
}
