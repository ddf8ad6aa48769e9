// Why requests were refused or waited, in words and as JSON: see <apf/why.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/output.h>
#include <apf/why.h>

namespace apf {

// Why, because of whom, who suffered, what to do. Empty: there is nothing to say. `logged`: as many are refused in the
// log; figures of a replay that refuses others are said to be its.
std::vector<std::string> why_sentences(const WhyReport& why, std::optional<std::uint64_t> logged = {});
// A row for each of them, for a page.
std::vector<Passage> why_passages(const WhyReport& why);
std::string place_of_client(const std::string& name);    // of its rows on a page
void write_why(JsonWriter& json, const WhyReport& why);  // "why"

}  // namespace apf
