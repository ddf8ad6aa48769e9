#include "replay/output_file.h"

#include <apf/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace apf {

namespace {

// Of /dev/stdout, /dev/fd/3 and the like the descriptor, or -1. What it leads to, a file too, is already open,
// and others write to it.
int descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = -1;
    const char* const end = path.data() + path.size();
    if (path.starts_with(folder) && std::from_chars(path.data() + folder.size(), end, number).ptr == end) return number;
  }
  return -1;
}

// A link stays a link: what it leads to is replaced.
std::string resolved(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  const std::string out = real;
  std::free(real);
  return out;
}

// Pipes and devices (/dev/null) are written in place: there is nothing to rename.
bool is_special(const std::string& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const int descriptor = descriptor_of(path_); descriptor >= 0) {
    const int own = ::dup(descriptor);
    file_ = own < 0 ? nullptr : ::fdopen(own, "wb");
  } else {
    target_ = resolved(path_);
    unfinished_ = is_special(target_) ? std::string() : target_ + ".unfinished." + std::to_string(::getpid());
    file_ = std::fopen((unfinished_.empty() ? target_ : unfinished_).c_str(), "wb");
  }
  if (!file_) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (!file_) return;
  std::fclose(file_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

OutputFile OutputFile::scratch_for(const OutputFile& of) {
  OutputFile out;
  if (!of.active()) return out;
  out.path_ = of.path_;
  if (of.unfinished_.empty()) {  // beside a pipe or device there is no room
    out.file_ = std::tmpfile();
  } else {
    std::string name = of.unfinished_ + ".XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd >= 0) {
      ::unlink(name.c_str());
      out.file_ = ::fdopen(fd, "w+b");
    }
  }
  if (!out.file_) out.fail("cannot be written");
  return out;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      unfinished_(std::move(other.unfinished_)),
      file_(std::exchange(other.file_, nullptr)) {}

void OutputFile::append(OutputFile& scratch) {
  if (!scratch.file_) return;
  if (std::fseek(scratch.file_, 0, SEEK_SET) != 0) scratch.fail("cannot be read again");
  std::vector<char> buffer(1u << 16);
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), scratch.file_)) write({buffer.data(), n});
  if (std::ferror(scratch.file_)) scratch.fail("cannot be read again");
}

void OutputFile::write(std::string_view text) {
  if (file_ && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot be written");
}

void OutputFile::commit() {
  if (!file_) return;
  const bool bad = std::fflush(file_) != 0;
  const bool bad_close = std::fclose(file_) != 0;
  file_ = nullptr;
  if (bad || bad_close) {
    const int error = errno;
    if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
    errno = error;
    fail("cannot be written");
  }
  if (!unfinished_.empty() && std::rename(unfinished_.c_str(), target_.c_str()) != 0)
    fail("cannot be put in its place");
}

void OutputFile::fail(const char* what) const {
  throw Error(path_ + ": " + what + ": " + std::strerror(errno) + "; choose another file or make room");
}

}  // namespace apf
