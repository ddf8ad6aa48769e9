// SARIF whose links lead to a manual at this address, or has none if it is empty. render_sarif() takes that of the
// build.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/findings_report.h>

namespace apf {

std::string sarif_of(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                     const std::vector<Remark>& remarks, std::string_view docs);

}  // namespace apf
