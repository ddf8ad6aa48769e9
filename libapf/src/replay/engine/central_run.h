// Which of several replays, that differ by chance alone, is the most usual one. A level under overload may come to one
// of two quite different ends, by a millisecond: a single replay shows whichever it met. A figure's median may belong
// to no replay at all; so one whole replay is chosen, the one that is nearest to all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <apf/replay.h>

namespace apf {

// Of logs of so many events at most, more than one is made: all of them take less than a second of a processor.
inline constexpr std::uint64_t kShortLog = 20'000;
// Then nothing depends on chance.
bool nothing_waits(const ReplayReport& report);

class CentralRun {
 public:
  void add(const ReplayReport& report);
  // In the order in which they were added; of equals, the first.
  std::size_t number() const;

 private:
  struct Figures {
    double rejected = 0, mean_wait = 0, p99_wait = 0;
  };
  using Levels = std::vector<Figures>;
  static double distance(const Levels& a, const Levels& b);

  std::vector<Levels> runs_;
};

}  // namespace apf
