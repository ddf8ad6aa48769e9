// What the workers that prepare the events of a run share.
#pragma once

#include <memory>
#include <vector>

#include <apf/classify.h>
#include <apf/replay.h>
#include <apf/time.h>

#include "logs/event_view.h"
#include "replay/prepare/decision_text.h"
#include "replay/prepare/prepared.h"

namespace apf {

// Unchanging during the run.
struct PrepareContext {
  std::shared_ptr<EventMemory<PreparedEvent>> memory = std::make_shared<EventMemory<PreparedEvent>>();  // of batches
  std::vector<std::shared_ptr<const Classifier>> classifiers;  // one per configuration of the run
  std::vector<SeatRules> rules;                                // of the replayed servers, each once
  // Object counts by the time they were taken at, in order; the first ones hold before that, too.
  std::vector<const ObjectCounts*> objects;
  bool several_estimates() const { return objects.size() > 1 || rules.size() > 1; }  // of one list
  bool records_other_waits = false;  // latencies in an audit event, and no queue wait among them: it did not wait
  bool joined = false;  // there is an HTTP log beside the audit log: events say who their users and clients are
  // A first pass: only watches that ended, and notes. Of the HTTP log, or of the audit log alone.
  enum class SurveyOf : std::uint8_t { nothing, http, audit } survey = SurveyOf::nothing;
  Nanos zone = 0;  // what to add to times of the HTTP log
  Nanos request_timeout = 60 * kSecond;
  bool tells_clients = false;    // requesters are users with a certain user agent
  bool keeps_names = false;      // … and those by their users alone are wanted, too
  bool classifies = true;        // false: a request whose FlowSchema cannot be known is welcome, too
  AttributesWanted attributes;   // by stages inside the handler
  bool names_endpoints = false;  // metrics of requests are wanted
  bool keeps_shapes = false;     // flows are classified again: FlowDefinition::shape
  bool keep_text_ids = false;    // texts of ids that are no UUIDs are wanted
  KeptFields kept_fields;        // wanted with the texts
};

}  // namespace apf
