#include "shared/help.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/report.h>

#include "shared/usual_flags.h"

namespace apfctl {

namespace {

constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kWholeIndent = 30, kShortIndent = 24, kUsage = 7;  // "Usage: "

// A command that is too long for a line goes on below it, as a shell reads it; not within quotes, nor between a flag
// and its value.
std::string broken(std::string_view command) {
  constexpr std::string_view kMore = " \\\n      ";
  std::string out, line = "  ";
  while (!command.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    bool is_flag = command.front() == '-';
    for (; end < command.size() && (quoted || is_flag || command[end] != ' '); ++end) {
      quoted ^= command[end] == '\'';
      if (command[end] == ' ' && !quoted) is_flag = false;
      if (is_flag && command.substr(end + 1, 2) == " -") is_flag = false;
    }
    const std::size_t mark = end < command.size() ? 2 : 0;
    if (line.size() + end + mark > kHelpWidth && line.size() > 8) {
      out += line.substr(0, line.size() - 1) + std::string(kMore.substr(0, 3));
      line = kMore.substr(3);
    }
    line += std::string(command.substr(0, end)) + " ";
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return out + line.substr(0, line.size() - 1);
}

std::string examples_of(const HelpParts& parts) {
  std::string out = "Examples, from the root of a clone:\n";
  for (const auto& [comment, command] : parts.examples) out += fmt::format("  # {}\n{}\n", comment, broken(command));
  return out;
}

std::string usage_of(const HelpParts& parts) {
  std::string out = "Usage: ";
  for (std::string_view rest = parts.synopsis, first = "apfctl "; !rest.empty(); first = "") {
    const std::string_view form = rest.substr(0, rest.find('\n'));  // further forms begin with blanks and the program
    rest.remove_prefix(std::min(form.size() + 1, rest.size()));
    const std::size_t blanks = form.find_first_not_of(' ');
    out += std::string(blanks, ' ') +
           apf::wrapped(fmt::format("{}{}", first, form.substr(blanks)), kHelpWidth, kUsage + 2) + "\n";
  }
  return out;
}

// A flag, and its text from column `indent` on.
std::string flag_lines(const FlagHelp& flag, const std::string& text, std::size_t indent) {
  const std::vector<std::string> spellings = flag.spellings();
  std::string left = spellings.size() == 1 ? "      " + flag.names : "  " + spellings[0] + ", " + spellings[1];
  left += flag.after_equals;
  if (!flag.metavar.empty()) left += " " + flag.metavar;
  if (left.size() + 2 > indent) left += "\n" + std::string(indent, ' ');
  else left.resize(indent, ' ');
  return left + apf::wrapped(text, kHelpWidth, indent) + "\n";
}

}  // namespace

std::vector<std::string> FlagHelp::spellings() const {
  const std::size_t comma = names.find(',');
  if (comma == std::string::npos) return {names};
  return {names.substr(0, comma), names.substr(comma + 1)};
}

std::string FlagHelp::brief() const {
  std::string out = text.substr(0, std::min(text.find(". "), text.find("; ")));
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string short_help(const HelpParts& parts, const std::vector<FlagHelp>& flags) {
  std::string out = fmt::format("{}\n\n{}\n{}\nFlags:\n", apf::wrapped(parts.question, kHelpWidth, 0),
                                examples_of(parts), usage_of(parts));
  std::size_t listed = 0;
  for (const FlagHelp& flag : flags) {
    if (!is_usual_flag(parts.command, flag.spellings().back().substr(2))) continue;
    out += flag_lines(flag, flag.brief() + ".", kShortIndent);
    ++listed;
  }
  return out + (listed == flags.size()
                    ? fmt::format("\n'apfctl {0} --help=all' and apfctl-{0}(1) say more of each.\n", parts.command)
                    : fmt::format("\n'apfctl {} --help=all' lists all {} flags.\n", parts.command, flags.size()));
}

std::string whole_help(const HelpParts& parts, const std::vector<FlagHelp>& flags) {
  std::string out = fmt::format("{}\n\n{}\n{}\n{}\n", apf::wrapped(parts.question, kHelpWidth, 0), examples_of(parts),
                                usage_of(parts), apf::wrapped(parts.about, kHelpWidth, 0));
  std::vector<std::string> headings;
  for (const FlagHelp& flag : flags)
    if (std::find(headings.begin(), headings.end(), flag.heading) == headings.end()) headings.push_back(flag.heading);
  for (const std::string& title : headings) {
    out += "\n" + title + ":\n";
    for (const FlagHelp& flag : flags)
      if (flag.heading == title) out += flag_lines(flag, flag.text, kWholeIndent);
  }
  return out;
}

}  // namespace apfctl
