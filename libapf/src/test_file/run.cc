// Runs test files: several at once, each with its results in the order of the file.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

#include <re2/re2.h>

#include <apf/error.h>
#include <apf/test_file.h>

#include "base/parallel.h"
#include "test_file/answer.h"
#include "test_file/coverage.h"

namespace apf {

namespace {

TestRun run_one(const TestJob& job, const re2::RE2* wanted, bool coverage) {
  TestRun run;
  Answerer answerer(*job.file, job.server);
  std::unique_ptr<CoverageCounter> counter;
  if (coverage)
    counter = std::make_unique<CoverageCounter>(*job.server.config, answerer.classifier(), job.server.version);
  for (const TestCase& test : job.file->cases) {
    if (wanted && !re2::RE2::PartialMatch(test.name, *wanted)) continue;
    run.tests.push_back(answerer.answer(test));
    const auto* request = std::get_if<RequestTest>(&test.what);
    if (counter && request) counter->count(answerer.match(*request).schema, request->request.info, request->user);
  }
  if (counter) run.coverage = counter->take();
  return run;
}

}  // namespace

std::size_t TestsReport::passed() const {
  return static_cast<std::size_t>(
      std::count_if(tests.begin(), tests.end(), [](const TestResult& test) { return test.passed; }));
}

std::size_t TestsReport::errors() const {
  return static_cast<std::size_t>(
      std::count_if(tests.begin(), tests.end(), [](const TestResult& test) { return !test.error.empty(); }));
}

std::vector<TestRun> run_tests(std::span<const TestJob> jobs, const TestOptions& options) {
  std::unique_ptr<re2::RE2> wanted;
  if (!options.run.empty()) {
    wanted = std::make_unique<re2::RE2>(options.run, re2::RE2::Quiet);
    if (!wanted->ok()) throw Error("'" + options.run + "' is not a regular expression: " + wanted->error());
  }
  std::vector<TestRun> runs(jobs.size());
  std::vector<std::exception_ptr> failures(jobs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        runs[i] = run_one(jobs[i], wanted.get(), options.coverage);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    const int threads = std::min(thread_count(options.threads), static_cast<int>(jobs.size()));
    const ThreadGroup others(threads - 1, work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return runs;
}

}  // namespace apf
