// apfctl inspect: what is going on in a live server, by its debug dumps and its /metrics.

#include <fmt/core.h>

#include <apf/error.h>
#include <apf/inspect.h>
#include <apf/limits.h>
#include <apf/logs.h>
#include <apf/output.h>
#include <apf/report.h>
#include <apf/server.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "flags/expectations.h"
#include "flags/next_command.h"
#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

struct InspectFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  SettingsFlags settings;
  InflightFlags inflight;
  std::vector<std::string> metrics, expect;
  std::string interval, between;
  bool allow_empty = false;
  std::map<std::string, std::string> texts;  // of FILEs, by path
};

void declare(CommandLine& line, InspectFlags& flags) {
  line.synopsis(
      "inspect [FILE]... [-f PATH]... [FLAG]...\n       apfctl inspect --from-cluster [--for "
      "DURATION] [FLAG]...\n       watch -c -n 5 apfctl inspect --from-cluster --for 2s --color always");
  line.about(
      "What is going on in a live server?",
      "Shows what is going on in a live kube-apiserver, without a log: which priority levels are saturated or refuse "
      "requests, by which flows, whose hands overlap, how long the queues take to drain, which limits differ from a "
      "configuration. FILE: an answer of the debug endpoints dump_priority_levels, dump_queues and dump_requests "
      "(/debug/api_priority_and_fairness/), or of its /metrics, once or twice, the earlier one first; or - for "
      "standard input. With watch, a view that stays.");
  line.example("what happens between two scrapes of a managed cluster?",
               "apfctl inspect examples/live-server/metrics-1.txt examples/live-server/metrics-2.txt");
  line.example("whose requests fill the queues?", "apfctl inspect examples/live-server/dump_requests.txt");
  line.example("fail if requests wait",
               "apfctl inspect examples/live-server/metrics-2.txt --expect 'total.rejected < 1%'");
  line.heading("Server");
  line.list("--metrics", flags.metrics, "FILE",
            "A scrape of the server's /metrics, as FILE; also an answer of Prometheus' query_range, or - for standard "
            "input. Twice: the earlier one first; counts are then of the time between them.");
  line.option("--interval", flags.interval, "DURATION",
              "Time between the two scrapes, such as 30s (default: as they say, from Kubernetes 1.25 on).");
  line.option("--for", flags.between, "DURATION",
              "With --from-cluster: scrape /metrics once more after this time, such as 30s; counts are then of this "
              "time.");
  line.list("--expect", flags.expect, "EXPR",
            "Exit 1 unless this holds: LEVEL.METRIC OP VALUE, such as 'workload-low.p99wait < 1s', 'total.rejected == "
            "0' or 'system.utilization < 80%'. Repeatable.");
  line.choices("--expect", expected_figures({""}, {"rejected", "p99wait", "utilization", "waiting"}));
  line.flag("--allow-empty", flags.allow_empty,
            "Accept expectations about levels that answered no request. Without it, --expect exits 2 for those.");
  flags.config.declare(line);
  flags.release.declare(line);
  flags.inflight.declare(line);
  flags.settings.knows_apf_off = true;
  flags.settings.declare(line);
  flags.output.declare(line, {"text", "json", "markdown", "html", "svg", "wide"});
  flags.console.declare(line);
}

std::string name_of(const std::string& path) { return path == "-" ? "standard input" : apf::printable(path); }

// A scrape of /metrics, or what is handed over for one: the answer of a query, a table of Grafana's.
bool is_scrape(std::string_view text) {
  const auto holds = [&](std::string_view what) { return text.find(what) != text.npos; };
  if (holds("PriorityLevelName")) return false;
  return text.starts_with("# ") || text.starts_with("apiserver_") || text.starts_with("Time,") ||
         text.starts_with("\"Time\",") || holds("apiserver_flowcontrol_") || holds("\"resultType\"");
}

std::string unpacked(const std::string& text, const std::string& name) {
  std::string kept;
  return std::string(apf::inflated(text, name, kept));
}

void check(InspectFlags& flags, const std::vector<std::string>& dumps) {
  flags.console.check();
  flags.output.check();
  flags.release.check();
  flags.inflight.check();
  if (dumps.empty() && flags.metrics.empty() && !flags.config.cluster.wanted)
    throw UsageError("nothing to inspect: give dumps (FILE) or a scrape of the server's /metrics (--metrics FILE)");
  if (flags.metrics.size() > 2)
    throw UsageError("--metrics: give one scrape, or two of which the earlier one is first");
  if (!flags.between.empty() && !flags.config.cluster.wanted) throw UsageError("--for needs --from-cluster");
  if (!flags.interval.empty() && flags.metrics.size() != 2)
    throw UsageError("--interval is the time between two scrapes: give --metrics twice");
}

