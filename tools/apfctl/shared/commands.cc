#include "shared/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <apf/report.h>

#include "shared/output.h"
#include "shared/program_name.h"
#include "shared/suggest.h"

namespace apfctl {

namespace {

constexpr bool kEveryDay = true;

constexpr Command kCommands[] = {
    {"Check a configuration", nullptr, nullptr},
    {"lint", "Find what the server rejects, or accepts and you would regret", cmd_lint, kEveryDay},
    {"validate", "Show the errors that kube-apiserver would return", cmd_validate, kEveryDay},
    {"default", "Fill in defaults as the server does", cmd_default, kEveryDay},
    {"explain", "Show which FlowSchema matches a request, and why", cmd_explain, kEveryDay},
    {"diff", "Show which requests and limits a new configuration changes", cmd_diff, kEveryDay},
    {"test", "Run unit tests of a configuration, or write them", cmd_test, kEveryDay},
    {"new", "Begin with a level, EventRateLimit, quota, test or audit policy", cmd_new},
    {"lsp", "Show the findings of lint in editors, as a language server", cmd_lsp},
    {"rules", "List the rules of lint, or show one", cmd_rules},
    {"convert", "Convert objects to another API version", cmd_convert},
    {"ladder", "Show the order of FlowSchemas, and where another one fits", cmd_ladder},
    {"builtins", "Print the built-in objects of a release, and those of providers", cmd_builtins},

    {"Look at traffic", nullptr, nullptr},
    {"log", "Show what happened, to whom and because of whom, by a log alone", cmd_log, kEveryDay},
    {"inspect", "Show what is going on in a live server, by /metrics and dumps", cmd_inspect, kEveryDay},
    {"replay", "Show what API Priority and Fairness does to the requests in a log", cmd_replay, kEveryDay},
    {"compare", "Show what a change does to the traffic of a log, and to whom", cmd_compare, kEveryDay},
    {"suggest", "Find the smallest change that meets goals on a log", cmd_suggest, kEveryDay},
    {"headroom", "Show how many times the load of a log a configuration bears", cmd_headroom},
    {"sweep", "Replay many logs under many configurations, as tasks of a cluster", cmd_sweep},
    {"trace", "Convert a log to trace lines, with or without its names", cmd_trace},

    {"Look up numbers", nullptr, nullptr},
    {"limits", "Show the seats of each priority level", cmd_limits, kEveryDay},
    {"hand", "Show the queues of a flow, and the odds that others fill them all", cmd_hand, kEveryDay},
    {"quota", "Check whether manifests fit into their ResourceQuotas", cmd_quota},

    {"About apfctl", nullptr, nullptr},
    {"schema", "Print the JSON Schemas of objects, settings and outputs", cmd_schema},
    {"completion", "Print a completion script for bash, zsh, fish or kubectl", cmd_completion},
    {"version", "Show the version of apfctl and its libraries", cmd_version},
    {"help", "Show the help of a command", cmd_help},
};

// Names that commands had in earlier versions, for the message about an unknown command.
constexpr std::pair<std::string_view, const char*> kFormerNames[] = {{"bootstrap", "apfctl builtins"},
                                                                     {"presets", "apfctl builtins --provider all"},
                                                                     {"merge", "apfctl sweep --merge FILE..."}};

constexpr const char* kEndOfEveryDay = R"(
EventRateLimit, ResourceQuotas: replay --event-rate-limit, --quota; apfctl quota
apfctl COMMAND --help    the question it answers, examples, its usual flags
apfctl help --all        every command: new, quota, headroom, ladder, sweep, ...
)";

constexpr const char* kEndOfAll = R"(
Flags:
  -h, --help[=all]  Show the commands of every day, or all; after a COMMAND, its
                    usual flags, or all
  --version         Show the version

Exit code: 0 success; 1 findings, changes (--check), denied objects or failed
expectations (--expect); 2 wrong usage or input; 70 internal error;
130 interrupted.
)";

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

std::string unknown_command(std::string_view word) {
  const std::string what = "unknown command '" + apf::printable(word) + "'";
  for (const auto& [former, now] : kFormerNames)
    if (word == former) return fmt::format("{}; it is '{}' now", what, as_typed(now));
  return what + did_you_mean(word, command_names());
}

std::string top_level_help(bool all) {
  std::string out =
      "Kubernetes API Priority and Fairness, offline; --from-cluster runs kubectl.\n"
      "Usage: apfctl COMMAND [ARGUMENT]... [FLAG]...\n\n";
  std::string heading;
  for (const Command& c : kCommands) {
    if (!c.run) heading = fmt::format("{}:\n", c.name);
    if (!c.run || !(all || c.every_day)) continue;
    out += std::exchange(heading, "") + fmt::format("  {:<11} {}\n", c.name, c.summary);
  }
  out += all ? kEndOfAll : kEndOfEveryDay;
  return as_typed(std::move(out));
}

int cmd_help(CommandLine& line) {
  bool all = false;
  line.synopsis("help [COMMAND] [--all]");
  line.about("Which commands are there, and what does one of them do?",
             "Shows the help of a command, or lists the commands of every day.");
  line.example("every command", "apfctl help --all");
  line.example("what replay does, and its usual flags", "apfctl help replay");
  line.example("all flags of a command", "apfctl help replay --all");
  line.flag("--all", all, "List every command, or every flag of COMMAND.");
  line.argument_choices(command_names());
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(0, 1, "COMMAND");
  if (words.empty()) {
    write_stdout(top_level_help(all));
    return 0;
  }
  const Command* command = find_command(words[0]);
  if (!command) throw UsageError(unknown_command(words[0]));
  CommandLine other(command->name, {all ? "--help=all" : "--help"});
  return command->run(other);
}

}  // namespace apfctl
