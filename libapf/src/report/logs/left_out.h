// Lines of a log without a place in a report, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <apf/logs.h>
#include <apf/output.h>

namespace apf {

// "audit.log:4: cut off in the middle: {"kind":"Event",": the first of each log, and how many more it has.
std::vector<std::string> bad_line_sentences(const std::vector<BadLines>& logs);

std::uint64_t unusable_lines(const std::map<std::string, std::uint64_t>& unusable);
// "200 of 400 lines cannot be used: …"; empty where all can.
std::string unusable_sentence(const LogReport& report);
// What they leave open of an expectation.
std::string why_unusable_decide(const std::map<std::string, std::uint64_t>& unusable, std::uint64_t lines);

// An object with a member for each.
void write_counts(JsonWriter& json, const char* key, const std::map<std::string, std::uint64_t>& counts);

// "badLines", where there are any.
void write_bad_lines(JsonWriter& json, const std::vector<BadLines>& logs);

}  // namespace apf
