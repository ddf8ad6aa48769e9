// Reads input other than logs and configurations.
#pragma once

#include <string>
#include <string_view>

namespace apfctl {

// A whole file; "-" = standard input. Throws apf::Error.
std::string read_text(const std::string& path);

// A file line by line; "-" = standard input. Throws apf::Error.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its newline; false at the end. The view is valid until the next call.
  bool next(std::string_view& line);
  // Whether next() returns without waiting for more input.
  bool has_line() const { return ended_ || buffer_.find('\n', begin_) != std::string::npos; }

 private:
  bool fill();
  std::string name_, buffer_;
  std::size_t begin_ = 0;
  int fd_ = -1;
  bool ended_ = false;
};

}  // namespace apfctl
