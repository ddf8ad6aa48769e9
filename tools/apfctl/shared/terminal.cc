#include "shared/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "shared/output.h"
#include "shared/words.h"

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

std::size_t terminal_rows(int fd) {
  constexpr std::size_t kUsual = 24;
  if (::isatty(fd) != 1) return 0;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  const char* lines = std::getenv("LINES");
  const int given = lines ? std::atoi(lines) : 0;
  return given > 0 ? static_cast<std::size_t>(given) : kUsual;
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

bool ProgressLine::is_due() {
  constexpr std::int64_t kFirst = 500'000'000, kEvery = 100'000'000;
  if (!enabled_) return false;
  const std::int64_t now = steady_ns();
  if (now - start_ns_ < kFirst || now - last_ns_ < kEvery) return false;  // short runs stay silent
  last_ns_ = now;
  return true;
}

double ProgressLine::seconds() const { return static_cast<double>(last_ns_ - start_ns_) / 1e9; }

// As many parts as fit: a line that wraps would not be replaced but follow the last one.
void ProgressLine::print(const std::vector<std::string>& parts) {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  const std::size_t room = known ? size.ws_col - 1u : kWidth - 1u;
  std::string line;
  for (const std::string& part : parts) {
    if (line.size() + 2 + part.size() > room) break;
    line += (line.empty() ? "" : ", ") + part;
  }
  write_stderr(std::string(kStart) + line);
  shown_ = true;
}

void ProgressLine::show(const apf::LogProgress& progress) {
  if (!is_due()) return;
  const auto read = static_cast<double>(progress.bytes_read), total = static_cast<double>(progress.bytes_total);
  std::vector<std::string> parts = {total > 0 ? fmt::format("{:.1f} of {:.1f} MB", read / 1e6, total / 1e6)
                                              : fmt::format("{:.1f} MB", read / 1e6)};
  if (total > read && read > 0) parts.push_back(fmt::format("{:.0f} s left", seconds() * (total - read) / read));
  parts.push_back(grouped(progress.requests) + " requests");
  if (progress.clock > 0) parts.push_back("up to " + apf::format_rfc3339(progress.clock / apf::kSecond * apf::kSecond));
  print(parts);
}

void ProgressLine::show_replays(std::uint64_t done, std::uint64_t all, const std::vector<std::string>& found,
                                bool about) {
  if (!is_due()) return;
  std::vector<std::string> parts = {
      all > 0 ? fmt::format("{} of {}{} replays", grouped(done), about ? "about " : "", grouped(std::max(done, all)))
              : plural(done, "replay", "replays")};
  parts.push_back(fmt::format("{:.0f} s", seconds()));
  if (all > done && done > 0)
    parts.push_back(fmt::format("{} {:.0f} s left", about ? "about" : "at most",
                                seconds() * static_cast<double>(all - done) / static_cast<double>(done)));
  for (const std::string& part : found)
    if (!part.empty()) parts.push_back(part);
  print(parts);
}

void ProgressLine::clear() {
  if (shown_) write_stderr("\r\x1b[K");
  shown_ = false;
}

}  // namespace apfctl
