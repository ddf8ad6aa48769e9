// apfctl completion: scripts for bash, zsh and fish, generated from the table of commands and their flags.

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "shared/commands.h"
#include "shared/help.h"
#include "shared/output.h"
#include "shared/suggest.h"

namespace apfctl {

namespace {

using Flag = CommandLine::Flag;

struct CommandShape {
  std::string name, summary;
  std::vector<Flag> flags;
  std::vector<std::string> argument_choices;
  bool takes_files = false, takes_sides = false;  // sides: also git:REV
};

std::vector<CommandShape> command_shapes() {
  std::vector<CommandShape> shapes;
  for (const Command& command : commands()) {
    if (!command.run) continue;
    CommandLine line(command.name, {}, true);
    command.run(line);
    shapes.push_back({command.name, command.summary, line.flags(), line.argument_choices(),
                      takes_files(line.help().synopsis), line.help().synopsis.find(" OLD ") != std::string::npos});
  }
  return shapes;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool names_file(const Flag& flag) {
  return contains(flag.metavar, "FILE") || contains(flag.metavar, "PATH") || contains(flag.metavar, "LOG");
}
// FORMAT[=FILE], TIME=PATH: a file follows '='.
bool file_after_equals(const Flag& flag) {
  return names_file(flag) && contains(flag.metavar, "=") && !contains(flag.metavar, "=]");
}

std::string joined_with(
    const std::vector<std::string>& words, std::string_view separator,
    const std::function<std::string(const std::string&)>& each = [](const std::string& word) { return word; }) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(separator)) + each(word);
  return out;
}

// Text within single quotes of bash and zsh.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// --- bash
// ---------------------------------------------------------------------------------------------------------------

// What git:REV may name, a line each.
constexpr std::string_view kGitRefs =
    "git for-each-ref --format='%(refname:short)' refs/heads refs/remotes refs/tags 2>/dev/null";

constexpr std::string_view kBashHead = R"sh(# Completion of apfctl for bash. In ~/.bashrc:
#   source <(apfctl completion bash)
_apfctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local kind= equals= ended= refs= words= i
  COMPREPLY=()
  # Readline parts words at '='.
  if [ "$cur" = = ]; then
    equals=1 cur=
  elif [ "$flag" = = ]; then
    equals=1 flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  # And at ':', which git:BRANCH has.
  if [ "$cur" = : ] && [ "$flag" = git ]; then
    refs=1 cur=
  elif [ "$flag" = : ] && [ "${COMP_WORDS[COMP_CWORD-2]}" = git ]; then
    refs=1
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    [ "${COMP_WORDS[i]}" = -- ] && ended=1
  done
)sh";

constexpr std::string_view kBashTail = R"sh(  if [ "$kind" = files ]; then
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [ "$kind" = words ]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _apfctl apfctl
)sh";

std::string bash_words(const std::vector<std::string>& words) {
  return "kind=words words=" + shell_quoted(joined_with(words, " "));
}

std::string bash_value(const Flag& flag) {
  if (!flag.choices.empty()) return bash_words(flag.choices);
  return names_file(flag) && !file_after_equals(flag) ? "kind=files" : "kind=none";
}

std::string render_bash(const std::vector<CommandShape>& shapes) {
  std::string out(kBashHead);
  std::vector<std::string> first;
  for (const CommandShape& shape : shapes) first.push_back(shape.name);
  first.insert(first.end(), {"-h", "--help", "--version"});
  out += "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    " + bash_words(first) +
         "\n  elif [ -z \"$ended\" ]; then\n    case $command:$flag in\n";
  for (const CommandShape& shape : shapes) {
    for (const Flag& flag : shape.flags) {
      if (flag.metavar.empty()) continue;
      const std::string names =
          joined_with(flag.spellings(), " | ", [&](const std::string& name) { return shape.name + ":" + name; });
      out += fmt::format("      {}) {} ;;\n", names, bash_value(flag));
    }
  }
  // After a '=' that does not follow a flag: FORMAT=FILE, TIME=PATH.
  out += "      *) [ -n \"$equals\" ] && kind=files ;;\n    esac\n  fi\n";
  out += "  if [ -z \"$kind\" ] && [ -z \"$ended\" ]; then\n    case $command:$cur in\n";
  for (const CommandShape& shape : shapes) {
    std::vector<std::string> names;
    for (const Flag& flag : shape.flags) {
      for (const std::string& name : flag.spellings()) names.push_back(name);
    }
    out += fmt::format("      {}:-*) {} ;;\n", shape.name, bash_words(names));
  }
  out += "    esac\n  fi\n  if [ -z \"$kind\" ]; then\n    case $command in\n";
  for (const CommandShape& shape : shapes) {
    if (!shape.argument_choices.empty())
      out += fmt::format("      {}) {} ;;\n", shape.name, bash_words(shape.argument_choices));
    else if (shape.takes_sides)
      out += fmt::format("      {}) if [ -n \"$refs\" ]; then kind=words words=$({}); else kind=files; fi ;;\n",
                         shape.name, kGitRefs);
    else if (shape.takes_files) out += fmt::format("      {}) kind=files ;;\n", shape.name);
  }
  return out + "    esac\n  fi\n" + std::string(kBashTail);
}

