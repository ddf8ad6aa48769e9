#include "replay/books/totals.h"

#include <algorithm>

#include "base/sort_stably.h"
#include "replay/books/tally.h"

namespace apf {

namespace {

using Tallies = std::map<std::pair<std::string, std::string>, RequestTally>;  // by FlowSchema and level

bool has_schema(const ReplayReport& report, const SchemaReport& entry) {
  return std::any_of(report.schemas.begin(), report.schemas.end(), [&](const SchemaReport& s) {
    return s.name == entry.name && s.priority_level == entry.priority_level;
  });
}

// Every schema of every configuration of the run, in matching order; a schema that changed its level has a row for
// each.
void fill_schemas(ReplayReport& report, const RunContext& context, const Tallies& by_schema) {
  for (std::size_t i = 0; i <= context.options.config_changes.size(); ++i) {
    const Classifier& classifier = context.classifier(i);
    for (const auto& schema : classifier.schemas()) {
      SchemaReport entry;
      entry.name = schema.name;
      entry.priority_level = classifier.levels()[schema.level].name;
      entry.matching_precedence = schema.matching_precedence;
      if (has_schema(report, entry)) continue;
      const auto it = by_schema.find({entry.name, entry.priority_level});
      if (it != by_schema.end()) entry.tally = it->second;
      report.schemas.push_back(std::move(entry));
    }
  }
  sort_stably(report.schemas, [](const SchemaReport& a, const SchemaReport& b) {
    return a.matching_precedence != b.matching_precedence ? a.matching_precedence < b.matching_precedence
                                                          : a.name < b.name;
  });
}

}  // namespace

std::map<std::string, RequestTally> fill_totals(ReplayReport& report, const RunContext& context) {
  Tallies by_schema;
  std::map<std::string, RequestTally> by_level;
  const std::vector<FlowReport>& flows = context.flows.reports();
  for (const FlowReport& flow : flows) {
    if (flow.tally.requests == 0) continue;
    merge(by_schema[{flow.flow_schema, flow.priority_level}], flow.tally);
    merge(by_level[flow.priority_level], flow.tally);
    merge(report.total, flow.tally);
    report.flows += flow.filled ? 0 : 1;
    report.filled += flow.filled ? flow.tally.requests : 0;
  }
  fill_schemas(report, context, by_schema);
  report.waited_most = waited_most(flows, context.options.top);
  report.refused_most = refused_most(flows, context.options.top);
  report.widest = widest(flows, context.options.top);
  return by_level;
}

}  // namespace apf
