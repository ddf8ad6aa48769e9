// apfctl lint: what the API server rejects in a configuration, and what it accepts but does not do what was meant.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <apf/error.h>
#include <apf/lint.h>
#include <apf/logs.h>
#include <apf/report.h>

#include "commands/cluster_findings.h"
#include "commands/findings_output.h"
#include "flags/damaged_logs.h"
#include "flags/options.h"
#include "flags/settings_flags.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/folder_notes.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/project.h"
#include "shared/require_objects.h"
#include "shared/suggest.h"
#include "shared/terminal.h"

namespace apfctl {

namespace {

const Choices<std::optional<apf::Severity>> kLintFailOn = {{"info", apf::Severity::info},
                                                           {"warning", apf::Severity::warning},
                                                           {"error", apf::Severity::error},
                                                           {"never", std::nullopt}};

struct LintFlags {
  Console console;
  OutputFlags output;
  ReleaseFlags release;
  InflightFlags inflight;
  SettingsFlags settings;
  ClusterFlags cluster;
  RequireObjects objects;
  std::vector<std::string> select, ignore, traffic;
  std::optional<std::string> baseline, write_baseline, stdin_filename, today, fail_on_text;
  std::optional<std::optional<apf::Severity>> fail_on;  // nothing in it: never
  bool fix = false, unsafe_fixes = false, diff = false, together = false, all = false;
};

void declare(CommandLine& line, LintFlags& flags) {
  line.synopsis("lint [FILE]... [FLAG]...");
  line.about(
      "What does the server reject, and what would you regret?",
      "Reports FlowSchemas, PriorityLevelConfigurations, ResourceQuotas and LimitRanges that kube-apiserver rejects, "
      "and those that "
      "it accepts but that don't do what you meant. FILE: a file, a directory, a glob, or - for standard input; "
      "without one, the current directory. "
      "'apfctl rules' explains each finding.");
  line.example("check a configuration before you apply it", "apfctl lint examples/lint-review/after.yaml");
  line.example("in CI: annotations, and a SARIF file for code scanning",
               "apfctl lint examples/lint-review/before.yaml -o github -o sarif=apfctl.sarif");
  line.example("what would --fix change?", "apfctl lint --diff --unsafe-fixes examples/lint-review/before.yaml");
  line.refuse("--traffic", "is --log now");
  line.heading("Rules");
  line.list("--select", flags.select, "RULES",
            "Run only these rules: codes, code prefixes (APF3) or names, separated by commas. Repeatable. Errors that "
            "the server would return are always reported.");
  line.list("--ignore", flags.ignore, "RULES", "Skip these rules. Repeatable.");
  line.option("--fail-on", flags.fail_on_text, "SEVERITY",
              "Exit 1 if a finding has this severity or a higher one: info, warning (default) or error; or never.");
  line.option("--baseline", flags.baseline, "FILE", "Hide the findings that this file lists.");
  line.option("--write-baseline", flags.write_baseline, "FILE",
              "Write the findings to this file as a baseline, and exit 0.");
  line.choices("--select", rule_names());
  line.choices("--ignore", rule_names());
  line.choices("--fail-on", kLintFailOn.words());
  line.list("--log", flags.traffic, "LOG",
            "Count the requests of this log that each finding affects: an audit log or trace lines, plain or "
            "compressed, or - for standard input. Repeatable.");
  line.heading("Fixes");
  line.flag("--fix", flags.fix,
            "Apply the safe fixes: stored objects, their seats and the classification of every request stay the same.");
  line.flag("--unsafe-fixes", flags.unsafe_fixes,
            "With --fix or --diff: also apply fixes that change what is stored, or that only the author can judge.");
  line.flag("--diff", flags.diff,
            "Show what --fix would change as a unified diff, and write nothing. Exit 1 if something would change.");
  flags.release.declare_version(line);
  flags.inflight.declare(line);
  flags.settings.declare(line);
  line.heading("Input");
  line.argument_flag("-f,--filename", "PATH", "A configuration: the same as FILE. Repeatable.");
  flags.cluster.declare(line);
  flags.objects.declare(line);
  line.flag("--together", flags.together,
            "Check all files as one configuration. Without it, folders that each define the same objects, such as dev/ "
            "and prod/, are configurations of their own.");
  line.flag("--all", flags.all,
            "Check files of tests and samples, too: below testdata, vendor and node_modules, and beside a chainsaw or "
            "kuttl test or an example_disallowed.");
  line.option("--stdin-filename", flags.stdin_filename, "NAME",
              "File name to use for standard input in findings and settings.");
  line.option("--today", flags.today, "DATE",
              "Date to compare with the end dates of suppressions, such as 2026-11-20 (default: today in UTC).");
  flags.output.declare(line, findings_formats());
  flags.console.declare(line);
}

bool names_rule(const std::string& word, const apf::RuleInfo& rule) {
  return word == rule.name || (word.starts_with("APF") && std::string_view(rule.code).starts_with(word));
}

std::vector<std::string> rule_words(const char* flag, const std::vector<std::string>& given) {
  std::vector<std::string> words;
  for (const std::string& list : given) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      const std::size_t begin = std::min(list.find_first_not_of(' ', at), end);
      const std::size_t last = list.find_last_not_of(' ', end == 0 ? 0 : end - 1);
      if (begin < end) words.push_back(list.substr(begin, last + 1 - begin));
      at = end + 1;
    }
  }
  if (words.empty() && !given.empty()) throw UsageError(fmt::format("{}: no rules given", flag));
  for (const std::string& word : words) {
    const auto named = [&](const apf::RuleInfo& rule) { return names_rule(word, rule); };
    if (std::any_of(apf::lint_rules().begin(), apf::lint_rules().end(), named)) continue;
    throw UsageError(fmt::format("{}: unknown rule '{}'{}", flag, apf::printable(word), rule_hint(word)));
  }
  return words;
}