// All that kubectl can get of a live server; what is forbidden is noted.
void ask_cluster(const InspectFlags& flags, apf::InspectInput& input, std::vector<std::string>& faults) {
  const ClusterFlags& cluster = flags.config.cluster;
  const std::string debug = "/debug/api_priority_and_fairness/";
  const auto scrape = [&](std::optional<apf::ServerScrape>& into) {
    if (const auto text = cluster.raw("/metrics")) into = apf::parse_part_of_scrape(text->text, text->name);
  };
  const apf::Nanos wait = flags.between.empty() ? 0 : parse_duration("--for", flags.between);
  if (wait > 0) {
    scrape(input.before);
    if (input.before) std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
  }
  scrape(input.after);
  if (!input.after) input.before.reset();
  if (input.before) input.seconds = static_cast<double>(wait) / 1e9;
  for (const char* dump : {"dump_priority_levels", "dump_queues", "dump_requests?includeRequestDetails=1"}) {
    const auto text = cluster.raw(debug + dump);
    if (!text) continue;
    if (!input.dump) input.dump.emplace();
    const std::vector<std::string> found = apf::read_dump(text->text, text->name, *input.dump);
    faults.insert(faults.end(), found.begin(), found.end());
  }
  if (!input.after && !input.dump)
    throw apf::Error(
        "--from-cluster: neither /metrics nor the debug endpoints can be read: your user needs the verb get on these "
        "nonResourceURLs");
}

// The faults of the files; what could be read is in `input`.
std::vector<std::string> read_inputs(const InspectFlags& flags, const std::vector<std::string>& dumps,
                                     apf::InspectInput& input) {
  std::vector<std::string> faults;
  for (const std::string& path : dumps) {
    claim_input(path);
    if (!input.dump) input.dump.emplace();
    const std::vector<std::string> found = apf::read_dump(flags.texts.at(path), name_of(path), *input.dump);
    faults.insert(faults.end(), found.begin(), found.end());
  }
  input.lacks_rows = !faults.empty();
  for (const std::string& path : flags.metrics) {
    claim_input(path);
    const auto text = flags.texts.find(path);
    apf::ScrapeRange range =
        apf::parse_scrape_range(text == flags.texts.end() ? read_text(path) : text->second, name_of(path));
    input.before = std::move(input.after);
    input.after = std::move(range.after);
    if (flags.metrics.size() == 1) {
      input.before = std::move(range.before);
      input.courses = std::move(range.courses);
    }
    faults.insert(faults.end(), input.after->skipped.begin(), input.after->skipped.end());
    if (range.restarted && !flags.expect.empty())
      faults.push_back(fmt::format(
          "{}: --expect is not decided: the server started again before {}, and counts are of the time since then; "
          "query the time after it, or the time before it",
          name_of(path), apf::format_rfc3339(*range.restarted)));
  }
  if (dumps.empty() && flags.metrics.empty()) ask_cluster(flags, input, faults);
  if (!flags.interval.empty()) {
    input.seconds = static_cast<double>(parse_duration("--interval", flags.interval)) / 1e9;
    if (!(*input.seconds > 0)) throw UsageError("--interval: the scrapes are some time apart");
  }
  return faults;
}

// A second scrape where there is one, then whose requests these are, then whose queues the largest flow has.
apf::Passage next_of(const CommandLine& line, const InspectFlags& flags, const apf::Inspection& inspection) {
  std::string same = filled_in(line, "inspect");
  if (same.empty()) return next_passage({});
  if (flags.metrics.size() == 1) return next_passage({"kubectl get --raw /metrics >later.txt", same + " later.txt"});
  if (inspection.apf_on == false) return next_passage({});
  if (!inspection.has_requests)
    return next_passage(
        {"kubectl get --raw '/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1' >requests.txt",
         same + " requests.txt"});
  const apf::InspectedFlow* most = nullptr;
  const apf::InspectedLevel* of = nullptr;
  for (const apf::InspectedLevel& level : inspection.levels)
    for (const apf::InspectedFlow& flow : level.flows)
      if (!most || flow.waiting > most->waiting) most = &flow, of = &level;
  if (!most || most->waiting == 0) return next_passage({});
  return next_passage({filled_in(line, "hand",
                                 "--level " + apf::shell_word(of->name) + " --flow " +
                                     apf::shell_word(most->flow_schema + "/" + most->distinguisher))});
}

