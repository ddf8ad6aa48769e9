#include "logs/input_blocks.h"

#include <apf/error.h>
#include <apf/input.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "logs/inflate.h"

#include "base/text.h"

namespace apf {

namespace {

constexpr std::size_t kBlock = 1u << 16;
constexpr std::size_t kMost = std::size_t{1} << 30;  // held at once

}  // namespace

Blocks::Blocks(const std::string& path) : name_(name_of_input(path)) {
  refuse_device(path);
  fd_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw Error("cannot open " + name_ + ": " + std::strerror(errno));
}

Blocks::~Blocks() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

bool Blocks::read(std::string& text) {
  const std::size_t used = text.size();
  text.resize(used + kBlock);
  ssize_t n = 0;
  do {
    n = ::read(fd_, text.data() + used, kBlock);
  } while (n < 0 && (wait_until_ready(fd_, false) || errno == EINTR));
  text.resize(used + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n < 0) throw Error("cannot read " + name_ + ": " + std::strerror(errno));
  if (text.size() > kMost) throw Error(name_ + " is larger than 1 GiB, or has a line that is");
  return n > 0;
}

bool Blocks::can_be_read_again() const {
  struct stat status {};
  return ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) && fd_ != STDIN_FILENO;
}

}  // namespace apf
