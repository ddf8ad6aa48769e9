// What the terminal can do, and the progress line of long runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <apf/report.h>

namespace apfctl {

enum class Color { automatic, always, never };

// How to write text to this file descriptor. Off a terminal always the same width, so that the bytes are.
apf::TextStyle text_style(int fd, Color color);

// One line on standard error, rewritten in place; nothing unless that is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  // bytes_total 0 = unknown.
  void show(std::uint64_t bytes, std::uint64_t bytes_total, std::uint64_t requests, std::string_view clock);
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::int64_t start_ns_ = 0, last_ns_ = 0;
};

}  // namespace apfctl
