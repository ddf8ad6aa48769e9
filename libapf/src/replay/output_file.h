// A file that appears under its name only when it is complete.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace apf {

class OutputFile {
 public:
  // Throws Error naming the file when it cannot be created. An empty path: nothing is written.
  explicit OutputFile(std::string path);
  // A nameless one, for what will be copied into `of`.
  static OutputFile scratch_for(const OutputFile& of);
  OutputFile(OutputFile&& other) noexcept;
  ~OutputFile();  // without commit(): the unfinished file is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool active() const { return file_ != nullptr; }
  void write(std::string_view text);
  // All that was written to a scratch file.
  void append(OutputFile& scratch);
  void commit();

 private:
  OutputFile() = default;
  [[noreturn]] void fail(const char* what) const;
  std::string path_, target_, unfinished_;
  std::FILE* file_ = nullptr;
};

}  // namespace apf
