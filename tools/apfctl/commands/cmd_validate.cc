// apfctl validate: what kube-apiserver would say to a create, or an update, of each object.

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <apf/config.h>
#include <apf/lint.h>
#include <apf/report.h>

#include "commands/findings_output.h"
#include "flags/options.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/folder_notes.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/project.h"
#include "shared/require_objects.h"

namespace apfctl {

namespace {

constexpr std::size_t kShownDetail = 300;
const std::vector<std::string> kSubresources = {"status"};

struct ValidateFlags {
  Console console;
  OutputFlags output;
  ReleaseFlags release;
  std::string old, subresource;
  SettingsFlags settings;
  RequireObjects objects;
  bool strict = false;
};

void declare(CommandLine& line, ValidateFlags& flags) {
  line.synopsis("validate FILE... [FLAG]...");
  line.about(
      "Which errors would kube-apiserver return?",
      "Reports the errors that kube-apiserver would return when you create each FlowSchema, "
      "PriorityLevelConfiguration and ResourceQuota or, with --old, update it. FILE: a file, a directory, a glob, or - "
      "for standard input.");
  line.example("before kubectl apply", "apfctl validate examples/amok-controller/after.yaml");
  line.example("may the objects of the cluster be updated so?",
               "apfctl validate examples/lint-review/after.yaml --old examples/lint-review/before.yaml");
  line.example("will these manifests be valid after the upgrade?",
               "apfctl validate examples/upgrade-manifests/manifests.yaml --kubernetes-version 1.32");
  line.heading("Validation");
  line.argument_flag("-f,--filename", "PATH", "A configuration: the same as FILE. Repeatable.");
  line.option("--old", flags.old, "PATH",
              "Objects in the cluster. An object with the same kind and name is validated as an update.");
  line.flag("--strict", flags.strict,
            "Report unknown and duplicate fields as errors, as kubectl apply does. By default they are warnings.");
  line.option("--subresource", flags.subresource, "status",
              "Validate a write to the status subresource: only the status is checked.");
  line.choices("--subresource", kSubresources);
  flags.objects.declare(line);
  flags.release.declare_version(line);
  flags.settings.declare(line, false);
  flags.output.declare(line, findings_formats());
  flags.console.declare(line);
}

// By file and document; the findings of one object stay in the order of the server.
void sort_by_document(std::vector<apf::Diagnostic>& findings, const std::vector<apf::ConfigText>& texts) {
  std::unordered_map<std::string_view, std::size_t> order;
  for (const apf::ConfigText& text : texts) order.emplace(text.name, order.size());
  const auto place = [&](const apf::Diagnostic& d) {
    const auto text = order.find(d.span.file);
    return std::make_tuple(text == order.end() ? order.size() : text->second, d.document);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const apf::Diagnostic& a, const apf::Diagnostic& b) { return place(a) < place(b); });
}

// Adds the server's own message about an object that it cannot decode.
std::vector<apf::Diagnostic> with_server_words(std::vector<apf::Diagnostic> findings) {
  for (apf::Diagnostic& d : findings) {
    if (d.severity != apf::Severity::error || !d.type.empty() || d.detail.empty() || d.detail == d.message) continue;
    if (d.detail.size() <= kShownDetail) d.notes.push_back({"kube-apiserver says: " + d.detail, {}});
  }
  return findings;
}

std::string last_line(const std::vector<apf::Diagnostic>& findings, const apf::FindingsSummary& summary,
                      const ValidateFlags& flags, bool kep) {
  const auto count = [&](apf::Severity severity) {
    return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                  [&](const apf::Diagnostic& d) { return d.severity == severity; }));
  };
  const std::size_t errors = count(apf::Severity::error), warnings = count(apf::Severity::warning);
  const std::string of =
      fmt::format("{} in {}", plural(summary.objects, "object", "objects"), plural(summary.files, "file", "files"));
  std::string out = findings.empty() ? "" : "\n";
  const bool served =
      std::none_of(findings.begin(), findings.end(), [](const apf::Diagnostic& d) { return d.name == kNotServed; });
  if (errors == 0 && summary.objects == 0) {
    out += of + ": nothing to validate";
  } else if (errors == 0 && kep) {
    out += of + ": no errors by the rules of the KEP-1040 dialect, which no release reads";
  } else if (errors == 0 && !served) {
    out += fmt::format("{}: no errors, but Kubernetes {} does not serve some of the API versions", of,
                       flags.release.version.str());
  } else if (errors == 0) {
    out += fmt::format("{}: Kubernetes {} would accept {}", of, flags.release.version.str(),
                       summary.objects == 1 ? "it" : "them");
  } else {
    out += fmt::format("{}: {}", of, plural(errors, "error", "errors"));
  }
  if (warnings > 0) out += ", " + plural(warnings, "warning", "warnings");
  return out + "\n";
}

