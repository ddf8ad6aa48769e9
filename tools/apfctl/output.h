// Writes results to standard output, or to a file that is replaced when the output is complete.
#pragma once

#include <string>
#include <string_view>

namespace apfctl {

// A long command throws it to stop early when the reader of standard output has closed the pipe. apfctl then exits
// silently.
struct ClosedPipe {};

// One output. An empty path and "-" mean standard output. Otherwise it writes a temporary file next to the target, and
// close() renames it to the target; devices and pipes are written directly.
class Output {
 public:
  explicit Output(std::string path);
  ~Output();  // without close(), the target does not change
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);  // throws apf::Error when it cannot be written
  void flush();
  void close();
  // The reader has closed the pipe; further text is dropped.
  bool closed_pipe() const { return closed_pipe_; }

 private:
  std::string path_, target_, temporary_, buffer_;
  int fd_ = -1;
  bool closed_pipe_ = false;
};

void write_stdout(std::string_view text);
void write_stderr(std::string_view text);

}  // namespace apfctl
