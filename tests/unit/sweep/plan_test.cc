// Plans of sweeps: what they say, and each mistake at its line.
#include <apf/sweep.h>

#include <memory>

#include <fmt/format.h>

#include "catch.h"

using namespace apf;

namespace {

std::string faults_of(const std::string& text) {
  std::string out;
  for (const Diagnostic& d : read_sweep_plan({"dir/plan.yaml", text}).faults)
    out += fmt::format("{}: {}\n", d.span.line, d.message);
  return out;
}

}  // namespace

TEST_CASE("A plan is read as it is written", "[sweep]") {
  const SweepPlan plan = read_sweep_plan({"dir/plan.yaml", R"(
logs:
- east/audit.log
- name: west
  files: [west/audit.log, /var/log/kube-apiserver.log]
  objects: west/metrics
log-format: audit
configurations:
- name: built-in
- name: wanted
  files: flowcontrol/
flags:
- name: usual
- name: more
  kubernetes-version: "1.34"
  builtins: mandatory
  max-requests-inflight: 800
  borrowing: off
  request-timeout: 2m
  scale: [2x, 'sa:shop/*=0.5', 'alice=3']
  nodes: 2
- name: old
  apf: off
- name: stages
  event-rate-limit: limits.yaml
  event-sender: retry
  quota: [quota.yaml, /etc/plugin.yaml]
  quota-used: status
  quota-resync: 5m
- name: clients
  client-qps: [0.5, kubectl/=50/300]
  client-burst: 0
  client-model: ['a=b/=workers:3', '*=loop', auto]
  client-timeout: kubectl/=30s
  retries: yes
- name: off
  quota: quota.yaml
  quota-resync: off
seeds: 3
jitter: 2ms
recorded:
  configuration: wanted
  flags: more
)"});
  for (const Diagnostic& d : plan.faults) FAIL_CHECK(d.message);
  REQUIRE(plan.logs.size() == 2);
  CHECK(plan.logs[0].name == "east/audit.log");
  CHECK(plan.logs[0].files == std::vector<std::string>{"dir/east/audit.log"});
  CHECK(plan.logs[1].files == std::vector<std::string>{"dir/west/audit.log", "/var/log/kube-apiserver.log"});
  CHECK(plan.logs[1].objects == "dir/west/metrics");
  REQUIRE(plan.configurations.size() == 2);
  CHECK(plan.configurations[0].files.empty());
  REQUIRE(plan.flags.size() == 6);
  CHECK(plan.flags[1].version() == *KubeVersion::parse("1.34"));
  CHECK(plan.flags[1].replay.borrowing == Borrowing::off);
  CHECK(plan.flags[1].replay.request_timeout == 120 * kSecond);
  CHECK(plan.flags[2].replay.in_flight);
  CHECK(plan.flags[1].replay.scales == std::vector<LoadScale>{{"", 2, false},
                                                              {"system:serviceaccount:shop:*", 0.5, false},
                                                              {"alice", 3, false},
                                                              {"system:node:*", 2, true}});
  CHECK(plan.seeds == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(plan.jitter == 2 * kMillisecond);
  REQUIRE(plan.recorded);
  CHECK(plan.recorded->configuration == 1);
  CHECK(plan.recorded->flags == 1);

  const ReplayOptions &stages = plan.flags[3].replay, &clients = plan.flags[4].replay;
  CHECK(plan.flags[3].event_rate_limit_file == "dir/limits.yaml");
  CHECK(stages.event_sending.sender == EventSender::retry);
  CHECK(stages.event_sending.pause == 10 * kSecond);
  CHECK(plan.flags[3].quota_files == std::vector<std::string>{"dir/quota.yaml", "/etc/plugin.yaml"});
  CHECK(stages.quota_start == QuotaStart::status);
  CHECK(stages.quota_resync == 300 * kSecond);
  CHECK(!stages.client_limits);
  REQUIRE(clients.client_limits);
  CHECK(clients.client_limits->of_all.qps == 0.5F);
  CHECK(clients.client_limits->of_all.burst == ClientLimit{}.burst);
  CHECK(clients.client_limits->of("u", "kubectl/1").burst == 300);
  REQUIRE(clients.client_models.size() == 2);
  CHECK(clients.client_models[0].agent == "a=b/");
  CHECK(clients.client_models[0].places == 3);
  CHECK(clients.client_models[1].model == ClientModel::loop);
  CHECK(clients.client_models_by_log);
  REQUIRE(clients.client_timeouts.size() == 1);
  CHECK(clients.client_timeouts[0].patience == 30 * kSecond);
  CHECK(clients.retries);
  CHECK(plan.flags[5].name == "off");
  CHECK(plan.flags[5].replay.quota_resync == 0);

  SweepPlan loaded = plan;
  loaded.flags[3].replay.event_rate_limit.emplace();
  for (const std::size_t i : {3u, 5u}) loaded.flags[i].replay.resource_quotas.resize(i);
  const SweepOptions options = sweep_options(loaded, std::vector<Config>(12));
  CHECK(options.combinations.size() == 12);
  CHECK(options.replays() == 2 * 12 * 3);
  CHECK(options.combinations[3].replay.event_rate_limit.has_value());
  CHECK(options.combinations[9].replay.resource_quotas.size() == 3);
  CHECK(options.combinations[9].replay.event_sending.sender == EventSender::retry);
  CHECK(options.combinations[4].replay.client_models.size() == 2);
  CHECK(options.combinations[4].replay.client_models_by_log);
  CHECK(options.combinations[4].replay.retries);
  CHECK(options.combinations[4].replay.client_timeouts.size() == 1);
  CHECK(options.combinations[4].replay.client_limits.has_value());
  CHECK(!options.combinations[0].replay.client_limits);
  CHECK(options.combinations[1].flags == "more");
  CHECK(options.combinations[1].replay.server_concurrency_limit == 1000);
  CHECK(!options.combinations[1].replay.seats_by_log);
  CHECK(options.combinations[0].replay.seats_by_log);
  CHECK(options.combinations[2].replay.in_flight->mutating == 200);
  CHECK(options.combinations[11].replay.recorded->server_concurrency_limit == 1000);
}

TEST_CASE("Each mistake of a plan has its line and a cure", "[sweep]") {
  CHECK(faults_of("") == "1: the file is empty: a plan needs lists \"logs\" and \"configurations\"\n");
  CHECK(faults_of("logs: [a]\n").find("configurations: a plan needs a list") != std::string::npos);
  const std::string rest = "configurations: [b]\n";
  const auto of = [&](const std::string& text) { return faults_of("logs: [a]\n" + rest + text); };
  CHECK(of("").empty());
  CHECK(of("seed: 3\n") == "3: unknown key \"seed\", did you mean \"seeds\"?\n");
  CHECK(of("seeds: 0\n") == "3: seeds: expected a whole number from 1 to 1000\n");
  CHECK(of("seeds: [1, 1]\n") == "3: seeds: 1 is there twice: remove one\n");
  CHECK(of("jitter: 2s\n") == "3: jitter: \"2s\" is not a duration above 0 and up to 1s\n");
  CHECK(of("log-format: audi\n").starts_with("3: log-format: \"audi\" is unknown, did you mean \"audit\"?"));
  CHECK(of("recorded: {configuration: c}\n").starts_with("3: configuration: the plan has none of the name \"c\""));
  CHECK(of("recorded: {}\n") ==
        "3: recorded: name the configuration of the plan that the servers ran when the logs were written\n");
  CHECK(of("flags: []\n") == "3: flags: expected a list of sets of flags, found an empty one\n");
  CHECK(of("flags:\n- kubernetes-version: 1.34\n") == "4: a set of flags without a name: give it one\n");
  CHECK(of("flags:\n- {name: a}\n- {name: a}\n") == "5: name: there are two of the name \"a\": give each its own\n");
  CHECK(of("flags:\n- {name: a, kubernetes-version: '1.2'}\n").find("unsupported version") != std::string::npos);
  CHECK(of("flags:\n- {name: a, borrowing: sever}\n") == R"(4: borrowing: "sever" is unknown, did you mean "server"?)"
                                                         "\n");
  CHECK(of("flags:\n- {name: a, request-timeout: 0s}\n") == "4: request-timeout: 0s must be greater than 0\n");
  CHECK(of("flags:\n- {name: a, scale: 'group:a=2'}\n") ==
        "4: scale: 'group:a' is a group; name users: "
        "sa:NAMESPACE/NAME, sa:NAMESPACE/*, node:*, user:NAME or "
        "the beginning of a name with * behind it\n");
  CHECK(of("flags:\n- {name: a, scale: many}\n") == "4: scale: 'many' is not a factor such as 2 or 0.5x\n");
  CHECK(of("flags:\n- {name: a, scale: [2, 'a=10001']}\n") == "4: scale: 10001 is not between 0 and 10000\n");
  CHECK(of("flags:\n- {name: a, nodes: -1x}\n") == "4: nodes: -1x is not between 0 and 10000\n");
  CHECK(of("flags:\n- {name: a, nodes: [2]}\n") == "4: nodes: expected a factor such as 2, found a list\n");
  CHECK(of("flags:\n- {name: a, server-concurrency: 3, max-requests-inflight: 2}\n").find("give it or them") !=
        std::string::npos);
  CHECK(of("flags:\n- {name: a, max-requests-inflight: 0, max-mutating-requests-inflight: 0}\n").find("no seats") !=
        std::string::npos);
  CHECK(of("flags:\n- {name: a, quota: q, quota-conflicts: 1s}\n")
            .starts_with("4: quota-conflicts: plans of sweeps do not have it"));
  CHECK(of("flags:\n- {name: a, quota-used: zero}\n") ==
        "4: quota-used needs quota: give it, too, or leave this out\n");
  CHECK(of("flags:\n- {name: a, client-model: ['*=workers:2']}\n").empty());
  CHECK(of("flags:\n- {name: a, client-model: ['*=workers']}\n").find("add recorded to the plan") != std::string::npos);
  CHECK(of("flags:\n- {name: a, client-model: ['*=workers']}\nrecorded: {configuration: b}\n").empty());
  CHECK(of("flags:\n- {name: a, client-model: []}\n") ==
        "4: client-model: expected AGENT=MODEL, or auto, found an empty list\n");
  CHECK(of("flags:\n- {name: a, scale: 2, client-qps: a=1/1}\n").find("cannot be scaled together with limits") !=
        std::string::npos);
  CHECK(of("flags:\n- {name: a, scale: 2, event-rate-limit: e, client-timeout: a=1s, retries: true}\n").empty());
  CHECK(faults_of("logs: [a, a]\n" + rest) == "1: logs: \"a\" is there twice: remove one\n");
  CHECK(faults_of("logs: ['-']\n" + rest) == "1: logs: standard input (-) is not there for every task: name a file\n");
  CHECK(faults_of("logs:\n- name: a\n" + rest) == "2: a log without files: name at least one\n");
  CHECK(faults_of("logs: 3\n" + rest) == "1: logs: expected a list of logs, found a single value\n");
  CHECK(of("---\nlogs: [a]\n") == "4: a second document; a plan is a single document\n");
  // So many replays that nobody meant them.
  std::string flags = "flags:\n";
  for (int i = 0; i < 20; ++i) flags += fmt::format("- name: f{}\n", i);
  CHECK(of(flags + "seeds: 1000\n").find("20000 replays of each log") != std::string::npos);
}
