// What requests come to in several replays of one configuration: the first, and the range of all.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <apf/advise.h>

namespace apf {

using Figures = SuggestLevel::Figures;

// Of a level. Nothing: no report has it.
std::optional<Figures> figures_of(const std::vector<ReplayReport>& reports, const std::string& level);

// Of flows, by whose they are: by user, or else as the flow is called. Of one replay; of several.
std::map<std::string, Figures> figures_by_user(const ReplayReport& report);
std::map<std::string, Figures> figures_by_user(const std::vector<ReplayReport>& reports);

// Of some flows, taken together. Nothing: no report has one.
std::optional<Figures> figures_of_flows(const std::vector<ReplayReport>& reports,
                                        const std::function<bool(const FlowReport&)>& is_one);

// "12", "12 to 15".
std::string between(const std::string& low, const std::string& high);
// "12 are refused, and p99 is 1.2s"; `of`: "12 of 60 requests are refused".
std::string in_words(const Figures& figures, bool of = false);

}  // namespace apf
