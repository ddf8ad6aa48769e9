// The parts of a replay's report that say how far it can be believed: its agreement with what the log recorded, the two
// logs of a joined replay, the spread under jitter.
#pragma once

#include <string>
#include <vector>

#include <apf/output.h>
#include <apf/replay.h>
#include <apf/replays_report.h>

#include "report/replay/ranges.h"

namespace apf {

using RecordedVersions = Versions<RecordedReport>;
using Recorded = const RecordedReport&;  // where a figure of it is taken

// Empty: there is nothing to compare, nothing was joined.
Passage agreement_passage(const ReplayReport& report);
// Empty: the replay was run once.
Passage spread_passage(const ReplayReport& report);
// "Agreement: 99.5 % (…)."; empty when nothing was compared.
std::string agreement_sentence(const ReplayReport& report);

// What a report begins with: that the log was written under another configuration, or that it does not say under which
// one. `with_widths`: of lists, too.
std::vector<std::string> first_sentences(const ReplayReport& report, bool with_widths = true);
// What became of lists; with ReplayReport::list_widths.
std::string widths_sentence(const ReplayReport& report);
// The warnings that are not among these.
std::vector<std::string> further_warnings(const LogReport& report);
// With the lines that cannot be used: of reports without a table of them.
std::vector<std::string> log_warnings(const LogReport& report);

// The members "whatIf", "recorded", "join", "clients", "retries" and "spread".
void write_agreement(JsonWriter& json, const ReplayReport& report);

}  // namespace apf
