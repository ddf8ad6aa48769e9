// Findings in the forms that other programs read: editors, CI servers, code-scanning services.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>
#include <apf/version.h>

namespace apf {

// Control characters are made visible in all of them.

// One line each: FILE:LINE:COLUMN: severity: CODE KIND/NAME: message.
APF_API std::string render_concise(const std::vector<Diagnostic>& findings);
// SARIF 2.1.0, one line: the rules with their pages, fingerprints that survive moved lines, fixes.
APF_API std::string render_sarif(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts);
// JUnit XML: a suite for each file, a failed case for each finding; files without one have a case that passes.
APF_API std::string render_junit(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts);
// Workflow commands of GitHub Actions: annotations on the changed files.
APF_API std::string render_github(const std::vector<Diagnostic>& findings);
// Checkstyle XML.
APF_API std::string render_checkstyle(const std::vector<Diagnostic>& findings);

}  // namespace apf
