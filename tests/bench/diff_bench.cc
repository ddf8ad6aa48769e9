// A diff of two configurations of 1,000 FlowSchemas each. Bar: under 2 s of processor time.
#include <apf/change.h>
#include <apf/config.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace apf;

namespace {

// Like a large cluster's: for each team a FlowSchema of its service accounts and its group, some of them broad.
FlowSchema schema(int i, int variant) {
  const std::string team = "team-" + std::to_string(i);
  FlowSchema out;
  out.meta.name = team;
  out.matching_precedence = 1000 + i * 7 % 7000;
  out.priority_level = (i + variant) % 3 == 0 ? "workload-high" : "workload-low";
  PolicyRule& rule = out.rules.emplace_back();
  rule.subjects.push_back({"ServiceAccount", {}, {}, Subject::ServiceAccount{team, "*"}});
  rule.subjects.push_back({"Group", {}, team, {}});
  rule.resource_rules.push_back(
      {{"get", "list", "watch"},
       {"", "apps"},
       i % 5 == 0 ? std::vector<std::string>{"*"} : std::vector<std::string>{"pods", "deployments"},
       {i % 3 == 0 ? "*" : team},
       i % 2 == 0});
  if (i % 10 == 0) rule.non_resource_rules.push_back({{"get"}, {"/healthz", "/metrics/" + team + "/*"}});
  return out;
}

Config config(int count, int variant, int changed_every) {
  Config out;
  for (int i = 0; i < count; ++i) out.flow_schemas.push_back(schema(i, i % changed_every == 0 ? variant : 0));
  return with_builtins(out, {}, Builtins::all);
}

constexpr double kBar = 2.0;

bool measure(const char* what, const Config& a, const Config& b) {
  const std::clock_t begin = std::clock();
  const ConfigDiff diff = diff_configs({&a}, {&b});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%-24s %6.2f s  %zu regions%s\n", what, seconds, diff.regions.size(),
              diff.complete ? "" : "  INCOMPLETE");
  return seconds < kBar && diff.complete;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const Config base = config(count, 0, 1);
  bool met = measure("equal", base, base);
  met = measure("one in twenty changed", base, config(count, 1, 20)) && met;
  met = measure("all changed", base, config(count, 1, 1)) && met;
  return met ? 0 : 1;
}
