// Replays, and manifests against quotas, for people and for programs. As in <apf/report_words.h>.
//
//   apf::ReplayOptions options;
//   options.logs = {"audit.log"};
//   options.config = apf::bootstrap_config(apf::kNewestKubeVersion);
//   std::puts(apf::render_json(apf::replay(options)).c_str());
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <apf/quota.h>
#include <apf/replay.h>
#include <apf/report_words.h>

namespace apf {

// With several servers, an expectation that names none must hold for each; `total`: of all of them, or null.
APF_API std::shared_ptr<const Facts> facts_of(std::span<const ReplayReport> servers,
                                              const ReplayReport* total = nullptr);
APF_API std::string render_json(const ReplayReport& report);   // one line
APF_API std::string render_json(const ServersReport& report);  // one line

// A table for spreadsheets (RFC 4180), one row for each priority level, FlowSchema or flow (ReplayOptions::all_flows);
// or for each level whose waits or refusals the log recorded, or each level of ReplayOptions::spread, or each
// stage. With a column `server` in front where there are several. No cell begins as a formula does.
enum class CsvRows { levels, flow_schemas, flows, stages, agreement, spread };
APF_API std::string render_csv(std::span<const ReplayReport> servers, CsvRows rows);

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
// `server`.
APF_API std::string render_metrics(std::span<const ReplayReport> servers);

// As `kubectl describe quota` lays quotas out, then what is denied, what more it takes, and what counts nowhere.
struct QuotaTextOptions {
  bool all = false;      // every object; else of long lists the first ones
  std::string all_hint;  // how to see all, as "-v shows all"
};

APF_API Document document_of(const QuotaReport& report, const QuotaTextOptions& options = {});
APF_API std::string render_json(const QuotaReport& report);  // one line

}  // namespace apf
