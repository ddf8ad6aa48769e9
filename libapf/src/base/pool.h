// Values that come and go, each under a number of its own. Places are used again, with the memory that their values
// have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace apf {

template <class T>
class Pool {
 public:
  // How many places are taken.
  std::size_t size() const { return values_.size() - free_.size(); }
  // Numbers begin with 1; 0 names none. The place still holds its last value, whose memory can be used again.
  std::uint32_t add() {
    if (free_.empty()) {
      values_.emplace_back();
      return static_cast<std::uint32_t>(values_.size());
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  // A new value, made where it stays.
  template <class... Arguments>
  std::uint32_t emplace(Arguments&&... arguments) {
    const std::uint32_t id = add();
    T* const place = &at(id);
    std::destroy_at(place);
    std::construct_at(place, std::forward<Arguments>(arguments)...);
    return id;
  }
  std::uint32_t add(T&& value) {
    const std::uint32_t id = add();
    at(id) = std::move(value);
    return id;
  }
  std::uint32_t add(const T& value) {
    const std::uint32_t id = add();
    at(id) = value;
    return id;
  }
  // Leaves the place's last value in exchange.
  std::uint32_t swap_in(T& value) {
    const std::uint32_t id = add();
    std::swap(at(id), value);
    return id;
  }
  // References hold until the next add().
  T& at(std::uint32_t id) { return values_[id - 1]; }
  const T& at(std::uint32_t id) const { return values_[id - 1]; }
  void drop(std::uint32_t id) {
    if (id != 0) free_.push_back(id);
  }
  // The value, whose place is free then; of 0 an empty one.
  T take(std::uint32_t id) {
    if (id == 0) return T();
    free_.push_back(id);
    return std::exchange(at(id), T());
  }

 private:
  std::vector<T> values_;
  std::vector<std::uint32_t> free_;
};

}  // namespace apf
