// apfctl default: objects as the server would store and serve them.

#include <apf/config.h>

#include "commands.h"
#include "rewrite.h"

namespace apfctl {

int cmd_default(CommandLine& line) {
  RewriteFlags flags;
  line.synopsis("default FILE... [FLAG]...");
  line.about(
      "Fills in the defaults that kube-apiserver would fill in, and prints the FlowSchemas and "
      "PriorityLevelConfigurations, each in its own API version. FILE: a file, a directory, a glob, or - for standard "
      "input.");
  line.example("which defaults does the server fill in?", "apfctl default --diff flowcontrol/");
  line.example("fail if an object relies on defaults", "apfctl default --check flowcontrol/");
  flags.declare(line, "Print no objects; exit 1 if a default is filled in.");
  if (!line.parse()) return 0;
  const std::vector<std::string>& paths = line.arguments(1, CommandLine::kAnyNumber, "the configuration (FILE...)");
  flags.check_flags();
  return rewrite_files(flags, paths, "defaulted", apf::default_objects);
}

}  // namespace apfctl
