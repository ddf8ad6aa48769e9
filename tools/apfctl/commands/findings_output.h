// Renders findings in the formats that validate and lint share.
#pragma once

#include <string>
#include <vector>

#include <apf/report.h>

namespace apfctl {

// Names for -o; the first is the default.
std::vector<std::string> findings_formats();

std::string render_findings(const std::string& format, const std::vector<apf::Diagnostic>& findings,
                            const apf::FindingsSummary& summary, const std::vector<apf::ConfigText>& texts,
                            const apf::TextStyle& style, const apf::FindingsTraffic& traffic = {});

}  // namespace apfctl
