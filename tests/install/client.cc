// A user of the installed library: classifies one request with the built-in configuration and deals its hand.
#include <cstdio>

#include <apf/bootstrap.h>
#include <apf/classify.h>
#include <apf/error.h>
#include <apf/limits.h>
#include <apf/replay.h>
#include <apf/report.h>
#include <apf/shard.h>

int main() {
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
