// Suggestions: the smallest change that meets the goals, held against full grids; what is never touched; what is said
// when there is none.
#include <apf/advise.h>
#include <apf/error.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/report.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <set>

#include <fmt/format.h>

#include "advise/client_level.h"
#include "advise/client_requests.h"
#include "advise/demand.h"
#include "advise/levers.h"
#include "advise/patch.h"
#include "advise/plan.h"
#include "advise/trials.h"
#include "catch.h"
#include "replay/passes/prepared_log.h"
#include "support/times.h"
#include "support/vectors.h"

using namespace apf;
using namespace apf::test;

namespace {

std::string line(Nanos at, const char* user, Nanos takes) {
  return fmt::format(
      "{{\"time\":\"{}\",\"user\":\"system:serviceaccount:shop:{}\",\"groups\":[\"system:serviceaccounts\","
      "\"system:serviceaccounts:shop\",\"system:authenticated\"],\"verb\":\"get\",\"uri\":\"/api/v1/nodes/n1\","
      "\"execution\":{}}}\n",
      format_rfc3339(kNoon + at), user, takes);
}

// A minute of a client that uses some seats all the time, with a burst now and then.
std::string log_with_bursts() {
  std::string out;
  for (int i = 0; i < 3000; ++i) {
    const Nanos at = i * 20 * kMillisecond;
    out += line(at, "cart", 100 * kMillisecond);
    if (i % 250 == 0)
      for (int k = 0; k < 60; ++k) out += line(at + k, "batch", 500 * kMillisecond);
  }
  return out;
}

constexpr const char* kYaml = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: shop
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 20  # a guess
    lendablePercent: 20
    borrowingLimitPercent: 0
    limitResponse:
      type: Queue
      queuing: {queues: 8, handSize: 2, queueLengthLimit: 5}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: shop
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration:
    name: shop
  distinguisherMethod: {type: ByUser}
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount: {namespace: shop, name: "*"}
      resourceRules:
        - verbs: ["*"]
          apiGroups: ["*"]
          resources: ["*"]
          namespaces: ["*"]
          clusterScope: true
)";

SuggestGoal goal_of(const std::string& text) {
  const ReplayReport any;
  const Expectation expectation = parse_expectation(text, *facts_of({&any, 1}));
  SuggestGoal goal;
  goal.text = expectation.text;
  goal.subject = expectation.figure.subject;
  goal.miss = [expectation](const ReplayReport& report) {
    const auto facts = facts_of({&report, 1});
    if (check_expectations({&expectation, 1}, *facts).front().met) return 0.0;
    const double size = std::max(std::abs(expectation.value), expectation.percent ? 0.01 : 1.0);
    return std::max(std::abs(expected_values(expectation, *facts).front() - expectation.value) / size, 1e-9);
  };
  goal.found = [expectation](const ReplayReport& report) {
    return expected_text(expectation, expected_values(expectation, *facts_of({&report, 1})).front());
  };
  goal.all_served = text.ends_with("rejected == 0");
  return goal;
}

SuggestOptions suggest_options(const std::string& log, const std::vector<std::string>& goals, int seats = 150) {
  SuggestOptions options;
  options.texts = {{"shop.yaml", kYaml}};
  LoadedConfig loaded = load_config(options.texts);
  apply_defaults(loaded.config);
  options.replay.config = with_builtins(std::move(loaded.config), kNewestKubeVersion, Builtins::all);
  options.replay.server_concurrency_limit = seats;
  options.replay.logs = {"log.jsonl"};
  options.replay.texts["log.jsonl"] = log;
  options.replay.threads = 2;
  for (const std::string& text : goals) options.goals.push_back(goal_of(text));
  return options;
}

// A configuration of the grid: a value for each field that is looked at; borrowing -1: without a limit.
struct Cell {
  int shares = 20, borrowing = 0, queues = 8, hand = 2, length = 5;
};

// As SuggestReport::cost says it.
double step_cost(int from, int to) { return from == to ? 0 : 1 + std::abs(std::log2(static_cast<double>(to) / from)); }
double cost_of(const Cell& cell) {
  const Cell now;
  return step_cost(now.shares, cell.shares) +
         (cell.borrowing < 0   ? 2
          : cell.borrowing > 0 ? 1 + cell.borrowing / 50.0
                               : 0) +
         step_cost(now.queues, cell.queues) + step_cost(now.hand, cell.hand) + step_cost(now.length, cell.length);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
}

