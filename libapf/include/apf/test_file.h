// Test files: unit tests for configurations. What a file says, whether it holds of a server, how much of the
// configuration its tests reach, and tests that pin down what a configuration does today.
//
//   const char* const yaml =
//       "tests: [{as: sa:ci/builder, request: list pods -n ci, expect: service-accounts/workload-low}]";
//   const apf::TestFile file = apf::read_test_file({"tests.yaml", yaml});
//   for (const apf::Diagnostic& fault : file.faults) std::puts(apf::to_string(fault).c_str());
//   const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   apf::TestJob job;
//   job.file = &file;
//   job.server.config = &config;
//   for (const apf::TestRun& run : apf::run_tests({&job, 1}, apf::TestOptions{}))
//     for (const apf::TestResult& test : run.tests) std::printf("%s: %s\n", test.name.c_str(), test.got.c_str());
//
// apfctl-test(5) describes the files. Configurations must be complete (defaulted, with built-in objects) and in the
// API's own dialect. Results are values; every function may be called from several threads at once. What is wrong with
// a test file is a Diagnostic; a test that cannot be run says so in its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/findings.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/remarks.h>
#include <apf/version.h>

namespace apf {

// --- what a file says ---

// A number that something is compared with: ">= 90".
struct NumberTest {
  std::string text;  // ">= 90"; of a number alone: "== 90"
  std::string op;    // < <= > >= == !=
  std::int64_t value = 0;
  APF_API bool holds(std::int64_t actual) const;
};

// Where a request is expected to go. What is absent may be anything.
struct ExpectedPlace {
  std::optional<std::string> flow_schema, priority_level;
  std::optional<std::string> either;  // the name of its FlowSchema or of its level
  std::optional<std::string> distinguisher;
  std::vector<NumberTest> seats;  // while it runs
};

struct RequestTest {
  User user;  // with the groups that authentication implies
  ParsedRequest request;
  std::string method, uri;  // the HTTP request, where it is known
  std::optional<ExpectedPlace> expect, expect_not;
};

struct LimitTest {
  std::string level, metric;
  NumberTest wanted;
};

struct LintTest {
  std::optional<Severity> fail_on;          // else that of the settings
  std::vector<std::string> select, ignore;  // as in LintOptions
};

// One expectation of a replay, "workload-low.p99wait < 1s".
struct ReplayTest {
  std::size_t replay = 0;  // in TestFile::replays
  std::size_t expectation = 0;
};

struct TestCase {
  std::string name;
  Span span;
  std::variant<RequestTest, LimitTest, LintTest, ReplayTest> what;
};

// Paths are as seen from the current folder.
struct ReplaySetup {
  std::vector<std::string> logs;
  std::string objects;  // a file of object counts; empty: TestFile::objects
  std::vector<std::string> expect;
  std::string recorded_config;      // a path, "same", or empty: see ReplayOptions::recorded
  bool allow_empty = false;         // expectations may be about no request, or about a part of the traffic
  bool allow_disagreement = false;  // … and about a replay that the log contradicts
};

// Something to say of a request that a file names: a resource that is not built in.
struct TestNote {
  Span span;
  Remark remark;
};

struct TestFile : ServerSetup {
  std::string name;                 // of the text
  std::vector<std::string> config;  // paths, as seen from the current folder; empty: not said
  std::size_t config_line = 0;      // where they are; 0: not said
  std::string objects;              // a file of object counts; empty: none
  std::vector<TestCase> cases;
  std::vector<ReplaySetup> replays;
  std::vector<Diagnostic> faults;  // with any, the cases are not complete
  std::vector<TestNote> notes;
};

APF_API TestFile read_test_file(const ConfigText& text);
// The same of a file of which flags say more: whom "admin" means depends on the server that is tested. `admin` is asked
// where a test names it, when the keys of the file have been read.
APF_API TestFile read_test_file_of(const ConfigText& text, const std::function<User(const TestFile&)>& admin);

// A request in words: "list pods -A", "patch nodes/a --subresource status", "get /healthz", "GET /api/v1/pods?watch=1".
// Throws Error.
APF_API NamedRequest request_named(std::string_view words);

// --- whether it holds ---

struct TestResult {
  std::string name, file;
  int line = 0;
  bool passed = false;
  std::string expected, got;         // what a failed test expected, and what there is instead
  std::string nearest_miss;          // what is missing to what was expected; may be empty
  std::string command;               // shows it; may be empty
  std::vector<std::string> details;  // lines: findings
  std::string error;                 // not empty: it could not be run
};

// What the tests of a file are about.
struct TestServer {
  const Config* config = nullptr;
  KubeVersion version = kNewestKubeVersion;
  int server_concurrency_limit = 600;  // seats
  ObjectCounts objects{};
  // What commands end with that ask about this configuration (" -f flowcontrol/"), and besides, about its seats, and
  // about the seats of its requests.
  std::string config_flags{}, seat_flags{}, object_flags{};
  LintProject lint{};  // of tests of findings: all but what the test itself says
  // Answers the expectations of a replay, in their order. Throws Error.
  struct Answer {
    bool met = false;
    std::string got{};
  };
  std::function<std::vector<Answer>(const ReplaySetup&)> replay{};
};

// Which parts of the FlowSchemas took a request of a test: rules and subjects that matched it, and the entries of lists
// (verbs, resources, …) that did.
struct APF_API TestCoverage {
  enum class Kind : std::uint8_t { flow_schema, rule, subject, entry };
  struct Item {
    Kind kind = Kind::flow_schema;
    std::string flow_schema;
    std::optional<std::uint32_t> rule;
    std::string field;  // "spec.rules[0].subjects[1]"; empty for the FlowSchema
    std::string text;   // what is written there: "Group devs", "list"
    Span span;          // unknown for built-in objects
    bool reached = false;
    bool reachable = true;  // some request could
  };
  std::vector<Item> items;        // by FlowSchema in the order in which they are asked, then as written
  std::vector<ConfigText> texts;  // that hold these FlowSchemas