// What the configuration says of levels that have refused requests.
std::vector<std::string> configured_words(const apf::Inspection& inspection, const apf::InspectInput& input) {
  std::vector<std::string> out;
  if (!input.config) return out;
  const apf::LimitsTable table =
      apf::compute_limits(*input.config, inspection.server_concurrency_limit.value_or(600), input.version);
  for (const apf::LevelLimits& limits : table.levels) {
    const auto level = std::find_if(inspection.levels.begin(), inspection.levels.end(),
                                    [&](const apf::InspectedLevel& l) { return l.name == limits.name; });
    if (level == inspection.levels.end() || level->rejected.value_or(0) <= 0) continue;
    std::vector<std::string> schemas;
    for (const apf::FlowSchema& schema : input.config->flow_schemas)
      if (schema.priority_level == limits.name) schemas.push_back(schema.meta.name);
    std::string words = fmt::format("{}: {} of {}", limits.name, limits.nominal_concurrency_shares,
                                    plural(static_cast<std::uint64_t>(table.share_sum), "share", "shares"));
    if (inspection.server_concurrency_limit)
      words += fmt::format(" ({} of {} seats)", limits.nominal_cl, *inspection.server_concurrency_limit);
    if (limits.reject) words += ", rejects in place of queueing";
    words += schemas.empty() ? "; no FlowSchema leads to it." : "; it gets the requests of " + join(schemas) + ".";
    out.push_back(apf::printable(words));
  }
  return out;
}

Setup setup_of(const InspectFlags& flags, const std::vector<std::string>& dumps, const apf::InspectInput& input) {
  Setup out;
  if (!dumps.empty()) out.emplace_back("Dumps", join(dumps));
  if (!flags.metrics.empty()) out.emplace_back("Metrics", join(flags.metrics));
  if (out.empty()) out.emplace_back("Inspected", flags.config.cluster.name());
  std::string server = flags.release.words() + (flags.release.version_given() ? "" : " (default: nothing says which)");
  if (input.server_concurrency_limit) server += ", " + flags.inflight.origin();
  out.emplace_back("Server", server);
  if (input.config) out.emplace_back("Configuration", flags.config.origin(*input.config, flags.release));
  return out;
}

}  // namespace

int cmd_inspect(CommandLine& line) {
  InspectFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  std::vector<std::string> dumps;
  for (const std::string& path : line.arguments(0, CommandLine::kAnyNumber, "dumps (FILE...)")) {
    const std::string& text = flags.texts.try_emplace(path, unpacked(read_text(path), name_of(path))).first->second;
    (is_scrape(text) ? flags.metrics : dumps).push_back(path);
  }
  check(flags, dumps);
  const Expectations expectations(flags.expect, *apf::facts_of(apf::Inspection()));
  flags.config.cluster.scrapes = !dumps.empty() || !flags.metrics.empty();  // else it is what is inspected
  if (!flags.settings.read(flags.console, &flags.config.cluster)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.settings.fill(flags.inflight);
  flags.settings.fill(flags.config);

  apf::InspectInput input;
  const std::vector<std::string> faults = read_inputs(flags, dumps, input);
  if (input.after && !flags.release.version_given()) {
    flags.release.take(apf::KubeVersion::parse(input.after->version), "its metrics");
    if (!flags.release.version_given())
      flags.release.take(apf::newest_release_of(*input.after), "its metrics: the newest one that has them");
  }
  flags.release.warn_if_newer(flags.console);
  std::vector<apf::Remark> warnings = apf::release_remarks(flags.release.version);
  input.version = flags.release.version;
  if (const auto limit = flags.inflight.readonly_given()) input.in_flight_limits["readOnly"] = *limit;
  if (const auto limit = flags.inflight.mutating_given()) input.in_flight_limits["mutating"] = *limit;
  if (!flags.config.filenames.empty() || flags.config.cluster.wanted) {
    input.config = flags.config.load(flags.console, flags.release);
    if (!input.config) return kUsageOrInput;
    refuse_kep(*input.config);
    warnings = remarks_about(*input.config, flags.release);
    if (flags.inflight.given()) input.server_concurrency_limit = flags.inflight.server_concurrency_limit;
  }
  const apf::Inspection inspection = apf::inspect(input);
  const std::vector<apf::ExpectationResult> results =
      expectations.results(*apf::facts_of(inspection), flags.allow_empty);
  write_report(
      flags.output, flags.console,
      [&](const apf::View& view) {
        apf::Document out = apf::document_of(inspection, view);
        out.section("What refuses, by the configuration").list(configured_words(inspection, input), "");
        if (view.notation == apf::Notation::text) out.add(next_of(line, flags, inspection));
        return out;
      },
      [&] { return with_warnings(apf::render_json(inspection, results), warnings); }, {},
      setup_of(flags, dumps, input));
  refuse_open("--expect", results);
  const int code = print_unmet("inspect", results, flags.console);
  for (const std::string& fault : faults) write_stderr("apfctl inspect: " + apf::printable(fault) + "\n");
  return faults.empty() ? code : kUsageOrInput;
}

}  // namespace apfctl
