// Test files: what they stand for, and what comes out of them.
#include <apf/classify.h>
#include <apf/test_file.h>

#include "catch.h"

using namespace apf;

namespace {

TestFile read(const std::string& text) { return read_test_file({"dir/tests.yaml", text}); }

std::vector<TestResult> results(const std::string& tests, const std::string& run = "", int threads = 1) {
  const TestFile file = read("tests:\n" + tests);
  for (const Diagnostic& fault : file.faults) FAIL(fault.message);
  const Config config = bootstrap_config(kNewestKubeVersion);
  TestJob job;
  job.file = &file;
  job.server.config = &config;
  job.server.config_flags = " -f x.yaml";
  job.server.replay = [](const ReplaySetup& setup) {
    std::vector<TestServer::Answer> out;
    for (const std::string& text : setup.expect) out.push_back({text == "yes", "got " + text});
    return out;
  };
  TestOptions options;
  options.run = run;
  options.threads = threads;
  return run_tests({&job, 1}, options).front().tests;
}

TestResult result(const std::string& test) {
  const std::vector<TestResult> all = results("- " + test + "\n");
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("a table is every user with every request", "[test_file]") {
  const TestFile file = read(
      "tests:\n- name: t\n  users: [node:a, {as: alice, groups: [devs]}]\n  requests: [list pods, {get: /healthz}]\n"
      "  expect: x\n");
  REQUIRE(file.faults.empty());
  REQUIRE(file.cases.size() == 4);
  CHECK(file.cases[0].name == "t: list pods as node:a");
  CHECK(file.cases[1].name == "t: get /healthz as node:a");
  CHECK(file.cases[2].name == "t: list pods as alice in devs");
  const auto& test = std::get<RequestTest>(file.cases[3].what);
  CHECK(test.user.groups == std::vector<std::string>{"devs", "system:authenticated"});
  CHECK(test.request.info.path == "/healthz");
}

TEST_CASE("paths are beside the file", "[test_file]") {
  const TestFile file = read(
      "config: [a/, ../b.yaml, /c.yaml, 'git:main:x']\nobjects: o.txt\n"
      "tests: [{replay: {log: l.gz, objects: p.txt, recorded-config: same, expect: [a, b]}}]\n");
  REQUIRE(file.faults.empty());
  CHECK(file.config == std::vector<std::string>{"dir/a/", "b.yaml", "/c.yaml", "git:main:x"});
  CHECK(file.objects == "dir/o.txt");
  REQUIRE(file.replays.size() == 1);
  CHECK(file.replays[0].logs == std::vector<std::string>{"dir/l.gz"});
  CHECK(file.replays[0].objects == "dir/p.txt");
  CHECK(file.replays[0].recorded_config == "same");
  CHECK(file.cases.size() == 2);
}

TEST_CASE("an expectation names a FlowSchema, a level, or both", "[test_file]") {
  const std::string as = "{as: sa:ci/a, request: list pods -n ci, ";
  CHECK(result(as + "expect: service-accounts}").passed);
  CHECK(result(as + "expect: workload-low}").passed);
  CHECK(result(as + "expect: service-accounts/workload-low}").passed);
  CHECK(result(as + "expect: {priorityLevel: workload-low, distinguisher: 'system:serviceaccount:ci:a', seats: 1}}")
            .passed);
  CHECK_FALSE(result(as + "expect: service-accounts/workload-high}").passed);
  CHECK_FALSE(result(as + "expect: {seats: '> 1'}}").passed);
  CHECK_FALSE(result(as + "expect-not: workload-low}").passed);
  CHECK(result(as + "expect-not: workload-high}").passed);
  CHECK(result(as + "expect: workload-low, expect-not: catch-all}").passed);
  CHECK(result(as + "expect-not: {flowSchema: service-accounts, priorityLevel: workload-high}}").passed);
}

TEST_CASE("a name that nothing has is never avoided", "[test_file]") {
  const TestResult test = result("{as: sa:ci/a, request: list pods -n ci, expect-not: worload-low}");
  CHECK_FALSE(test.passed);
  CHECK(test.nearest_miss == "there is no FlowSchema or priority level worload-low; did you mean workload-low?");
}

TEST_CASE("a failure says what is missing, and how to see it", "[test_file]") {
  const TestResult test = result("{as: node:a, request: list pods -n ci, expect: system-node-high/node-high}");
  CHECK(test.expected == "system-node-high/node-high");
  CHECK(test.got == "system-nodes/system");
  CHECK(test.nearest_miss.starts_with("system-node-high: rules[0].resourceRules["));
  CHECK(test.command == "apfctl explain list pods -n ci --as system:node:a --as-group system:nodes -f x.yaml");
  CHECK(test.line == 2);
  const TestResult later = result("{as: sa:ci/a, request: list pods -n ci, expect: global-default}");
  CHECK(later.nearest_miss ==
        "global-default (matchingPrecedence 9900) matches, but service-accounts (9000) comes first");
}

TEST_CASE("figures of levels", "[test_file]") {
  CHECK(results("- limits: {node-high: {nominal: '>= 98', min: 73, shares: ['> 39', '< 41']}}\n").size() == 4);
  for (const TestResult& test :
       results("- limits: {node-high: {nominal: '>= 98', min: 73, shares: ['> 39', '< 41']}}\n")) {
    INFO(test.name << ": " << test.got);
    CHECK(test.passed);
  }
  CHECK(result("limits: {node-high: {nominal: 97}}").got == "98");
  CHECK(result("limits: {node-hihg: {nominal: 97}}").nearest_miss ==
        "there is no priority level node-hihg; did you mean node-high?");
}

TEST_CASE("replays are run once, and only if they are wanted", "[test_file]") {
  const std::string tests =
      "- replay: {log: x, expect: [yes, no]}\n- {as: alice, request: list pods, expect: global-default}\n";
  const std::vector<TestResult> all = results(tests);
  REQUIRE(all.size() == 3);
  CHECK(all[0].passed);
  CHECK(all[1].got == "got no");
  CHECK(results(tests, "^list").size() == 1);
}

TEST_CASE("many files give the same results on any number of threads", "[test_file]") {
  std::vector<TestFile> files;
  for (int i = 0; i < 20; ++i)
    files.push_back(
        read("tests: [{as: 'user:u" + std::to_string(i) + "', request: list pods, expect: global-default}]"));
  const Config config = bootstrap_config(kNewestKubeVersion);
  std::vector<TestJob> jobs;
  for (const TestFile& file : files) jobs.push_back({&file, {.config = &config}});
  for (const int threads : {1, 2, 7}) {
    TestOptions options;
    options.threads = threads;
    const std::vector<TestRun> runs = run_tests(jobs, options);
    REQUIRE(runs.size() == files.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
      CHECK(runs[i].tests.at(0).name == "list pods as user:u" + std::to_string(i));
  }
}

TEST_CASE("too many tests are a fault, not a long wait", "[test_file]") {
  std::string users = "[", requests = "[";
  for (int i = 0; i < 400; ++i)
    users += "u" + std::to_string(i) + ",", requests += "get pods p" + std::to_string(i) + ",";
  const TestFile file = read("tests: [{users: " + users + "], requests: " + requests + "], expect: x}]");
  REQUIRE(file.faults.size() == 1);
  CHECK(file.faults[0].message == "more than 100000 tests in one file: split it");
}
