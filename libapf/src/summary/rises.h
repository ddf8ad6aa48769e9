// What rose in a log: clients, kinds of their requests, namespaces and answers of which there was far more for some
// minutes than at other times.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <apf/log_summary.h>

#include "summary/request_facts.h"

namespace apf {

class Rises {
 public:
  explicit Rises(const LogNames& names) : names_(names) {}
  // But for long-running requests, which take no time of the server; watches count for the course alone.
  void add(const RequestFacts& facts, int code);
  // Fills WhyReport::changes: only what makes up a large part of what there was then, the largest part first, and one
  // row of a client. Of slow requests and of answers of each code it says when there were far more than at other times,
  // however large a part that is.
  void tell(LogSummary& out) const;
  // Of the clients that stand out most.
  LogCourse course() const;

 private:
  enum class Of : std::uint8_t { all, slow, client, kind, ns, answer };
  struct Key {
    Of of = Of::all;
    std::uint32_t who = 0, request = 0;  // who: a client (see client_of()), a namespace, a code
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // What there was in a bin of time; in order of time.
  struct Bin {
    std::uint32_t number = 0, requests = 0;
    double seconds = 0;
    std::uint32_t watches = 0, refused = 0, errors = 0;
    void add(const Bin& more);
  };
  using Series = std::vector<Bin>;
  struct Steps;  // a series without gaps, as sums

  static constexpr std::size_t kMostSeries = 1u << 14, kMostBins = 1u << 18;  // what comes later is not looked at
  static constexpr std::uint32_t kNode = 1u << 31, kAgent = 1u << 30;         // of Key::who

  void add(const Key& key, const Bin& more);
  void widen();
  std::uint32_t client_of(const RequestFacts& facts);
  Steps steps_of(const Series& series, bool seconds) const;
  std::optional<WhyChange> rise_of(const Key& key, const Series& series, bool seconds) const;
  std::optional<WhyChange> rise_of(const Key& key, bool seconds) const;
  std::vector<WhyChange> find() const;
  void name(const Key& key, WhyChange& out) const;
  bool is_of_system(const Key& key) const;

  const LogNames& names_;
  std::vector<std::int8_t> is_node_;  // by number of the user; -1: not looked at
  std::unordered_map<Key, Series, Hash> series_;
  std::size_t bins_ = 0;
  Nanos width_ = 60 * kSecond;
};

// LogSummary::why of a log that is not replayed, but for its changes: what the log says itself is the cause.
void explain_by_log(LogSummary& summary);

}  // namespace apf
