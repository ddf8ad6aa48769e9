// Reports: results as text for people, and in the formats that programs read. Nothing is printed here.
//
//   const apf::LimitsTable table = apf::compute_limits(apf::bootstrap_config(apf::kNewestKubeVersion), 600);
//   std::fputs(apf::render(apf::document_of(table), apf::Notation::markdown).c_str(), stdout);
//   std::puts(apf::render_json(table).c_str());
//
// document_of() says for people what a result is, in all notations (document.h); what programs read has a function for
// each result and format. Text is UTF-8, with control characters made visible; the same result gives the same bytes
// everywhere. All functions may be called from several threads at once; those that throw apf::Error say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/advise.h>
#include <apf/change.h>
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/document.h>
#include <apf/expectation.h>
#include <apf/findings.h>
#include <apf/inspect.h>
#include <apf/limits.h>
#include <apf/lint.h>
#include <apf/log_summary.h>
#include <apf/logs.h>
#include <apf/output.h>
#include <apf/quota.h>
#include <apf/replay.h>
#include <apf/server.h>
#include <apf/sweep.h>
#include <apf/test_file.h>
#include <apf/version.h>

namespace apf {

// What expectations on a report may be about (expectation.h). The reports must outlive it; one that is empty, or that
// has names alone, shows what may be written.

// With several servers, an expectation that names none must hold for each; `total`: of all of them, or null.
APF_API std::shared_ptr<const Facts> facts_of(std::span<const ReplayReport> servers,
                                              const ReplayReport* total = nullptr);
// `new_names`: of CompareReport::new_reports. An expectation on NEW must hold for each.
APF_API std::shared_ptr<const Facts> facts_of(const CompareReport& comparison,
                                              const std::vector<std::string>& new_names);
// A quantile that is known between bounds meets an expectation if all between them does.
APF_API std::shared_ptr<const Facts> facts_of(const Inspection& inspection);
APF_API std::shared_ptr<const Facts> facts_of(const HeadroomReport& report);
// Requests without an answer in the log may have been refused; `allow_empty`: they are left out.
APF_API std::shared_ptr<const Facts> facts_of(const LogSummary& summary, const LogCoverage& known,
                                              bool allow_empty = false);
APF_API std::shared_ptr<const Facts> facts_of(const TestsReport& report);

// What remarks say. Renderers show their sentences, and the hints that a program has added to them.
APF_API std::string sentence_of(const Remark& remark);  // without the hint
APF_API std::string render_text(const Remark& remark);  // with it
// What a user of apfctl can do: "use --start to set another time". Empty: nothing.
APF_API std::string hint_of(const Remark& remark);
// More than one in ten: the others say little about the whole.
APF_API bool are_too_many(std::uint64_t unusable, std::uint64_t lines);
APF_API bool has_too_many_unusable_lines(const LogReport& report);
APF_API void write_remarks(JsonWriter& json, const char* key, const std::vector<Remark>& remarks);

APF_API std::string render_json(const ReplayReport& report);  // one line
// What a log says of what happened. `configuration`: where the objects are from; `known`: what the server's counters
// and its audit policy say of the log; `better`: what would help a replay, with its hints; `next`: what to type next.
struct LogSummaryFrame {
  std::string configuration;
  LogCoverage known = {};
  std::vector<Remark> better = {};
  std::vector<std::string> next = {};
};
APF_API Document document_of(const LogSummary& summary, const LogSummaryFrame& frame, const View& view = {});
APF_API std::string render_json(const LogSummary& summary, const LogSummaryFrame& frame);  // one line
APF_API std::string render_csv(const LogSummary& summary);
// `name`: of what was read; `top`: rows of a table at most.
APF_API Document document_of(const ApiRequestCounts& counts, const std::string& name, std::size_t top,
                             const View& view = {});
APF_API std::string render_json(const ApiRequestCounts& counts);  // one line
APF_API std::string render_csv(const ApiRequestCounts& counts);   // by hour
APF_API std::string render_json(const ServersReport& report);     // one line

// A table for spreadsheets (RFC 4180), one row for each priority level, FlowSchema or flow (ReplayOptions::all_flows);
// or for each level whose waits or refusals the log recorded, or each level of ReplayOptions::spread, or each
// stage. With a column `server` in front where there are several. No cell begins as a formula does.
enum class CsvRows { levels, flow_schemas, flows, stages, agreement, spread };
APF_API std::string render_csv(std::span<const ReplayReport> servers, CsvRows rows);

// What a report for others says besides the results: where the configuration came from, and what was expected.
struct ReportFrame {
  std::string configuration;  // a sentence
  std::vector<ExpectationResult> expectations;
};
// Systems that limit requests, each alone before the same log, side by side: reports of replays in which one stage is
// on, ReplayReport::server being the system's name. `stages` are those stages, in the order of the reports; the
// `top` users affected most are shown.
struct SystemsTable {
  std::span<const ReplayReport> systems;
  std::vector<AdmissionStage> stages;
  int top = 10;
};
APF_API Document document_of(const SystemsTable& table, const ReportFrame& frame = {}, const View& view = {});
APF_API std::string render_json(const SystemsTable& table);  // one line
// A page has curves where the reports were made with ReplayOptions::series. `total`: of several servers, or null.
APF_API Document document_of(std::span<const ReplayReport> servers, const ReplayReport* total,
                             const ReportFrame& frame = {}, const View& view = {});

// Prometheus text (0.0.4) of reports made with ReplayOptions::metrics; with several servers each series has a label
// `server`. `aliases`: also under the names that KEP-1040 first had.
APF_API std::string render_metrics(std::span<const ReplayReport> servers, bool aliases);
// OpenMetrics text with timestamps of reports made with ReplayOptions::metrics_step, for `promtool tsdb
// create-blocks-from openmetrics`.
APF_API std::string render_openmetrics(std::span<const ReplayReport> servers);
// What to change. `before`: the texts that SuggestOptions had, from which the patch is.
APF_API Document document_of(const SuggestReport& report, std::span<const ConfigText> before);
APF_API std::string render_json(const SuggestReport& report);  // one line
APF_API std::string render_yaml(const SuggestReport& report);  // changed and new objects
// How much more load a configuration bears.
APF_API Document document_of(const HeadroomReport& report, const ReportFrame& frame = {}, const View& view = {});
APF_API std::string render_json(const HeadroomReport& report);  // one line
// What a sweep came to.
APF_API Document document_of(const SweepReport& report, const View& view = {});
// With every log, in the order of the plan: pieces that follow each other, so that memory does not grow with the logs.
enum class SweepFormat { json, csv };
class APF_API SweepPieces {
 public:
  explicit SweepPieces(SweepFormat format) : format_(format) {}
  std::string add(const SweepLogReport& log, const SweepReport& report);
  std::string end(const SweepReport& report);

