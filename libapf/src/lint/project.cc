// lint_project(): one pass of the rules over a project's texts, with all that decides which findings are shown.
#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <apf/error.h>
#include <apf/lint.h>

#include "config/files.h"
#include "config/schema.h"
#include "lint/baseline.h"
#include "lint/fix.h"
#include "lint/nested.h"
#include "lint/project.h"
#include "lint/select.h"
#include "lint/traffic.h"
#include "settings/settings.h"
#include "settings/settings_place.h"

namespace apf {

namespace {

constexpr const char* kStdin = "-";

// Null: there is none.
const Preset* preset_of(const LintProject& project, const Settings& settings) {
  const std::string name = project.preset.value_or(settings.preset);
  if (name.empty()) return nullptr;
  const Preset* preset = find_preset(name);
  if (!preset) throw Error("there is no preset " + name);
  return preset;
}

void take_seats(const LintProject& project, const Settings& settings, LintOptions& options) {
  SeatNumbers seats{
      project.max_requests_inflight, project.max_mutating_requests_inflight, project.server_concurrency, {}};
  seats.take(settings.max_requests_inflight, settings.max_mutating_requests_inflight, settings.server_concurrency,
             "settings");
  if (const Preset* preset = preset_of(project, settings))
    seats.take(preset->max_requests_inflight, preset->max_mutating_requests_inflight, preset->server_concurrency,
               preset->name);
  options.max_requests_inflight = seats.server_concurrency.value_or(seats.read_only());
  options.max_mutating_requests_inflight = seats.server_concurrency ? 0 : seats.mutating();
}

// Rules that the settings switch off, unless `select` names this very rule, not a prefix; and those they switch on.
void switch_rules(const LintProject& project, const Settings& settings, LintOptions& options) {
  for (const RuleInfo& rule : lint_rules()) {
    const std::optional<std::optional<Severity>> setting = setting_of(settings, rule.code, rule.name);
    const bool wanted = std::any_of(project.select.begin(), project.select.end(),
                                    [&](const std::string& word) { return word == rule.code || word == rule.name; });
    if (setting && !*setting && !wanted) options.ignore.emplace_back(rule.code);
    if (setting && *setting) options.enabled.emplace_back(rule.code);
  }
}

// Findings that are known, as a baseline holds them.
struct Baseline {
  std::string folder = ".";
  std::set<std::pair<std::string, std::string>> known;  // file, fingerprint
};

Baseline read_baseline(const LintProject& project, const ProjectSettings& settings) {
  Baseline baseline;
  std::string path;
  if (!project.use_baseline) return baseline;
  if (project.baseline_path) path = *project.baseline_path;
  else if (!settings.settings.baseline.empty())
    path = (std::filesystem::path(settings.folder) / settings.settings.baseline).string();
  if (path.empty()) return baseline;
  for (const BaselineEntry& entry : parse_baseline(read_regular_file(path).text, path))
    baseline.known.emplace(entry.file, entry.fingerprint);
  baseline.folder = folder_of(path);
  return baseline;
}

std::vector<BaselineEntry> baseline_of(std::span<const Diagnostic> findings, std::span<const ConfigText> texts,
                                       const std::string& folder) {
  const std::vector<std::string> prints = fingerprints(findings, texts);
  std::map<std::string, std::string> paths;
  std::vector<BaselineEntry> entries;
  for (std::size_t i = 0; i < prints.size(); ++i) {
    const Diagnostic& d = findings[i];
    const auto [path, fresh] = paths.try_emplace(d.span.file);
    if (fresh) path->second = relative_to(d.span.file, folder);
    entries.push_back(
        {path->second, prints[i], d.code, d.object_name.empty() ? "" : d.kind + "/" + d.object_name, d.message});
  }
  return entries;
}

// Severities and ignores of the settings.
void apply_settings(ProjectFindings& found) {
  const Settings& settings = found.project.settings;
  std::map<std::string, std::string> paths;
  std::erase_if(found.findings, [&](Diagnostic& d) {
    if (d.code.empty()) return false;
    const std::optional<std::optional<Severity>> setting = setting_of(settings, d.code, d.name);
    if (setting && *setting) d.severity = **setting;
    if (settings.ignore.empty()) return false;
    const auto [path, fresh] = paths.try_emplace(d.span.file);
    if (fresh) path->second = relative_to(d.span.file, found.project.folder);
    const bool ignored = is_ignored(settings, path->second, d.code, d.name);
    found.summary.suppressed += ignored;
    return ignored;
  });
}

void apply_baseline(const Baseline& baseline, std::span<const ConfigText> texts, ProjectFindings& found) {
  if (baseline.known.empty()) return;
  auto known = baseline.known;
  const std::vector<BaselineEntry> entries = baseline_of(found.findings, texts, baseline.folder);
  std::vector<Diagnostic> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (known.erase({entries[i].file, entries[i].fingerprint})) ++found.summary.suppressed;
    else kept.push_back(std::move(found.findings[i]));
  }
  found.findings = std::move(kept);
  found.baseline_unused = known.size();
}

// Findings about one kind often follow from objects of another.
bool changes(const ConfigSet& set, const Diagnostic& d, const RuleInfo* rule) {
  const auto of_quotas = [](std::string_view of) { return of == "ResourceQuota" || of == "LimitRange"; };
  const auto of_flow_control = [](std::string_view of) { return of == kFlowSchemaKind || of == kPriorityLevelKind; };
  const bool quotas = of_quotas(d.kind) || (rule && rule->group == RuleGroup::resource_quota);
  return std::any_of(set.changed.begin(), set.changed.end(), [&](const std::string& changed) {
    return changed == d.kind || (of_quotas(changed) ? quotas : of_flow_control(changed) && of_flow_control(d.kind));
  });
}

// What a kustomization changes, and what it puts together with other objects, can lack a field that it fills in. Of
// changed objects nothing else can be said than what the server refuses.
bool says_too_much(const ConfigSet& set, const Diagnostic& d) {
  if (d.type == "Required value" && set.partial) return true;
  const RuleInfo* rule = find_rule(d.code);
  if (!changes(set, d, rule)) return false;
  return d.type == "Required value" || (rule && rule->group != RuleGroup::rejected);
}

// Changes of workloads matter only to what is left out for them.
void forget_unneeded_changes(ConfigSet& set, const std::set<std::string>& kinds) {
  std::erase_if(set.changed, [&](const std::string& kind) {
    return kind != kFlowSchemaKind && kind != kPriorityLevelKind && kind != "ResourceQuota" && kind != "LimitRange" &&
           !kinds.contains(kind);
  });
}

struct SetFindings {
  LoadedConfig loaded;
  std::vector<Diagnostic> findings;
};

std::vector<ConfigText> texts_of(const ConfigSet& set, std::span<const ConfigText> texts) {
  std::vector<ConfigText> out;
  for (const std::size_t i : set.texts) out.push_back(texts[i]);
  return out;
}

SetFindings lint_set(ConfigSet& set, std::span<const ConfigText> texts, LoadedConfig loaded, LintOptions options,
                     ProjectFindings& found) {
  SetFindings out;
  out.loaded = std::move(loaded);
  options.partial = options.partial || set.partial;
  options.renamed = set.renamed;
  LintResult result = lint(out.loaded, texts, options);
  found.summary.suppressed += result.suppressed.size();
  out.findings = std::move(result.findings);
  std::set<std::string> kinds;
  set.withheld = std::erase_if(out.findings, [&](const Diagnostic& d) {
    const bool left_out = says_too_much(set, d);
    if (left_out) kinds.insert(d.kind);
    return left_out;
  });
  forget_unneeded_changes(set, kinds);
  return out;
}

// The rules over each set, and all that silences their findings.
std::vector<SetFindings> run_pass(const LintProject& project, const LintOptions& options, const Baseline& baseline,
                                  std::span<const ConfigText> texts, ProjectFindings& found) {
  found.loaded = load_config(texts);
  found.sets = project.together ? std::vector<ConfigSet>(1) : sets_to_lint(texts, found.contents, found.loaded);
  found.summary = {texts.size(), found.loaded.object_count(), found.loaded.skipped.size(), 0,
                   release_remarks(options.version)};
  found.findings.clear();
  std::vector<SetFindings> out;
  for (ConfigSet& set : found.sets) {
    const bool all = found.sets.size() == 1;
    const std::vector<ConfigText> own = all ? std::vector<ConfigText>() : texts_of(set, texts);
    out.push_back(all ? lint_set(set, texts, found.loaded, options, found)
                      : lint_set(set, own, load_config(own), options, found));
    found.findings.insert(found.findings.end(), out.back().findings.begin(), out.back().findings.end());
  }
  sort_diagnostics(found.findings);  // texts can be in several sets
  apply_settings(found);
  apply_baseline(baseline, texts, found);
  return out;
}

// From how many namespaces and users the logs' events came.
LintOptions::EventSources event_sources(TrafficReader& traffic, const std::vector<std::string>& logs) {
  std::set<std::string> namespaces, users;
  const auto take = [&](const RequestInfo* info, const User& user) {
    if (!info || !info->is_resource_request || !info->api_group.empty() || info->resource != "events") return;
    if (info->verb != "create" && info->verb != "update" && info->verb != "patch") return;
    namespaces.insert(info->ns);
    users.insert(user.name);
  };
  for (const std::string& log : logs) traffic.read(log, take);
  return {namespaces.size(), users.size()};
}

// What ran within what. A log that cannot be read as a server's is none of requests with times; counting names it.
std::vector<LintOptions::Nested> nested_requests(TrafficReader& traffic, const std::vector<std::string>& logs) {
  NestedRequests nested;
  for (const std::string& log : logs) {
    try {
      NestedRequests of_log = nested;
      const auto take = [&](const RequestInfo& info, const User& user, Nanos arrival, Nanos end) {
        of_log.add(info, user, arrival, end);
      };
      traffic.read_in_order(log, take, [&] { of_log = nested; });
      nested = std::move(of_log);
    } catch (const Error&) {
      continue;
    }
  }
  return nested.take();
}

// What rules ask of the logs. Standard input is read once only, for the counts.
void look_into_traffic(const LintProject& project, const std::vector<std::string>& logs,
                       std::span<const ConfigText> texts, LintOptions& options) {
  const bool only_files = std::find(logs.begin(), logs.end(), kStdin) == logs.end();
  if (logs.empty() || !only_files) return;
  const LoadedConfig loaded = load_config(texts);
  const auto traffic = make_traffic_reader(project.traffic_reader, logs.front());
  if (!loaded.event_rate_limits.empty()) options.events = event_sources(*traffic, logs);
  if (!loaded.config.flow_schemas.empty()) options.nested = nested_requests(*traffic, logs);
}

using FindingKey = std::tuple<std::string, int, int, std::string, std::string, std::string>;

FindingKey key_of(const Diagnostic& d) { return {d.span.file, d.span.line, d.span.column, d.code, d.field, d.message}; }

void count_traffic(const LintProject& project, const std::vector<std::string>& logs, const LintOptions& options,
                   std::span<const SetFindings> sets, ProjectFindings& found) {
  if (logs.empty()) return;
  std::deque<TrafficCounter> counters;
  for (const SetFindings& set : sets) counters.emplace_back(set.loaded, set.findings, options.version, options.added);
  const auto traffic = make_traffic_reader(project.traffic_reader, logs.front());
  const auto take = [&](const RequestInfo* info, const User& user) {
    if (!info) return;
    for (TrafficCounter& counter : counters) counter.count(*info, user);
  };
  for (const std::string& log : logs) {
    const TrafficReader::Counts counts = traffic->read(log, take);
    if (counts.requests == 0 && counts.repeated == 0) throw Error(log + ": no requests found");
    found.damaged_logs.insert(found.damaged_logs.end(), counts.damaged.begin(), counts.damaged.end());
    if (counts.unusable > 0) found.unclassified.push_back({log, counts.requests, counts.unusable});
  }
  std::map<FindingKey, std::optional<Traffic>> by_finding;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const FindingsTraffic counted = counters[i].result();
    for (std::size_t k = 0; k < counted.size(); ++k) by_finding.emplace(key_of(sets[i].findings[k]), counted[k]);
  }
  for (const Diagnostic& d : found.findings) found.traffic.push_back(by_finding[key_of(d)]);
}

}  // namespace

