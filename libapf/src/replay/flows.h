// The flows of a run: what each is under every configuration of the run, and how its requests fared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/replay.h>

#include "base/interner.h"
#include "replay/prepare/prepared.h"

namespace apf {

using FlowId = std::uint32_t;

class Flows {
 public:
  struct Choice {
    std::uint32_t level = 0;   // index into the classifier's levels()
    std::uint32_t report = 0;  // index into reports()
    std::uint32_t schema = 0;  // number of the FlowSchema's name
    std::uint64_t hash = 0;    // 0 when the level has no flows
    bool missing = false;      // the log names a FlowSchema that the configuration does not have
  };

  // One classifier per configuration of the run, in order of time.
  explicit Flows(const std::vector<std::shared_ptr<const Classifier>>& classifiers) : classifiers_(classifiers) {}

  // The flows so far, with books of their own, for a trial run: none can be added.
  Flows frozen() const {
    Flows out(classifiers_);
    out.choices_ = choices_;
    out.reports_ = reports_;
    return out;
  }

  FlowId add(const FlowDefinition& definition);
  const Choice& choice(FlowId flow, std::size_t configuration) const {
    return choices_[flow * classifiers_.size() + configuration];
  }
  std::size_t configurations() const { return classifiers_.size(); }
  // One per (FlowSchema, level, distinguisher); waits and refusals are added up here and nowhere else.
  std::vector<FlowReport>& reports() { return reports_; }
  // Empties the books.
  void clear_tallies() {
    for (FlowReport& report : reports_) report.tally = RequestTally();
  }
  const FlowReport& report(std::uint32_t index) const { return reports_[index]; }
  std::vector<std::string> schema_names() const;  // by number

 private:
  const std::vector<std::shared_ptr<const Classifier>>& classifiers_;
  Interner definitions_, names_, schemas_;
  std::vector<Choice> choices_;
  std::vector<FlowReport> reports_;
};

}  // namespace apf
