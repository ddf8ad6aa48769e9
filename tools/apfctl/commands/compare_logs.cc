#include "commands/compare_logs.h"

namespace apfctl {

ComparedWords compared_words(const CommandLine& line, bool old_given) {
  ComparedWords out;
  std::vector<std::string> logs;
  std::vector<std::string>* current = &out.paths;
  for (const auto& [flag, value] : line.words()) {
    if (flag.empty()) {
      current->push_back(value);
    } else if (flag == "--") {
      current = &out.paths;
    } else if (flag == "--log") {
      logs.push_back(value);
      current = &logs;
    } else if (flag == "--server" && names_log(value)) {
      current = &add_server_log(out.servers, value).logs;
    }
  }
  if (out.paths.size() < (old_given ? 2 : 1)) {
    const std::string what = old_given ? "OLD or NEW is missing" : "NEW is missing";
    throw UsageError(current == &out.paths ? what : what + ": words after --log and --server are logs");
  }
  if (!logs.empty() && !out.servers.empty()) throw UsageError("--log and --server cannot be combined");
  if (logs.empty() && out.servers.empty()) throw UsageError("the log is missing: --log LOG");
  if (!logs.empty()) out.servers.push_back({"", std::move(logs)});
  return out;
}

}  // namespace apfctl
