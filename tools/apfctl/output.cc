#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <apf/error.h>

namespace apfctl {

namespace {

constexpr std::size_t kBufferSize = 1u << 16;

// False if the reader has closed the pipe.
bool write_all(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) return false;
      throw apf::Error("cannot write " + name + ": " + std::strerror(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string out = real;
  std::free(real);
  return out;
}

}  // namespace

Output::Output(std::string path) : path_(std::move(path)) {
  if (path_.empty() || path_ == "-") {
    path_ = "standard output";
    fd_ = STDOUT_FILENO;
    return;
  }
  target_ = resolved(path_);  // a link stays a link
  struct stat existing {};
  const bool exists = ::stat(target_.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {  // renaming over /dev/null would replace it
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = target_ + ".tmp" + std::to_string(::getpid());
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ >= 0 && exists) ::fchmod(fd_, existing.st_mode & 07777);
  }
  if (fd_ < 0) {
    const std::string reason = std::strerror(errno);
    temporary_.clear();
    throw apf::Error("cannot write " + path_ + ": " + reason);
  }
}

Output::~Output() {
  if (fd_ >= 0 && fd_ != STDOUT_FILENO) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) flush();
}

void Output::flush() {
  if (!closed_pipe_ && !write_all(fd_, buffer_, path_)) closed_pipe_ = true;
  buffer_.clear();
}

void Output::close() {
  flush();
  if (fd_ == STDOUT_FILENO) return;
  const bool closed = ::close(fd_) == 0;
  fd_ = -1;
  if (!closed) throw apf::Error("cannot write " + path_ + ": " + std::strerror(errno));
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw apf::Error("cannot write " + path_ + ": " + std::strerror(errno));
  temporary_.clear();
}

void write_stdout(std::string_view text) { write_all(STDOUT_FILENO, text, "standard output"); }

void write_stderr(std::string_view text) {
  while (!text.empty()) {  // there is no place to report an error
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace apfctl