// Nothing: it has errors, which are printed.
std::optional<apf::LoadedConfig> load_old(const ValidateFlags& flags) {
  const std::vector<std::string> paths = {flags.old};
  const std::vector<apf::ConfigText> texts = read_configs(paths);
  apf::LoadedConfig old = apf::load_config(texts);
  std::vector<apf::Diagnostic> errors = old.diagnostics;
  std::erase_if(errors, [](const apf::Diagnostic& d) { return d.severity != apf::Severity::error; });
  if (errors.empty()) {
    refuse_nothing(texts, old);
    return old;
  }
  write_stderr(apf::render_text(errors, texts, text_style(STDERR_FILENO, flags.console.color)));
  write_stderr("apfctl validate: cannot read the objects of --old\n");
  return std::nullopt;
}

void check(ValidateFlags& flags) {
  flags.console.check();
  flags.output.check();
  flags.release.check();
  if (!flags.subresource.empty()) find_choice("--subresource", flags.subresource, kSubresources);
}

}  // namespace

int cmd_validate(CommandLine& line) {
  ValidateFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  check(flags);
  const auto subresource = flags.subresource.empty() ? apf::Subresource::none : apf::Subresource::status;
  if (!flags.settings.read(flags.console)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.release.warn_if_newer(flags.console);
  std::optional<apf::LoadedConfig> old;
  if (!flags.old.empty()) {
    old = load_old(flags);
    if (!old) return kUsageOrInput;
  }
  apf::FolderContents contents;
  std::vector<apf::ConfigText> texts = read_related(paths, contents);
  note_left_out(contents, "validate", flags.console);
  take_out_excluded(texts, flags.settings.project(), paths, true, flags.console);
  const apf::LoadedConfig loaded = apf::load_config(texts);
  refuse_nothing(texts, loaded);
  flags.objects.check(paths, texts, flags.console);
  std::vector<apf::Diagnostic> findings = loaded.diagnostics;
  keep_sets_apart(texts, contents, findings);
  if (flags.strict) apf::apply_strict_decoding(findings);
  for (apf::Diagnostic& d : validate_for(loaded, flags.release, old ? &*old : nullptr, subresource))
    findings.push_back(std::move(d));
  sort_by_document(findings, texts);
  const apf::FindingsSummary summary{texts.size(), loaded.object_count(), loaded.skipped.size(), 0,
                                     apf::release_remarks(flags.release.version)};
  flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format != "text") return render_findings(format, findings, summary, texts, style);
    std::string text = apf::render_text(with_server_words(findings), texts, style);
    if (!flags.console.quiet) text += last_line(findings, summary, flags, apf::is_kep(loaded.config));
    return text;
  });
  note_skipped(loaded, flags.console);
  if (summary.objects == 0 && findings.empty()) warn_if_empty(loaded, paths, flags.console);
  const bool errors = std::any_of(findings.begin(), findings.end(),
                                  [](const apf::Diagnostic& d) { return d.severity == apf::Severity::error; });
  return errors ? kNotOk : 0;
}

}  // namespace apfctl
