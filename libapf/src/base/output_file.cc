// apf::OutputFile: a temporary file beside the target that is renamed when it is complete.
#include <apf/output.h>

#include <apf/error.h>
#include <apf/input.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/system.h"
#include "base/temporary_file.h"

namespace apf {

namespace {

constexpr std::size_t kOutputBuffer = 1u << 16;
constexpr std::size_t kLongestName = 200;  // of the target, within the temporary file's name

// Of "-", /dev/stdout, /dev/fd/3 and the like the descriptor, or -1. What it leads to, a file too, is already open, and
// others write to it.
int descriptor_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = -1;
    const char* const end = path.data() + path.size();
    if (path.starts_with(folder) && std::from_chars(path.data() + folder.size(), end, number).ptr == end) return number;
  }
  return -1;
}

std::string resolved(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  const std::string out = real;
  std::free(real);
  return out;
}

std::string random_letters() {
  std::array<unsigned char, 8> bytes{};
  if (!random_bytes(bytes.data(), bytes.size())) bytes.fill(static_cast<unsigned char>(::getpid()));
  std::string out;
  for (const unsigned char byte : bytes) out += "abcdefghijklmnopqrstuvwxyz012345"[byte & 31];
  return out;
}

// Paths of unfinished files, where a signal handler finds them.
struct Unfinished {
  enum State : int { kFree, kBusy, kThere };
  std::atomic<int> state{kFree};
  char path[4096];
};
std::array<Unfinished, 32> g_unfinished;

int note_unfinished(const std::string& path) {
  if (path.size() >= sizeof(Unfinished::path)) return -1;
  for (std::size_t i = 0; i < g_unfinished.size(); ++i) {
    int free = Unfinished::kFree;
    if (!g_unfinished[i].state.compare_exchange_strong(free, Unfinished::kBusy)) continue;
    std::memcpy(g_unfinished[i].path, path.c_str(), path.size() + 1);
    g_unfinished[i].state = Unfinished::kThere;
    return static_cast<int>(i);
  }
  return -1;
}

void forget_unfinished(int slot) {
  if (slot >= 0) g_unfinished[static_cast<std::size_t>(slot)].state = Unfinished::kFree;
}

// Signals wait while a file is half written.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

struct Descriptor {
  explicit Descriptor(int of) : number(of) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

bool write_at(int to, std::string_view text, off_t at) {
  while (!text.empty()) {
    const ssize_t n = ::pwrite(to, text.data(), text.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
    at += n;
  }
  return true;
}

// Gives `to` the bytes of `from`. False, with errno: it cannot. Where the file system can reserve space, a lack of it
// shows before anything is written.
bool replace_content(int to, int from) {
  struct stat of_from {
  }, of_to{};
  if (::fstat(from, &of_from) != 0 || ::fstat(to, &of_to) != 0) return false;
  if (of_from.st_size > 0 && !reserve_space(to, of_from.st_size)) {
    const int error = errno;
    if (::ftruncate(to, of_to.st_size) != 0) return false;
    errno = error;
    return false;
  }
  std::string block(kOutputBuffer, '\0');
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(from, block.data(), block.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) break;
    if (!write_at(to, {block.data(), static_cast<std::size_t>(n)}, at)) return false;
    at += n;
  }
  return ::ftruncate(to, of_from.st_size) == 0 && (::fsync(to) == 0 || errno == EINVAL);
}

}  // namespace

bool wait_until_ready(int descriptor, bool to_write) {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd wanted{descriptor, static_cast<short>(to_write ? POLLOUT : POLLIN), 0};
  return ::poll(&wanted, 1, -1) > 0;
}

void remove_unfinished_files() noexcept {
  for (Unfinished& file : g_unfinished)
    if (file.state == Unfinished::kThere) ::unlink(file.path);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (const int descriptor = descriptor_of(path_); descriptor >= 0) {
    fd_ = descriptor;
    own_ = false;
    if (descriptor == STDOUT_FILENO) path_ = "standard output";
    if (::fcntl(fd_, F_GETFD) < 0) fail();
  } else {
    open_target();
  }
}

void OutputFile::open_target() {
  target_ = resolved(path_);
  struct stat status {};
  exists_ = ::stat(target_.c_str(), &status) == 0;
  if (exists_ && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail();
  }
  if (exists_ && !S_ISREG(status.st_mode)) {  // there is nothing to rename
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail();
    return;
  }
  if (exists_ && ::access(target_.c_str(), W_OK) != 0) fail();
  if (!exists_ && ::lstat(target_.c_str(), &status) == 0)
    throw Error("cannot write " + path_ + ": it is a symbolic link to a file that does not exist");
  mode_ = exists_ ? status.st_mode & 07777U : 0;
  user_ = status.st_uid;
  group_ = status.st_gid;
  keeps_file_ = exists_ && status.st_nlink > 1;
  open_temporary();
  if (exists_) keep_owner();
}

