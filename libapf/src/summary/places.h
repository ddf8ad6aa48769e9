// Where the configuration sends requests of which the log does not say it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include <apf/classify.h>

#include "logs/tracing.h"
#include "summary/request_facts.h"

namespace apf {

// What decides is the user, and all of the request but the name of its object.
class Places {
 public:
  Places(const Config* config, LogNames& names) : names_(names) {
    if (config) classifier_.emplace(*config);
  }
  struct Place {
    std::uint32_t schema = 0, level = 0;
  };
  bool can_tell() const { return classifier_.has_value(); }
  // `what`: the number of its verb and what it is about.
  Place of(const TracedRequest& traced, std::uint32_t what);

 private:
  Place classify(const TraceRequest& request);

  LogNames& names_;
  std::optional<Classifier> classifier_;
  ParsedRequest parsed_;
  std::unordered_map<std::uint64_t, Place> known_;
};

}  // namespace apf
