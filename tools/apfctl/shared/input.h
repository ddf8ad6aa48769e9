// Reads input other than logs and configurations.
#pragma once

#include <apf/config.h>
#include <apf/related_files.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apfctl {

inline constexpr const char* kStdinName = "<stdin>";  // as the library calls it

// A whole file; "-" = standard input. Throws apf::Error.
std::string read_text(const std::string& path);

// The configuration files that the paths name: apf::read_config_files(). All of them are inputs, see claim_input().
std::vector<apf::ConfigText> read_configs(std::span<const std::string> paths);
// The same with apf::read_related_files(), which says in `contents` what was left out of folders.
std::vector<apf::ConfigText> read_related(std::span<const std::string> paths, apf::FolderContents& contents,
                                          apf::WantedObjects wanted = apf::WantedObjects::limits);

// A file line by line; "-" = standard input. Throws apf::Error.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its newline; false at the end. The view is valid until the next call.
  bool next(std::string_view& line);
  // All that there is, byte for byte, before any line is taken. More than is allowed for a text: the beginning.
  std::string whole();
  // Whether next() returns without waiting for more input.
  bool has_line() const { return ended_ || buffer_.find('\n', begin_) != std::string::npos; }

 private:
  bool fill();
  std::string name_, buffer_;
  std::size_t begin_ = 0;
  int fd_ = -1;
  bool ended_ = false;
};

// Throws UsageError where standard input is named more than once: what reads it second would find nothing.
void check_one_stdin(std::initializer_list<std::span<const std::string>> paths);
// The same at the place where they are read, of all that the command reads.
void take_stdin(std::span<const std::string> paths);

}  // namespace apfctl