// --- zsh
// ----------------------------------------------------------------------------------------------------------------

constexpr std::string_view kZshHead = R"sh(#compdef apfctl
# Completion of apfctl for zsh. In ~/.zshrc, after compinit:
#   source <(apfctl completion zsh)
# or as a file named _apfctl in a folder of $fpath.

# FORMAT[=FILE] and TIME=PATH: the words given, or a file behind '='.
_apfctl_equals() {
  if compset -P '*='; then
    _files
  else
    compadd -- "$@"
  fi
}

# OLD and NEW: a file, or a branch behind "git:".
_apfctl_sides() {
  if compset -P 'git:'; then
    compadd -- ${(f)"$(@REFS@)"}
  else
    _files
  fi
}

_apfctl() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[Show the help]' '(- *)--version[Show the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
)sh";

constexpr std::string_view kZshTail = R"sh(      esac
      ;;
  esac
}

if [ "$funcstack[1]" = _apfctl ]; then
  _apfctl "$@"
else
  compdef _apfctl apfctl
fi
)sh";

// In descriptions of _arguments and _describe.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Flag& flag) {
  const std::string choices = joined_with(flag.choices, " ");
  if (file_after_equals(flag)) return "_apfctl_equals " + choices;
  if (!flag.choices.empty()) return "(" + choices + ")";
  return names_file(flag) ? "_files" : " ";
}

// One specification of _arguments.
std::string zsh_flag(const Flag& flag) {
  const std::vector<std::string> names = flag.spellings();
  const bool valued = !flag.metavar.empty();
  const auto name = [&](const std::string& text) { return text + (!valued ? "" : text.starts_with("--") ? "=" : "+"); };
  std::string rest = "[" + zsh_escaped(flag.brief()) + "]";
  if (valued) rest += ":" + zsh_escaped(flag.metavar) + ":" + zsh_action(flag);
  const std::string before = flag.repeatable ? "*" : "(" + joined_with(names, " ") + ")";
  if (names.size() == 1) return shell_quoted(before + name(names[0]) + rest);
  return shell_quoted(before) + "{" + name(names[0]) + "," + name(names[1]) + "}" + shell_quoted(rest);
}

std::string render_zsh(const std::vector<CommandShape>& shapes) {
  std::string out(kZshHead);
  out.replace(out.find("@REFS@"), 6, kGitRefs);
  for (const CommandShape& shape : shapes)
    out += "        " + shell_quoted(shape.name + ":" + zsh_escaped(shape.summary)) + "\n";
  out += "      )\n      _describe command commands\n      ;;\n    argument)\n      case $line[1] in\n";
  for (const CommandShape& shape : shapes) {
    out += fmt::format("        {})\n          _arguments", shape.name);
    for (const Flag& flag : shape.flags) out += " \\\n            " + zsh_flag(flag);
    if (!shape.argument_choices.empty())
      out += " \\\n            " + shell_quoted("*:argument:(" + joined_with(shape.argument_choices, " ") + ")");
    else if (shape.takes_sides) out += " \\\n            '*:side:_apfctl_sides'";
    else if (shape.takes_files) out += " \\\n            '*:file:_files'";
    out += "\n          ;;\n";
  }
  return out + std::string(kZshTail);
}

// --- fish
// ---------------------------------------------------------------------------------------------------------------

constexpr std::string_view kFishHead =
    R"sh(# Completion of apfctl for fish: apfctl completion fish > ~/.config/fish/completions/apfctl.fish

function __apfctl_command
    set -l words (commandline -opc)
    set -q words[2]; and test $words[2] = $argv[1]
end
function __apfctl_no_command
    set -l words (commandline -opc)
    not set -q words[2]
