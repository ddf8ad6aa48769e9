// Clients that ask from many machines in the same second, and not before and after it: what begins everywhere at once.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "summary/request_facts.h"

namespace apf {

// One kind of request of one user agent within a second.
struct Herd {
  std::uint32_t agent = 0, request = 0;
  std::uint64_t addresses = 0, requests = 0;
  std::uint64_t all_addresses = 0;  // that ever send such a request
  Nanos second = 0;                 // its begin
};

class Herds {
 public:
  // `names`: of the facts.
  explicit Herds(const LogNames& names) : names_(names) {}
  void add(const RequestFacts& facts);  // in order of arrival
  // The largest of each kind and agent that stands out.
  std::vector<Herd> find() const;

 private:
  struct Kind {
    Herd most;       // of those that stand out
    Herd candidate;  // the largest second since, until it is known what follows it; without addresses: none
    std::unordered_map<std::uint32_t, Nanos> addresses;  // all, and when they last sent such a request
    std::deque<std::pair<Nanos, std::uint32_t>> within;  // requests of the last second
    std::uint64_t addresses_within = 0;
    std::deque<std::pair<Nanos, std::uint64_t>> seconds;  // requests by second, those of the last minute and more
  };
  void forget(Kind& of, Nanos arrival) const;
  bool stands_out(const Kind& of) const;  // the candidate
  const Herd& largest(const Kind& of) const { return stands_out(of) ? of.candidate : of.most; }

  const LogNames& names_;
  std::unordered_map<std::uint64_t, Kind> kinds_;
  Nanos first_ = INT64_MAX, last_ = INT64_MIN;
};

}  // namespace apf
