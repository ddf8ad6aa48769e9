// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace apfctl {

// The reader of standard output went away: what a long command throws to stop early; a quiet exit.
struct ClosedPipe {};

// One result on its way. Standard output for an empty path and for "-"; otherwise a file beside the
// one named, renamed to it by close(). A device or pipe is written as it is.
class Output {
 public:
  explicit Output(std::string path);
  ~Output();  // without close(): nothing is left behind
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);  // throws apf::Error when it cannot be written
  void flush();
  void close();
  // Nobody reads any more; further text is dropped.
  bool closed_pipe() const { return closed_pipe_; }

 private:
  std::string path_, target_, temporary_, buffer_;
  int fd_ = -1;
  bool closed_pipe_ = false;
};

void write_stdout(std::string_view text);
void write_stderr(std::string_view text);

}  // namespace apfctl
