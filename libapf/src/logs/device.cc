// Files that are devices: what reads a log to its end must not read /dev/zero.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apf/error.h>
#include <apf/logs.h>

#include "base/text.h"

namespace apf {

namespace {

bool is_terminal(const std::string& path) {
  if (path == "-") return ::isatty(STDIN_FILENO) == 1;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  const bool terminal = descriptor >= 0 && ::isatty(descriptor) == 1;
  if (descriptor >= 0) ::close(descriptor);
  return terminal;
}

}  // namespace

void refuse_device(const std::string& path) {
  struct stat status {
  }, null{};
  if ((path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) return;
  const bool character = S_ISCHR(status.st_mode);
  if (!character && !S_ISBLK(status.st_mode)) return;
  const bool is_null = ::stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev;
  if (character && (is_null || is_terminal(path))) return;
  throw Error(name_of_input(path) + " is a device, and may have no end: give a file or a pipe");
}

}  // namespace apf
