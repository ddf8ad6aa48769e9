#include "flags/dump_flags.h"

#include <apf/error.h>
#include <apf/output.h>
#include <apf/report.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <set>

namespace apfctl {

namespace {

void make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return;
  throw apf::Error("--dump-at: cannot make the folder " + apf::printable(folder) + ": " + std::strerror(errno));
}

void write_file(const std::string& path, const std::string& text) {
  apf::OutputFile file(path);
  file.write(text);
  file.commit();
}

// A part of a file's name.
std::string file_part(std::string text) {
  for (char& c : text)
    if (c == '/') c = '_';
  return text;
}

}  // namespace

void DumpFlags::declare(CommandLine& line) {
  line.list("--dump-at", given, "TIME[=FOLDER]",
            "Write what the server's debug endpoints would show at this time (dump_priority_levels, dump_queues and "
            "dump_requests, with details) to FOLDER (default: the current one), in the server's format and as JSON. "
            "Repeatable.");
}

std::vector<DumpFlags::Wanted> DumpFlags::wanted() const {
  std::vector<Wanted> out;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    out.push_back({text.substr(0, equals), equals == std::string::npos ? "." : text.substr(equals + 1)});
    if (out.back().folder.empty())
      throw UsageError("--dump-at: the folder is missing in '" + apf::printable(text) + "'");
  }
  return out;
}

void DumpFlags::set(apf::ReplayOptions& options) const {
  std::set<std::pair<std::string, std::string>> places;
  for (const Wanted& one : wanted()) {
    const std::optional<apf::ReplayTime> time = apf::ReplayTime::parse(one.time);
    if (!time)
      throw UsageError(
          "--dump-at: '" + apf::printable(one.time) +
          "' is not a time; use RFC 3339, an integer (ns), or a duration after the first arrival such as 20s");
    if (!places.emplace(one.time, one.folder).second)
      throw UsageError("--dump-at: " + apf::printable(one.time) + " is given twice");
    options.dump_at.push_back(*time);
  }
  if (!options.dump_at.empty() && options.in_flight)
    throw UsageError("--dump-at shows queues of API Priority and Fairness: it cannot be used with --apf=off");
}

void DumpFlags::write(const ReplayOutcome& outcome, const std::string& prefix) const {
  const std::vector<Wanted> all = wanted();
  for (const apf::ReplayReport& report : outcome.reports) {
    for (std::size_t i = 0; i < std::min(all.size(), report.dumps.size()); ++i) {
      const apf::ServerDump& dump = report.dumps[i];
      make_folder(all[i].folder);
      const std::string begin =
          all[i].folder + "/" + prefix + (report.server.empty() ? "" : file_part(report.server) + "-");
      const std::string end = "-" + file_part(all[i].time);
      write_file(begin + "dump_priority_levels" + end + ".txt", apf::render_priority_levels(dump));
      write_file(begin + "dump_queues" + end + ".txt", apf::render_queues(dump));
      write_file(begin + "dump_requests" + end + ".txt", apf::render_requests(dump, true));
      write_file(begin + "dump" + end + ".json", apf::render_json(dump) + "\n");
    }
  }
}

}  // namespace apfctl