void check(LintFlags& flags) {
  flags.console.check();
  flags.output.check();
  if (flags.fail_on_text) flags.fail_on = kLintFailOn.parse("--fail-on", *flags.fail_on_text);
  flags.cluster.check();
  if (flags.cluster.wanted && (flags.fix || flags.diff))
    throw UsageError("--from-cluster cannot be combined with --fix or --diff: there is no file to change");
  if (flags.unsafe_fixes && !flags.fix && !flags.diff) throw UsageError("--unsafe-fixes needs --fix or --diff");
  if (flags.write_baseline) claim_output("--write-baseline", *flags.write_baseline);
  if (flags.write_baseline && (flags.fix || flags.diff))
    throw UsageError("--write-baseline cannot be combined with --fix or --diff");
  if (!flags.traffic.empty() && (flags.write_baseline || flags.diff))
    throw UsageError("--log cannot be combined with --write-baseline or --diff");
  if (flags.diff && !flags.output.given.empty()) throw UsageError("--diff cannot be combined with -o");
}

apf::LintProject lint_project(LintFlags& flags, const std::vector<std::string>& paths) {
  flags.release.check();
  flags.inflight.check();
  flags.settings.fill(flags.release);
  flags.settings.fill(flags.inflight);
  flags.inflight.need_seats();
  apf::LintProject project;
  if (std::find(paths.begin(), paths.end(), "") != paths.end()) throw UsageError("FILE: the path is empty");
  const bool from_stdin = std::find(paths.begin(), paths.end(), "-") != paths.end();
  if (flags.stdin_filename && !from_stdin) throw UsageError("--stdin-filename needs the FILE '-'");
  project.paths = paths;
  project.stdin_name = flags.stdin_filename.value_or(kStdinName);
  if (flags.cluster.wanted) project.texts.push_back(flags.cluster.read());
  project.together = flags.together;
  project.fixtures = flags.all;
  project.use_settings = flags.settings.use_settings();
  project.settings_path = flags.settings.path();
  if (const apf::Preset* preset = flags.settings.preset()) project.preset = preset->name;
  project.use_baseline = !flags.write_baseline;  // the file is about to be replaced
  project.baseline_path = flags.baseline;
  project.traffic = flags.traffic;
  project.traffic_reader = apf::log_traffic;
  project.select = rule_words("--select", flags.select);
  project.ignore = rule_words("--ignore", flags.ignore);
  project.today = today_or(flags.today);
  if (flags.release.version_given()) project.version = flags.release.version;
  project.max_requests_inflight = flags.inflight.readonly_given();
  project.max_mutating_requests_inflight = flags.inflight.mutating_given();
  project.server_concurrency = flags.inflight.sum_given();
  if (flags.fix || flags.diff) project.fix = flags.unsafe_fixes ? apf::FixKind::all : apf::FixKind::safe;
  return project;
}

