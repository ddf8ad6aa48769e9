// Messages on standard error.
#pragma once

#include <string>

#include "shared/command_line.h"
#include "shared/terminal.h"

namespace apfctl {

// -q, -v, --color.
struct Console {
  bool quiet = false, verbose = false;
  std::string color_text = "auto";
  Color color = Color::automatic;

  void declare(CommandLine& line);
  void check();
  void warn(const std::string& message) const;  // not with -q
  void note(const std::string& message) const;  // not with -q
};

}  // namespace apfctl
