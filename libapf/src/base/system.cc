#include "base/system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#if defined(__linux__) && !defined(APF_PORTABLE)

#include <sys/mman.h>
#include <sys/random.h>

#include <cstring>

namespace apf {

void prefer_large_pages(void* place, std::size_t size) { ::madvise(place, size, MADV_HUGEPAGE); }

bool random_bytes(void* to, std::size_t size) { return ::getrandom(to, size, 0) == static_cast<ssize_t>(size); }

int open_nameless_file(const char* folder) { return ::open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600); }

bool reserve_space(int file, off_t size) {
  return ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, size) == 0 || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG);
}

void will_read_through(int file) { ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL); }

const char* last_place_of(const char* text, char byte, std::size_t size) {
  return static_cast<const char*>(::memrchr(text, byte, size));
}

}  // namespace apf

#else

namespace apf {

void prefer_large_pages(void*, std::size_t) {}

bool random_bytes(void* to, std::size_t size) {
  const int file = ::open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t got = 0;
  do got = ::read(file, to, size);
  while (got < 0 && errno == EINTR);
  ::close(file);
  return got == static_cast<ssize_t>(size);
}

int open_nameless_file(const char*) { return -1; }

bool reserve_space(int, off_t) { return true; }

void will_read_through(int) {}

const char* last_place_of(const char* text, char byte, std::size_t size) {
  while (size > 0)
    if (text[--size] == byte) return text + size;
  return nullptr;
}

}  // namespace apf

#endif