std::vector<ConfigText> texts_of(const Cell& cell) {
  std::string text = kYaml;
  replace(text, "Shares: 20", fmt::format("Shares: {}", cell.shares));
  if (cell.borrowing < 0) replace(text, "    borrowingLimitPercent: 0\n", "");
  else replace(text, "borrowingLimitPercent: 0", fmt::format("borrowingLimitPercent: {}", cell.borrowing));
  replace(text, "{queues: 8, handSize: 2, queueLengthLimit: 5}",
          fmt::format("{{queues: {}, handSize: {}, queueLengthLimit: {}}}", cell.queues, cell.hand, cell.length));
  return {{"shop.yaml", text}};
}

std::set<std::string> codes_of(const std::vector<ConfigText>& texts, int seats) {
  LintOptions options;
  options.max_requests_inflight = seats;
  options.max_mutating_requests_inflight = 0;
  options.version = kNewestKubeVersion;
  std::set<std::string> out;
  for (const Diagnostic& d : lint(load_config(texts), texts, options).findings) out.insert(d.code);
  return out;
}

bool is_subset(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

bool meets(const SuggestOptions& options, const PreparedLog& log, const Cell& cell) {
  ReplayOptions replayed = options.replay;
  replayed.texts.clear();
  LoadedConfig loaded = load_config(texts_of(cell));
  apply_defaults(loaded.config);
  replayed.config = with_builtins(std::move(loaded.config), kNewestKubeVersion, Builtins::all);
  const ReplayReport report = log.replay(replayed);
  const int seats = replayed.server_concurrency_limit;
  return std::all_of(options.goals.begin(), options.goals.end(),
                     [&](const SuggestGoal& goal) { return goal.miss(report) <= 0; }) &&
         is_subset(codes_of(texts_of(cell), seats), codes_of(options.texts, seats));
}

// The least cost of all cells that meet the goals without a new finding; the cheaper ones are all replayed.
double best_of(const SuggestOptions& options, std::vector<Cell> cells) {
  const PreparedLog log(options.replay);
  std::stable_sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return cost_of(a) < cost_of(b); });
  for (const Cell& cell : cells)
    if (meets(options, log, cell)) return cost_of(cell);
  return HUGE_VAL;
}

// Bursts of several clients at random, with some work all the time.
std::string random_log(unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  for (int i = 0; i < 600; ++i) {
    const Nanos at = i * 50 * kMillisecond;
    out += line(at, "cart", static_cast<Nanos>(50 + random() % 150) * kMillisecond);
    if (random() % 60 == 0)
      for (int k = 0, n = static_cast<int>(20 + random() % 40); k < n; ++k)
        out += line(at + k + 1, random() % 2 ? "batch" : "report",
                    static_cast<Nanos>(100 + random() % 500) * kMillisecond);
  }
  return out;
}

}  // namespace

TEST_CASE("No smaller change of a full grid meets the goals", "[suggest]") {
  std::vector<Cell> cells;
  for (int shares = 20; shares <= 48; ++shares)
    for (int length = 5; length <= 20; length += shares == 20 ? 1 : 2)
      for (const int borrowing : {0, -1}) cells.push_back({shares, borrowing, 8, 2, length});
  for (int borrowing = 1; borrowing < 50; ++borrowing)
    for (const int length : {5, 6, 8}) cells.push_back({20, borrowing, 8, 2, length});
  for (const int queues : {8, 10, 12, 16, 24, 32})
    for (int hand = 1; hand <= 8; ++hand)
      for (const int shares : {20, 21, 23, 26, 30, 36}) cells.push_back({shares, 0, queues, hand, 5});
  for (unsigned seed = 1; seed <= apf::test::rounds(2u); ++seed) {
    const std::string log = random_log(seed);
    for (const std::vector<std::string>& goals : {std::vector<std::string>{"shop.rejected == 0"},
                                                  {"shop.rejected < 2%"},
                                                  {"shop.rejected == 0", "shop.p99wait < 1s"}}) {
      INFO("seed " << seed << ", goal " << goals.back());
      const SuggestOptions options = suggest_options(log, goals, 400);
      const double best = best_of(options, cells);
      const SuggestReport report = suggest(options);
      if (best == HUGE_VAL) continue;
      REQUIRE(report.met);
      CHECK(report.cost <= best * 1.02);
      CHECK(!report.out_of_budget);
    }
  }
}

