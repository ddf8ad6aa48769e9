#include "base/interner.h"

#include <cstring>

#include "base/hash.h"

namespace apf {

namespace {
constexpr std::size_t kBlock = 64 * 1024;
}

Interner::Interner() : slots_(64) {}

std::uint32_t Interner::id(std::string_view text) {
  const std::uint64_t full = hash_bytes(text);
  const auto hash = static_cast<std::uint32_t>(full >> 32);
  std::size_t mask = slots_.size() - 1;
  std::size_t at = full & mask;
  while (slots_[at].id_plus_1 != 0) {
    if (slots_[at].hash == hash && texts_[slots_[at].id_plus_1 - 1] == text) return slots_[at].id_plus_1 - 1;
    at = (at + 1) & mask;
  }
  texts_.push_back(store(text));
  slots_[at] = {hash, static_cast<std::uint32_t>(texts_.size())};
  if (texts_.size() * 2 > slots_.size()) grow();
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

std::string_view Interner::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > block_left_) {
    const std::size_t size = text.size() > kBlock / 4 ? text.size() : kBlock;
    blocks_.push_back(std::make_unique<char[]>(size));
    block_at_ = blocks_.back().get();
    block_left_ = size;
  }
  std::memcpy(block_at_, text.data(), text.size());
  const std::string_view stored(block_at_, text.size());
  block_at_ += text.size();
  block_left_ -= text.size();
  return stored;
}

void Interner::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < texts_.size(); ++i) {
    const std::uint64_t full = hash_bytes(texts_[i]);
    std::size_t at = full & mask;
    while (slots_[at].id_plus_1 != 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::uint32_t>(full >> 32), i + 1};
  }
}

}  // namespace apf
