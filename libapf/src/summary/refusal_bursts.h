// Refusals that come in the same seconds of many minutes: of what begins by the clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <apf/log_summary.h>

namespace apf {

class RefusalBursts {
 public:
  void add(Nanos arrival);
  // Nine of ten within 5 s of the minute at most, in three minutes or more.
  std::optional<MinuteBursts> find() const;

 private:
  struct Second {
    std::uint64_t refused = 0, minutes = 0;
    Nanos last_minute = INT64_MIN;
  };
  std::array<Second, 60> seconds_{};
  std::uint64_t refused_ = 0;
};

}  // namespace apf