TEST_CASE("The patch keeps the user's file and its comments, and says the arithmetic", "[suggest]") {
  const std::string log = log_with_bursts();
  const SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  const SuggestReport report = suggest(options);
  REQUIRE(report.met);
  REQUIRE(report.texts.size() == 1);
  const std::string& text = report.texts.front().text;
  CHECK(text.find("# a guess") != std::string::npos);
  CHECK(text.find("matchingPrecedence: 500") != std::string::npos);
  CHECK(text.find(" was ") != std::string::npos);
  // What it says is what was replayed.
  LoadedConfig loaded = load_config(report.texts);
  CHECK(loaded.diagnostics.empty());
  apply_defaults(loaded.config);
  ReplayOptions again = options.replay;
  again.config = with_builtins(std::move(loaded.config), kNewestKubeVersion, Builtins::all);
  CHECK(options.goals.front().miss(replay(again)) == 0);
}

TEST_CASE("A borrowing limit may be raised, and one may be set for who borrows most", "[suggest]") {
  std::string log = log_with_bursts();
  for (int i = 0; i < 3000; ++i)  // another level that borrows all the time
    log += fmt::format(
        "{{\"time\":\"{}\",\"user\":\"system:kube-scheduler\",\"groups\":[\"system:authenticated\"],\"verb\":\"get\","
        "\"uri\":\"/api/v1/nodes/n1\",\"execution\":{}}}\n",
        format_rfc3339(kNoon + i * 20 * kMillisecond), 3 * kSecond);
  const SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  Trials trials(options);
  bool looser = false, set = false;
  for (const Lever& lever : find_levers(trials, {}, 0)) {
    if (lever.change.field != SuggestField::borrowing) continue;
    CHECK(lever.probes.back() + 1 == lever.values.size());
    double last = 0;
    for (std::size_t i = 0; i < lever.values.size(); ++i) {
      CHECK(cost_of(lever.at(i)) >= last);
      last = cost_of(lever.at(i));
    }
    if (lever.change.level == "shop") {
      looser = true;
      CHECK(lever.change.from == 0);
      CHECK(lever.values.front() == 1);
      CHECK(lever.values.back() == -1);
      CHECK(last == 2);
    } else {
      set = set || lever.change.level == "workload-high";
      CHECK(lever.change.from == -1);
      CHECK(lever.values.back() == 0);
      CHECK(last == 1.5);
      const PatchedTexts patched = patch(options.texts, {lever.at(0)}, trials.base());
      CHECK(patched.unwritable.empty());
      CHECK(patched.texts.back().text.find("borrowingLimitPercent was not set") != std::string::npos);
      CHECK(trials.run(Plan{lever.at(lever.values.size() - 1)}).done);
    }
  }
  CHECK(looser);
  CHECK(set);
  CHECK(suggest(options).met);
}

TEST_CASE("A client that others suffer from gets a level of its own", "[suggest]") {
  const std::string log = log_with_bursts();
  SuggestOptions options = suggest_options(log, {});
  options.isolate = {"system:serviceaccount:shop:batch"};
  const SuggestReport report = suggest(options);
  REQUIRE(report.met);
  REQUIRE(!report.changes.empty());
  CHECK(report.changes.front().field == SuggestField::level);
  CHECK(report.changes.front().level == "shop-batch");
  const LoadedConfig loaded = load_config(report.texts);
  CHECK(loaded.diagnostics.empty());
  CHECK(loaded.config.flow_schemas.size() == 2);
}

TEST_CASE("A protected client is served", "[suggest]") {
  const std::string log = log_with_bursts();
  SuggestOptions options = suggest_options(log, {});
  options.protect = {"system:serviceaccount:shop:cart"};
  const SuggestReport report = suggest(options);
  REQUIRE(report.met);
  for (const SuggestLevel& level : report.levels) {
    if (level.name != "cart") continue;
    REQUIRE(level.after);
    CHECK(level.after->rejected_high == 0);
    CHECK(level.after->p99_high <= 100 * kMillisecond);
  }
}

TEST_CASE("Where there is no such configuration, the seats are named that it takes, and why", "[suggest]") {
  // 40 requests of a second each second: 40 seats, and no fewer, whatever the queues.
  std::string log;
  for (int i = 0; i < 40 * 60; ++i) log += line(i * 25 * kMillisecond, "cart", kSecond);
  SuggestOptions options = suggest_options(log, {"total.rejected == 0"}, 20);
  const SuggestReport report = suggest(options);
  CHECK(!report.met);
  CHECK(report.changes.empty());
  REQUIRE(report.proof.seats);
  CHECK(*report.proof.seats > 20);
  CHECK(report.proof.seats_by_counting > 20);
  CHECK(report.proof.seats_by_counting <= *report.proof.seats);
  CHECK(report.proof.found != "0");
  CHECK(render(document_of(report, options.texts, {}), Notation::text)
            .starts_with("No such configuration: at 20 seats the load needs "));
  options.most_seats = 160;
  const SuggestReport raised = suggest(options);
  CHECK(raised.met);
  CHECK(raised.seats_after > 20);
  CHECK(raised.seats_after <= 160);
}

