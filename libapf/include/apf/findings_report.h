// Findings about configurations, for people and for programs: what validating, linting and tests answer, what a change
// moves, and the tables of limits and of the order of FlowSchemas.
//
//   apf::LintProject project;
//   project.paths = {"flowcontrol/"};
//   std::fputs(apf::render_concise(apf::lint_project(project).findings).c_str(), stdout);
//
// As in <apf/report_words.h>.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <apf/change.h>
#include <apf/config.h>
#include <apf/findings.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/report_words.h>
#include <apf/test_file.h>

namespace apf {

APF_API std::shared_ptr<const Facts> facts_of(const TestsReport& report);
APF_API Document document_of(const LimitsTable& table);

// `warnings`: about the release, and about objects that the server changes by itself.
APF_API std::string render_json(const LimitsTable& table, const std::vector<Remark>& warnings = {});

// What changes from one configuration to another. `commands`: with two for each region, which show it on both sides.
APF_API Document document_of(const ConfigDiff& diff, const View& view = {}, bool commands = true);
APF_API std::string render_json(const ConfigDiff& diff);    // one line
APF_API std::string render_github(const ConfigDiff& diff);  // workflow commands of GitHub Actions

// The order in which FlowSchemas are asked, and where on it others would have to stand.
APF_API Document document_of(const Ladder& ladder, const std::vector<LadderPlace>& places = {});  // or these alone
APF_API std::string render_json(const Ladder& ladder, const std::vector<LadderPlace>& places);    // one line

// What tests of configurations came to, with what no test reaches where that is wanted.
APF_API Document document_of(const TestsReport& report, const ReportFrame& frame = {}, const View& view = {});
APF_API std::string render_json(const TestsReport& report);   // one line
APF_API std::string render_junit(const TestsReport& report);  // JUnit XML: a suite for each file
APF_API std::string render_tap(const TestsReport& report);    // Test Anything Protocol, version 13
APF_API std::string render_github(const TestsReport& report,
                                  const ReportFrame& frame = {});  // workflow commands of GitHub Actions

// Findings about configurations, for people and for programs: what validating and linting answer.

// Each finding with its line and a mark below it. `texts` are those the configuration came from.
APF_API std::string render_text(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                                const TextStyle& style, const FindingsTraffic& traffic = {});

// One line: {"findings":[…],"summary":{…},"remarks":[…]}.
APF_API std::string render_json(const std::vector<Diagnostic>& findings, const FindingsSummary& summary,
                                const FindingsTraffic& traffic = {});

// Findings in the forms that other programs read: editors, CI servers, code-scanning services.

// Control characters are made visible in all of them.

// One line each: FILE:LINE:COLUMN: severity: CODE KIND/NAME: message.
APF_API std::string render_concise(const std::vector<Diagnostic>& findings);

// SARIF 2.1.0, one line: the rules with their pages, fingerprints that survive moved lines, fixes. `remarks` are
// notifications of the tool.
APF_API std::string render_sarif(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                                 const std::vector<Remark>& remarks = {});

// JUnit XML: a suite for each file, a failed case for each finding; files without one have a case that passes.
APF_API std::string render_junit(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts);

// Workflow commands of GitHub Actions: annotations on the changed files.
APF_API std::string render_github(const std::vector<Diagnostic>& findings);

// Checkstyle XML.
APF_API std::string render_checkstyle(const std::vector<Diagnostic>& findings);

// Code Quality of GitLab, one line: a JSON array.
APF_API std::string render_gitlab(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts);

// The Reviewdog Diagnostic Format, one line.
APF_API std::string render_rdjson(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts);

}  // namespace apf
