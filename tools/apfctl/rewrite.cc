#include "rewrite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include <apf/report.h>

#include "exit_code.h"
#include "output.h"
#include "project.h"

namespace apfctl {

namespace {

std::string object_name(const apf::RewrittenObject& object) {
  return object.name.empty() ? object.kind : object.kind + "/" + object.name;
}

std::string documents(const apf::Rewritten& rewritten, const std::string& format) {
  std::string out;
  for (const apf::RewrittenObject& object : rewritten.objects) {
    if (format == "json") out += object.json + "\n";
    else out += (out.empty() ? "" : "---\n") + object.yaml;
  }
  return out;
}

std::string differences(const apf::Rewritten& rewritten) {
  std::string out;
  for (const apf::RewrittenObject& object : rewritten.objects) {
    const std::string place = fmt::format("{}:{} {}", object.span.file, object.span.line, object_name(object));
    out += apf::unified_diff(object.yaml_before, object.yaml, place);
  }
  return out;
}

int report_changes(const apf::Rewritten& rewritten, const char* adjective, const Console& console) {
  std::size_t changed = 0;
  for (const apf::RewrittenObject& object : rewritten.objects) {
    if (!object.changed) continue;
    ++changed;
    if (!console.quiet) {
      write_stderr(apf::printable(fmt::format("{}:{}: {} changes when it is {}", object.span.file, object.span.line,
                                              object_name(object), adjective)) +
                   "\n");
    }
  }
  return changed > 0 ? kNotOk : 0;
}

// An incomplete result may go to a terminal, but must not replace a file.
void write_documents(const RewriteFlags& flags, const apf::Rewritten& rewritten, bool errors) {
  OutputFlags output = flags.output;
  if (errors) {
    std::erase_if(output.targets, [](const OutputFlags::Target& target) {
      const bool file = !target.file.empty() && target.file != "-";
      if (file) write_stderr("apfctl: " + apf::printable(target.file) + " was not written: the input has errors\n");
      return file;
    });
    if (!output.targets.empty() && !rewritten.objects.empty())
      write_stderr("apfctl: the output lacks the objects that cannot be read\n");
  }
  output.write(flags.console,
               [&](const std::string& format, const apf::TextStyle&) { return documents(rewritten, format); });
}

// ResourceQuotas have one version and no defaults.
void note_quotas(const apf::LoadedConfig& loaded, const Console& console) {
  const std::size_t quotas = loaded.resource_quotas.size() + loaded.replaced_resource_quotas.size();
  if (quotas == 0) return;
  console.note(quotas == 1
                   ? "skipped 1 ResourceQuota: it has one API version and no defaults"
                   : fmt::format("skipped {} ResourceQuotas: they have one API version and no defaults", quotas));
}

}  // namespace

void RewriteFlags::declare(CommandLine& line, const char* check_text) {
  line.heading("Output");
  line.flag("--diff", diff, "Show the changes instead of the objects.");
  line.flag("--check", check, check_text);
  output.declare(line, {"yaml", "json"});
  settings.declare(line, false);
  console.declare(line);
}

void RewriteFlags::check_flags() {
  console.check();
  output.check();
  if ((diff || check) && !output.given.empty()) throw UsageError("-o cannot be combined with --diff or --check");
}

int rewrite_files(
    RewriteFlags& flags, const std::vector<std::string>& paths, const char* adjective,
    const std::function<apf::Rewritten(const apf::LoadedConfig&, std::span<const apf::ConfigText>)>& rewrite) {
  if (!flags.settings.read(flags.console)) return kUsageOrInput;
  std::vector<apf::ConfigText> texts = apf::read_config_files(paths);
  const apf::ProjectSettings& project = flags.settings.project();
  note_excluded(apf::remove_excluded(texts, project), project, flags.console);
  const apf::LoadedConfig loaded = apf::load_config(texts);
  const apf::Rewritten rewritten = rewrite(loaded, texts);
  std::vector<apf::Diagnostic> shown = loaded.diagnostics;
  shown.insert(shown.end(), rewritten.losses.begin(), rewritten.losses.end());
  print_findings(std::move(shown), texts, flags.console);
  note_skipped(loaded, flags.console);
  note_quotas(loaded, flags.console);
  // In the KEP dialect, errors have a code; what the API cannot express has none.
  bool errors = loaded.has_errors(), refused = false;
  for (const apf::Diagnostic& d : rewritten.losses) {
    if (d.severity == apf::Severity::error) (d.code.empty() ? refused : errors) = true;
  }
  if (!errors) refuse_nothing(texts, loaded);
  if (!errors) warn_if_empty(loaded, paths, flags.console);
  if (refused && !errors) {
    write_stderr("apfctl: nothing was written: the API cannot express this configuration\n");
    return kNotOk;
  }
  if (flags.diff) write_stdout(differences(rewritten));
  const int changes = flags.check ? report_changes(rewritten, adjective, flags.console) : 0;
  if (!flags.diff && !flags.check) write_documents(flags, rewritten, errors);
  return errors ? kUsageOrInput : changes;
}

}  // namespace apfctl