TEST_CASE("Mandatory levels stay as they are, and lint finds nothing new", "[suggest]") {
  const std::string log = log_with_bursts();
  const SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  const SuggestReport report = suggest(options);
  REQUIRE(report.met);
  const int seats = options.replay.server_concurrency_limit;
  CHECK(is_subset(codes_of(report.texts, seats), codes_of(options.texts, seats)));
  const auto is_mandatory = [](const SuggestChange& c) { return c.level == "exempt" || c.level == "catch-all"; };
  CHECK(std::none_of(report.changes.begin(), report.changes.end(), is_mandatory));
  for (const SuggestTried& tried : report.rejected)
    CHECK(std::none_of(tried.changes.begin(), tried.changes.end(), is_mandatory));
}

TEST_CASE("Nothing is changed where nothing has to be", "[suggest]") {
  const std::string log = log_with_bursts();
  const SuggestReport report = suggest(suggest_options(log, {"shop.rejected < 5000"}));
  CHECK(report.met);
  CHECK(report.met_before);
  CHECK(report.changes.empty());
  CHECK(report.texts.front().text == kYaml);
}

TEST_CASE("The same for any number of threads; less budget, no more replays", "[suggest]") {
  const std::string log = log_with_bursts();
  SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  const SuggestReport report = suggest(options);
  options.replay.threads = 5;
  CHECK(render_json(suggest(options)) == render_json(report));
  options.budget = 10;
  const SuggestReport hasty = suggest(options);
  CHECK(hasty.out_of_budget);
  CHECK(hasty.replays <= 14);
}

TEST_CASE("A level is a client's own if only FlowSchemas for this client lead to it", "[suggest]") {
  Config config = bootstrap_config(kNewestKubeVersion);
  using Names = std::vector<std::string>;
  CHECK(own_levels(config, "system:node:*") == Names{"system", "node-high"});
  CHECK(own_levels(config, "system:node:n1").empty());
  CHECK(own_levels(config, "system:kube-scheduler").empty());
  const std::vector<ConfigText> texts = {{"shop.yaml", kYaml}};
  const Config shop = load_config(texts).config;  // for shop/*
  CHECK(own_levels(shop, "system:serviceaccount:shop:*") == Names{"shop"});
  CHECK(own_levels(shop, "system:serviceaccount:shop:cart").empty());
  CHECK(own_levels(shop, "system:serviceaccount:sho:*").empty());
  const auto with_subject = [&](const Subject& subject) {
    Config out = shop;
    out.flow_schemas.front().rules.front().subjects = {subject};
    return out;
  };
  const Config by_user = with_subject({"User", "system:serviceaccount:shop:cart", {}, {}});
  CHECK(own_levels(by_user, "system:serviceaccount:shop:cart") == Names{"shop"});
  CHECK(own_levels(by_user, "system:serviceaccount:shop:*") == Names{"shop"});
  CHECK(own_levels(by_user, "system:serviceaccount:shop:other").empty());
  const Config by_group = with_subject({"Group", {}, "system:serviceaccounts:shop", {}});
  CHECK(own_levels(by_group, "system:serviceaccount:shop:*") == Names{"shop"});
  CHECK(own_levels(by_group, "system:serviceaccount:shop:cart").empty());
  CHECK(own_levels(with_subject({"User", "*", {}, {}}), "*").empty());
  Config two = shop;
  two.flow_schemas.push_back(shop.flow_schemas.front());
  two.flow_schemas.back().rules.front().subjects = {{"Group", {}, "system:authenticated", {}}};
  CHECK(own_levels(two, "system:serviceaccount:shop:*").empty());
}

