// Files that appear under their names only when they are complete.
//
//   apf::OutputFile file("report.json");
//   file.write("{}\n");
//   file.commit();
//
// Without commit() nothing changes. An existing file keeps its mode, its owner and its other names (hard links); a new
// one gets the mode that the umask leaves. A symbolic link stays one: what it leads to is replaced. "-" and /dev/stdout
// mean standard output, /dev/stderr and /dev/fd/N that descriptor; they, pipes and devices are written to directly.
// Functions throw Error, which names the file and the reason. An object belongs to one thread.
#pragma once

#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

class APF_API OutputFile {
 public:
  // Opens a file of its own beside the target. An empty path: nothing is written.
  explicit OutputFile(std::string path);
  // One without a name, for what will be copied into `of`.
  static OutputFile scratch_for(const OutputFile& of);
  OutputFile(OutputFile&& other) noexcept;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool active() const { return fd_ >= 0; }
  void write(std::string_view text);  // keeps up to 64 KiB back
  void flush();
  // Writes all of a scratch file.
  void append(OutputFile& scratch);
  void commit();
  // Whether what was written so far can be taken back: not from a pipe, a device or a descriptor that others share.
  bool can_begin_again() const;
  void begin_again();
  // The reader of a pipe is gone: further text is dropped.
  bool closed_pipe() const { return closed_pipe_; }

 private:
  OutputFile() = default;
  void open_target();
  void open_temporary();
  void keep_owner();
  void put_in_place();
  void copy_in_place();
  [[noreturn]] void fail() const;

  std::string path_, target_, temporary_, buffer_;
  int fd_ = -1;
  int slot_ = -1;            // among the unfinished files
  bool own_ = true;          // the descriptor is closed at the end
  bool exists_ = false;      // the target
  bool keeps_file_ = false;  // the existing file gets the text, since it has other names or another owner
  unsigned mode_ = 0, user_ = 0, group_ = 0;
  bool closed_pipe_ = false;
};

// Removes the unfinished files of all OutputFiles. For handlers of signals that end the process: it may be called at
// any time in any thread.
APF_API void remove_unfinished_files() noexcept;

}  // namespace apf
