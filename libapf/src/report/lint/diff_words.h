// What all formats of a diff say alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <apf/change.h>
#include <apf/document.h>

namespace apf {

std::string diff_verdict(const ConfigDiff& diff);
std::vector<std::string> diff_alarms(const ConfigDiff& diff);  // what hurts most

std::string places_words(const RequestPlace& from, const RequestPlace& to);  // "a → b (low → high)"
// FlowSchemas that came, went or changed without moving a request, and how flows are distinguished and dealt.
std::vector<std::string> schema_sentences(const ConfigDiff& diff);
std::vector<std::string> flow_sentences(const ConfigDiff& diff);

// Of the renamed regions each pair of places once; the others as they are.
struct GroupedRegions {
  std::vector<const MovedRegion*> moved;
  std::vector<std::string> renamed;
};
GroupedRegions grouped_regions(const ConfigDiff& diff);

// What the server of NEW has restored and deleted by itself.
std::vector<std::string> maintenance_sentences(const ConfigDiff& diff);

std::vector<std::string> limits_reasons(const ConfigDiff& diff);  // why seats change
Table limits_table(const ConfigDiff& diff);

}  // namespace apf
