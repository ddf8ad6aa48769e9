// A log that is read once: its replays are those of the log, under any configuration, load, seed and memory.
#include "replay/passes/prepared_log.h"

#include <apf/error.h>
#include <apf/report.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "catch.h"
#include "replay/books/worst_case.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/ensemble.h"
#include "replay/passes/replay_into.h"
#include "replay/store/shaken_events.h"
#include "support/times.h"
#include "support/written_logs.h"

using namespace apf;
using namespace apf::test;

namespace {

ReplayOptions options_of_text(const std::string& text) {
  ReplayOptions options;
  options.config = bootstrap_config(kNewestKubeVersion);
  options.server_concurrency_limit = 20;
  options.logs = {"audit.log"};
  options.texts["audit.log"] = text;
  options.all_flows = true;
  return options;
}

// Without further replays.
std::string replayed(const ReplayOptions& options) {
  OutputFile decisions(""), timeline("");
  return render_json(replay_alone(options, decisions, timeline));
}

Config other_config() {
  Config config = bootstrap_config(kNewestKubeVersion);
  for (PriorityLevel& level : config.priority_levels)
    if (level.meta.name == "workload-low") level.limited->nominal_concurrency_shares = 7;
  FlowSchema schema;
  schema.meta.name = "shop";
  schema.priority_level = "workload-high";
  schema.matching_precedence = 500;
  schema.distinguisher_method = "ByNamespace";
  schema.rules.push_back(
      {{{"ServiceAccount", {}, {}, Subject::ServiceAccount{"shop", "*"}}}, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {}});
  config.flow_schemas.push_back(std::move(schema));
  return config;
}

}  // namespace

TEST_CASE("A replay of a prepared log is the replay of the log", "[prepared]") {
  const std::string text = audit_log(4000);
  const ReplayOptions options = options_of_text(text);
  const PreparedLog log(options);
  CHECK(render_json(log.replay(options)) == replayed(options));

  ReplayOptions other = options;
  other.config = other_config();
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.server_concurrency_limit = 9;
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.unknown_waits = UnknownWaits::recorded_ends;
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.scales = {{"", 1.7, false}, {"system:node:*", 2.5, true}};
  CHECK(render_json(log.replay(other)) == replayed(other));
  other.in_flight = InFlightLimits{10, 5};
  CHECK(render_json(log.replay(other)) == replayed(other));
}

TEST_CASE("So is one of the server's own log, alone and with the audit log", "[prepared]") {
  const std::string audit = audit_log(800), http = http_log(500);
  ReplayOptions options = options_of_text(audit);
  options.log_year = 2026;
  options.texts["http.log"] = http;
  const std::vector<std::vector<std::string>> logs = {{"http.log"}, {"audit.log", "http.log"}};
  for (const std::vector<std::string>& names : logs) {
    options.logs = names;
    INFO(options.logs.front());
    const PreparedLog log(options);
    const ReplayReport report = log.replay(options);
    CHECK(report.total.requests > 300);
    CHECK(render_json(report) == replayed(options));
  }
}

TEST_CASE("Jitter moves the requests of a prepared log as it moves those of the log", "[prepared]") {
  const std::string text = audit_log(3000);
  ReplayOptions options = options_of_text(text);
  const PreparedLog log(options);
  for (const std::uint64_t seed : {1, 2, 3}) {
    INFO("seed " << seed);
    options.jitter = kMillisecond;
    options.jitter_seed = seed;
    options.clock_shift = static_cast<Nanos>(seed) * kSecond;
    CHECK(render_json(log.replay(options)) == replayed(options));
  }
}

