// From log text to prepared events: classification and seat estimates of one chunk, in one of several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/replay.h>
#include "schedule/seats.h"

#include "base/interner.h"
#include "classify/request_view.h"
#include "logs/chunk_source.h"
#include "logs/event_view.h"
#include "replay/prepare/decision_text.h"
#include "replay/prepare/kept_facts.h"
#include "replay/prepare/prepared.h"

namespace apf {

// What all workers share, unchanging during the run.
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
  Nanos reorder_window = 75 * kSecond;
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

struct KnownUser;

// One thread's worker: what EventReader wants of a maker.
class Preparer final : public LogEventSink {
 public:
  using Batch = PreparedBatch;

  // `worker`: its number, which no other of the run has.
  Preparer(const PrepareContext& context, std::uint32_t worker);
  ~Preparer() override;

  void make(LogChunk& chunk, PreparedBatch& batch);
  // One event made up by the caller, into a batch that is cleared first.
  void make_one(const LogEvent& event, PreparedBatch& batch);

  void on_start(std::string_view verb, std::string_view uri, std::uint32_t user_memo) override;
  void on_event(const LogEvent& event, std::uint64_t line) override;
  void on_unusable(Unusable reason, std::uint64_t line) override;
  void on_note(const ServerNote& note, std::uint64_t line) override;
  void on_other(std::uint64_t line) override;

 private:
  void clear(PreparedBatch& batch) const;
  struct Scratch;
  const RequestFacts& facts_of(const LogEvent& event, const KnownUser& user);
  void find_facts(const KnownUser& user, RequestFacts& out);
  LocalFlow flow_of(const KnownUser& user);
  AuditId id_of(const LogEvent& event) const;
  void keep_text(const LogEvent& event, const KnownUser& user, PreparedEvent& out);
  void recognise_sender(const LogEvent& event, const KnownUser& user, PreparedEvent& out);
  std::uint32_t attributes_of(const LogEvent& event, const KnownUser& user);
  std::uint32_t place_of(const LogEvent& event);
  std::uint32_t endpoint_of(const RequestView& view);
  int estimate_list();

  const PrepareContext& context_;
  const bool by_all_fields_;  // matching looks at more than the usual fields
  const std::uint32_t worker_;
  LogParsers parsers_;
  std::unique_ptr<Scratch> scratch_;
  KeptFacts facts_;
  FactsKey key_;              // of the event that is read
  bool has_started_ = false;  // key_ is of an event of which no more than the start was read
  Interner flow_keys_, places_, lists_, endpoints_;
  PreparedBatch* batch_ = nullptr;
  std::string_view chunk_text_;  // of the events
};

}  // namespace apf
