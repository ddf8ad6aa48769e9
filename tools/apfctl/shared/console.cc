#include "shared/console.h"

#include <apf/report.h>

#include "shared/output.h"

namespace apfctl {

namespace {

const Choices<Color> kColors = {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}};

}  // namespace

void Console::declare(CommandLine& line) {
  line.heading("Messages");
  line.flag("-q,--quiet", quiet, "Print no warnings, notes or progress on standard error.");
  line.flag("-v,--verbose", verbose, "Print more on standard error.");
  line.option(
      "--color", color_text, "WHEN",
      "When to use color: auto (on a terminal, default), always or never. NO_COLOR and CLICOLOR_FORCE are honored.");
  line.choices("--color", kColors.words());
}

void Console::check() { color = kColors.parse("--color", color_text); }

void Console::warn(const std::string& message) const {
  if (!quiet) write_stderr("apfctl: warning: " + apf::printable(message) + "\n");
}

void Console::note(const std::string& message) const {
  if (!quiet) write_stderr("apfctl: note: " + apf::printable(message) + "\n");
}

}  // namespace apfctl
