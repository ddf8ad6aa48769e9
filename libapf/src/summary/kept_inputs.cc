#include "summary/kept_inputs.h"

#include <apf/error.h>
#include <apf/input.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "logs/inflate.h"

namespace apf {
namespace {

void copy(const std::string& path, const std::atomic<bool>* interrupted, TemporaryFile& to) {
  const int descriptor = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error("cannot read " + path + ": " + std::strerror(errno));
  std::vector<char> block(1u << 16);
  int failed = 0;
  for (;;) {
    const ssize_t size = read(descriptor, block.data(), block.size());
    if (size > 0) {
      to.append(block.data(), static_cast<std::size_t>(size));
      continue;
    }
    if (size == 0 || (interrupted && interrupted->load())) break;
    if (errno == EINTR || wait_until_ready(descriptor, false)) continue;
    failed = errno;
    break;
  }
  if (path != "-") close(descriptor);
  if (failed != 0) throw Error("cannot read " + path + ": " + std::strerror(failed));
}

}  // namespace

KeptInputs::KeptInputs(LogOptions& options) {
  for (const std::string& path : options.logs) {
    if (can_be_read_again(path, options.texts)) continue;
    if (path != "-" && access(path.c_str(), R_OK) != 0) continue;  // whoever reads it says so
    refuse_device(path);
    copy(path, options.interrupted, files_.emplace_back());
    options.texts[path] = files_.back().map();
  }
}

}  // namespace apf
