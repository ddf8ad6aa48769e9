// apfctl: parse, call a command, turn exceptions into exit codes.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>

#include <apf/output.h>
#include <apf/report.h>

#include "flags/options.h"
#include "shared/command_line.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/failure.h"
#include "shared/output.h"
#include "shared/program_name.h"
#include "shared/suggest.h"

namespace {

using apfctl::Command;
using apfctl::CommandLine;
using apfctl::UsageError;

int run(const std::vector<std::string>& args, std::string& command_name) {
  if (args.empty()) {
    apfctl::write_stderr(apfctl::top_level_help(false));
    return apfctl::kUsageOrInput;
  }
  const std::string& first = args[0];
  if (first == "-h" || first == "--help" || first == "--help=all") {
    apfctl::write_stdout(apfctl::top_level_help(first == "--help=all"));
    return 0;
  }
  std::vector<std::string> rest(args.begin() + 1, args.end());
  const Command* command = apfctl::find_command(first == "--version" ? "version" : first);
  if (!command) {
    if (first.starts_with("-")) {
      const std::vector<std::string> known = {"--help", "--version"};
      const std::string near = apfctl::did_you_mean_flag(first, known);
      throw UsageError(near.empty() ? "expected a COMMAND before " + apf::printable(first)
                                    : "unknown flag " + apf::printable(first) + near);
    }
    throw UsageError(apfctl::unknown_command(first));
  }
  command_name = command->name;
  CommandLine line(command->name, std::move(rest));
  return command->run(line);
}

// A file opened later must not get the number of a closed standard input, output or error. What is opened in their
// place can neither be read nor written, as if they were closed.
void fill_closed_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_descriptors();
  apfctl::clean_up_at_signals();
  ::signal(SIGPIPE, SIG_IGN);  // write() reports a closed pipe
  std::string command;
  apfctl::name_program(argc > 0 ? argv[0] : nullptr);
  if (const char* directory = std::getenv("TMPDIR"); directory && *directory) apf::set_temporary_directory(directory);
  try {
    const int code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), command);
    return apfctl::g_interrupted.load() ? apfctl::kInterrupted : code;
  } catch (const apfctl::ClosedPipe&) {
    return 0;
  } catch (...) {
    const apfctl::Failure failure = apfctl::describe_failure(
        std::current_exception(), apfctl::program_name() + (command.empty() ? "" : " " + command));
    apfctl::write_stderr(failure.message);
    return failure.exit_code;
  }
}
