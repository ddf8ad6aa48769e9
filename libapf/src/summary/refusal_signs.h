// Answers 429 that say by themselves neither that API Priority and Fairness refused the request nor that it was
// another: what the rest of the log says of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <apf/config.h>
#include <apf/log_summary.h>

#include "summary/request_facts.h"

namespace apf {

class RefusalSigns {
 public:
  // A request that one of the two filters saw; in order of arrival. `mutating`: max-in-flight counts such apart;
  // `decided`: it was served, and the log has that authorization let it in.
  void add(const RequestFacts& facts, AnswerCause cause, bool mutating, bool decided);

  // `summary` has its answers and what the logs hold; the others are as in LogSummaryOptions.
  RefusalEvidence find(const LogSummary& summary, std::optional<bool> apf_on, const Config* config,
                       const LogNames& names);

 private:
  struct Level {
    std::uint64_t requests = 0, refused = 0;
    std::uint64_t at_once = 0;  // refused by one of the two filters
  };
  using Levels = std::vector<Level>;  // by number of the level's name
  static Level& level_of(Levels& levels, std::uint32_t number) {
    if (number >= levels.size()) levels.resize(number + std::size_t{1});
    return levels[number];
  }

  // Requests of one kind, which max-in-flight counts apart: reads, or writes.
  struct Kind {
    std::optional<Nanos> refusal = {};           // the last one
    std::vector<std::uint32_t> since_then = {};  // served, by level
  };
  void add_meanwhile(Kind& kind, std::uint32_t level, Nanos arrival, bool at_once);

  Levels all_, meanwhile_;  // meanwhile: between refusals of the same kind that are close, and these
  std::array<Kind, 2> kinds_;
  bool decided_ = false;
  std::uint64_t timed_ = 0;          // refused by nobody knows whom, after a known time
  std::uint64_t without_level_ = 0;  // of max-in-flight, by the server's own log
  Nanos shortest_ = INT64_MAX, longest_ = 0;
};

// Whether its refusals, if there are any, are of API Priority and Fairness, and so of levels and their seats.
bool refuses_by_levels(const LogSummary& summary);

// What refused with that evidence.
AnswerCause cause_by(const RefusalEvidence& evidence, AnswerCause cause, bool undecided);

}  // namespace apf
