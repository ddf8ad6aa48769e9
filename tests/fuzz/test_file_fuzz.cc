// Any text as a test file: it always ends, what is wrong has its place, and what reads can be run.
#include <cstdint>
#include <cstdlib>

#include <apf/report.h>
#include <apf/test_file.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

APF_FUZZER(test_file_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const apf::TestFile file = apf::read_test_file({"tests.yaml", text});
  for (const apf::Diagnostic& d : file.faults)
    require(!d.message.empty() && d.severity == apf::Severity::error && d.span.known());
  require(!file.faults.empty() || !file.cases.empty());
  for (const apf::TestCase& test : file.cases) require(!test.name.empty() && test.span.known());
  if (file.cases.size() > 1000) return;
  static const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
  apf::TestJob job;
  job.file = &file;
  job.server.config = &config;
  job.server.lint.use_settings = false;
  apf::TestsReport report;
  std::vector<apf::TestRun> runs = apf::run_tests({&job, 1}, {.run = "", .coverage = true});
  report.tests = std::move(runs.front().tests);
  report.files = 1;
  report.coverage = std::move(runs.front().coverage);
  require(report.tests.size() == file.cases.size());
  for (const apf::TestResult& test : report.tests) require(test.passed || !test.got.empty() || !test.error.empty());
  for (const std::string& out : {apf::render(apf::document_of(report), apf::Notation::text), apf::render_json(report),
                                 apf::render_junit(report), apf::render_tap(report), apf::render_github(report)})
    require(!out.empty() || report.passed() == report.tests.size());
}