TEST_CASE("A client's own level is what changes for it", "[suggest]") {
  const std::string log = log_with_bursts();
  SuggestOptions options = suggest_options(log, {});
  options.protect = {"system:serviceaccount:shop:*"};
  options.wait_bound = kSecond;
  const SuggestReport protected_there = suggest(options);
  REQUIRE(protected_there.met);
  CHECK(!protected_there.met_before);
  for (const SuggestChange& change : protected_there.changes) CHECK(change.field != SuggestField::level);
  options.protect.clear();
  options.isolate = {"system:serviceaccount:shop:*"};
  const SuggestReport isolated = suggest(options);
  REQUIRE(isolated.met);
  for (const SuggestChange& change : isolated.changes) CHECK(change.field != SuggestField::level);
}

TEST_CASE("A suggestion is for one configuration", "[suggest]") {
  const std::string log = log_with_bursts();
  SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  options.replay.config_changes.emplace_back(ReplayTime{true, kSecond}, options.replay.config);
  CHECK_THROWS_AS(suggest(options), Error);
}

TEST_CASE("Without a goal there is nothing to suggest", "[suggest]") {
  const std::string log = log_with_bursts();
  CHECK_THROWS_AS(suggest(suggest_options(log, {})), Error);
}

TEST_CASE("Clients that have FlowSchemas can have another one; heartbeats and leader election stay", "[suggest]") {
  ReplayOptions options;
  Config& config = options.config = bootstrap_config(kNewestKubeVersion);
  const auto number_of = [&](const std::string& user, const std::string& now_by, const std::string& own = {},
                             const std::string& kept = {}, std::size_t followers = 0) {
    ClientRequests requests;
    for (const FlowSchema& schema : config.flow_schemas) {
      if (schema.meta.name == now_by) requests.first_other = schema;
      if (schema.meta.name == own) requests.last_own = schema;
      if (schema.meta.name == kept) requests.last_kept = schema;
    }
    const std::optional<SuggestChange> change = level_for(options, user, true, requests, followers);
    return change ? change->precedence : 0;
  };
  CHECK(number_of("system:kube-scheduler", "kube-scheduler") == 700);
  CHECK(number_of("system:node:n1", "system-nodes") == 490);
  CHECK(number_of("system:serviceaccount:shop:app", "service-accounts") == 8000);
  CHECK(number_of("system:serviceaccount:kube-system:app", "kube-system-service-accounts") == 700);
  CHECK(number_of("system:serviceaccount:shop:app", "service-accounts", "global-default") == 0);
  CHECK(number_of("system:serviceaccount:shop:app", "global-default", "service-accounts") == 9500);
  CHECK(number_of("system:serviceaccount:shop:app", "") == 0);  // it has no requests
  CHECK(number_of("system:serviceaccount:shop:ap*", "service-accounts") == 0);
  // Behind those that keep its requests; and some are left for others that are to come behind it.
  CHECK(number_of("system:serviceaccount:kube-system:app", "kube-system-service-accounts", "", "system-nodes") == 700);
  CHECK(number_of("system:kube-scheduler", "kube-scheduler", "", "service-accounts") == 0);
  CHECK(number_of("system:node:n1", "system-nodes", "", "system-node-high", 15) == 480);
  CHECK(number_of("system:node:n1", "system-nodes", "", "system-node-high", 95) == 404);
  CHECK(number_of("system:node:n1", "system-nodes", "", "system-node-high", 200) == 401);
  // No number is left between those that stay and the next one.
  for (FlowSchema& schema : config.flow_schemas)
    if (schema.meta.name == "system-nodes") schema.matching_precedence = 401;
  CHECK(number_of("system:node:n1", "system-nodes") == 0);
}

TEST_CASE("FlowSchemas of the user's own lead to a new level, and a new one is for other requests", "[suggest]") {
  const std::string log = log_with_bursts() + line(60 * kSecond, "batch", kSecond);
  SuggestOptions options = suggest_options(log, {});
  const PreparedLog prepared(options.replay);
  const std::string cart = "system:serviceaccount:shop:cart", shop = "system:serviceaccount:shop:*";
  const ClientRequests of_cart = requests_of(prepared, options.replay, cart);
  CHECK(of_cart.names_users);
  CHECK(of_cart.own_schemas.empty());  // others go by it
  REQUIRE(of_cart.first_other);
  CHECK(of_cart.first_other->meta.name == "shop");
  CHECK(requests_of(prepared, options.replay, shop).own_levels == std::vector<std::string>{"shop"});

  // The same FlowSchema leads to a level that others have, too.
  for (FlowSchema& schema : options.replay.config.flow_schemas)
    if (schema.meta.name == "shop") schema.priority_level = "workload-low";
  const ClientRequests requests = requests_of(prepared, options.replay, shop);
  CHECK(requests.own_levels.empty());
  CHECK(requests.own_schemas == std::vector<std::string>{"shop"});
  CHECK(!requests.first_other);
  const std::optional<SuggestChange> change = level_for(options.replay, shop, false, requests);
  REQUIRE(change);
  CHECK(change->precedence == 0);
  CHECK(change->flow_schemas == requests.own_schemas);
  ReplayOptions after = options.replay;
  apply_plan({*change}, after);
  CHECK(after.config.flow_schemas.size() == options.replay.config.flow_schemas.size());
  CHECK(own_levels(after.config, shop) == std::vector<std::string>{change->level});
  CHECK(requests_of(prepared, after, shop).own_levels == std::vector<std::string>{change->level});
  // Without the files, it is the server's: a new one comes before it.
  for (FlowSchema& schema : options.replay.config.flow_schemas) schema.meta.source = {};
  CHECK(requests_of(prepared, options.replay, shop).first_other->meta.name == "shop");
}