std::string summary_line(const apf::ProjectFindings& found) {
  std::size_t counts[3] = {}, safe = 0, unsafe = 0;
  for (const apf::Diagnostic& d : found.findings) {
    ++counts[static_cast<int>(d.severity)];
    if (d.fix) ++(d.fix->safe ? safe : unsafe);
  }
  std::string out =
      found.findings.empty() ? "No findings" : plural(found.findings.size(), "finding", "findings") + " (";
  if (!found.findings.empty()) {
    const char* separator = "";
    const auto add = [&](std::size_t n, const char* one, const char* many) {
      if (n > 0) out += std::exchange(separator, ", ") + plural(n, one, many);
    };
    add(counts[2], "error", "errors");
    add(counts[1], "warning", "warnings");
    add(counts[0], "info", "infos");
    out += ")";
  }
  out += " in " + plural(found.summary.objects, "object", "objects") + " of " +
         plural(found.summary.files, "file", "files");
  if (found.summary.suppressed > 0) out += fmt::format(", {} suppressed", found.summary.suppressed);
  out += ".";
  if (safe > 0) out += fmt::format(" {} fixable with `--fix`.", safe);
  if (unsafe > 0) out += fmt::format(" {}{} fixable with `--fix --unsafe-fixes`.", unsafe, safe > 0 ? " more" : "");
  return out + "\n";
}

// Which rules the settings switch off, in their words.
void note_switched_off(const apf::ProjectSettings& project, const Console& console) {
  std::string rules;
  for (const apf::Settings::RuleSetting& setting : project.settings.rules)
    if (!setting.severity) rules += (rules.empty() ? "" : ", ") + setting.rule;
  if (!rules.empty()) console.note(apf::printable(project.path + " switches off " + rules));
}

// Standard error: what was not looked at, and what is out of date.
void print_notes(const LintFlags& flags, const std::vector<std::string>& paths, const apf::ProjectFindings& found) {
  note_switched_off(found.project, flags.console);
  if (!are_named_files(paths)) refuse_excluded(found.excluded, found.texts.empty(), found.project, paths);
  note_excluded(found.excluded, found.project, flags.console);
  if (found.findings.empty() && found.summary.suppressed == 0 && found.fixes == 0)
    refuse_nothing(found.texts, found.loaded);
  flags.objects.check(paths, found.texts, flags.console);
  note_left_out(found.contents, "lint", flags.console);
  note_kustomizations(found.sets, "lint", flags.console);
  if (found.sets.size() > 1)
    flags.console.note(fmt::format("{} configurations, each checked by itself: {} (--together checks all as one)",
                                   found.sets.size(), names_of_sets(found.sets)));
  note_selected(found.loaded, flags.console);
  note_skipped(found.loaded, flags.console);
  const apf::Preset* of_settings = apf::find_preset(found.project.settings.preset);
  if (const apf::Preset* preset = flags.settings.preset() ? flags.settings.preset() : of_settings)
    note_preset_of_kep(found.loaded.config, *preset, flags.console);
  if (found.summary.objects == 0 && found.findings.empty()) warn_if_empty(found.loaded, paths, flags.console);
  if (found.baseline_unused > 0) {
    flags.console.note(plural(found.baseline_unused, "baseline entry matches", "baseline entries match") +
                       " no finding: update the baseline with --write-baseline");
  }
}

std::string render(const std::string& format, const apf::ProjectFindings& found, const apf::TextStyle& style) {
  return render_findings(format, found.findings, found.summary, found.texts, style, found.traffic);
}

int exit_code(const LintFlags& flags, const apf::ProjectFindings& found) {
  const std::optional<apf::Severity> fail_on = flags.fail_on.value_or(found.fail_on);
  return fail_on && found.count_from(*fail_on) > 0 ? kNotOk : 0;
}

