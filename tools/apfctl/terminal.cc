#include "terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "output.h"
#include "words.h"

namespace apfctl {

namespace {

constexpr int kWidth = 80;
constexpr std::string_view kStart = "\r\x1b[K";  // of the line, which is cleared

bool set_and_not_empty(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

bool wants_color(int fd, Color color) {
  if (color != Color::automatic) return color == Color::always;
  if (set_and_not_empty("NO_COLOR")) return false;
  if (const char* force = std::getenv("CLICOLOR_FORCE"); force && *force && std::strcmp(force, "0") != 0) return true;
  if (const char* term = std::getenv("TERM"); !term || !*term || std::strcmp(term, "dumb") == 0) return false;
  return ::isatty(fd) == 1;
}

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

apf::TextStyle text_style(int fd, Color color) {
  apf::TextStyle style;
  style.color = wants_color(fd, color);
  style.width = kWidth;
  winsize size{};
  if (::isatty(fd) == 1 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = std::max<int>(60, size.ws_col);
  return style;
}

std::size_t text_width_of(const apf::TextStyle& style) {
  return style.full ? 100'000 : static_cast<std::size_t>(std::max(style.width, 40));
}

bool reads_a_pipe() {
  struct stat status {};
  return ::fstat(STDIN_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
}

bool pipe_has_text() {
  int bytes = 0;
  return reads_a_pipe() && ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

ProgressLine::ProgressLine(bool wanted) : enabled_(wanted && ::isatty(STDERR_FILENO) == 1), start_ns_(steady_ns()) {
  if (const char* term = std::getenv("TERM"); !term || std::strcmp(term, "dumb") == 0) enabled_ = false;
}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(std::uint64_t bytes, std::uint64_t bytes_total, std::uint64_t requests,
                        std::string_view clock) {
  constexpr std::int64_t kFirst = 500'000'000, kEvery = 100'000'000;
  if (!enabled_) return;
  const std::int64_t now = steady_ns();
  if (now - start_ns_ < kFirst || now - last_ns_ < kEvery) return;  // short runs stay silent
  last_ns_ = now;
  const double seconds = static_cast<double>(now - start_ns_) / 1e9;
  std::string line = fmt::format("{}{:.1f} MB", kStart, static_cast<double>(bytes) / 1e6);
  if (bytes_total > 0) line += fmt::format(" of {:.1f} MB", static_cast<double>(bytes_total) / 1e6);
  line += ", " + grouped(requests) + " requests, " +
          grouped(static_cast<std::uint64_t>(static_cast<double>(requests) / seconds)) + " requests/s";
  if (!clock.empty()) line += fmt::format(", simulated {}", clock);
  if (bytes_total > bytes && bytes > 0) {
    line +=
        fmt::format(", {:.0f} s left", seconds * static_cast<double>(bytes_total - bytes) / static_cast<double>(bytes));
  }
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  // A line that wraps would not be replaced but follow the last one.
  const std::size_t room = kStart.size() + (known ? size.ws_col - 1u : kWidth - 1u);
  if (line.size() > room) line.resize(room);
  write_stderr(line);
  shown_ = true;
}

void ProgressLine::show(const apf::ReplayProgress& progress) {
  show(progress.bytes_read, progress.bytes_total, progress.requests,
       apf::format_rfc3339(progress.clock / apf::kSecond * apf::kSecond));
}

void ProgressLine::clear() {
  if (shown_) write_stderr("\r\x1b[K");
  shown_ = false;
}

}  // namespace apfctl