TEST_CASE("A protected level gives nothing, an isolating one stays as it is, and old releases do not borrow",
          "[suggest]") {
  const std::string log = log_with_bursts();
  const SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  Trials trials(options);
  const auto levels_but_shop = [&] {
    std::set<std::string> out;
    for (const Lever& lever : find_levers(trials, {}, 0))
      if (lever.change.field != SuggestField::level && lever.change.level != "shop") out.insert(lever.change.level);
    return out;
  };
  const std::set<std::string> givers = levels_but_shop();
  REQUIRE(!givers.empty());
  trials.clients().protecting_levels = givers;
  for (const std::string& level : levels_but_shop()) CHECK(!givers.contains(level));
  const auto fields_of_shop = [&] {
    std::set<SuggestField> out;
    for (const Lever& lever : find_levers(trials, {}, 0))
      if (lever.change.level == "shop") out.insert(lever.change.field);
    return out;
  };
  CHECK(fields_of_shop().contains(SuggestField::borrowing));
  CHECK(fields_of_shop().contains(SuggestField::lendable));
  trials.clients().isolating_levels = {"shop"};
  CHECK(!fields_of_shop().contains(SuggestField::borrowing));
  CHECK(!fields_of_shop().contains(SuggestField::lendable));
  CHECK(fields_of_shop().contains(SuggestField::shares));

  SuggestOptions old = suggest_options(log, {"shop.rejected == 0"});
  old.replay.version = KubeVersion{25};
  Trials before_borrowing(old);
  const std::vector<Lever> levers = find_levers(before_borrowing, {}, 0);
  CHECK(!levers.empty());
  for (const Lever& lever : levers) {
    CHECK(lever.change.field != SuggestField::borrowing);
    CHECK(lever.change.field != SuggestField::lendable);
  }
}

TEST_CASE("Requests that a change takes elsewhere are no proof that a level needs seats", "[suggest]") {
  const std::string log = log_with_bursts();
  const ReplayOptions options = suggest_options(log, {}).replay;
  const PreparedLog prepared(options);
  const Demand all = densest_demand(prepared, options, "shop", {}, kSecond);
  const std::string batch = "system:serviceaccount:shop:batch";
  const std::optional<SuggestChange> level = level_for(options, batch, false, requests_of(prepared, options, batch));
  REQUIRE(level);
  const Demand less = densest_demand(prepared, options, "shop", {*level}, kSecond);
  CHECK(less.seats() < all.seats() / 2);
  CHECK(less.seats() > 0);
  CHECK(densest_demand(prepared, options, "", {*level}, kSecond).seats() == all.seats());
}

TEST_CASE("Interrupted before a replay was complete, nothing is held against the goals", "[suggest]") {
  const std::string log = log_with_bursts();
  const std::atomic<bool> interrupted = true;
  SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  options.replay.interrupted = &interrupted;
  const SuggestReport report = suggest(options);
  CHECK(report.interrupted);
  CHECK(!report.met);
  CHECK(report.goals.empty());
}

TEST_CASE("Progress says what the best change so far is", "[suggest]") {
  const std::string log = log_with_bursts();
  SuggestOptions options = suggest_options(log, {"shop.rejected == 0"});
  std::vector<SuggestChange> last;
  std::uint64_t said = 0;
  options.progress = [&](std::uint64_t replays, const std::vector<SuggestChange>* best) {
    CHECK(replays >= said);
    said = replays;
    if (best) last = *best;
  };
  const SuggestReport report = suggest(options);
  REQUIRE(report.met);
  CHECK(last == report.changes);
}
