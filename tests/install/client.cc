// A user of the installed library. Without arguments it classifies one request with the built-in configuration, deals
// its hand and catches an exception; with files it lints them as a project.
#include <cstdio>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/error.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/replay.h>
#include <apf/report.h>

namespace {

// As `apfctl lint -o concise --today 2026-11-20`.
int lint(int argc, char** argv) {
  apf::LintProject project;
  project.paths.assign(argv + 1, argv + argc);
  project.today = "2026-11-20";
  const apf::ProjectFindings found = apf::lint_project(project);
  std::fputs(apf::render_concise(found.findings).c_str(), stdout);
  return found.count_from(found.fail_on) > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return lint(argc, argv);
  const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
  const apf::Classifier classifier(config);
  apf::ParsedRequest request;
  apf::parse_request("GET", "/api/v1/namespaces/team-a/pods?limit=500", request);
  apf::User user{"system:serviceaccount:team-a:builder", {}};
  apf::add_implied_groups(user);
  const apf::Explanation explanation = apf::explain(classifier, request.info, user);
  const apf::LimitsTable limits = apf::compute_limits(config, 600);
  bool caught = false;  // an exception of the library passes the border of the shared object
  try {
    apf::ReplayOptions options;
    options.config = config;
    options.logs = {"/nonexistent/audit.log"};
    apf::replay(options);
  } catch (const apf::Error&) {
    caught = true;
  }
  std::printf("%s %s hand of %zu, %zu levels, %s\n", explanation.flow_schema.c_str(),
              explanation.priority_level.c_str(), explanation.hand.size(), limits.levels.size(),
              caught ? "error caught" : "no error");
  return caught ? 0 : 1;
}
