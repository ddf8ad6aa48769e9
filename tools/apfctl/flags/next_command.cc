#include "flags/next_command.h"

#include <algorithm>

#include <apf/output.h>

#include "flags/replay_servers.h"
#include "shared/commands.h"
#include "shared/program_name.h"
#include "shared/sources.h"
#include "shared/words.h"

namespace apfctl {

namespace {

// Such a flag, if it is not about how the result is told.
bool takes(const std::vector<CommandLine::Flag>& flags, const std::string& flag) {
  return std::any_of(flags.begin(), flags.end(), [&](const CommandLine::Flag& f) {
    const std::vector<std::string> spellings = f.spellings();
    const bool named = std::find(spellings.begin(), spellings.end(), flag) != spellings.end();
    return named && flag != "--threads" && f.heading != "Output" && f.heading != "Messages";
  });
}

std::string word_of(const CommandLine::Word& word) {
  if (word.value.empty()) return " " + word.flag;
  return word.flag.empty() ? " " + path_word(word.value) : " " + word.flag + " " + apf::shell_word(word.value);
}

}  // namespace

std::string filled_in(const CommandLine& line, const char* command, const std::optional<std::string>& arguments) {
  constexpr std::size_t kLongest = 300;
  CommandLine other(command, {}, true);
  find_command(command)->run(other);
  std::string out = std::string("apfctl ") + command;
  if (arguments) out += " " + *arguments;
  for (const auto& [flag, value] : line.words()) {
    if (value == "-" || value.ends_with("=-") || value.starts_with("/dev/fd/")) return {};
    // One command takes logs of several servers there, and another one only what says how a server runs.
    if (flag == "--server" && names_log(value) && line.help().command != command) return {};
    if (flag.empty() ? arguments.has_value() : flag.starts_with("--expect") || !takes(other.flags(), flag)) continue;
    out += word_of({flag, value});
  }
  return out.size() > kLongest ? std::string() : out;
}

std::string typed_again(const CommandLine& line) {
  std::string out = "apfctl " + line.help().command;
  for (const CommandLine::Word& word : line.words())
    if (word.flag.empty() || (takes(line.flags(), word.flag) && word.flag != "--memory")) out += word_of(word);
  return out;
}

std::vector<std::string> with_evidence(const CommandLine& line) {
  const std::string again = filled_in(line, line.help().command.c_str());
  const auto has = [&](std::initializer_list<std::string_view> flags) {
    return std::any_of(line.words().begin(), line.words().end(), [&](const CommandLine::Word& word) {
      return std::find(flags.begin(), flags.end(), word.flag) != flags.end();
    });
  };
  if (again.empty()) return {};
  if (!has({"--server", "--server-concurrency", "--max-requests-inflight", "--max-mutating-requests-inflight"}))
    return {"kubectl get --raw /metrics >metrics.txt", again + " --server metrics.txt"};
  if (!has({"-f", "--filename", "--from-cluster"})) return {again + " --from-cluster"};
  return {};
}

apf::Passage next_passage(const std::vector<std::string>& commands) {
  apf::Passage out("Next");
  for (const std::string& command : commands)
    if (!command.empty()) out.type(as_typed(command));
  return out;
}

}  // namespace apfctl
