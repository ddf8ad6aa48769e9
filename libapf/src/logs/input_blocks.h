// A file or standard input, block by block, as its bytes come.
#pragma once

#include <cstddef>
#include <string>

namespace apf {

class Blocks {
 public:
  // Throws Error: it cannot be opened.
  explicit Blocks(const std::string& path);
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Appends what can be had at once; false at the end. Throws Error: it cannot be read, or is larger than 1 GiB.
  bool read(std::string& text);
  const std::string& name() const { return name_; }
  bool can_be_read_again() const;

 private:
  std::string name_;
  int fd_ = -1;
};

}  // namespace apf
