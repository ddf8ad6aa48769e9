#include "commands/rewrite.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include <apf/lint.h>
#include <apf/report.h>

#include "shared/exit_code.h"
#include "shared/folder_notes.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/project.h"

namespace apfctl {

namespace {

constexpr const char* kConvertedGroup = "flowcontrol.apiserver.k8s.io";

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
      const bool file = !is_standard_output(target.file);
      if (file) write_stderr("apfctl: " + apf::printable(target.file) + " was not written: the input has errors\n");
      return file;
    });
    if (!output.targets.empty() && !rewritten.objects.empty())
      write_stderr("apfctl: the output lacks the objects that cannot be read\n");
  }
  output.write(flags.console,
               [&](const std::string& format, const apf::TextStyle&) { return documents(rewritten, format); });
}

// Of other API groups.
std::size_t other_objects(const apf::LoadedConfig& loaded) {
  return loaded.resource_quotas.size() + loaded.replaced_resource_quotas.size() + loaded.event_rate_limits.size() +
         loaded.admission_configurations.size() + loaded.resource_quota_configurations.size() +
         loaded.audit_policies.size() + loaded.limit_ranges.size();
}

// What convert leaves alone.
void note_other_groups(const apf::LoadedConfig& loaded, const Console& console) {
  if (const std::size_t others = other_objects(loaded); others > 0)
    console.note("skipped " + plural(others, "object", "objects") + " of other API groups than " + kConvertedGroup);
}

// Both rewrite what they can read; whether the server takes it is another question.
void note_rejected(const apf::LoadedConfig& loaded, const RewriteFlags& flags) {
  std::set<std::string> rejected;
  for (const apf::Diagnostic& d : apf::validate(loaded, flags.version)) {
    if (d.severity == apf::Severity::error && !d.type.empty()) rejected.insert(d.kind + "/" + d.object_name);
  }
  if (rejected.empty() || apf::is_kep(loaded.config)) return;
  const std::string which =
      rejected.size() == 1 ? *rejected.begin() : fmt::format("{} of these objects", rejected.size());
  flags.console.note(
      fmt::format("Kubernetes {} would reject {} (apfctl validate says why)", flags.version.str(), which));
}

struct Input {
  std::vector<apf::ConfigText> texts;
  apf::LoadedConfig loaded;
};

Input read_input(const RewriteFlags& flags, const std::vector<std::string>& paths) {
  apf::FolderContents contents;
  Input out;
  std::vector<apf::ConfigText>& texts = out.texts;
  texts = read_related(paths, contents);
  note_left_out(contents, "lint", flags.console);
  take_out_excluded(texts, flags.settings.project(), paths, true, flags.console);
  out.loaded = apf::load_config(texts);
  keep_sets_apart(texts, contents, out.loaded.diagnostics);
  return out;
}

// Standard error: what was read and what not; false if the input has errors.
bool report_input(const RewriteFlags& flags, const std::vector<std::string>& paths,
                  const std::vector<apf::ConfigText>& texts, const apf::LoadedConfig& loaded,
                  const std::vector<apf::Diagnostic>& losses) {
  std::vector<apf::Diagnostic> shown = loaded.diagnostics;
  shown.insert(shown.end(), losses.begin(), losses.end());
  print_findings(std::move(shown), texts, flags.console);
  note_skipped(loaded, flags.console);
  if (flags.converts) note_other_groups(loaded, flags.console);
  // In the KEP dialect, errors have a code; what the API cannot express has none.
  bool errors = loaded.has_errors();
  for (const apf::Diagnostic& d : losses) {
    if (d.severity == apf::Severity::error && !d.code.empty()) errors = true;
  }
  if (!errors) refuse_nothing(texts, loaded);
  if (!errors) note_rejected(loaded, flags);
  // What convert leaves alone, default rewrites.
  if (!errors && (flags.converts || other_objects(loaded) == 0)) warn_if_empty(loaded, paths, flags.console);
  return !errors;
}

// What the API cannot express.
std::size_t refused_parts(const std::vector<apf::Diagnostic>& losses) {
  return static_cast<std::size_t>(std::count_if(losses.begin(), losses.end(), [](const apf::Diagnostic& d) {
    return d.severity == apf::Severity::error && d.code.empty();
  }));
}

}  // namespace

int convert_in_place(RewriteFlags& flags, const std::vector<std::string>& paths, apf::FlowControlVersion to,
                     std::optional<apf::KubeVersion> release) {
  if (!flags.settings.read(flags.console)) return kUsageOrInput;
  const Input input = read_input(flags, paths);
  const std::vector<apf::ConfigText>& texts = input.texts;
  const apf::LoadedConfig& loaded = input.loaded;
  const apf::ConvertedTexts converted = apf::convert_texts(loaded, texts, to, release);
  const bool readable = report_input(flags, paths, texts, loaded, converted.losses);
  if (refused_parts(converted.losses) > 0 && readable) {
    write_stderr("apfctl: nothing was written: the API cannot express this configuration\n");
    return kNotOk;
  }
  std::size_t files = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const apf::ConfigText &before = texts[i], &after = converted.texts[i];
    if (before.text == after.text) continue;
    ++files;
    if (flags.diff) {
      write_stdout(apf::without_ci_commands(apf::unified_diff(before.text, after.text, before.name)));
    } else if (before.name == kStdinName) {
      throw UsageError("-w needs files: standard input has no place to be written to");
    } else {
      Output out(before.name);
      out.write(after.text);
      out.close();
    }
  }
  if (!flags.console.quiet) {
    const std::size_t lost = converted.losses.size();
    write_stderr(fmt::format("{} {} in {}{}.\n", plural(converted.converted, "object", "objects"),
                             flags.diff ? "to convert" : "converted", plural(files, "file", "files"),
                             lost == 0 ? std::string() : ", with " + plural(lost, "loss", "losses") + ", see above"));
  }
  if (!readable) return kUsageOrInput;
  return flags.diff && files > 0 ? kNotOk : 0;
}

void RewriteFlags::declare(CommandLine& line, const char* check_text) {
  line.heading("Configuration");
  line.argument_flag("-f,--filename", "PATH", "A configuration: the same as FILE. Repeatable.");
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
  const Input input = read_input(flags, paths);
  const std::vector<apf::ConfigText>& texts = input.texts;
  const apf::LoadedConfig& loaded = input.loaded;
  const apf::Rewritten rewritten = rewrite(loaded, texts);
  const bool errors = !report_input(flags, paths, texts, loaded, rewritten.losses);
  const std::size_t refused = errors ? 0 : refused_parts(rewritten.losses);
  if (refused > 0 && !flags.partial) {
    write_stderr(
        "apfctl: nothing was written: the API cannot express this configuration; --partial writes what it can\n");
    return kNotOk;
  }
  if (refused > 0)
    write_stderr(
        fmt::format("apfctl: {} without a counterpart in the API, listed above: requests go elsewhere than in "
                    "this configuration\n",
                    plural(refused, "part", "parts")));
  if (flags.diff) write_stdout(apf::without_ci_commands(differences(rewritten)));
  const int changes = flags.check ? report_changes(rewritten, adjective, flags.console) : 0;
  if (!flags.diff && !flags.check) write_documents(flags, rewritten, errors);
  return errors ? kUsageOrInput : refused > 0 ? kNotOk : changes;
}

}  // namespace apfctl
