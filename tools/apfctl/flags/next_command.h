// The commands to type after a report, filled in with the files and flags that were given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/document.h>

#include "shared/command_line.h"

namespace apfctl {

// "apfctl COMMAND" with the arguments and those of the given flags that it takes too, but those of output. Empty if it
// could not be typed: standard input was read, logs of several servers are given and it takes none, or it is too long.
// `arguments` take the place of those given.
std::string filled_in(const CommandLine& line, const char* command, const std::optional<std::string>& arguments = {});

// The command with all that its result depends on: without where it goes, and how many threads make it.
std::string typed_again(const CommandLine& line);
// Where a log contradicts the server that is assumed: the same command again, with what a server says of itself, or,
// where that is given, with what its cluster has; nothing where both are given.
std::vector<std::string> with_evidence(const CommandLine& line);

// The end of a text; nothing without commands.
apf::Passage next_passage(const std::vector<std::string>& commands);

}  // namespace apfctl
