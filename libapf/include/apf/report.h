// Results as text for people and as JSON. One function a result and form; nothing is printed here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <apf/classify.h>
#include <apf/expectation.h>
#include <apf/json.h>
#include <apf/limits.h>
#include <apf/log_stat.h>
#include <apf/quota.h>
#include <apf/remark.h>
#include <apf/replay.h>
#include <apf/servers.h>
#include <apf/version.h>

namespace apf {

struct TextStyle {
  bool color = false;
  int width = 100;  // columns of the terminal
};

// What remarks are called and say. Renderers show their sentences, and the hints that a program has added to them.
APF_API const char* to_string(RemarkKind kind);         // "clock-guessed"; never changes
APF_API std::string sentence_of(const Remark& remark);  // without the hint
APF_API std::string render_text(const Remark& remark);  // with it
APF_API void write_remarks(JsonWriter& json, const char* key, const std::vector<Remark>& remarks);

APF_API std::string render_text(const ReplayReport& report, const TextStyle& style);
APF_API std::string render_json(const ReplayReport& report);  // one line
APF_API std::string render_text(const LogStat& stat, const TextStyle& style);
APF_API std::string render_json(const LogStat& stat);  // one line
APF_API std::string render_text(const ServersReport& report, const TextStyle& style);
APF_API std::string render_json(const ServersReport& report);  // one line

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
APF_API std::string render_text(const SystemsTable& table, const TextStyle& style);
APF_API std::string render_json(const SystemsTable& table);  // one line
APF_API std::string render_markdown(const SystemsTable& table, const ReportFrame& frame);
// For a pull request or an issue (GitHub, GitLab). Names from logs cannot become markup, links or mentions.
APF_API std::string render_markdown(std::span<const ReplayReport> servers, const ReplayReport* total,
                                    const ReportFrame& frame);
// One page that needs nothing else and fetches nothing; of reports made with ReplayOptions::series.
APF_API std::string render_html(std::span<const ReplayReport> servers, const ReplayReport* total,
                                const ReportFrame& frame);

// Prometheus text (0.0.4) of reports made with ReplayOptions::metrics; with several servers each series has a label
// `server`. `aliases`: also under the names that KEP-1040 first had.
APF_API std::string render_metrics(std::span<const ReplayReport> servers, bool aliases);
APF_API std::string render_text(const LimitsTable& table, const TextStyle& style);
APF_API std::string render_json(const LimitsTable& table);
// As `kubectl describe quota` lays quotas out, then what is denied, what more it takes, and what counts nowhere.
struct QuotaTextOptions {
  bool all = false;      // every object; else of long lists the first ones
  std::string all_hint;  // how to see all, as "-v shows all"
};
APF_API std::string render_text(const QuotaReport& report, const TextStyle& style,
                                const QuotaTextOptions& options = {});
APF_API std::string render_json(const QuotaReport& report);  // one line

// A number as the texts write it: 1,234,567.
APF_API std::string grouped(std::uint64_t number);

// `text` safe for a terminal: control characters, escape sequences, bidirectional overrides and broken UTF-8 made
// visible.
APF_API std::string printable(std::string_view text);

// "Did you mean": the name that `word` is most likely a slip of, or the beginning of; empty if none is near.
APF_API std::string nearest_name(std::string_view word, std::span<const std::string> names);

}  // namespace apf
