// Why requests were refused or waited, in words and as JSON: see <apf/why.h>.
#pragma once

#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/output.h>
#include <apf/why.h>

namespace apf {

// Why, because of whom, who suffered, what to do. Empty: there is nothing to say.
std::vector<std::string> why_sentences(const WhyReport& why);
// A row for each of them, for a page.
std::vector<Passage> why_passages(const WhyReport& why);
std::string place_of_client(const std::string& name);    // of its rows on a page
void write_why(JsonWriter& json, const WhyReport& why);  // "why"

}  // namespace apf
