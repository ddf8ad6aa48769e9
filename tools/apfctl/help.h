// The help of a command: the short one, which fits into 40 lines, and the whole one (--help=all).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command_line.h"

namespace apfctl {

struct HelpParts {
  std::string command, synopsis, question, about;
  std::vector<std::pair<std::string, std::string>> examples;  // a comment and a command; they run in examples/
};

std::string short_help(const HelpParts& parts, const std::vector<CommandLine::Flag>& flags);
std::string whole_help(const HelpParts& parts, const std::vector<CommandLine::Flag>& flags);

}  // namespace apfctl
