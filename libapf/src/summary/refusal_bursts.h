// Refusals that come in the same seconds of many minutes: of what begins by the clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <apf/log_summary.h>

namespace apf {

class RefusalBursts {
 public:
  void add(Nanos arrival);  // in order
  // Nine of ten within 5 s of the minute at most, in three minutes or more.
  std::optional<MinuteBursts> find() const;

 private:
  static constexpr std::size_t kSeconds = 60, kLongest = 5;
  // The same seconds of every minute: in how many minutes something was refused then.
  struct Window {
    std::uint64_t minutes = 0;
    Nanos begin = INT64_MIN;  // of the last one, in seconds
  };
  std::array<std::uint64_t, kSeconds> refused_in_{};              // by second of the minute
  std::array<std::array<Window, kLongest>, kSeconds> windows_{};  // by the first second, and by width - 1
  std::uint64_t refused_ = 0;
};

}  // namespace apf
