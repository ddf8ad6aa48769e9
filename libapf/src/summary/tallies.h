// Sums of requests by their names, in memory that does not grow with the log.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <apf/log_summary.h>

#include "base/hash.h"
#include "logs/tracing.h"
#include "summary/handler_trace.h"
#include "summary/log_rows.h"
#include "summary/request_facts.h"
#include "summary/trace_join.h"

namespace apf {

// By the dimensions that were asked for, in their order.
class TalliesBy {
 public:
  TalliesBy(std::vector<LogDimension> dimensions, const LogNames& names)
      : dimensions_(std::move(dimensions)), names_(names) {}
  void add(const RequestFacts& facts, int code, const LogTally& tally);
  std::vector<LogRow> rows(RowOrder order, std::size_t top) const;
  // Gives the numbers of the first two names, and what they have.
  template <class Sink>
  void each(Sink sink) const {
    for (const auto& [key, tally] : tallies_) sink(key[0], key[1], tally);
  }

 private:
  static constexpr std::size_t kMost = 1u << 18;  // rows; what comes later counts in one of others
  using Key = std::array<std::uint32_t, kLogDimensions>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return hash_bytes({reinterpret_cast<const char*>(key.data()), sizeof key});
    }
  };
  std::uint32_t number_of(LogDimension dimension, const RequestFacts& facts, int code) const;
  std::string name_of(LogDimension dimension, std::uint32_t number) const;

  std::vector<LogDimension> dimensions_;
  const LogNames& names_;
  std::unordered_map<Key, LogTally, Hash> tallies_;
  // Of the request before: many that follow each other have one.
  Key last_key_{};
  LogTally* last_ = nullptr;
};

// By one name: its number is the place.
class NamedTallies {
 public:
  void add(std::uint32_t number, const LogTally& tally) {
    if (number >= tallies_.size()) tallies_.resize(number + std::size_t{1});
    add_tally(tallies_[number], tally);
  }
  // Nodes are one; rows without a name say nothing of anybody.
  std::vector<LogRow> rows(const Names& names, RowOrder order, std::size_t top) const;

 private:
  std::vector<LogTally> tallies_;
};

// By minute and level; by more minutes at once where the log is longer than days.
class MinuteTallies {
 public:
  void add(Nanos arrival, std::uint32_t level, const LogTally& tally);
  std::vector<LogMinute> rows(const LogNames& names) const;
  // That with most refusals.
  std::optional<LogMinute> worst() const;

 private:
  static constexpr std::size_t kMost = 1u << 15;
  static Nanos begin_of(Nanos time, Nanos width);
  Nanos width_ = 60 * kSecond;
  std::map<std::pair<Nanos, std::uint32_t>, LogTally> tallies_;
};

// Answers that are errors.
class AnswerTallies {
 public:
  explicit AnswerTallies(const LogNames& names) : names_(names) {}
  // `undecided`: the log has when it was answered, and not that authorization let it in.
  void add(const RequestFacts& facts, int code, AnswerCause cause, bool undecided);
  // Answers 429 get the causes that follow from it.
  void settle(const RefusalEvidence& evidence);
  // With the clients of each, at most `top`.
  std::vector<LogAnswers> rows(std::size_t top) const;

 private:
  struct Answers {
    std::uint64_t requests = 0;
    Nanos first = INT64_MAX, last = INT64_MIN;
    std::unordered_map<std::uint64_t, std::uint64_t> clients;
    std::map<std::uint32_t, std::uint64_t> about;
  };
  const LogNames& names_;
  struct Kind {
    int code = 0;
    AnswerCause cause = AnswerCause::none;
    bool undecided = false;  // of AnswerCause::unknown
    auto operator<=>(const Kind&) const = default;
  };
  std::map<Kind, Answers> answers_;
};

// Requests of half a second and longer, by client and resource.
class SlowTallies {
 public:
  explicit SlowTallies(const LogNames& names) : names_(names) {}
  void add(const RequestFacts& facts, const TracedRequest& traced);
  // One that is outside the selection: its trace adds nothing.
  void leave_out(const RequestFacts& facts, const TracedRequest& traced);
  // One that the log has but for its trace.
  void add(const RequestFacts& facts, const HandlerTrace& trace);
  // Whether its request is known, which gets its parts unless the log has them; or may be one of those that are more
  // than can be remembered.
  bool tell(const HandlerTrace& trace);
  // One without ID, in a log of requests: join() finds out whose it is. `counts`: it is in the selection.
  void keep(const HandlerTrace& trace, const RequestView::Fields& view, bool counts);
  std::uint64_t join();  // those that remain
  std::vector<SlowRequests> rows(std::size_t top) const;
  SlowRequests total() const { return total_; }

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // client and request
  struct Known {
    Key key;
    Nanos duration = 0;
    std::optional<Nanos> wait;
    bool has_parts = false, left_out = false;
  };
  static constexpr std::size_t kMostKnown = 1u << 18;

  static std::uint64_t id_of(const HandlerTrace& trace);
  void add(const RequestFacts& facts, const Known& known, std::uint64_t id, const Latencies& parts);
  void remember(const RequestFacts& facts, const Known& known);
  void add_parts(const Known& known, const Latencies& parts, bool traced);
  Key key_of(const RequestFacts& facts) const;

  static constexpr Key kOthers{Names::kOthers, Names::kOthers};
  const LogNames& names_;
  std::map<Key, SlowRequests> slow_;
  std::unordered_map<std::uint64_t, Known> known_;  // by audit ID
  std::unordered_set<std::uint64_t> left_out_;      // audit IDs
  std::vector<Known> by_time_;                      // whatever their IDs
  TraceJoin by_times_;
  SlowRequests total_;
};

}  // namespace apf
