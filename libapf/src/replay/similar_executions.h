// How long requests run whose execution the log does not show, because they were refused in it or did not end: as long
// as others of the same user, verb and resource did. One time for all of them would make waits too short: what makes a
// queue long is that some requests run for much longer than others. So each takes one from their distribution.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <apf/time.h>

namespace apf {

class SimilarExecutions {
 public:
  // `user_and_service`, `service`: keys of what is similar. The first one counts, if there is any such request; then
  // the second one; then all requests.
  void add(std::uint64_t user_and_service, std::uint32_t service, Nanos execution);

  // From the first one on. Seed 0: they follow the distribution as evenly as can be, and so keep its mean. Other seeds:
  // they are drawn by chance, and what is known of few requests is as uncertain as it is.
  void rewind(std::uint64_t seed);
  // The execution of the next request of that kind; `none` if nothing is known.
  Nanos next(std::uint64_t user_and_service, std::uint32_t service, Nanos none);

 private:
  // Executions that are within an eighth of a power of two of each other, and their sum.
  struct Step {
    std::uint32_t step = 0;
    std::uint64_t count = 0;
    double sum = 0;
  };
  struct Kind {
    std::vector<Step> steps;  // in order
    std::uint64_t count = 0, taken = 0;
    double sum = 0, squares = 0;
  };
  static void add(Kind& kind, Nanos execution);
  Nanos next(std::uint64_t key, Kind& kind) const;

  std::unordered_map<std::uint64_t, Kind> by_user_, by_service_;
  Kind all_;
  std::uint64_t seed_ = 0;
};

}  // namespace apf
