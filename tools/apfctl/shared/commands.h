// The table of commands, which the help lists and main() runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/command_line.h"

namespace apfctl {

struct Command {
  const char* name;  // a heading of the help when `run` is null
  const char* summary;
  int (*run)(CommandLine& line);  // returns the exit code
  bool every_day = false;         // whether the short list has it
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);
std::vector<std::string> command_names();
// The message about a word that is no command.
std::string unknown_command(std::string_view word);
std::string top_level_help(bool all);

// One file each: cmd_<name>.cc.
int cmd_builtins(CommandLine& line);
int cmd_compare(CommandLine& line);
int cmd_completion(CommandLine& line);
int cmd_convert(CommandLine& line);
int cmd_default(CommandLine& line);
int cmd_diff(CommandLine& line);
int cmd_explain(CommandLine& line);
int cmd_hand(CommandLine& line);
int cmd_headroom(CommandLine& line);
int cmd_help(CommandLine& line);
int cmd_inspect(CommandLine& line);
int cmd_ladder(CommandLine& line);
int cmd_limits(CommandLine& line);
int cmd_lint(CommandLine& line);
int cmd_lsp(CommandLine& line);
int cmd_new(CommandLine& line);
int cmd_quota(CommandLine& line);
int cmd_replay(CommandLine& line);
int cmd_rules(CommandLine& line);
int cmd_schema(CommandLine& line);
int cmd_suggest(CommandLine& line);
int cmd_sweep(CommandLine& line);
int cmd_log(CommandLine& line);
int cmd_test(CommandLine& line);
int cmd_trace(CommandLine& line);
int cmd_validate(CommandLine& line);
int cmd_version(CommandLine& line);

}  // namespace apfctl
