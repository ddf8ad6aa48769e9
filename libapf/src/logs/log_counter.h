// What logs hold, and what of it a faithful replay will miss: counted while requests are traced.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <apf/logs.h>

#include "base/interner.h"
#include "logs/completeness.h"
#include "logs/join_rules.h"
#include "logs/joined.h"
#include "logs/selection.h"
#include "logs/trace_maker.h"
#include "logs/tracing.h"

namespace apf {

// From arrival to the answer, of refused requests as well. kNoTime: the log does not say it.
Nanos time_taken(const Joined<TracedEvent>& joined);

class LogCounter {
 public:
  LogCounter(const LogOptions& options, std::optional<KubeVersion> release) : options_(options), release_(release) {}

  // A batch of that log as it was read, before the requests of it.
  void take(const std::string& log, const TracedBatch& batch);
  void take(const Joined<TracedEvent>& joined, const TracedRequest& request);
  void take_end(const Joined<TracedEvent>& watch);
  // `read`: of the same logs.
  LogStat finish(const JoinSums& sums, LogReport&& read);

 private:
  void count(const KeptNote& note);
  void count_time(const TracedEvent& event);
  std::uint32_t user_of(const TracedRequest& request);  // UINT32_MAX: nobody knows
  std::uint32_t verb_of(const TracedRequest& request);
  void name_users();

  const LogOptions& options_;
  const std::optional<KubeVersion> release_;
  LogStat stat_;
  std::unordered_map<std::string, LogFileStat> files_;
  ServerFlags flags_;
  std::array<std::uint64_t, 4> stages_{};
  std::uint64_t open_watches_ = 0, unfinished_watches_ = 0;
  // Different values, which have a number or not.
  struct Different {
    std::unordered_set<std::uint64_t> hashes;
    std::vector<bool> seen;  // by number
    void add(std::uint32_t number, std::string_view text);
  };
  std::vector<std::uint32_t> users_;  // by number: that of the name
  std::vector<std::uint32_t> verb_of_asked_;
  Interner user_names_, verbs_;
  std::vector<std::uint64_t> by_user_, by_verb_;
  std::vector<std::uint64_t> by_place_;
  std::vector<const RecordedPlace*> places_;
  Different agents_, addresses_;
  Completeness completeness_;
  Selection selection_;
};

}  // namespace apf
