// The flows of a run: what each is under every configuration of the run, and how its requests fared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
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
    out.schema_names_ = schema_names_;
    out.clear_tallies();
    return out;
  }

  FlowId add(const FlowDefinition& definition);
  // The flow of another client with the same requests: where users are flows, `user` (whose requests these are) has a
  // copy with a flow of its own. In frozen() ones, too.
  FlowId twin(FlowId flow, std::uint32_t copy, const std::string& user);
  const Choice& choice(FlowId flow, std::size_t configuration) const {
    return choices_[flow * classifiers_.size() + configuration];
  }
  std::size_t configurations() const { return classifiers_.size(); }
  // One per (FlowSchema, level, distinguisher), and user, where definitions have one; waits and refusals are added up
  // here and nowhere else.
  std::vector<FlowReport>& reports() { return reports_; }
  // Empties the books.
  void clear_tallies() {
    for (FlowReport& report : reports_) report.tally = RequestTally();
  }
  const FlowReport& report(std::uint32_t index) const { return reports_[index]; }
  const std::vector<std::string>& schema_names() const { return schema_names_; }  // by number
  // By flow, where all definitions have one.
  const std::vector<std::shared_ptr<const RequestShape>>& shapes() const { return shapes_; }

 private:
  Choice twin_choice(const Choice& choice, std::uint32_t copy, const std::string& user);

  const std::vector<std::shared_ptr<const Classifier>>& classifiers_;
  Interner definitions_, names_, schemas_;
  std::vector<FlowId> by_definition_;          // by number of the definition
  std::vector<std::uint32_t> report_by_name_;  // by number of the name
  std::vector<std::string> schema_names_;
  std::vector<Choice> choices_;
  std::vector<FlowReport> reports_;
  std::vector<std::shared_ptr<const RequestShape>> shapes_;
  std::map<std::pair<FlowId, std::uint32_t>, FlowId> twins_;                       // by flow and copy
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> twin_reports_;  // by report and copy
};

}  // namespace apf
