// What is charged to quotas in the course of a replay: by which objects, what a log can tell of them, and the quota
// controller's recount. Requests of all servers that share the quotas come in order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <apf/replay.h>

#include "admission/quota_engine.h"
#include "replay/prepare/attributes.h"
#include "replay/stages/handler_stage.h"

namespace apf {

// ReplayOptions as far as quotas look at them.
struct QuotaSettings {
  explicit QuotaSettings(const ReplayOptions& options);

  std::vector<ResourceQuota> quotas;
  std::optional<ResourceQuotaConfiguration> configuration;
  QuotaStart start;
  Nanos resync;
  std::optional<QuotaConflicts> conflicts;
};

// A request, its objects measured.
struct QuotaAsk {
  AdmissionAttributes attributes;       // without the objects
  std::optional<QuotaSubject> subject;  // what it is about, as stored or sent; nothing: the log does not hold it
  bool has_answer = false;              // the log holds the object of the answer
  Nanos grace = 0;                      // of a deleted pod
};

// Of one server.
struct QuotaCounts {
  ResourceQuotaReport report;                     // but for the quotas
  std::vector<std::uint64_t> refused, conflicts;  // by quota; `conflicts` may be empty
};

// What a request that passed changed.
struct QuotaCharge {
  std::tuple<std::string, std::string, std::string> key;  // namespace, resource, name
  QuotaSubject object;
  std::optional<QuotaSubject> previous;  // nothing: it is new
  std::optional<QuotaSubject> less;      // what the object uses less than before
  bool served = false;                   // in the log
  std::vector<std::pair<std::size_t, UsageList>> quotas;
};

class QuotaLedger {
 public:
  using Verdict = HandlerStage::Verdict;

  // `keeps_charges`: what passes can be taken back; see charge().
  explicit QuotaLedger(const QuotaSettings& settings, bool keeps_charges = false);

  QuotaCounts counts() const;
  const QuotaEngine& engine() const { return engine_; }
  // Recounts come one in so long from then on.
  void begin(Nanos first_request);
  // Whether quotas may concern a request; only such are asked about.
  bool looks_at(const AdmissionAttributes& request) const;
  static QuotaAsk read(const AdmissionAttributes& request, Nanos now);

  // What is counted again until `now`.
  void advance(Nanos now);
  // advance() is implied. What the request frees is free from settle() on.
  Verdict ask(const QuotaAsk& request, Nanos now, bool in_report, QuotaCounts& counts);
  void settle(Nanos end);
  // Of the last request.
  const QuotaVerdict& verdict() const { return verdict_; }
  const std::optional<QuotaCharge>& charge() const { return charge_; }
  // An earlier one's updates are written, at `now`.
  void pass(const QuotaCharge& charge, Nanos now);
  // It is refused after all; `failed`: quotas that were not written.
  void take_back(const QuotaCharge& charge, std::span<const std::uint32_t> failed, Nanos now);

  // Of a server, at the time advanced to.
  ResourceQuotaReport report(const QuotaCounts& counts) const;

  std::function<void(std::size_t quota, Nanos time)> on_recount;  // the controller finds less used; may be empty

 private:
  using ObjectKey = std::tuple<std::string, std::string, std::string>;  // namespace, resource, name
  struct Freed {
    Nanos time = 0;  // when it counts
    std::uint64_t order = 0;
    std::size_t quota = 0;
    QuotaSubject subject;
    std::optional<ObjectKey> ending;  // in place of the two: a pod whose grace period is over then
    Nanos free = 0;                   // when it is free
  };
  struct Later {
    bool operator()(const Freed& a, const Freed& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };

  Verdict create(const QuotaAsk& ask, bool in_report);
  Verdict change(const QuotaAsk& ask, bool in_report);
  Verdict remove(const QuotaAsk& ask, bool in_report);
  // Nothing: the log does not hold the object.
  static std::optional<QuotaSubject> subject_of(const AdmissionAttributes& request, const std::string& json, Nanos now);
  static std::optional<QuotaSubject> result_of(const AdmissionAttributes& request, Nanos now);
  Verdict decide(const QuotaRequest& request, const AdmissionAttributes& attributes, bool in_report);
  // `before`: what was used of the quotas of its namespace.
  void keep_charge(const QuotaRequest& request, const AdmissionAttributes& attributes,
                   const std::vector<UsageList>& before);
  // What the object charges no more, from the request's end on.
  void free(const ObjectKey& key, const QuotaSubject& subject);
  void forget(const ObjectKey& key);
  void free_until(Nanos now);
  // When the quota controller counts what is free at `time`.
  Nanos recount_of(Nanos time) const;
  // Something of the namespace is free at `now`, but not counted yet.
  bool waits_for_recount(std::string_view ns, Nanos now) const;
  bool concerns(const QuotaSubject& subject, const std::string& ns) const;
  void note_peaks(const std::vector<std::size_t>& quotas);

  QuotaEngine engine_;
  std::vector<bool> from_status_;
  std::vector<UsageList> start_, peak_;  // by quota
  std::map<ObjectKey, QuotaSubject> stored_;
  std::set<ObjectKey> older_;                       // of them, those that were there before the log
  std::set<ObjectKey> refused_objects_;             // that the log creates: their ends free nothing
  std::vector<std::pair<Nanos, Freed>> unsettled_;  // delays
  std::vector<Freed> freed_;                        // a heap by Later
  std::uint64_t order_ = 0;
  QuotaVerdict verdict_;
  QuotaCounts* counts_ = nullptr;  // of the server that asks
  const Nanos resync_;             // 0: what is free counts at once
  const bool keeps_charges_;
  std::optional<QuotaCharge> charge_;
  std::optional<Nanos> first_request_;
  Nanos now_ = 0;
};

}  // namespace apf
