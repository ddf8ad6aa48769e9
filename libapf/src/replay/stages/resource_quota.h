// ResourceQuota as a stage of the replay: what is charged, what a log can tell of it, and the quota controller's
// recount.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <apf/replay.h>

#include "admission/quota_engine.h"
#include "replay/stages/handler_stage.h"
#include "replay/stages/quota_updates.h"

namespace apf {

class ResourceQuotaStage final : public HandlerStage {
 public:
  explicit ResourceQuotaStage(const ReplayOptions& options);

  Outcome outcome() const override { return Outcome::resource_quota; }
  // What a request frees is free from settle() on.
  Verdict ask(const AdmissionAttributes& request, Nanos now, bool in_report) override;
  void settle(Nanos end) override;
  const char* reason() const override { return to_string(verdict_.refusal); }
  std::string message(const AdmissionAttributes&) const override { return verdict_.message; }
  bool refused_in_log(const AdmissionAttributes& request) const override { return request.refused_by_quota; }
  void fill(ReplayReport& report, Nanos now) override;
  void add_facts(ReplayFacts& facts) const override;

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

  Verdict create(const AdmissionAttributes& request, Nanos now, bool in_report);
  Verdict change(const AdmissionAttributes& request, Nanos now, bool in_report);
  Verdict remove(const AdmissionAttributes& request, Nanos now, bool in_report);
  // Nothing: the log does not hold the object.
  std::optional<QuotaSubject> subject_of(const AdmissionAttributes& request, const std::string& json, Nanos now) const;
  std::optional<QuotaSubject> result_of(const AdmissionAttributes& request, Nanos now) const;
  Verdict decide(const QuotaRequest& request, const AdmissionAttributes& attributes, bool in_report);
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
  std::vector<std::uint64_t> refused_;
  std::map<ObjectKey, QuotaSubject> stored_;
  std::set<ObjectKey> older_;                       // of them, those that were there before the log
  std::set<ObjectKey> refused_objects_;             // that the log creates: their ends free nothing
  std::vector<std::pair<Nanos, Freed>> unsettled_;  // delays
  std::vector<Freed> freed_;                        // a heap by Later
  std::uint64_t order_ = 0;
  QuotaVerdict verdict_;
  ResourceQuotaReport counts_;  // but for the quotas
  const Nanos resync_;          // 0: what is free counts at once
  std::optional<QuotaUpdateBook> updates_;
  std::optional<Nanos> first_request_;
  Nanos now_ = 0;
};

}  // namespace apf
