// The abilities of the terminal, and the progress line of long runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <apf/report.h>

namespace apfctl {

enum class Color { automatic, always, never };

// The style of text for this file descriptor. The width is fixed if it is no terminal, so that the output is always the
// same.
apf::TextStyle text_style(int fd, Color color);
// Of the terminal; 24 where it does not say; 0: `fd` is none.
std::size_t terminal_rows(int fd);

// Somebody writes into standard input.
bool reads_a_pipe();
// And somebody has written to it what nobody has read.
bool pipe_has_text();

// One line on standard error that is updated in place; without a terminal, it prints nothing.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  // How far a log is read, and how long the rest takes.
  void show(const apf::LogProgress& progress);
  // `all`: at most, or `about`; 0 if unknown. `found`: the best so far, what is tried now; the most important first.
  void show_replays(std::uint64_t done, std::uint64_t all, const std::vector<std::string>& found = {},
                    bool about = false);
  void clear();

 private:
  bool is_due();
  double seconds() const;  // since the beginning
  void print(const std::vector<std::string>& parts);

  bool enabled_;
  bool shown_ = false;
  std::int64_t start_ns_ = 0, last_ns_ = 0;
};

}  // namespace apfctl