  std::size_t reached() const;
  double percent() const;  // of the items; 100 without any
  // What several files reach of the same objects.
  void add(const TestCoverage& other);
};

struct TestRun {
  std::vector<TestResult> tests;
  TestCoverage coverage;  // empty unless wanted
};

struct TestJob {
  const TestFile* file = nullptr;
  TestServer server;
};

struct TestOptions {
  std::string run{};      // a regular expression: tests of other names are left out; empty: all
  bool coverage = false;  // of the FlowSchemas that are given in texts; of the built-in ones where none is
  int threads = 1;        // 0: as many as there are processors
};

// By job, each with the results of its file in the order of the file, for any number of threads. Throws Error for
// a regular expression that is none.
APF_API std::vector<TestRun> run_tests(std::span<const TestJob> jobs, const TestOptions& options);

// What the tests of several files came to.
struct TestsReport {
  std::vector<TestResult> tests;  // in the order of the files
  std::size_t files = 0;
  std::optional<TestCoverage> coverage;  // of all files together; nothing: not wanted
  bool passed_too = false;               // texts also name the tests that passed

  APF_API std::size_t passed() const;
  APF_API std::size_t errors() const;  // could not be run; the others failed
};

// --- tests of what a configuration does today ---

struct GenerateOptions {
  std::vector<std::string> logs;     // empty: one test for each rule that a request can reach
  MakeTrafficReader traffic_reader;  // as in LintProject
  // The lines above the tests: "config: flowcontrol/\n".
  std::string head;
};

struct GeneratedTests {
  std::string text;  // of a test file
  std::size_t tests = 0;
  std::uint64_t requests = 0, unusable = 0;  // of the logs
  std::vector<Remark> damaged_logs;          // RemarkKind::log_damaged
};

// With logs: one test for each path that their requests take through the configuration: FlowSchema, rule, subject and
// resourceRule or nonResourceRule. Throws Error for a log that cannot be read.
APF_API GeneratedTests generate_tests(const Config& config, const GenerateOptions& options);

}  // namespace apf
