// The beginning of what came through a pipe: all of it, if that is not much.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace apf {

class KeptPipe {
 public:
  static constexpr std::size_t kMost = std::size_t{64} << 20;

  void add(std::string_view bytes) {
    if (is_too_long_) return;
    is_too_long_ = bytes_.size() + bytes.size() > kMost;
    if (is_too_long_) std::string().swap(bytes_);
    else bytes_ += bytes;
  }
  void end() { is_whole_ = !is_too_long_; }
  bool is_too_long() const { return is_too_long_; }
  // Whether the bytes are all that there is.
  bool is_whole() const { return is_whole_; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
  bool is_too_long_ = false, is_whole_ = false;
};

}  // namespace apf
