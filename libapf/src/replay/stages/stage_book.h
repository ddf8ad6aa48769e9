// What each stage of the admission pipeline counts alike: who passed, who was delayed and for how long, who was
// refused and why.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>

#include "replay/prepare/requester.h"

namespace apf {

// Of requests that nobody sent: they count, but in no list of users.
inline constexpr std::uint32_t kNobody = UINT32_MAX;

class StageBook {
 public:
  // `requester`: a number, of a table that grows while the run lasts, or kNobody.
  void bypass() { ++bypassed_; }
  void pass(std::uint32_t requester, Nanos delay) {
    ++passed_;
    Tally& tally = of(requester);
    ++tally.requests;
    if (delay > 0) pass_late(tally, delay);
  }
  // `reason` lives as long as the program.
  void refuse(std::uint32_t requester, const char* reason);

  void fill(StageReport& report, const std::vector<Requester>& requesters, int top) const;

 private:
  struct Tally {
    std::uint64_t requests = 0, delayed = 0, refused = 0;
    double delay_sum = 0;
    Nanos delay_max = 0;
  };
  Tally& of(std::uint32_t requester) {
    if (requester == kNobody) return nobody_;
    if (requester >= tallies_.size()) tallies_.resize(requester + 1);
    return tallies_[requester];
  }
  void pass_late(Tally& tally, Nanos delay);

  std::vector<Tally> tallies_;  // by requester
  Tally nobody_;
  std::uint64_t bypassed_ = 0, passed_ = 0, refused_ = 0;
  DurationDistribution delay_;
  std::map<std::string, std::uint64_t> reasons_;
};

// The stages of a run, in order; at() switches one on.
class StageTable {
 public:
  StageBook& at(AdmissionStage stage) {
    auto& book = books_[static_cast<std::size_t>(stage)];
    if (!book) book.emplace();
    return *book;
  }
  void fill(std::vector<StageReport>& reports, const std::vector<Requester>& requesters, int top) const;

 private:
  std::array<std::optional<StageBook>, kAdmissionStages> books_;
};

}  // namespace apf
