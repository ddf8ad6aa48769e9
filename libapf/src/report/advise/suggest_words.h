// How changes of a configuration are named and worded.
#pragma once

#include <string>
#include <vector>

#include <apf/advise.h>

namespace apf {

const char* key_of(SuggestField field);  // "nominalConcurrencyShares"
std::string words_of(const SuggestChange& change);
std::string words_of(const std::vector<SuggestChange>& changes);  // "nothing" if there are none
// Why a plan was rejected.
std::string reason_of(const SuggestTried& tried, const SuggestReport& report);
// The first sentence of the report.
std::string verdict_of(const SuggestReport& report);
// Why there is no such configuration.
std::vector<std::string> proof_of(const SuggestReport& report);

}  // namespace apf
