// lint_project(): settings, exclusions, baseline, traffic and fixes of a project.
#include <catch.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <apf/error.h>
#include <apf/lint.h>
#include <apf/logs.h>

namespace apf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDangling = R"(apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: ci
spec:
  matchingPrecedence: 500
  priorityLevelConfiguration:
    name: nowhere
  rules:
    - subjects:
        - kind: User
          user:
            name: builder
      nonResourceRules:
        - verbs: [get, get]
          nonResourceURLs: ["*"]
)";

// A project in a folder of its own.
class Project {
 public:
  Project() : folder_(fs::temp_directory_path() / ("apf-project-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Project() { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  LintProject options(const std::string& path) const {
    LintProject project;
    project.paths = {path};
    project.settings_path = (folder_ / ".apfctl.yaml").string();
    return project;
  }
  std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
};

std::size_t count(const ProjectFindings& found, const std::string& code) {
  std::size_t n = 0;
  for (const Diagnostic& d : found.findings) n += d.code == code;
  return n;
}

TEST_CASE("a project's settings decide about severities, files and failure", "[lint]") {
  const Project project;
  const std::string path = project.write("a.yaml", kDangling);
  project.write(".apfctl.yaml", "rules:\n  dangling-level: info\nfail-on: error\n");
  const ProjectFindings found = lint_project(project.options(path));
  REQUIRE(found.project.faults.empty());
  REQUIRE(count(found, "APF101") == 1);
  CHECK(found.findings.front().severity == Severity::info);
  CHECK(found.fail_on == Severity::error);
  CHECK(found.count_from(found.fail_on) == 0);
  CHECK(found.summary.objects == 1);

  LintProject without = project.options(path);
  without.use_settings = false;
  CHECK(lint_project(without).findings.front().severity > Severity::info);

  project.write(".apfctl.yaml", "exclude: [a.yaml]\n");
  const ProjectFindings excluded = lint_project(project.options(path));
  CHECK(excluded.excluded == 1);
  CHECK(excluded.texts.empty());

  project.write(".apfctl.yaml", "no-such-key: 1\n");
  const ProjectFindings faulty = lint_project(project.options(path));
  CHECK(faulty.project.faults.size() == 1);
  CHECK(faulty.findings.empty());
}

TEST_CASE("a baseline silences the findings that it holds", "[lint]") {
  const Project project;
  const std::string path = project.write("a.yaml", kDangling);
  project.write(".apfctl.yaml", "baseline: known.json\n");
  LintProject options = project.options(path);
  options.use_baseline = false;
  const ProjectFindings all = lint_project(options);
  REQUIRE_FALSE(all.findings.empty());
  project.write("known.json", render_baseline(all, project.folder()));
  const ProjectFindings rest = lint_project(project.options(path));
  CHECK(rest.findings.empty());
  CHECK(rest.summary.suppressed == all.findings.size());
  CHECK(rest.baseline_unused == 0);
}

TEST_CASE("a project counts the traffic of findings, and fixes", "[lint]") {
  const Project project;
  const std::string path = project.write("a.yaml", kDangling);
  project.write(".apfctl.yaml", "{}\n");
  LintProject options = project.options(path);
  options.traffic_reader = log_traffic;
  options.traffic = {project.write(
      "log", R"({"time":"2026-11-20T12:00:00Z","user":"builder","groups":[],"verb":"get","uri":"/healthz"})"
             "\n")};
  const ProjectFindings found = lint_project(options);
  CHECK(found.traffic.size() == found.findings.size());
  options.traffic.clear();
  options.fix = FixKind::all;
  const ProjectFindings fixed = lint_project(options);
  REQUIRE(fixed.unfixed.size() == fixed.texts.size());
  CHECK(fixed.unfixed.front().text == kDangling);
  CHECK((fixed.fixes > 0) == (fixed.texts.front().text != kDangling));
  options.select = {"no-such-rule"};
  CHECK_THROWS_AS(lint_project(options), Error);
}

}  // namespace
}  // namespace apf
