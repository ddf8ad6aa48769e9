#include "commands.h"

#include <fmt/core.h>

#include <algorithm>

#include "output.h"
#include "suggest.h"

namespace apfctl {

namespace {

constexpr Command kCommands[] = {
    {"Configurations", nullptr, nullptr},
    {"lint", "Find what the server rejects, or accepts and you would regret", cmd_lint},
    {"lsp", "Show the findings of lint in editors, as a language server", cmd_lsp},
    {"rules", "List the rules of lint, or show one", cmd_rules},
    {"validate", "Show the errors that kube-apiserver would return, word for word", cmd_validate},
    {"default", "Fill in defaults as the server does", cmd_default},
    {"convert", "Convert objects to another API version", cmd_convert},

    {"Requests", nullptr, nullptr},
    {"explain", "Show which FlowSchema matches a request, and why", cmd_explain},
    {"ladder", "Show the order of FlowSchemas, and where another one fits", cmd_ladder},
    {"hand", "Show the queues of a flow, and the odds that others fill them all", cmd_hand},

    {"Changes", nullptr, nullptr},
    {"diff", "Show which requests and limits a new configuration changes", cmd_diff},
    {"test", "Run unit tests of a configuration, or write them", cmd_test},
    {"compare", "Show what a change does to the traffic of a log, and to whom", cmd_compare},

    {"Servers", nullptr, nullptr},
    {"inspect", "Show what is going on in a live server, by /metrics and dumps", cmd_inspect},
    {"limits", "Show the seats of each priority level", cmd_limits},
    {"quota", "Check whether manifests fit into their ResourceQuotas", cmd_quota},
    {"presets", "List what providers document of the servers that they run", cmd_presets},
    {"bootstrap", "Print the built-in objects of a kube-apiserver release", cmd_bootstrap},

    {"Logs", nullptr, nullptr},
    {"log", "Show what happened, to whom and because of whom, by a log alone", cmd_log},
    {"replay", "Show what API Priority and Fairness does to the requests in a log", cmd_replay},
    {"headroom", "Show how many times the load of a log a configuration bears", cmd_headroom},
    {"suggest", "Find the smallest change that meets goals on a log", cmd_suggest},
    {"sweep", "Replay many logs under many configurations, as tasks of a cluster", cmd_sweep},
    {"merge", "Make the report of a sweep from the results of its tasks", cmd_merge},
    {"trace", "Convert a log to trace lines, with or without its names", cmd_trace},

    {"About", nullptr, nullptr},
    {"schema", "Print the JSON Schemas of objects, settings and outputs", cmd_schema},
    {"completion", "Print a completion script for bash, zsh, fish or kubectl", cmd_completion},
    {"version", "Show the version of apfctl and its libraries", cmd_version},
    {"help", "Show the help of a command", cmd_help},
};

}  // namespace

namespace {

std::string& program() {
  static std::string name = "apfctl";
  return name;
}

}  // namespace

void name_program(const char* argv0) {
  const std::string_view path = argv0 ? argv0 : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // As it is installed, and as a link that one makes by hand: a plugin of krew has that name, too.
  if (name == "kubectl-apfctl" || name == "kubectl-apf") program() = "kubectl " + std::string(name.substr(8));
}

const std::string& program_name() { return program(); }

std::string as_typed(std::string text) {
  constexpr std::string_view kWord = "apfctl ";
  if (program_name() == "apfctl") return text;
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at)) {
    const bool word = at == 0 || std::string_view(" '\n").find(text[at - 1]) != std::string_view::npos;
    if (word) text.replace(at, kWord.size() - 1, program_name());
    at += word ? program_name().size() : kWord.size();
  }
  return text;
}

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
      "Examples:\n  # Which FlowSchema and which queues does this request get?\n  apfctl explain list pods -n ci --as "
      "system:serviceaccount:ci:builder\n\n  # Whose requests would wait or be refused under my configuration?\n  "
      "apfctl replay audit.log -f flowcontrol/ --max-requests-inflight 400\n\nUsage: apfctl COMMAND [ARGUMENT]... "
      "[FLAG]...\n\nKubernetes API Priority and Fairness, offline: apfctl itself never contacts a\n"
      "cluster; --from-cluster runs kubectl.\n";
  for (const Command& c : kCommands) {
    out += c.run ? fmt::format("  {:<11} {}\n", c.name, c.summary) : fmt::format("\n{}:\n", c.name);
  }
  out +=
      "\nFlags:\n  -h, --help  Show this help; after a COMMAND, the help of the command\n  --version   Show the "
      "version\n\nExit code: 0 success; 1 findings, changes (--check), denied objects or failed\n"
      "expectations (--expect); 2 wrong usage or input; 70 internal error;\n130 interrupted.\n";
  return as_typed(std::move(out));
}

int cmd_help(CommandLine& line) {
  line.synopsis("help [COMMAND]");
  line.about("Shows the help of a command, or lists all commands.");
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
