// What a first pass kept, with arrivals moved by chance: a replay with jitter that need not read the log.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "replay/store/kept_log.h"

namespace apf {

class ShakenPass {
 public:
  // `most`: arrivals are moved by up to that, evenly, the same way for the same seed; 0: by nothing.
  ShakenPass(KeptLog::Reader& log, Nanos most, std::uint64_t seed) : log_(log), most_(most), seed_(seed) {}

  // The next one in order of time; false: there are no more.
  bool next(KeptLog::Item& item);

 private:
  struct Held {
    Nanos time = 0;
    std::uint64_t number = 0;
    std::size_t place = 0;  // in items_
    bool operator>(const Held& o) const { return time != o.time ? time > o.time : number > o.number; }
  };
  void shake(KeptLog::Item& item) const;

  KeptLog::Reader& log_;
  const Nanos most_;
  const std::uint64_t seed_;
  std::uint64_t number_ = 0;
  Nanos read_until_ = INT64_MIN;
  bool ended_ = false;
  std::vector<KeptLog::Item> items_;
  std::vector<std::size_t> free_;
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held_;
};

}  // namespace apf
