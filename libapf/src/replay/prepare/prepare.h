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
#include "replay/prepare/context.h"
#include "replay/prepare/decision_text.h"
#include "replay/prepare/prepared.h"
#include "replay/prepare/request_facts.h"

namespace apf {

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
  const PreparedFacts& facts_of(const LogEvent& event, const KnownUser& user);
  void find_facts(const KnownUser& user, PreparedFacts& out);
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
  KeptFacts<PreparedFacts> facts_;
  FactsKey key_;              // of the event that is read
  bool has_started_ = false;  // key_ is of an event of which no more than the start was read
  Interner flow_keys_, places_, lists_, endpoints_;
  PreparedBatch* batch_ = nullptr;
  std::string_view chunk_text_;  // of the events
};

}  // namespace apf
