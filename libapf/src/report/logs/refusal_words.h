// Words for the answers 429 of a log: how many, when, and whose they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/log_summary.h>

namespace apf {

// "API Priority and Fairness refused 301 of 2,662 requests (11 %).", of a log with refusals.
std::string refused_sentence(const LogSummary& summary);
// Which of them it is not, and what would decide.
std::vector<std::string> refusal_evidence(const LogSummary& summary, const std::string& configuration);
// "First at 10:00:00, last at 10:09:01; most in the minute of 10:04: 100."
std::string when_refused(const LogSummary& summary);
// Answers 429 that are not API Priority and Fairness's; "7 of the 24 answers 429 are not …: …", empty without any.
std::uint64_t refusals_of_others(const LogSummary& summary);
std::string refusals_of_others_in_words(const LogSummary& summary);

}  // namespace apf
