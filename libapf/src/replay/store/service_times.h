// How long requests run that the log saw refused, or whose end it does not show: the mean of similar ones.
#pragma once

#include <cstdint>

#include <apf/time.h>

#include "base/flat_map.h"
#include "base/hash.h"
#include "replay/prepare/prepared.h"

namespace apf {

// What the log alone says of a request's execution, or kNoTime: exact, or what the total leaves beside the recorded
// wait. `overhead`: what a request holds its seats longer than its handler runs.
inline Nanos logged_execution(const PreparedEvent& event, Nanos overhead) {
  if (event.learned) return event.execution;
  if (event.watch || event.recorded_refusal) return kNoTime;
  if (event.execution != kNoTime) return event.execution + (event.http ? overhead : 0);
  if (event.queue_wait == kNoTime || event.stage_time == kNoTime) return kNoTime;
  return event.stage_time - event.received - event.queue_wait;
}

class ServiceTimes {
 public:
  // Known before the replay begins, from the log's first part: used while nothing like it has run.
  void foresee(std::uint32_t schema, std::uint32_t service, Nanos time) { add(foreseen_, schema, service, time); }
  void add(std::uint32_t schema, std::uint32_t service, Nanos time) { add(seen_, schema, service, time); }
  // The mean of the same FlowSchema, verb and resource; else of all; `none` if there is none.
  Nanos typical(std::uint32_t schema, std::uint32_t service, Nanos none) const {
    for (const Book* book : {&seen_, &foreseen_}) {
      if (const Mean* mean = book->like.find(mix64(schema + 1, service))) return mean->mean();
    }
    if (seen_.all.count > 0) return seen_.all.mean();
    return foreseen_.all.count > 0 ? foreseen_.all.mean() : none;
  }

 private:
  struct Mean {
    double sum = 0;
    std::uint64_t count = 0;
    Nanos mean() const { return static_cast<Nanos>(sum / static_cast<double>(count)); }
  };
  struct Book {
    FlatMap<Mean> like;  // by schema and service key
    Mean all;
  };
  static void add(Book& book, std::uint32_t schema, std::uint32_t service, Nanos time) {
    for (Mean* mean : {&book.like[mix64(schema + 1, service)], &book.all}) {
      mean->sum += static_cast<double>(time);
      ++mean->count;
    }
  }

  Book seen_, foreseen_;
};

}  // namespace apf
