// apfctl default: objects as the server would store and serve them.

#include <apf/convert.h>

#include "commands.h"
#include "rewrite.h"

namespace apfctl {

int cmd_default(CommandLine& line) {
  RewriteFlags flags;
  line.synopsis("default FILE... [FLAG]...");
  line.about(
      "Writes FlowSchemas and PriorityLevelConfigurations with the defaults that kube-apiserver fills in, each in its "
      "own API version. "
      "FILE: a file, a directory, a glob, or - for standard input.");
  line.example("what does the server make of my objects?", "apfctl default --diff flowcontrol/");
  line.example("nothing is left to defaults (exit code 1 if something is)", "apfctl default --check flowcontrol/");
  flags.declare(line, "Write nothing; exit with 1 when a default is filled in.");
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  flags.check_flags();
  return rewrite_files(flags, paths, "defaulted", apf::default_objects);
}

}  // namespace apfctl