 private:
  SweepFormat format_;
  bool begun_ = false;
};
APF_API Document document_of(const LimitsTable& table);
// `warnings`: about the release, and about objects that the server changes by itself.
APF_API std::string render_json(const LimitsTable& table, const std::vector<Remark>& warnings = {});
// What changes from one configuration to another. `commands`: with two for each region, which show it on both sides.
APF_API Document document_of(const ConfigDiff& diff, const View& view = {}, bool commands = true);
APF_API std::string render_json(const ConfigDiff& diff);    // one line
APF_API std::string render_github(const ConfigDiff& diff);  // workflow commands of GitHub Actions
// What a comparison on the traffic of a log came to.
struct CompareFrame {
  std::string old_name;
  std::vector<std::string> new_names;           // of CompareReport::new_reports
  std::vector<ExpectationResult> expectations;  // which a terminal does not show
};
// A page has the curves of both sides over each other, where they were made with ReplayOptions::series.
APF_API Document document_of(const CompareReport& comparison, const CompareFrame& frame, const View& view = {});
APF_API std::string render_json(const CompareReport& comparison, const CompareFrame& frame);  // one line
APF_API std::string render_csv(const CompareReport& comparison, const CompareFrame& frame);
APF_API std::string render_github(const CompareReport& comparison, const CompareFrame& frame);
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
// As `kubectl describe quota` lays quotas out, then what is denied, what more it takes, and what counts nowhere.
struct QuotaTextOptions {
  bool all = false;      // every object; else of long lists the first ones
  std::string all_hint;  // how to see all, as "-v shows all"
};
APF_API Document document_of(const QuotaReport& report, const QuotaTextOptions& options = {});
APF_API std::string render_json(const QuotaReport& report);  // one line

// What is going on in a live server.
APF_API Document document_of(const Inspection& inspection, const View& view = {});
APF_API std::string render_json(const Inspection& inspection,
                                const std::vector<ExpectationResult>& expectations);  // one line

// Dumps as the debug endpoints of kube-apiserver 1.28 and later write them; its levels come in any order, here by name.
APF_API std::string render_priority_levels(const ServerDump& dump);
APF_API std::string render_queues(const ServerDump& dump);
APF_API std::string render_requests(const ServerDump& dump, bool details);
// One line: the server's own types (QueueSetDump, QueueDump, RequestDump), by level. read_dump() also reads it.
APF_API std::string render_json(const ServerDump& dump);

// A number as the texts write it: 1,234,567.
APF_API std::string grouped(std::uint64_t number);

// `text` safe for a terminal: control characters, escape sequences, bidirectional overrides and broken UTF-8 made
// visible.
APF_API std::string printable(std::string_view text);

// "Did you mean": the name that `word` is most likely a slip of, or the beginning of; empty if none is near.
APF_API std::string nearest_name(std::string_view word, std::span<const std::string> names);

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

// The difference between two texts, as `diff -u`, `patch` and `git apply` have it.

// A unified diff with three lines of context, empty when the texts are equal. The file is called a/NAME and b/NAME,
// so that `git apply` and `patch -p1` take it as it is. Lines are compared as bytes: a carriage return counts, and so
// does a missing newline at the end. For texts that have little in common the diff is right, though not the shortest.
// `is_new`: there is no such file yet, and patch refuses to write one over another.
APF_API std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view name,
                                 bool is_new = false);

}  // namespace apf
