#include "commands.h"

#include <fmt/format.h>

#include <algorithm>

#include "output.h"
#include "suggest.h"

namespace apfctl {

namespace {

constexpr Command kCommands[] = {
    {"One configuration", nullptr, nullptr},
    {"lint", "What the server would reject, or accept and you would regret", cmd_lint},
    {"rules", "What lint looks for: all rules, or the page of one", cmd_rules},
    {"validate", "What kube-apiserver would say to each object, word for word", cmd_validate},
    {"default", "Objects as the server would store them", cmd_default},
    {"convert", "Objects in another version of the API", cmd_convert},

    {"One request", nullptr, nullptr},
    {"explain", "Which FlowSchema takes a request, why, and why not the others", cmd_explain},
    {"hand", "The queues a flow may use, and the odds that others fill them all", cmd_hand},

    {"One server", nullptr, nullptr},
    {"limits", "The seats of each priority level: nominal, lendable, borrowable", cmd_limits},
    {"quota", "Whether manifests fit into the ResourceQuotas of their namespaces", cmd_quota},
    {"bootstrap", "The objects that a release of kube-apiserver maintains itself", cmd_bootstrap},

    {"Logs", nullptr, nullptr},
    {"replay", "What API Priority and Fairness does to the requests of a log", cmd_replay},
    {"trace", "Any log as trace lines, one request a line", cmd_trace},

    {"About", nullptr, nullptr},
    {"schema", "The JSON Schemas of objects, settings and outputs", cmd_schema},
    {"completion", "Completion of commands and flags for bash, zsh and fish", cmd_completion},
    {"version", "The version of apfctl and of the libraries it is built with", cmd_version},
    {"help", "The help of a command", cmd_help},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto at = std::find_if(std::begin(kCommands), std::end(kCommands),
                               [&](const Command& c) { return c.run && c.name == name; });
  return at == std::end(kCommands) ? nullptr : at;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : kCommands) {
    if (c.run) names.emplace_back(c.name);
  }
  return names;
}

std::string top_level_help() {
  std::string out =
      "Examples:\n"
      "  # Which FlowSchema and which queue does this request get?\n"
      "  apfctl explain list pods -n ci --as system:serviceaccount:ci:builder\n\n"
      "  # Who would have waited, and who would have been refused, with my configuration?\n"
      "  apfctl replay audit.log -f flowcontrol/ --max-requests-inflight 400\n\n"
      "Usage: apfctl COMMAND [ARGUMENT]... [FLAG]...\n\n"
      "Kubernetes API Priority and Fairness, offline: no cluster is asked for anything.\n";
  for (const Command& c : kCommands) {
    out += c.run ? fmt::format("  {:<11} {}\n", c.name, c.summary) : fmt::format("\n{}:\n", c.name);
  }
  out +=
      "\nFlags:\n"
      "  -h, --help  Show this help; after a COMMAND, the command's\n"
      "  --version   Show the version\n\n"
      "Exit code: 0 success; 1 findings, changes (--check), denied objects or failed expectations (--expect);\n"
      "2 wrong usage or input; 70 internal error; 130 interrupted.\n";
  return out;
}

int cmd_help(CommandLine& line) {
  line.synopsis("help [COMMAND]");
  line.about("Shows the help of a command, or the list of commands.");
  line.example("all commands", "apfctl help");
  line.example("the flags of one command", "apfctl help replay");
  line.argument_choices(command_names());
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(0, 1, "COMMAND");
  if (words.empty()) {
    write_stdout(top_level_help());
    return 0;
  }
  const Command* command = find_command(words[0]);
  if (!command) throw UsageError("unknown command '" + words[0] + "'" + did_you_mean(words[0], command_names()));
  CommandLine other(command->name, {"--help"});
  return command->run(other);
}

}  // namespace apfctl
