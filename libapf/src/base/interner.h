// Strings as small numbers: each distinct text is stored once and named by the order of its first appearance.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace apf {

class Interner {
 public:
  Interner();
  std::uint32_t id(std::string_view text);
  std::string_view text(std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id_plus_1 = 0;  // 0 = free
  };
  void grow();
  std::string_view store(std::string_view text);

  std::vector<Slot> slots_;  // power of two, linear probing, at most half full
  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_at_ = nullptr;
};

}  // namespace apf