LintOptions options_of(const LintProject& project, const Settings& settings) {
  check_rule_words(project.select, "select");
  check_rule_words(project.ignore, "ignore");
  LintOptions options;
  options.select = project.select;
  options.ignore = project.ignore;
  options.today = project.today;
  if (project.version) options.version = *project.version;
  else if (settings.kubernetes_version) options.version = *settings.kubernetes_version;
  take_seats(project, settings, options);
  switch_rules(project, settings, options);
  if (const Preset* preset = preset_of(project, settings)) options.added = preset_objects(*preset);
  return options;
}

std::vector<std::string> logs_of(const LintProject& project, const ProjectSettings& settings) {
  if (!project.traffic.empty()) return project.traffic;
  std::vector<std::string> logs;
  for (const std::string& log : settings.settings.traffic) {
    logs.push_back(project_path(settings, log));
    refuse_no_regular_file(logs.back());
  }
  return logs;
}

std::unique_ptr<TrafficReader> make_traffic_reader(const MakeTrafficReader& make, const std::string& log) {
  if (!make) throw Error(log + ": traffic_reader is not set, so that logs are not read");
  return make();
}

ProjectSettings load_settings(const std::optional<std::string>& path) {
  const std::string file = path ? *path : nearest_settings();
  return file.empty() ? ProjectSettings() : settings_in(read_regular_file(file));
}