TEST_CASE("Events beyond the memory come from a file", "[prepared]") {
  const std::string text = audit_log(40'000);
  ReplayOptions options = options_of_text(text);
  const auto with_memory = [&](std::uint64_t memory) {
    ReplayOptions own = options;
    own.memory = memory;
    return PreparedLog(own);
  };
  const PreparedLog all = with_memory(0), none = with_memory(1), some = with_memory(1u << 20);
  CHECK(all.events().bytes_in_file() == 0);
  CHECK(none.events().bytes_in_file() > 0);
  CHECK(some.events().bytes_in_file() > 0);
  CHECK(some.events().bytes_in_file() < none.events().bytes_in_file());
  CHECK(CompactEvents::bytes_each() <= 64);
  const std::string expected = render_json(all.replay(options));
  std::vector<std::string> reports(8);
  run_tasks(reports.size(), 4,
            [&](std::size_t i) { reports[i] = render_json((i % 2 == 0 ? none : some).replay(options)); });
  for (const std::string& report : reports) CHECK(report == expected);
  ReplayOptions spread = options;
  spread.spread = 2;
  const std::string in_memory = render_json(replay(spread));
  spread.memory = 1;
  CHECK(render_json(replay(spread)) == in_memory);
  CHECK(in_memory != expected);
}

TEST_CASE("A log of another configuration is read under that one", "[prepared]") {
  const std::string text = audit_log(4000);
  ReplayOptions options = options_of_text(text);
  options.candidates = 0;
  options.recorded.emplace().config = options.config;
  options.recorded->server_concurrency_limit = 30;
  const PreparedLog log(options);
  options.config = other_config();
  options.server_concurrency_limit = 5;
  OutputFile decisions(""), timeline("");
  const ReplayReport once = replay_alone(options, decisions, timeline), report = log.replay(options);
  REQUIRE(report.levels.size() == once.levels.size());
  for (std::size_t i = 0; i < once.levels.size(); ++i) {
    const RequestTally &a = report.levels[i].tally, &b = once.levels[i].tally;
    INFO(once.levels[i].name);
    CHECK(a.requests == b.requests);
    CHECK(a.rejected() == b.rejected());
    CHECK(a.wait.mean() == b.wait.mean());
    CHECK(a.seat_seconds == b.seat_seconds);
  }
  CHECK(report.total.rejected() > 0);
}

TEST_CASE("Books that are parted by user say of each flow what the flow's own book says", "[prepared]") {
  const std::string text = audit_log(4000);
  ReplayOptions options = options_of_text(text);
  options.config = other_config();
  options.server_concurrency_limit = 1;
  for (PriorityLevel& level : options.config.priority_levels)
    if (level.limited && level.limited->queuing) level.limited->queuing = Queuing{2, 1, 1};
  const PreparedLog log(options);
  const ReplayReport by_flow = log.replay(options),
                     by_user = log.replay(options, *log.classify(options, FlowBooks::of_users));
  using Figures = std::array<std::uint64_t, 3>;
  const auto figures = [](const ReplayReport& report) {
    std::map<std::string, Figures> out;
    for (const FlowReport& flow : report.all_flows) {
      Figures& sum = out[flow.flow_schema + "/" + flow.priority_level + "/" + flow.distinguisher];
      const Figures add = {flow.tally.requests, flow.tally.queued, flow.tally.rejected()};
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += add[i];
    }
    return out;
  };
  CHECK(figures(by_user) == figures(by_flow));
  CHECK(by_user.total.rejected() > 0);
  CHECK(by_user.total.rejected() == by_flow.total.rejected());
  CHECK(by_user.total.wait.mean() == by_flow.total.wait.mean());
  CHECK(by_user.all_flows.size() > by_flow.all_flows.size());
  for (const FlowReport& flow : by_flow.all_flows) CHECK(flow.user.empty());
  for (const FlowReport& flow : by_user.all_flows) {
    CHECK(!flow.user.empty());
    if (!flow.distinguisher.starts_with("system:serviceaccount:")) continue;
    CHECK(flow.user == flow.distinguisher);
  }
}

TEST_CASE("Requests of minutes find their places in a prepared log", "[prepared]") {
  const std::string text = log_of_minutes();
  ReplayOptions options = options_of_text(text);
  options.server_concurrency_limit = 10;
  const PreparedLog log(options);
  CHECK(log.read().out_of_window == 0);
  CHECK(log.events().size() == 412);
  const ReplayReport report = log.replay(options);
  CHECK(report.total.wait.quantile(1) > kSecond);
  CHECK(render_json(report) == replayed(options));

  options.candidates = 0;
  options.recorded.emplace().config = options.config;
  options.recorded->server_concurrency_limit = 30;
  const PreparedLog learned(options);
  CHECK(learned.read().out_of_window == 0);
  OutputFile decisions(""), timeline("");
  const ReplayReport once = replay_alone(options, decisions, timeline), again = learned.replay(options);
  CHECK(again.total.requests == once.total.requests);
  CHECK(again.total.wait.mean() == once.total.wait.mean());
  CHECK(again.total.seat_seconds == once.total.seat_seconds);
}

TEST_CASE("A prepared log knows nothing of what it does not keep", "[prepared]") {
  const std::string text = audit_log(10);
  ReplayOptions options = options_of_text(text);
  options.client_models.push_back({"*", ClientModel::workers, 2});
  CHECK_THROWS_AS(PreparedLog(options), Error);
}

TEST_CASE("An empty log has no replays", "[prepared]") {
  const std::string text = "\n";
  ReplayOptions options = options_of_text(text);
  options.log_format = "audit";
  const PreparedLog log(options);
  CHECK(log.replay(options).total.requests == 0);
}

TEST_CASE("The spread of a log that is read once is that of replays that read it again", "[prepared][spread]") {
  const std::string texts[] = {audit_log(900), log_of_minutes(), http_log(300)};
  std::size_t undecided = 0;
  for (const std::string& text : texts) {
    ReplayOptions options = options_of_text(text);
    options.spread = 3;
    options.top = 3;
    for (const bool outputs : {false, true}) {
      INFO(text.substr(0, 80) << " outputs: " << outputs);
      options.metrics = options.series = outputs;
      OutputFile no_decisions(""), no_timeline("");
      ReplayOptions whole = options;
      whole.all_flows = true;
      ReplayReport again = replay_alone(whole, no_decisions, no_timeline);
      undecided += again.undecided ? 1 : 0;
      if (again.undecided) add_recorded_ends(options, again, nullptr);
      add_spread(options, again, nullptr);
      finish_lists(again, options.top, options.all_flows);
      warn_of_contradiction(options, again);
      for (const int threads : {1, 3}) {
        options.threads = threads;
        const ReplayReport once = replay(options);
        CHECK(render_json(once) == render_json(again));
        const auto text_of = [](const ReplayReport& of) {
          return render(document_of(std::span(&of, 1), nullptr), Notation::text);
        };
        CHECK(text_of(once) == text_of(again));
        CHECK(once.metrics.size() == again.metrics.size());
      }
    }
  }
  CHECK(undecided > 0);
}

TEST_CASE("A prepared log foresees how long its first refused requests would have run", "[prepared]") {
  std::vector<std::pair<Nanos, std::string>> lines;
  for (int i = 0; i < 430; ++i) {
    const bool refused = i < 30;
    const Nanos at = kNoon + (refused ? i : 100 + i) * 2 * kMillisecond, end = at + (refused ? 0 : 400 * kMillisecond);
    lines.emplace_back(
        end, audit_event(i, "ResponseComplete", at, end, "user0", "get", "/api/v1/nodes/n1", refused ? 429 : 200));
  }
  const std::string text = in_order(std::move(lines));
  const ReplayOptions options = options_of_text(text);
  CHECK(render_json(PreparedLog(options).replay(options)) == replayed(options));
}

TEST_CASE("Arrivals that are moved come in order of time, however late the log has them", "[prepared]") {
  struct Item {
    Nanos now = 0;
    JoinedEvent joined;
  };
  std::mt19937_64 random(kLogSeed);
  std::vector<Item> items(2000);
  Nanos now = kNoon;
  for (std::size_t i = 0; i < items.size(); ++i) {
    now += static_cast<Nanos>(random() % 3) * kMillisecond;
    items[i].now = now;
    items[i].joined.seq = i;
    items[i].joined.event.received = now - (i % 5 == 0 ? static_cast<Nanos>(random() % 1000) * kSecond : 0);
  }
  std::size_t at = 0;
  auto next = [&](Item& item) {
    if (at == items.size()) return false;
    item = items[at++];
    return true;
  };
  constexpr Nanos kMost = 2 * kMillisecond;
  ShakenEvents<Item, decltype(next)> events(next, kMost, 7);
  std::size_t moved = 0, seen = 0;
  Nanos last = INT64_MIN;
  for (Item item; events.next(item); ++seen) {
    CHECK(item.now >= last);
    last = item.now;
    const Nanos by = item.now - items[item.joined.seq].now;
    CHECK(std::abs(by) <= kMost);
    moved += by != 0;
  }
  CHECK(seen == items.size());
  CHECK(moved > seen / 2);
}
