// How many requests a loop may have in flight: its workers. The most that the log ever shows at once is too few where
// workers think for long, and a loop with too few workers waits too little when the server is slow.
//
// With N workers of which n have a request in flight, the others think: requests come (N - n) / Z times a second if
// they think for Z seconds on average, whatever think times are distributed like. So the log shows N by how much fewer
// requests come while more are in flight: the N that makes the times at which they came likeliest is taken.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include <apf/time.h>

#include "replay/clients/client_links.h"
#include "replay/store/kept_log.h"

namespace apf {

// What a log shows of one client, request by request in order of arrival.
class LoopPlaces {
 public:
  // Before `from`, workers may not all have begun.
  explicit LoopPlaces(Nanos from) : from_(from), last_(from) {}

  // `end`: when its worker goes on, after the last retry; `thought`: it comes after a think time.
  void add(Nanos arrival, Nanos end, bool thought);
  // At least `least`, which is the answer where another one is not much likelier.
  int estimate(int least) const;

 private:
  void pass(Nanos until);
  // How likely the log is with so many workers, as a logarithm.
  double likelihood(int workers) const;

  Nanos from_, last_;
  std::priority_queue<Nanos, std::vector<Nanos>, std::greater<>> ends_;
  // By requests in flight: how long there were so many, and how many more came then.
  std::vector<double> seconds_;
  std::vector<double> arrivals_;
};

// Finds the workers of each loop of the log whose number is not given, and links its requests anew where there are more
// workers than chains of requests: each of the first requests begins one.
// `wanted`: by requester, whose places are to be found.
void find_loop_places(KeptLog& log, ClientLinks& links, const std::vector<bool>& wanted);

}  // namespace apf
