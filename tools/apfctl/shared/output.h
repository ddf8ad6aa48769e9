// Writes results to standard output, or to a file that is replaced when the output is complete.
#pragma once

#include <apf/output.h>

#include <optional>
#include <string>
#include <string_view>

namespace apfctl {

// A long command throws it to stop early when the reader of standard output has closed the pipe. apfctl then exits
// silently.
struct ClosedPipe {};

// One output; an empty path means standard output, too.
class Output {
 public:
  explicit Output(const std::string& path) : file_(path.empty() ? "-" : path) {}

  // What is written goes to a file without a name, until it is closed.
  void hold_back() { held_.emplace(apf::OutputFile::scratch_for(file_)); }
  void write(std::string_view text) {
    (held_ ? *held_ : file_).write(text);
  }  // throws apf::Error: it cannot be written
  void flush() { (held_ ? *held_ : file_).flush(); }
  void close() {  // without it, a file does not change
    if (held_) file_.append(*held_);
    file_.commit();
  }
  // Whether what was written can be taken back.
  bool can_begin_again() const { return held_ || file_.can_begin_again(); }
  void begin_again() { (held_ ? *held_ : file_).begin_again(); }
  // The reader has closed the pipe; further text is dropped.
  bool closed_pipe() const { return file_.closed_pipe(); }

 private:
  apf::OutputFile file_;
  std::optional<apf::OutputFile> held_;
};

// An empty path, "-", /dev/stdout and other names of it.
bool is_standard_output(const std::string& path);

// Every path that is written to or read goes through these: two outputs to one file, and outputs that are inputs, throw
// UsageError, however the paths are spelled. `flag` is for the message ("-o", "--decisions").
void claim_output(const std::string& flag, const std::string& path);
void claim_input(const std::string& path);

void write_stdout(std::string_view text);
// Without commands of CI systems.
void write_stderr(std::string_view text);

// How many of its rows a line takes; escapes of colours take none.
std::size_t rows_of_line(std::string_view line, std::size_t columns);
// What standard error has taken of its terminal, whole lines only; 0: it is none.
std::size_t rows_on_stderr();

}  // namespace apfctl