end
function __apfctl_after_equals
    string match -q -- '*=*' (commandline -ct | string replace -r -- '^--[^=]*=' '')
end

complete -c apfctl -f
complete -c apfctl -n __apfctl_no_command -s h -l help -d 'Show the help'
complete -c apfctl -n __apfctl_no_command -l version -d 'Show the version'
)sh";

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_flag(const std::string& command, const Flag& flag) {
  const std::string condition = "__apfctl_command " + command;
  std::string names;
  for (const std::string& name : flag.spellings())
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const auto line = [&](const std::string& when, const std::string& value) {
    return "complete -c apfctl -n " + fish_quoted(when) + names + value + " -d " + fish_quoted(flag.brief()) + "\n";
  };
  if (flag.metavar.empty()) return line(condition, "");
  if (file_after_equals(flag)) {
    const std::string choices = flag.choices.empty() ? "" : " -a " + fish_quoted(joined_with(flag.choices, " "));
    return line(condition + "; and not __apfctl_after_equals", " -x" + choices) +
           line(condition + "; and __apfctl_after_equals", " -rF");
  }
  if (!flag.choices.empty()) return line(condition, " -x -a " + fish_quoted(joined_with(flag.choices, " ")));
  return line(condition, names_file(flag) ? " -rF" : " -x");
}

std::string render_fish(const std::vector<CommandShape>& shapes) {
  std::string out(kFishHead);
  for (const CommandShape& shape : shapes) {
    out += "complete -c apfctl -n __apfctl_no_command -a " + shape.name + " -d " + fish_quoted(shape.summary) + "\n";
  }
  for (const CommandShape& shape : shapes) {
    out += "\n";
    for (const Flag& flag : shape.flags) out += fish_flag(shape.name, flag);
    const std::string start = "complete -c apfctl -n " + fish_quoted("__apfctl_command " + shape.name);
    if (!shape.argument_choices.empty())
      out += start + " -a " + fish_quoted(joined_with(shape.argument_choices, " ")) + "\n";
    else if (shape.takes_files) out += start + " -F\n";
    if (shape.takes_sides)
      out += start + " -a " + fish_quoted("(" + std::string(kGitRefs) + " | string replace -r '^' git:)") + "\n";
  }
  return out;
}

// kubectl asks an executable named kubectl_complete-apfctl, with the words after "kubectl apfctl", and reads its
// candidates and, behind a colon, what to do besides: 4 = no files, 0 = files where there are no candidates.
std::string render_kubectl(const std::vector<CommandShape>&) {
  return R"sh(#!/usr/bin/env bash
# Completion of `kubectl apfctl`: save this as kubectl_complete-apfctl in a folder of $PATH, executable, beside kubectl-apfctl.
tool=$(command -v apfctl || command -v kubectl-apfctl) || exit 0
source <("$tool" completion bash)
COMP_WORDS=(apfctl)
for word in "$@"; do
  if [[ $word == --*=* ]]; then COMP_WORDS+=("${word%%=*}" = "${word#*=}"); else COMP_WORDS+=("$word"); fi
done
[ $# -eq 0 ] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
compopt() { files=1; }
_apfctl
if [ -n "$files" ]; then echo :0; exit; fi
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
echo :4
)sh";
}

using Render = std::string (*)(const std::vector<CommandShape>& shapes);
const Choices<Render> kShells = {
    {"bash", render_bash}, {"zsh", render_zsh}, {"fish", render_fish}, {"kubectl", render_kubectl}};

}  // namespace

int cmd_completion(CommandLine& line) {
  line.synopsis("completion bash|zsh|fish|kubectl");
  line.about(
      "How does my shell complete what I type?",
      "Prints a script for a shell that completes apfctl's commands, flags, flag values and file names; for kubectl, "
      "the "
      "script that completes 'kubectl apfctl' where apfctl is installed as kubectl-apfctl.");
  line.example("bash, in ~/.bashrc (zsh: the same in ~/.zshrc, after compinit)", "source <(apfctl completion bash)");
  line.example("fish", "apfctl completion fish > ~/.config/fish/completions/apfctl.fish");
  line.example("kubectl apfctl ...", "apfctl completion kubectl > kubectl_complete-apfctl");
  line.argument_choices(kShells.words());
  if (!line.parse()) return 0;
  const std::string& name = line.arguments(1, 1, "the shell (bash, zsh, fish or kubectl)")[0];
  write_stdout(kShells.parse("SHELL", name)(command_shapes()));
  return 0;
}

}  // namespace apfctl
