// The help of a command: the short one, which fits into 40 lines, and the whole one (--help=all).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace apfctl {

struct FlagHelp {
  std::string names, metavar, text, heading;  // "-q,--quiet"; without a metavar it takes no value
  bool repeatable = false;
  std::vector<std::string> choices;
  std::string after_equals = {};  // "[=KEY]", which may follow it at once

  std::vector<std::string> spellings() const;  // "-q", "--quiet"
  std::string brief() const;                   // the first sentence or half of it, without a full stop
};

struct HelpParts {
  std::string command, synopsis, question, about;
  std::vector<std::pair<std::string, std::string>> examples;  // a comment and a command; they run in examples/
};

std::string short_help(const HelpParts& parts, const std::vector<FlagHelp>& flags);
std::string whole_help(const HelpParts& parts, const std::vector<FlagHelp>& flags);

}  // namespace apfctl
