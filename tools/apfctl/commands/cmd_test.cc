// apfctl test: unit tests for configurations: run them, say what they do not reach, write them.

#include <fmt/core.h>

#include <filesystem>

#include <apf/error.h>
#include <apf/logs.h>
#include <apf/report.h>
#include <apf/test_file.h>

#include "commands/test_jobs.h"
#include "flags/damaged_logs.h"
#include "flags/expectations.h"
#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/git_objects.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/project.h"

namespace apfctl {

namespace {

struct TestFlags {
  Console console;
  OutputFlags output;
  TestServerFlags server;
  std::string run, threads = "0";
  std::vector<std::string> expect;
  std::optional<std::string> min_coverage;
  bool coverage = false, generate = false;
};

void declare(CommandLine& line, TestFlags& flags) {
  line.synopsis("test FILE... [FLAG]...\n       apfctl test --generate [LOG]... [-f PATH]... [FLAG]...");
  line.about(
      "Do the FlowSchemas still do what we rely on?",
      "Runs unit tests of configurations: where requests go, how many seats levels have, what lint finds, what a "
      "replay "
      "comes to. FILE: a test file as in apfctl-test(5), or - for standard input. With --generate, writes a test file "
      "that pins down what the configuration does today.");
  line.example("run the tests of a file", "apfctl test examples/config-tests/tests.yaml");
  line.example("the same tests for another configuration, and what they do not reach",
               "apfctl test examples/config-tests/tests.yaml -f examples/config-tests/fixed.yaml --coverage");
  line.example("write down where requests go today, as tests",
               "apfctl test --generate examples/incident/audit.log.gz -f examples/config-tests/fixed.yaml");
  line.heading("Tests");
  line.option("--run", flags.run, "REGEX", "Run only the tests whose name matches this regular expression.");
  line.flag("--coverage", flags.coverage,
            "Show which FlowSchemas, rules, subjects and entries no test reaches, as a table and next to the YAML.");
  line.option("--min-coverage", flags.min_coverage, "PERCENT", "In short for --expect 'coverage >= PERCENT%'.");
  line.list("--expect", flags.expect, "'coverage OP VALUE'",
            "Exit 1 unless tests reach this share of these parts, as in 'coverage >= 80%'. Implies --coverage. "
            "Repeatable.");
  line.choices("--expect", std::vector<std::string>{"coverage"});
  line.flag("--generate", flags.generate,
            "Write tests instead: with LOGs, one for each path of their requests through the configuration; without, "
            "one for each rule that a request can reach.");
  line.option("--threads", flags.threads, "N",
              "Number of files to test at once (default: one per processor). The result is the same.");
  line.heading("Configuration");
  line.list("-f,--filename", flags.server.config.filenames, "PATH",
            "FlowSchemas and PriorityLevelConfigurations, instead of those that the test files name: a file, a "
            "directory, a glob, git:REV[:PATH], or - for standard input. Repeatable.");
  flags.server.config.cluster.declare(line);
  flags.server.config.objects.declare(line);
  line.flag("--allow-git", flags.server.allow_git,
            "Let test files name configurations in git (git:REV[:PATH]), which starts git.");
  line.flag("--no-validate", flags.server.config.no_validate,
            "Continue if the configuration has errors, with the objects that can be decoded.");
  flags.server.release.declare(line);
  flags.server.inflight.declare(line);
  flags.server.settings.declare(line);
  line.option("--today", flags.server.today, "DATE",
              "Date to compare with the end dates of suppressions, in tests of findings (default: today in UTC).");
  flags.output.declare(line, {"text", "json", "junit", "tap", "github", "markdown", "html"});
  flags.console.declare(line);
}

// A file that cannot be used does not keep the others from being tested.
bool add(TestJobs& jobs, const std::string& path) {
  try {
    return jobs.add(path);
  } catch (const apf::Error& error) {
    const std::string what = apf::printable(error.what());
    const bool named = what.find(apf::printable(path)) != std::string::npos;
    write_stderr("apfctl test: " + (named || path == "-" ? "" : apf::printable(path) + ": ") + what + "\n");
    return false;
  }
}

int run_files(const TestFlags& flags, const std::vector<std::string>& paths) {
  std::vector<std::string> expected = flags.expect;
  if (flags.min_coverage)
    expected.push_back(fmt::format("coverage >= {}%", parse_percent("--min-coverage", *flags.min_coverage, 100)));
  const Expectations expectations(expected, *apf::facts_of(apf::TestsReport()));
  apf::TestOptions options;
  options.run = flags.run;
  options.coverage = flags.coverage || !expectations.empty();
  options.threads = static_cast<int>(parse_int("--threads", flags.threads, 0, 1024));
  TestJobs jobs(flags.server, flags.console);
  bool all_read = true;
  for (const std::string& path : paths) all_read = add(jobs, path) && all_read;
  if (jobs.jobs().empty()) return kUsageOrInput;
  std::vector<apf::TestRun> runs;
  try {
    runs = apf::run_tests(jobs.jobs(), options);
  } catch (const apf::Error& error) {
    throw UsageError("--run: " + apf::printable(error.what()));
  }
  apf::TestsReport report;
  report.files = runs.size();
  report.passed_too = flags.console.verbose;
  for (apf::TestRun& run : runs) {
    for (apf::TestResult& test : run.tests) report.tests.push_back(std::move(test));
    if (!options.coverage) continue;
    if (!report.coverage) report.coverage.emplace();
    report.coverage->add(run.coverage);
  }
  if (report.tests.empty())
    throw UsageError("--run: no test has a name that matches '" + apf::printable(flags.run) + "'");
  const apf::ReportFrame frame{"", expectations.results(*apf::facts_of(report))};
  Setup setup = {{"Tests", join(paths)}};
  for (const std::string& server : jobs.servers()) setup.emplace_back("Configuration", server);
  write_report(
      flags.output, flags.console, [&](const apf::View& view) { return apf::document_of(report, frame, view); },
      [&] { return with_warnings(apf::render_json(report), jobs.warnings()); },
      {{"junit", [&] { return apf::render_junit(report); }},
       {"tap", [&] { return apf::render_tap(report); }},
       {"github", [&] { return apf::render_github(report, frame); }}},
      setup);
  std::string said;
  for (const apf::TestResult& test : report.tests) {  // once for several tests of one replay
    if (test.error.empty() || test.error == said) continue;
    said = test.error;
    write_stderr("apfctl test: " + apf::printable(fmt::format("{}:{}: {}", test.file, test.line, said)) + "\n");
  }
  if (!all_read || report.errors() > 0) return kUsageOrInput;
  refuse_open("coverage", frame.expectations);
  const int code = print_unmet("test", frame.expectations, flags.console);
  return report.passed() < report.tests.size() ? kNotOk : code;
}

// "config: flowcontrol/", as seen from the folder of the file that is written.
std::string head_of(const TestFlags& flags, const ConfigFlags& config) {
  namespace fs = std::filesystem;
  const std::string& file = flags.output.targets.front().file;
  const fs::path folder = is_standard_output(file) ? fs::path() : fs::path(file).parent_path();
  std::string list;
  for (const std::string& path : config.filenames) {
    std::string shown = path;
    if (!folder.empty() && path != "-" && !is_in_git(path) && fs::path(path).is_relative())
      shown =
          fs::absolute(path).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal()).string();
    std::string quoted;
    apf::append_json_string(quoted, shown);
    list += (list.empty() ? "" : ", ") + quoted;
  }
  std::string out;
  if (config.filenames.size() == 1) out = "config: " + list + "\n";
  if (config.filenames.size() > 1) out = "config: [" + list + "]\n";
  if (flags.server.release.given) out += "kubernetes-version: \"" + flags.server.release.version.str() + "\"\n";
  if (flags.server.release.builtins == apf::Builtins::mandatory) out += "builtins: mandatory\n";
  if (flags.server.release.builtins == apf::Builtins::none) out += "builtins: none\n";
  if (flags.server.release.builtins == apf::Builtins::enforced) out += "builtins: enforced\n";
  if (flags.server.settings.preset_given()) out += "preset: " + flags.server.settings.preset()->name + "\n";
  return out;
}

int generate(const TestFlags& flags, const std::vector<std::string>& logs) {
  if (flags.coverage || flags.min_coverage || !flags.expect.empty() || !flags.run.empty())
    throw UsageError("--generate cannot be combined with --run, --coverage, --min-coverage or --expect");
  if (flags.output.targets.size() != 1 || flags.output.targets.front().format != "text")
    throw UsageError("--generate writes YAML: it supports only -o text[=FILE]");
  ConfigFlags config = flags.server.config;
  ReleaseFlags release = flags.server.release;
  flags.server.settings.fill(release);
  flags.server.settings.fill(config);
  const std::optional<apf::Config> loaded = config.load(flags.console, release);
  if (!loaded) return kUsageOrInput;
  refuse_kep(*loaded);
  apf::GenerateOptions options;
  options.logs = logs;
  options.traffic_reader = apf::log_traffic;
  for (const std::string& log : logs) claim_input(log);
  options.head = head_of(flags, config);
  const apf::GeneratedTests tests = apf::generate_tests(*loaded, options);
  bool partial = report_damaged_logs(tests.damaged_logs);
  partial |= report_unclassified(tests.unusable, tests.requests, join(logs), flags.console);
  flags.output.write(flags.console, [&](const std::string&, const apf::TextStyle&) { return tests.text; });
  return partial ? kUsageOrInput : 0;
}

}  // namespace

int cmd_test(CommandLine& line) {
  TestFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(flags.generate ? 0 : 1, CommandLine::kAnyNumber, "FILE");
  flags.console.check();
  flags.output.check();
  flags.server.release.check();
  flags.server.inflight.check();
  flags.server.config.cluster.check();
  today_or(flags.server.today);
  if (!flags.server.settings.read(flags.console, &flags.server.config.cluster)) return kUsageOrInput;
  return flags.generate ? generate(flags, paths) : run_files(flags, paths);
}

}  // namespace apfctl
