#include "shared/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <apf/error.h>
#include <apf/input.h>
#include <apf/logs.h>

#include "shared/output.h"
#include "shared/usage_error.h"

namespace apfctl {

namespace {

constexpr std::size_t kBlock = 1u << 16;
constexpr std::size_t kMost = std::size_t{256} << 20;  // of a line, and of a text

}  // namespace

std::string read_text(const std::string& path) {
  std::string text = LineReader(path).whole();
  if (text.size() > kMost) throw apf::Error((path == "-" ? "standard input" : path) + " is larger than 256 MiB");
  return text;
}

namespace {

std::vector<apf::ConfigText> claimed(std::vector<apf::ConfigText> texts) {
  for (const apf::ConfigText& text : texts) claim_input(text.name == kStdinName ? "-" : text.name);
  return texts;
}

}  // namespace

std::vector<apf::ConfigText> read_configs(std::span<const std::string> paths) {
  take_stdin(paths);
  return claimed(apf::read_config_files(paths));
}

std::vector<apf::ConfigText> read_related(std::span<const std::string> paths, apf::FolderContents& contents,
                                          apf::WantedObjects wanted) {
  take_stdin(paths);
  return claimed(apf::read_related_files(paths, contents, wanted));
}

LineReader::LineReader(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  take_stdin({&path, 1});
  claim_input(path);
  apf::refuse_device(path);
  fd_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw apf::Error("cannot open " + name_ + ": " + std::strerror(errno));
}

LineReader::~LineReader() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t used = buffer_.size();
  if (used > kMost) throw apf::Error(name_ + " has a line of more than 256 MiB");
  buffer_.resize(used + kBlock);
  ssize_t n = 0;
  do {
    n = ::read(fd_, buffer_.data() + used, kBlock);
  } while (n < 0 && (apf::wait_until_ready(fd_, false) || errno == EINTR));
  buffer_.resize(used + static_cast<std::size_t>(n > 0 ? n : 0));
  if (n < 0) throw apf::Error("cannot read " + name_ + ": " + std::strerror(errno));
  return n > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(buffer_).substr(begin_, end - begin_);
      begin_ = end + 1;
      return true;
    }
    searched = buffer_.size() - begin_;
    if (ended_ || !fill()) break;
  }
  ended_ = true;
  line = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  return !line.empty();
}

std::string LineReader::whole() {
  while (!ended_ && buffer_.size() <= kMost && fill()) continue;
  return std::move(buffer_);
}

namespace {

void refuse_second_stdin(std::ptrdiff_t count) {
  if (count > 1) throw UsageError("- is given more than once: standard input can be read once; give files");
}

}  // namespace

void check_one_stdin(std::initializer_list<std::span<const std::string>> paths) {
  std::ptrdiff_t count = 0;
  for (const std::span<const std::string> list : paths) count += std::count(list.begin(), list.end(), "-");
  refuse_second_stdin(count);
}

void take_stdin(std::span<const std::string> paths) {
  static std::ptrdiff_t taken = 0;
  refuse_second_stdin(taken += std::count(paths.begin(), paths.end(), "-"));
}

}  // namespace apfctl
