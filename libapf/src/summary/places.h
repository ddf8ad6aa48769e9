// Where the configuration sends requests of which the log does not say it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <apf/classify.h>

#include "logs/tracing.h"
#include "summary/request_facts.h"

namespace apf {

class Places {
 public:
  Places(const Config* config, LogNames& names) : names_(names) {
    if (config) classifier_.emplace(*config);
  }
  struct Place {
    std::uint32_t schema = 0, level = 0;
  };
  bool can_tell() const { return classifier_.has_value(); }
  Place of(const TracedRequest& traced);

 private:
  LogNames& names_;
  std::optional<Classifier> classifier_;
  RequestView view_;
  std::vector<std::shared_ptr<const Classifier::Candidates>> candidates_;  // by number of the user
};

}  // namespace apf
