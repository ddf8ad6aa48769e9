#include "replay/books/worst_case.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "replay/books/tally.h"

namespace apf {

namespace {

using FlowName = std::tuple<std::string, std::string, std::string>;

FlowName name_of(const FlowReport& f) { return {f.flow_schema, f.distinguisher, f.priority_level}; }

// Those of the report for which `measure` is largest in any replay.
std::vector<FlowReport> worst_flows(const ReplayReport& report, int top, double (*measure)(const FlowReport&)) {
  std::map<FlowName, double> worst;
  for (const ReplayReport& other : report.others)
    for (const FlowReport& flow : other.all_flows) {
      const double value = measure(flow);
      if (value <= 0) continue;
      double& most = worst[name_of(flow)];
      most = std::max(most, value);
    }
  return leaders(report.all_flows, top, [&](const FlowReport& flow) {
    const auto at = worst.find(name_of(flow));
    return std::max(measure(flow), at == worst.end() ? 0 : at->second);
  });
}

using FlowNames = std::set<FlowName>;

void add_names(const std::vector<FlowReport>& flows, FlowNames& names) {
  for (const FlowReport& flow : flows) names.insert(name_of(flow));
}

void keep_named(std::vector<FlowReport>& flows, const FlowNames& names) {
  std::erase_if(flows, [&](const FlowReport& flow) { return !names.contains(name_of(flow)); });
}

}  // namespace

void keep_listed_flows(ReplayReport& other) {
  FlowNames listed;
  add_names(waited_most(other.all_flows, kMostListed), listed);
  add_names(refused_most(other.all_flows, kMostListed), listed);
  add_names(widest(other.all_flows, kMostListed), listed);
  keep_named(other.all_flows, listed);
}

void finish_lists(ReplayReport& report, int top, bool keeps_flows) {
  if (!report.others.empty() && !report.all_flows.empty()) {
    report.waited_most = worst_flows(report, top, total_wait);
    report.refused_most = worst_flows(report, top, times_refused);
  }
  if (keeps_flows) return;
  report.all_flows.clear();
  FlowNames listed;
  for (const auto* list : {&report.waited_most, &report.refused_most, &report.widest}) add_names(*list, listed);
  for (ReplayReport& other : report.others) keep_named(other.all_flows, listed);
}

}  // namespace apf
