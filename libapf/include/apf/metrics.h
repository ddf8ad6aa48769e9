// What a replay counted, as metrics under the names that kube-apiserver (v1.36) gives them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace apf {

struct MetricBucket {
  double bound = 0;         // le; the last bucket's is infinite
  std::uint64_t count = 0;  // of this and all lower ones
};

struct MetricSeries {
  std::vector<std::pair<std::string, std::string>> labels;  // by name
  double value = 0;                                         // counter, gauge
  std::vector<MetricBucket> buckets;                        // histogram
  double sum = 0;
};

struct MetricFamily {
  enum class Type : std::uint8_t { counter, gauge, histogram };
  std::string name, help;
  Type type = Type::gauge;
  std::vector<MetricSeries> series;
};

}  // namespace apf
