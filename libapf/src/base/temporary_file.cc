#include "base/temporary_file.h"

#include <apf/error.h>
#include <apf/output.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/system.h"

namespace apf {

namespace {

constexpr std::size_t kAppendBuffer = 8u << 20, kWindow = 256u << 10;

std::string directory = "/tmp";

[[noreturn]] void fail(const char* what) {
  throw Error(std::string("cannot ") + what + " a temporary file in " + directory + ": " + std::strerror(errno) +
              "; set TMPDIR to a directory with more space");
}

}  // namespace

void set_temporary_directory(std::string path) { directory = std::move(path); }

TemporaryFile::File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

TemporaryFile::Mapping::Mapping(int descriptor, std::size_t size) {
  void* const at = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) fail("read");
  text_ = {static_cast<const char*>(at), size};
}

TemporaryFile::Mapping::~Mapping() {
  if (!text_.empty()) munmap(const_cast<char*>(text_.data()), text_.size());
}

std::string_view TemporaryFile::map() {
  if (written_ == 0) return {buffer_.data(), buffer_.size()};
  if (!buffer_.empty()) flush();
  mapping_ = Mapping(file_.descriptor(), static_cast<std::size_t>(written_));
  return mapping_.text();
}

// Not every file system has files without names: there one loses its name at once.
int open_temporary_file() {
  const int nameless = open_nameless_file(directory.c_str());
  if (nameless >= 0) return nameless;
  std::string name = directory + "/apfctl-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) fail("make");
  unlink(name.c_str());
  return named;
}

void TemporaryFile::append(const void* data, std::size_t size) {
  if (buffer_.size() + size > kAppendBuffer) flush();
  const char* from = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), from, from + size);
}

void TemporaryFile::flush() {
  if (file_.descriptor() < 0) file_ = File(open_temporary_file());
  write(written_, buffer_.data(), buffer_.size());
  written_ += buffer_.size();
  buffer_.clear();
}

void TemporaryFile::write(std::uint64_t offset, const char* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t wrote = pwrite(file_.descriptor(), data + done, size - done, static_cast<off_t>(offset + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) fail("write");
    done += static_cast<std::size_t>(wrote);
  }
}

void TemporaryFile::overwrite(std::uint64_t offset, const void* data, std::size_t size) {
  window_.clear();
  const char* from = static_cast<const char*>(data);
  if (offset < written_) {
    const std::size_t part = std::min<std::uint64_t>(size, written_ - offset);
    write(offset, from, part);
    from += part;
    offset += part;
    size -= part;
  }
  if (size > 0) std::memcpy(buffer_.data() + (offset - written_), from, size);
}

void TemporaryFile::read_apart(std::uint64_t offset, void* data, std::size_t size) const {
  char* to = static_cast<char*>(data);
  while (size > 0 && offset < written_) {
    const ssize_t got =
        pread(file_.descriptor(), to, std::min<std::uint64_t>(size, written_ - offset), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  if (size > 0) std::memcpy(to, buffer_.data() + (offset - written_), size);
}

void TemporaryFile::read(std::uint64_t offset, void* data, std::size_t size) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    if (offset >= written_) {
      std::memcpy(to, buffer_.data() + (offset - written_), size);
      return;
    }
    if (offset < window_at_ || offset >= window_at_ + window_.size()) {
      window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, written_ - offset)));
      window_at_ = offset;
      const ssize_t got = pread(file_.descriptor(), window_.data(), window_.size(), static_cast<off_t>(offset));
      if (got <= 0) {
        window_.clear();
        if (got < 0 && errno == EINTR) continue;
        fail("read");
      }
      window_.resize(static_cast<std::size_t>(got));
    }
    const std::size_t at = static_cast<std::size_t>(offset - window_at_);
    const std::size_t part = std::min(size, window_.size() - at);
    std::memcpy(to, window_.data() + at, part);
    to += part;
    offset += part;
    size -= part;
  }
}

}  // namespace apf
