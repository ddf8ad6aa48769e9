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

namespace apf {

// From arrival to the answer, of refused requests as well. kNoTime: the log does not say it.
Nanos time_taken(const Joined<TracedEvent>& joined);

class LogCounter {
 public:
  LogCounter(const LogOptions& options, std::optional<KubeVersion> release) : options_(options), release_(release) {}

  // A batch of that log as it was read, before the requests of it.
  void take(const std::string& log, const TracedBatch& batch);
  // What is known of a joined request beside its event.
  struct Request {
    std::uint32_t user_number = 0;  // the same for the same user; 0: has none
    const User* user = nullptr;
    std::string_view verb, agent, address;
    const RecordedPlace* place = nullptr;  // null: the log names none
  };
  void take(const Joined<TracedEvent>& joined, const Request& request);
  void take_end(const Joined<TracedEvent>& watch);
  // `read`: of the same logs.
  LogStat finish(const JoinSums& sums, LogReport&& read);

 private:
  void count(const KeptNote& note);
  void count_time(const TracedEvent& event);
  std::uint32_t user_of(const Request& request);  // UINT32_MAX: nobody knows
  void name_users();

  const LogOptions& options_;
  const std::optional<KubeVersion> release_;
  LogStat stat_;
  std::unordered_map<std::string, LogFileStat> files_;
  ServerFlags flags_;
  std::array<std::uint64_t, 4> stages_{};
  std::uint64_t open_watches_ = 0, unfinished_watches_ = 0;
  std::vector<std::uint32_t> users_;  // by number: that of the name
  Interner user_names_, verbs_;
  std::vector<std::uint64_t> by_user_, by_verb_;
  std::unordered_map<const RecordedPlace*, std::uint64_t> by_place_;
  std::unordered_set<std::uint64_t> agents_, addresses_;
  Completeness completeness_;
  Selection selection_;
};

}  // namespace apf
