// apfctl quota: whether manifests fit into the ResourceQuotas of their namespaces.

#include <apf/error.h>
#include <apf/flag_values.h>
#include <apf/lint.h>
#include <apf/quota.h>
#include <apf/report.h>
#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>

#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/flag_value.h"
#include "shared/folder_notes.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/project.h"

namespace apfctl {

namespace {

struct QuotaFlags {
  Console console;
  OutputFlags output;
  ReleaseFlags release;
  SettingsFlags settings;
  std::vector<std::string> filenames;
  std::string ns, used = "auto", nodes = "0", quota_config;
  bool no_expand = false;
};

void declare(CommandLine& line, QuotaFlags& flags) {
  line.synopsis("quota [-f PATH]... [FILE]... [FLAG]...");
  line.about(
      "Do these manifests fit into the ResourceQuotas of their namespaces?",
      "Checks whether manifests fit into the ResourceQuotas of their namespaces. Shows what kubectl describe quota "
      "would show after each object was created in order, which object the server would deny first, with its message, "
      "and how much quota is missing. FILE: a file, a directory, a glob, or - for standard input. Without -f, the "
      "FILEs also contain the quotas.");
  line.example(
      "a release of an application",
      "apfctl quota -f examples/quota-fit/quota.yaml examples/quota-fit/api.yaml examples/quota-fit/index.yaml");
  line.example(
      "with the defaults of a LimitRange",
      "apfctl quota -f examples/quota-fit/quota.yaml examples/quota-fit/api.yaml examples/quota-fit/limit-range.yaml");
  line.example("for a program", "apfctl quota -f examples/quota-fit/quota.yaml examples/quota-fit/api.yaml -o json");
  line.heading("Quota");
  line.list("-f,--filename", flags.filenames, "PATH",
            "ResourceQuotas: a file, a directory, a glob, or - for standard input. Repeatable. Default: the quotas "
            "among the FILEs.");
  line.option("-n,--namespace", flags.ns, "NAME",
              "Namespace of quotas and objects that name none. Default: the namespace of the quotas if they share one, "
              "otherwise 'default'.");
  line.option("--quota-used", flags.used, "auto|status|zero",
              "Usage to start with: status (from the quota's status), zero (an empty namespace), or auto (default): "
              "the status if the quota has one.");
  const std::vector<std::string_view>& words = apf::replay_setting("quota-used").words;
  line.choices("--quota-used", std::vector<std::string>(words.begin(), words.end()));
  line.option("--quota-config", flags.quota_config, "FILE",
              "Configuration of the admission plugin. A quota must cover the resources that it limits.");
  line.heading("Objects");
  line.flag("--no-expand", flags.no_expand,
            "Count only the objects themselves, not what controllers create for them, such as the Pods of a Deployment "
            "or the claims of a StatefulSet.");
  line.option("--nodes", flags.nodes, "N", "Number of Pods of each DaemonSet (default: not counted).");
  flags.release.declare_version(line);
  flags.settings.declare(line, false);
  flags.output.declare(line, {"text", "json", "markdown", "html", "svg", "wide"});
  flags.console.declare(line);
}

apf::QuotaCheckOptions check(QuotaFlags& flags) {
  flags.console.check();
  flags.output.check();
  flags.release.check();
  flags.settings.fill(flags.release);
  flags.release.warn_if_newer(flags.console);
  apf::QuotaCheckOptions options;
  options.ns = flags.ns;
  apf::ReplayOptions replay;
  value_of("--quota-used", [&] { apf::replay_setting("quota-used").set(replay, flags.used); });
  options.start = replay.quota_start;
  options.version = flags.release.version;
  options.expand = !flags.no_expand;
  options.nodes = static_cast<std::uint64_t>(parse_int("--nodes", flags.nodes, 0, 1'000'000));
  return options;
}

// Prints the findings; true if one of them is an error.
bool print_errors(std::vector<apf::Diagnostic> found, const std::vector<apf::ConfigText>& texts, const Console& console,
                  const char* where) {
  const std::size_t errors = print_findings(std::move(found), texts, console);
  if (errors > 0) write_stderr(fmt::format("apfctl: {} in {}\n", plural(errors, "error", "errors"), where));
  return errors > 0;
}

// Nothing: they have errors, which are printed.
std::optional<apf::LoadedConfig> load_quotas(const std::vector<apf::ConfigText>& texts, const QuotaFlags& flags,
                                             const char* where) {
  apf::LoadedConfig loaded = apf::load_config(texts);
  std::vector<apf::Diagnostic> found = loaded.diagnostics;
  // -n supplies a missing namespace. A LimitRange is a manifest, and refused as one.
  for (apf::Diagnostic& d : validate_for(loaded, flags.release)) {
    if (d.kind == "LimitRange") continue;
    if (d.kind == "ResourceQuota" && d.field == "metadata.namespace" && d.type == "Required value") continue;
    found.push_back(std::move(d));
  }
  if (print_errors(std::move(found), texts, flags.console, where)) return std::nullopt;
  return loaded;
}

// What lint says of the quotas and LimitRanges of the namespaces. Workloads that do not fit, the check itself tells;
// what may be meant so is lint's alone.
std::vector<apf::Diagnostic> findings_of(const std::vector<apf::ConfigText>& quotas,
                                         const std::vector<apf::ConfigText>& manifests, const QuotaFlags& flags,
                                         const apf::QuotaReport& report) {
  std::vector<apf::ConfigText> texts = quotas;
  for (const apf::ConfigText& text : manifests)
    if (std::none_of(quotas.begin(), quotas.end(), [&](const apf::ConfigText& q) { return q.name == text.name; }))
      texts.push_back(text);
  apf::LoadedConfig loaded = apf::load_config(texts);
  const std::string ns = flags.ns.empty() && !report.quotas.empty() ? report.quotas.front().ns : flags.ns;
  const bool one = std::all_of(report.quotas.begin(), report.quotas.end(),
                               [&](const apf::QuotaTable& table) { return table.ns == ns; });
  if (one) {
    for (apf::ResourceQuota& quota : loaded.resource_quotas) quota.ns = quota.ns.empty() ? ns : quota.ns;
    for (apf::LimitRange& range : loaded.limit_ranges) range.ns = range.ns.empty() ? ns : range.ns;
  }
  apf::LintOptions options;
  options.version = flags.release.version;
  options.select = {"APF7"};
  options.ignore = {"workload-never-fits", "two-quotas", "zero-quota"};
  for (const apf::Settings::RuleSetting& setting : flags.settings.project().settings.rules)
    if (!setting.severity) options.ignore.push_back(setting.rule);
  std::vector<apf::Diagnostic> found = apf::lint(loaded, texts, options).findings;
  std::erase_if(found, [](const apf::Diagnostic& d) { return !d.code.starts_with("APF7"); });
  return found;
}

[[noreturn]] void refuse_no_quota(const apf::LoadedConfig& loaded, const std::vector<std::string>& paths,
                                  const QuotaFlags& flags) {
  std::string cure = flags.filenames.empty() ? "use -f for the file that contains it" : "check the path of -f";
  if (!loaded.resource_quota_configurations.empty())
    cure = "give the configuration of the admission plugin with --quota-config";
  throw apf::Error(fmt::format("{}: no ResourceQuota found; {}", apf::printable(join(paths)), cure));
}

// A pipeline that renders nothing must not fit.
void refuse_no_manifest(const std::vector<apf::ConfigText>& manifests, const std::vector<std::string>& paths) {
  refuse_nothing(manifests, apf::load_config(manifests));
  refuse_empty_files(manifests, paths);
}

Setup setup_of(const std::vector<std::string>& quotas, const std::vector<std::string>& manifests,
               const QuotaFlags& flags) {
  Setup out = {{"Quotas", join(quotas)}};
  if (!flags.filenames.empty() && !manifests.empty()) out.emplace_back("Manifests", join(manifests));
  out.emplace_back("Server", "Kubernetes " + flags.release.version.str());
  return out;
}

}  // namespace

int cmd_quota(CommandLine& line) {
  QuotaFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(0, CommandLine::kAnyNumber, "manifests (FILE...)");
  if (!flags.settings.read(flags.console)) return kUsageOrInput;
  const apf::QuotaCheckOptions options = check(flags);
  const std::vector<std::string>& quota_paths = flags.filenames.empty() ? paths : flags.filenames;
  if (quota_paths.empty()) throw UsageError("no quota given: use -f PATH for the quotas and FILE for the manifests");

  apf::FolderContents contents, of_quotas;
  std::vector<apf::ConfigText> manifests = read_related(paths, contents, apf::WantedObjects::all);
  take_out_excluded(manifests, flags.settings.project(), paths, false, flags.console);
  std::vector<apf::ConfigText> quota_texts = manifests;
  if (!flags.filenames.empty()) {
    quota_texts = read_related(quota_paths, of_quotas);
    take_out_excluded(quota_texts, flags.settings.project(), quota_paths, false, flags.console);
  }
  note_left_out(contents, "quota", flags.console, apf::WantedObjects::all);
  note_left_out(of_quotas, "lint", flags.console);
  const std::optional<apf::LoadedConfig> loaded = load_quotas(quota_texts, flags, "the quotas");
  if (!loaded) return kUsageOrInput;
  std::optional<apf::LoadedConfig> plugin;
  if (!flags.quota_config.empty()) {
    const std::vector<std::string> path{flags.quota_config};
    plugin = load_quotas(read_configs(path), flags, "the configuration of the plugin");
    if (!plugin) return kUsageOrInput;
    if (plugin->resource_quota_configurations.empty()) {
      throw apf::Error(fmt::format("{}: no ResourceQuotaConfiguration found; check the path of --quota-config",
                                   apf::printable(flags.quota_config)));
    }
  }

  // What the plugin limits is denied for want of a quota.
  const bool limits = plugin && !plugin->resource_quota_configurations.front().limited_resources.empty();
  if (loaded->resource_quotas.empty() && !limits) refuse_no_quota(*loaded, quota_paths, flags);
  if (!paths.empty()) refuse_no_manifest(manifests, paths);
  if (!flags.filenames.empty()) refuse_empty_files(quota_texts, quota_paths);

  apf::QuotaReport report = apf::check_quota(
      loaded->resource_quotas, plugin ? &plugin->resource_quota_configurations.front() : nullptr, manifests, options);
  if (print_errors(report.diagnostics, manifests, flags.console, "the manifests")) return kUsageOrInput;
  report.diagnostics = findings_of(quota_texts, manifests, flags, report);
  add_hints(report.notes);
  write_report(
      flags.output, flags.console,
      [&](const apf::View& view) {
        return apf::document_of(report,
                                {flags.console.verbose || view.notation == apf::Notation::html, "-v shows all"});
      },
      [&] { return with_warnings(apf::render_json(report), apf::release_remarks(flags.release.version)); }, {},
      setup_of(quota_paths, paths, flags));
  for (const apf::UncountedObject& object : report.uncounted)
    if (object.leaves_open && !report.fits())
      throw apf::Error(apf::printable(fmt::format("whether all fits is not decided: {} {}: {}", object.manifest.kind,
                                                  object.manifest.name, object.reason)));
  return report.denied > 0 ? kNotOk : 0;
}

}  // namespace apfctl
