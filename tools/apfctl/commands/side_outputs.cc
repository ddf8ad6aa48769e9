#include "commands/side_outputs.h"

#include <sys/stat.h>

#include "flags/replay_output.h"
#include "flags/stages.h"
#include "shared/output.h"

namespace apfctl {

namespace {

// What one name stands for two of must be files.
void check_file(const char* flag, const std::string& path, const std::string& example) {
  struct stat status {};
  const bool regular = !is_standard_output(path) && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
  if (regular) return;
  throw UsageError(std::string(flag) + ": each side writes a file of its own, " + example +
                   " for OLD: " + apf::printable(path) + " cannot be divided among them");
}

}  // namespace

void SideOutputs::declare(CommandLine& line, ReplayFlags& flags) {
  line.heading("Files");
  line.option("--pages", flags.pages, "FILE",
              "Write the page of the comparison (as -o html) and, beside it, one of each side; they link to each "
              "other. Of c.html, c.old.html and c.new.html.");
  line.option("--decisions", flags.decisions, "FILE",
              "Write one JSON line for each request, in order of arrival. Each side has a file of its own: of d.jsonl, "
              "d.old.jsonl and d.new.jsonl; with several NEW d.new1.jsonl, d.new2.jsonl ...");
  line.option("--decisions-fields", flags.decisions_fields, "FIELD,...",
              "With --decisions: fields of the log to add to each line: user, verb, uri, agent (the user agent).");
  line.option("--timeline", flags.timeline, "FILE",
              "Write one JSON line for each level and adjustment of its limit, to a file for each side.");
  flags.dumps.declare(line);
  line.option("--metrics", flags.metrics, "FILE",
              "Write the metrics of each side as Prometheus text, with kube-apiserver's metric names, to a file for "
              "each.");
}

SideOutputs::SideOutputs(const ReplayFlags& flags, std::size_t sides) : flags_(flags), sides_(sides) {
  const std::pair<const char*, const std::string&> files[] = {{"--decisions", flags.decisions},
                                                              {"--timeline", flags.timeline},
                                                              {"--metrics", flags.metrics},
                                                              {"--pages", flags.pages}};
  for (const auto& [flag, path] : files) {
    if (path.empty()) continue;
    check_file(flag, path, path_of("FILE", 0));
    for (std::size_t side = 0; side < sides; ++side) claim_output(flag, path_of(path, side));
  }
  if (!flags.pages.empty()) claim_output("--pages", flags.pages);
}

void SideOutputs::set_paths(apf::ReplayOptions& options, std::size_t side) const {
  options.series = options.series || !flags_.pages.empty();
  options.decisions_path = path_of(flags_.decisions, side);
  options.timeline_path = path_of(flags_.timeline, side);
}

void SideOutputs::write(const apf::CompareReport& comparison) const {
  if (flags_.metrics.empty() && flags_.dumps.given.empty()) return;
  for (std::size_t side = 0; side < sides_; ++side) {
    ReplayOutcome outcome;
    if (!comparison.by_server.empty()) outcome.reports = comparison.by_server[side];
    else outcome.reports.push_back(side == 0 ? comparison.old_report : comparison.new_reports[side - 1]);
    write_metrics(path_of(flags_.metrics, side), outcome);
    flags_.dumps.write(outcome, name_of(side) + "-");
  }
}

std::string SideOutputs::name_of(std::size_t side) const {
  if (side == 0) return "old";
  return sides_ == 2 ? "new" : "new" + std::to_string(side);
}

// Before the last suffix of its name.
std::string SideOutputs::path_of(const std::string& path, std::size_t side) const {
  if (path.empty()) return path;
  const std::size_t slash = path.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  const std::size_t dot = path.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= begin ? path.size() : dot;
  return path.substr(0, at) + "." + name_of(side) + path.substr(at);
}

}  // namespace apfctl