ProjectSettings settings_in(ConfigText text) {
  return read_settings(std::move(text), [](std::string_view word) { return fault_of_rule(word); });
}

std::size_t ProjectFindings::count_from(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Diagnostic& d) { return d.severity >= severity; }));
}

ProjectFindings lint_project(const LintProject& project) {
  ProjectFindings found;
  if (project.use_settings) found.project = load_settings(project.settings_path);
  if (!found.project.faults.empty()) return found;
  if (!project.paths.empty()) found.texts = read_files_to_lint(project.paths, found.contents, project.fixtures);
  found.texts.insert(found.texts.end(), project.texts.begin(), project.texts.end());
  for (ConfigText& text : found.texts) {
    if (text.name == kStdinName) text.name = project.stdin_name;
  }
  return lint_texts(project, std::move(found));
}

ProjectFindings lint_texts(const LintProject& project, ProjectFindings found, bool partial) {
  const Settings& settings = found.project.settings;
  found.fail_on = settings.fail_on.value_or(Severity::warning);
  LintOptions options = options_of(project, settings);
  options.partial = partial;
  const Baseline baseline = read_baseline(project, found.project);
  found.excluded = remove_excluded(found.texts, found.project);
  const std::vector<std::string> logs = logs_of(project, found.project);
  look_into_traffic(project, logs, found.texts, options);
  std::vector<SetFindings> sets = run_pass(project, options, baseline, found.texts, found);
  if (project.fix != FixKind::none) {
    const auto findings_of = [&](std::span<const ConfigText> texts) {
      ProjectFindings pass;
      pass.project = found.project;
      pass.contents = found.contents;
      run_pass(project, options, baseline, texts, pass);
      // What others build with, too, is not changed for one of them.
      std::erase_if(pass.findings, [&](const Diagnostic& d) {
        const std::vector<std::string>& elsewhere = found.contents.elsewhere;
        return std::find(elsewhere.begin(), elsewhere.end(), d.span.file) != elsewhere.end();
      });
      return pass.findings;
    };
    FixedTexts fixed = fix_texts(found.texts, findings_of, project.fix == FixKind::all);
    found.fixes = fixed.applied;
    found.unfixed = std::exchange(found.texts, std::move(fixed.texts));
    const std::size_t unused = found.baseline_unused;  // as it was before the fixes
    sets = run_pass(project, options, baseline, found.texts, found);
    found.baseline_unused = unused;
  }
  count_traffic(project, logs, options, sets, found);
  return found;
}

std::string render_baseline(const ProjectFindings& found, const std::string& folder) {
  return render_baseline(baseline_of(found.findings, found.texts, folder.empty() ? "." : folder));
}

}  // namespace apf