// Created by nobody else, and through no link.
void OutputFile::open_temporary() {
  const std::size_t slash = target_.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  const std::string stem = target_.substr(0, begin) + "." + target_.substr(begin, kLongestName) + ".";
  constexpr int kAttempts = 100;
  for (int i = 0; i < kAttempts && fd_ < 0; ++i) {
    temporary_ = stem + random_letters();
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, exists_ ? 0600 : 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ >= 0) {
    ::flock(fd_, LOCK_EX | LOCK_NB);  // while somebody writes it; what nobody has locked is left over
    slot_ = note_unfinished(temporary_);
    return;
  }
  const int error = std::exchange(errno, 0);
  temporary_.clear();
  errno = error;
  fail();
}

void OutputFile::keep_owner() {
  struct stat own {};
  const bool alike = ::fstat(fd_, &own) == 0 && own.st_uid == user_ && own.st_gid == group_;
  if (!alike && ::fchown(fd_, user_, group_) != 0) keeps_file_ = true;
  if (::fchmod(fd_, mode_) != 0) keeps_file_ = true;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::exchange(other.buffer_, {})),
      fd_(std::exchange(other.fd_, -1)),
      slot_(std::exchange(other.slot_, -1)),
      own_(other.own_),
      exists_(other.exists_),
      keeps_file_(other.keeps_file_),
      mode_(other.mode_),
      user_(other.user_),
      group_(other.group_),
      closed_pipe_(other.closed_pipe_) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && own_) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_unfinished(slot_);
}

OutputFile OutputFile::scratch_for(const OutputFile& of) {
  OutputFile out;
  if (!of.active()) return out;
  out.path_ = "a temporary file for " + of.path_;
  out.fd_ = open_temporary_file();
  return out;
}

void OutputFile::write(std::string_view text) {
  if (fd_ < 0) return;
  buffer_ += text;
  if (buffer_.size() >= kOutputBuffer) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !closed_pipe_) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n >= 0) rest.remove_prefix(static_cast<std::size_t>(n));
    else if (errno == EPIPE) closed_pipe_ = true;
    else if (!wait_until_ready(fd_, true) && errno != EINTR) fail();
  }
  buffer_.clear();
}

void OutputFile::append(OutputFile& scratch) {
  if (!scratch.active()) return;
  scratch.flush();
  std::string block(kOutputBuffer, '\0');
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(scratch.fd_, block.data(), block.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) scratch.fail();
    if (n == 0) return;
    write({block.data(), static_cast<std::size_t>(n)});
    at += n;
  }
}

bool OutputFile::can_begin_again() const {
  if (fd_ < 0) return true;
  struct stat status {};
  return own_ && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
}

void OutputFile::begin_again() {
  if (fd_ < 0) return;
  buffer_.clear();
  if (::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) != 0) fail();
}

void OutputFile::commit() {
  if (fd_ < 0) return;
  flush();
  if (!temporary_.empty()) put_in_place();
  const int fd = std::exchange(fd_, -1);
  if (own_ && ::close(fd) != 0) fail();
}

void OutputFile::put_in_place() {
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail();
  if (keeps_file_) {
    copy_in_place();
    ::unlink(temporary_.c_str());
  } else if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail();
  }
  temporary_.clear();
  forget_unfinished(std::exchange(slot_, -1));
}

// The file keeps its names and its owner, so the new text is written over the old one. Until that is done, a copy of
// the old one lies beside it.
void OutputFile::copy_in_place() {
  const SignalsHeld held;
  const Descriptor to(::open(target_.c_str(), O_RDWR | O_CLOEXEC));
  if (to.number < 0) fail();
  const std::string before = temporary_ + ".before";
  const Descriptor old(::open(before.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (old.number < 0) fail();
  const auto fail_without_copy = [&] {
    const int error = errno;
    ::unlink(before.c_str());
    errno = error;
    fail();
  };
  if (!replace_content(old.number, to.number)) fail_without_copy();
  if (!replace_content(to.number, fd_)) {
    const int error = errno;
    if (!replace_content(to.number, old.number))
      throw Error("cannot write " + path_ + ": " + std::strerror(error) + "; its old text is in " + before);
    errno = error;
    fail_without_copy();
  }
  ::unlink(before.c_str());
}

void OutputFile::fail() const { throw Error("cannot write " + path_ + ": " + std::strerror(errno)); }

}  // namespace apf
