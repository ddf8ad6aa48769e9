#include "replay/output_file.h"

#include <apf/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace apf {

namespace {

// Pipes and devices (/dev/stdout, /dev/null) are written in place: there is nothing to rename.
bool is_special(const std::string& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  unfinished_ = is_special(path_) ? std::string() : path_ + ".unfinished." + std::to_string(::getpid());
  file_ = std::fopen((unfinished_.empty() ? path_ : unfinished_).c_str(), "wb");
  if (!file_) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (!file_) return;
  std::fclose(file_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
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
  if (!unfinished_.empty() && std::rename(unfinished_.c_str(), path_.c_str()) != 0) fail("cannot be put in its place");
}

void OutputFile::fail(const char* what) const {
  throw Error(path_ + ": " + what + ": " + std::strerror(errno) + "; choose another file or make room");
}

}  // namespace apf
