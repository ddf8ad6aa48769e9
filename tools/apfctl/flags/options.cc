#include "flags/options.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include <apf/classify.h>
#include <apf/error.h>
#include <apf/lint.h>
#include <apf/output.h>
#include <apf/replay.h>
#include <apf/report.h>

#include "flags/named_by_files.h"
#include "flags/next_command.h"
#include "shared/folder_notes.h"
#include "shared/input.h"
#include "shared/interrupts.h"
#include "shared/output.h"
#include "shared/project.h"
#include "shared/sources.h"
#include "shared/suggest.h"

namespace apfctl {

namespace {

const Choices<apf::Builtins> kBuiltins = {{"all", apf::Builtins::all},
                                          {"mandatory", apf::Builtins::mandatory},
                                          {"none", apf::Builtins::none},
                                          {"enforced", apf::Builtins::enforced}};

// Rather than for a CI system, a browser, or as objects of Kubernetes.
bool is_for_any_reader(std::string_view format) {
  for (const std::string_view other : {"github", "junit", "checkstyle", "html", "svg", "yaml"})
    if (format == other) return false;
  return true;
}

// Warns of objects that the server stores but ignores.
void warn_of_ignored(const apf::Config& config, const Console& console) {
  for (const apf::PriorityLevel& level : config.priority_levels) {
    const std::string reason = apf::malformed_reason(level);
    if (!reason.empty())
      console.warn(apf::printable((level.kep ? "RequestPriority " : "PriorityLevelConfiguration ") + level.meta.name +
                                  " is ignored: " + reason));
  }
  const apf::Classifier classifier(config);
  for (const apf::Classifier::Dropped& dropped : classifier.dropped()) {
    console.warn(apf::printable("FlowSchema " + dropped.name + " is ignored: " + dropped.reason));
  }
}

}  // namespace

std::vector<std::string> releases_since(apf::KubeVersion oldest) {
  std::vector<std::string> out;
  for (const apf::KubeVersion release : apf::kube_versions())
    if (release >= oldest) out.push_back(release.str());
  return out;
}

void OutputFlags::declare(CommandLine& line, std::vector<std::string> formats) {
  line_ = &line;
  formats_ = std::move(formats);
  line.heading("Output");
  std::string text = "Output format";
  for (std::size_t i = 0; i < formats_.size(); ++i) {
    text += i == 0 ? ": " : i + 1 == formats_.size() ? " or " : ", ";
    text += formats_[i] + (i == 0 ? " (default)" : "");
  }
  line.list("-o,--output", given, "FORMAT[=FILE]", text + "; =FILE writes to that file. Repeatable.");
  line.choices("--output", formats_);
}

void OutputFlags::check() {
  for (const std::string& text : given) {
    Target target;
    const std::size_t equals = text.find('=');
    target.format = text.substr(0, equals);
    find_choice("-o", target.format, formats_);
    if (equals != std::string::npos) {
      target.file = text.substr(equals + 1);
      if (target.file.empty()) throw UsageError("-o " + apf::printable(text) + ": the file name is missing");
    }
    claim_output("-o", target.file);
    targets.push_back(target);
  }
  if (targets.empty()) targets.push_back({formats_.front(), ""});
}

apf::TextStyle OutputFlags::style_of(const Target& target, const Console& console) const {
  apf::TextStyle style;
  if (is_standard_output(target.file)) style = text_style(STDOUT_FILENO, console.color);
  else style.color = console.color == Color::always;
  style.full = target.format == "wide";
  return style;
}

std::string OutputFlags::made_by() const { return typed_again(*line_); }

bool OutputFlags::accepts(const std::string& format) const {
  return std::find(formats_.begin(), formats_.end(), format) != formats_.end();
}

void OutputFlags::write(
    const Console& console,
    const std::function<std::string(const std::string& format, const apf::TextStyle&)>& render) const {
  write_to_fit(console, [&](const std::string& format, const apf::TextStyle& style, std::size_t) {
    return render(format, style);
  });
}

void OutputFlags::write_to_fit(const Console& console,
                               const std::function<std::string(const std::string& format, const apf::TextStyle&,
                                                               std::size_t rows)>& render) const {
  for (const Target& target : targets) {
    if (!whole_when_interrupted && skip_interrupted(target.file)) continue;
    Output out(target.file);
    const apf::TextStyle style = style_of(target, console);
    const std::size_t rows = is_standard_output(target.file) ? terminal_rows(STDOUT_FILENO) : 0;
    std::string text = render(target.format == "wide" ? "text" : target.format, style, rows);
    if (is_for_any_reader(target.format)) text = apf::without_ci_commands(text);
    out.write(text);
    out.close();
  }
}

void ReleaseFlags::declare_version(CommandLine& line, apf::KubeVersion oldest) {
  line.heading("Server");
  line.option(
      "--kubernetes-version", given, "VERSION",
      fmt::format(
          "kube-apiserver release (default {}). {} or newer, with or without a patch, such as 1.27.4. Without a patch: "
          "the newest one.",
          apf::kNewestKubeVersion.str(), oldest.str()));
  line.choices("--kubernetes-version", releases_since(oldest));
}

void ReleaseFlags::declare(CommandLine& line, apf::KubeVersion oldest) {
  declare_version(line, oldest);
  line.option("--builtins", builtins_text, "WHICH",
              "Built-in objects that the server adds: all (default), mandatory, none or enforced. Your object replaces "
              "the built-in object with the same name. enforced: all, and objects of yours that the server restores or "
              "deletes before long are as it leaves them.");
  line.choices("--builtins", kBuiltins.words());
}

void ReleaseFlags::check(const char* flag) {
  const std::optional<apf::KubeVersion> parsed = given ? apf::KubeVersion::parse(*given) : version;
  if (!parsed) throw UsageError(fmt::format("{}: {}", flag, apf::unsupported_release(apf::printable(*given))));
  const apf::KubeVersion before = version;
  version = *parsed;
  add_gates(before);
  builtins = kBuiltins.parse("--builtins", builtins_text);
}

void ReleaseFlags::note_patch(const Console& console) const {
  const std::string differ = apf::patch_differences(version);
  if (!differ.empty())
    console.note(fmt::format("{} means its newest patch; its patches differ: {}", version.str(), differ));
}

void ReleaseFlags::warn_if_newer(const Console& console) const {
  static std::set<std::string> said;  // a command may load several configurations
  for (const apf::Remark& remark : apf::release_remarks(version))
    if (said.insert(remark.name).second) console.warn(apf::render_text(remark));
}

void ReleaseFlags::take(const std::optional<apf::KubeVersion>& setting, const std::string& from) {
  if (given || !setting) return;
  version = *setting;
  from_settings_ = true;
  from_ = from;
}

void ReleaseFlags::set_gates(const std::string& gates, const std::string& from, const Console& console) {
  for (const std::string& unheeded : apf::set_feature_gates(gates, version))
    console.warn(apf::printable(fmt::format("--feature-gates of {} is not obeyed: {}", from, unheeded)));
}

void ReleaseFlags::add_gates(apf::KubeVersion of) {
  version.gates_on |= of.gates_on;
  version.gates_off |= of.gates_off;
}

std::string ReleaseFlags::words() const {
  return "Kubernetes " + version.str() + (from_.empty() ? "" : " (by " + apf::printable(from_) + ")");
}

std::vector<apf::Diagnostic> validate_for(const apf::LoadedConfig& loaded, const ReleaseFlags& release,
                                          const apf::LoadedConfig* old, apf::Subresource subresource) {
  std::vector<apf::Diagnostic> found = apf::validate(loaded, release.version, old, subresource);
  for (apf::Diagnostic& d : found) {
    if (d.name == kNotServed && !release.version_given()) d.severity = apf::Severity::warning;
  }
  return found;
}

void refuse_nothing(const std::vector<apf::ConfigText>& texts, const apf::LoadedConfig& loaded) {
  if (texts.empty() || loaded.object_count() + loaded.skipped.size() + loaded.diagnostics.size() > 0) return;
  const std::string name = texts.front().name == kStdinName ? "standard input" : apf::printable(texts.front().name);
  throw apf::Error(texts.size() == 1 ? "no objects found in " + name + "; check the command that wrote it"
                                     : fmt::format("none of the {} files contains an object", texts.size()));
}

void refuse_empty_files(const std::vector<apf::ConfigText>& texts, const std::vector<std::string>& paths) {
  for (const apf::ConfigText& text : texts) {
    const std::string path = text.name == kStdinName ? "-" : text.name;
    if (std::find(paths.begin(), paths.end(), path) != paths.end())
      refuse_nothing({text}, apf::load_config({&text, 1}));
  }
}

void refuse_kep(const apf::Config& config) {
  if (apf::is_kep(config))
    throw apf::Error(
        "this configuration is in the dialect of KEP-1040, which this command does not read: run apfctl convert --to "
        "v1 first, with --partial if v1 cannot express all of it");
}

void note_skipped(const apf::LoadedConfig& loaded, const Console& console) {
  if (loaded.skipped.empty()) return;
  console.note("skipped " + plural(loaded.skipped.size(), "object of another kind", "objects of other kinds") +
               (console.verbose ? ":" : " (use -v to list them)"));
  for (const apf::SkippedObject& s : loaded.skipped) {
    if (console.verbose)
      console.note(
          apf::printable(fmt::format("{}:{}: {} {} {}", s.span.file, s.span.line, s.api_version, s.kind, s.name)));
  }
}

static std::string none_in(const std::vector<std::string>& paths) {
  return "no FlowSchema or PriorityLevelConfiguration found in " + join(paths);
}

static bool has_flow_control(const apf::LoadedConfig& loaded) {
  return !loaded.config.flow_schemas.empty() || !loaded.config.priority_levels.empty();
}

void warn_if_empty(const apf::LoadedConfig& loaded, const std::vector<std::string>& paths, const Console& console) {
  if (!has_flow_control(loaded)) console.warn(none_in(paths));
}

void InflightFlags::declare(CommandLine& line) {
  line.heading("Server");
  line.option("--max-requests-inflight", readonly_text_, "N", "Value of kube-apiserver's flag (default 400).");
  line.option("--max-mutating-requests-inflight", mutating_text_, "N",
              "Value of kube-apiserver's flag (default 200). The priority levels share the sum of both.");
  line.option(
      "--server-concurrency", sum_text_, "N",
      "The server's seats, instead of --max-requests-inflight and --max-mutating-requests-inflight: their sum.");
}

void InflightFlags::check() {
  const auto parse = [](const char* flag, const std::optional<std::string>& text, std::optional<int>& value,
                        int least = 0) {
    if (text) value = static_cast<int>(parse_int(flag, *text, least, kMostSeats));
  };
  if (sum_text_ && (readonly_text_ || mutating_text_)) {
    throw UsageError(
        "--server-concurrency is the sum of --max-requests-inflight and --max-mutating-requests-inflight: use either "
        "the sum or the two flags");
  }
  parse("--server-concurrency", sum_text_, numbers_.server_concurrency, 1);
  parse("--max-requests-inflight", readonly_text_, numbers_.max_requests_inflight);
  parse("--max-mutating-requests-inflight", mutating_text_, numbers_.max_mutating_requests_inflight);
  server_concurrency_limit = numbers_.seats();
}

void InflightFlags::replace(const std::string& prefix, const std::optional<std::string>& readonly,
                            const std::optional<std::string>& mutating, const std::optional<std::string>& sum) {
  const auto parse = [&](const char* flag, const std::optional<std::string>& text) {
    return static_cast<int>(parse_int(prefix + flag, *text, 0, kMostSeats));
  };
  if (sum && (readonly || mutating)) {
    throw UsageError(prefix + "server-concurrency is the sum of " + prefix + "max-requests-inflight and " + prefix +
                     "max-mutating-requests-inflight: use either the sum or the two flags");
  }
  if (sum)
    numbers_.server_concurrency = static_cast<int>(parse_int(prefix + "server-concurrency", *sum, 1, kMostSeats));
  if (readonly) numbers_.max_requests_inflight = parse("max-requests-inflight", readonly);
  if (mutating) numbers_.max_mutating_requests_inflight = parse("max-mutating-requests-inflight", mutating);
  if (readonly || mutating) numbers_.server_concurrency.reset();
  if (sum || readonly || mutating) numbers_.from.clear();
  server_concurrency_limit = numbers_.seats();
}

void InflightFlags::take(const std::optional<int>& read_only, const std::optional<int>& mutating,
                         const std::optional<int>& sum, const std::string& from) {
  numbers_.take(read_only, mutating, sum, from);
  server_concurrency_limit = numbers_.seats();
}

void InflightFlags::need_seats() const {
  if (server_concurrency_limit > 0) return;
  throw UsageError("the server has " + origin() +
                   ": kube-apiserver does not start with a sum of 0 while API Priority and Fairness is on");
}

std::string InflightFlags::origin() const {
  const std::string& from = numbers_.from;
  if (!from.empty() && numbers_.server_concurrency)
    return fmt::format("{} seats (by {})", server_concurrency_limit, from);
  if (from == kServersLog)
    return fmt::format("{} seats (by {}: --max-requests-inflight {} and --max-mutating-requests-inflight {})",
                       server_concurrency_limit, from, read_only(), mutating());
  if (!from.empty())
    return fmt::format("{} seats (by {}: {} + {})", server_concurrency_limit, from, read_only(), mutating());
  if (numbers_.server_concurrency) return fmt::format("{} seats (--server-concurrency)", server_concurrency_limit);
  if (!given()) return fmt::format("{} seats (default: nothing says how many)", server_concurrency_limit);
  return fmt::format("{} seats (--max-requests-inflight {} + --max-mutating-requests-inflight {})",
                     server_concurrency_limit, read_only(), mutating());
}

std::string InflightFlags::assumed() const {
  if (given()) return {};
  return fmt::format("{} seats are assumed: nothing says how many (--server FILE or --server-concurrency N does).",
                     server_concurrency_limit);
}

void LogFlags::declare(CommandLine& line) {
  line.heading("Log");
  if (by_argument) line.argument_flag("--log", "LOG", "A log: the same as LOG. Repeatable.");
  line.option("--log-format", format, "FORMAT",
              "Log format: auto (default), or a format of apfctl-logs(5), such as audit or httplog.");
  line.choices("--log-format", apf::log_format_names());
  line.option("--log-year", year_text, "YEAR",
              "Year of the earliest line, for logs without years (klog). By default, apfctl finds it in the logs.");
}

void LogFlags::check() {
  find_choice("--log-format", format, apf::log_format_names());
  if (year_text != "0") year = static_cast<int>(parse_int("--log-year", year_text, 1970, 2199));
}

void ConfigFlags::declare(CommandLine& line) {
  line.heading("Configuration");
  line.list(
      "-f,--filename", filenames, "PATH",
      "Files of FlowSchemas and PriorityLevelConfigurations. A file, a directory, a glob, or - for standard input. "
      "Repeatable. Without it, only the release's built-in objects exist.");
  cluster.declare(line);
  line.flag("--no-validate", no_validate,
            "Continue if the configuration has errors, with the objects that can be decoded.");
}

namespace {

// A repository's quotas, audit policies and configurations of admission do not change what flow control does.
bool is_of_other_limits(const apf::Diagnostic& d) {
  const bool of_flow_control = d.api_version.empty() || d.api_version.starts_with("flowcontrol") ||
                               d.kind.find("FlowSchema") != std::string::npos ||
                               d.kind.find("PriorityLevel") != std::string::npos;
  return !d.kind.empty() && !of_flow_control;
}

std::vector<apf::Remark> maintenance_of(const apf::Config& config, const ReleaseFlags& release) {
  if (release.builtins == apf::Builtins::enforced) return {};
  std::vector<apf::Remark> out = apf::maintenance_remarks(apf::maintained_objects(config, release.version));
  apf::add_hints(out);
  return out;
}

}  // namespace

std::vector<apf::Remark> remarks_about(const apf::Config& config, const ReleaseFlags& release) {
  std::vector<apf::Remark> out = apf::release_remarks(release.version);
  for (apf::Remark& remark : maintenance_of(config, release)) out.push_back(std::move(remark));
  return out;
}

std::string with_warnings(const std::string& object, const std::vector<apf::Remark>& remarks) {
  if (remarks.empty()) return object;
  apf::JsonWriter json;
  json.begin_object().members(std::string_view(object).substr(1, object.size() - 2));
  apf::write_remarks(json, "warnings", remarks);
  json.end_object();
  return json.take();
}

void note_maintained(const apf::Config& config, const ReleaseFlags& release, const Console& console) {
  for (const apf::Remark& remark : maintenance_of(config, release))
    console.note(apf::printable(apf::render_text(remark)));
}

std::size_t print_findings(std::vector<apf::Diagnostic> found, const std::vector<apf::ConfigText>& texts,
                           const Console& console) {
  const auto is_error = [](const apf::Diagnostic& d) { return d.severity == apf::Severity::error; };
  if (console.quiet) std::erase_if(found, [&](const apf::Diagnostic& d) { return !is_error(d); });
  const auto errors = static_cast<std::size_t>(std::count_if(found.begin(), found.end(), is_error));
  for (const std::string& sentence : hide_findings(found)) write_stderr("apfctl: " + apf::printable(sentence) + "\n");
  write_stderr(apf::render_text(found, texts, text_style(STDERR_FILENO, console.color)));
  return errors;
}

std::optional<apf::Config> ConfigFlags::load(const Console& console, const ReleaseFlags& release,
                                             std::vector<apf::ConfigText>* read) const {
  cluster.check();
  if (!cluster.wanted) return load(filenames, console, release, read);
  if (!filenames.empty()) throw UsageError("--from-cluster and -f cannot be combined");
  const std::vector<apf::ConfigText> texts = {cluster.read()};
  if (read) *read = texts;
  return load(texts, {texts.front().name}, console, release);
}

std::optional<apf::Config> ConfigFlags::load(const std::vector<std::string>& paths, const Console& console,
                                             const ReleaseFlags& release, std::vector<apf::ConfigText>* read) const {
  if (std::find(paths.begin(), paths.end(), "") != paths.end())
    throw UsageError("the path of a configuration is empty");
  apf::FolderContents contents;
  std::vector<apf::ConfigText> texts = paths.empty() ? std::vector<apf::ConfigText>() : read_sources(paths, contents);
  if (project) take_out_excluded(texts, *project, paths, false, console);
  std::vector<apf::ConfigSet> sets = apf::sets_of(texts, contents);
  keep_flow_control(texts, sets, paths);
  note_left_out(contents, "lint", console);
  note_kustomizations(sets, "lint", console);
  objects.check(paths, texts, console);
  if (read) *read = texts;
  return load(texts, paths, console, release);
}

std::optional<apf::Config> ConfigFlags::load(const std::vector<apf::ConfigText>& texts,
                                             const std::vector<std::string>& paths, const Console& console,
                                             const ReleaseFlags& release) const {
  if (warns_of_release) release.warn_if_newer(console);
  apf::LoadedConfig loaded = apf::load_config(texts);
  std::vector<apf::Diagnostic> found = loaded.diagnostics;
  std::erase_if(found, is_of_other_limits);
  std::set<std::string> not_served;
  if (!no_validate) {
    for (apf::Diagnostic& d : validate_for(loaded, release)) {
      if (d.name == kNotServed) not_served.insert(d.api_version);
      else if (!is_of_other_limits(d)) found.push_back(std::move(d));
    }
  }
  const std::size_t errors = print_findings(std::move(found), texts, console);
  if (errors > 0 && !no_validate) {
    write_stderr(fmt::format("apfctl: {} in the configuration ({})\n", plural(errors, "error", "errors"),
                             loaded.has_errors() ? "use --no-validate to skip what cannot be decoded"
                                                 : "use --no-validate to load it anyway"));
    return std::nullopt;
  }
  refuse_nothing(texts, loaded);
  refuse_empty_files(texts, paths);
  note_skipped(loaded, console);
  for (const std::string& version : not_served)
    console.note(fmt::format("Kubernetes {} does not serve {}; objects in it are read as the server reads stored ones",
                             release.version.str(), version));
  if (!paths.empty() && !has_flow_control(loaded)) {
    // Any answer would be about the built-in objects.
    if (!may_hold_none && !loaded.has_errors()) throw apf::Error(none_in(paths) + "; correct the path");
    console.warn(none_in(paths));
  }
  apf::apply_defaults(loaded.config);
  if (notes_maintained) note_maintained(loaded.config, release, console);
  apf::Config config = apf::with_builtins(std::move(loaded.config), release.version, release.builtins);
  if (preset && release.has_all_builtins()) {
    note_preset_of_kep(config, *preset, console);
    config = apf::with_objects(std::move(config), apf::preset_objects(*preset));
  }
  warn_of_ignored(config, console);
  if (known && !apf::is_kep(config))
    for (const std::string& sentence : known->level_differences(config, paths.empty()))
      console.warn(apf::printable(sentence + (paths.empty() ? ": give the server's objects with -f" : "")));
  return config;
}

std::string ConfigFlags::origin(const apf::Config& loaded, const ReleaseFlags& release) const {
  if (apf::is_kep(loaded)) return join(filenames) + ", in the dialect of KEP-1040 with its backstops";
  std::string builtin = release.builtins == apf::Builtins::none
                            ? ""
                            : fmt::format("the {} objects of Kubernetes {}",
                                          release.has_all_builtins() ? "built-in" : "mandatory", release.version.str());
  if (preset && !preset->objects.empty() && release.has_all_builtins()) builtin += " and of preset " + preset->name;
  if (cluster.wanted) return "the cluster's" + (builtin.empty() ? "" : " and " + builtin);
  if (filenames.empty()) {
    if (builtin.empty()) builtin = "no objects except the server's own fallbacks";
    const std::vector<std::string> others = known ? known->level_differences(loaded) : std::vector<std::string>();
    return others.empty() ? builtin : builtin + ", which are not the server's (" + join(others) + ")";
  }
  return join(filenames) + (builtin.empty() ? "" : " and " + builtin);
}

std::string config_words(const ConfigFlags& config, const ReleaseFlags& release) {
  std::string out;
  for (const std::string& path : config.filenames) out += " -f " + path_word(path);
  out += config.cluster.flags();
  if (release.version != apf::kNewestKubeVersion) out += " --kubernetes-version " + release.version.str();
  if (release.builtins == apf::Builtins::mandatory) out += " --builtins mandatory";
  if (release.builtins == apf::Builtins::none) out += " --builtins none";
  if (release.builtins == apf::Builtins::enforced) out += " --builtins enforced";
  if (config.preset) out += " --preset " + config.preset->name;
  return out;
}

}  // namespace apfctl