int show_diff(const LintFlags& flags, const apf::ProjectFindings& found) {
  std::string diff;
  for (std::size_t i = 0; i < found.texts.size(); ++i)
    diff += apf::unified_diff(found.unfixed[i].text, found.texts[i].text, found.texts[i].name);
  write_stdout(apf::without_ci_commands(diff));
  return diff.empty() || (flags.fail_on && !*flags.fail_on) ? 0 : kNotOk;
}

// True if the fixed standard input was written to standard output, so that the findings need another place.
bool write_fixed(const LintFlags& flags, const apf::ProjectFindings& found) {
  const std::string stdin_name = flags.stdin_filename.value_or(kStdinName);
  bool to_stdout = false;
  std::size_t files = 0;
  for (std::size_t i = 0; i < found.texts.size(); ++i) {
    const apf::ConfigText& text = found.texts[i];
    if (text.name == stdin_name) {
      write_stdout(text.text);
      to_stdout = true;
    } else if (text.text != found.unfixed[i].text) {
      Output out(text.name);
      out.write(text.text);
      out.close();
    }
    files += text.text != found.unfixed[i].text;
  }
  if (found.fixes > 0)
    flags.console.note(plural(static_cast<std::size_t>(found.fixes), "finding", "findings") + " fixed in " +
                       plural(files, "file", "files"));
  return to_stdout;
}

void write_baseline(const LintFlags& flags, const apf::ProjectFindings& found) {
  Output out(*flags.write_baseline);
  out.write(apf::render_baseline(found, std::filesystem::path(*flags.write_baseline).parent_path().string()));
  out.close();
  flags.console.note(plural(found.findings.size(), "finding", "findings") + " written to " +
                     apf::printable(*flags.write_baseline));
}

void write_findings(const LintFlags& flags, const apf::ProjectFindings& found, bool stdout_taken) {
  OutputFlags output = flags.output;
  if (stdout_taken) {
    for (const OutputFlags::Target& target : output.targets) {
      if (is_standard_output(target.file))
        write_stderr(render(target.format, found, text_style(STDERR_FILENO, flags.console.color)));
    }
    std::erase_if(output.targets, [](const OutputFlags::Target& target) { return is_standard_output(target.file); });
  }
  output.write(flags.console,
               [&](const std::string& format, const apf::TextStyle& style) { return render(format, found, style); });
  if (!flags.console.quiet) write_stderr(summary_line(found));
}

}  // namespace

int cmd_lint(CommandLine& line) {
  LintFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  std::vector<std::string> paths = line.arguments(0, CommandLine::kAnyNumber, "FILE");
  const bool here = paths.empty() && !flags.cluster.wanted;
  if (here) paths.emplace_back(".");
  check(flags);
  check_one_stdin({paths, flags.traffic});
  if (here && reads_a_pipe())
    flags.console.note("this folder is linted, not standard input; to lint standard input, write -");
  if (!flags.settings.read(flags.console, &flags.cluster)) return kUsageOrInput;
  const apf::LintProject project = lint_project(flags, paths);
  flags.release.warn_if_newer(flags.console);
  apf::ProjectFindings found = apf::lint_project(project);
  if (flags.cluster.wanted) say_of_cluster(found, flags.cluster);
  if (print_faults(found.project, flags.console)) return kUsageOrInput;
  for (const apf::ConfigText& text : found.texts)
    claim_input(text.name == flags.stdin_filename.value_or(kStdinName) ? "-" : text.name);
  for (const std::string& log : flags.traffic) claim_input(log);
  print_notes(flags, paths, found);
  if (flags.write_baseline) {
    write_baseline(flags, found);
    return 0;
  }
  if (flags.diff) return show_diff(flags, found);
  const bool stdout_taken = flags.fix && write_fixed(flags, found);
  bool partial = report_damaged_logs(found.damaged_logs);
  for (const apf::ProjectFindings::Unclassified& log : found.unclassified)
    partial |= report_unclassified(log.bad, log.requests, log.log, flags.console);
  write_findings(flags, found, stdout_taken);
  const int code = exit_code(flags, found);
  return partial ? kUsageOrInput : code;
}

}  // namespace apfctl
