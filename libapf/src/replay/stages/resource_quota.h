// ResourceQuota as a stage of the replay. Quotas of one server answer as they are asked. Where the answers depend on
// what other servers ask, or on conflicts of updates, they are those of the replay before: see QuotaRound.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <apf/replay.h>

#include "replay/stages/handler_stage.h"
#include "replay/stages/quota_ledger.h"
#include "replay/stages/quota_updates.h"

namespace apf {

class ResourceQuotaStage final : public HandlerStage {
 public:
  explicit ResourceQuotaStage(const ReplayOptions& options);

  Outcome outcome() const override { return answer_.outcome; }
  // What a request frees is free from settle() on.
  Verdict ask(const AdmissionAttributes& request, const AskedWhen& when) override;
  Nanos held() const override { return answer_.held; }
  void settle(Nanos end) override;
  int code() const override { return answer_.code; }
  const char* reason() const override { return answer_.reason.data(); }
  std::string message(const AdmissionAttributes&) const override { return answer_.message; }
  bool refused_in_log(const AdmissionAttributes& request) const override { return request.refused_by_quota; }
  void fill(ReplayReport& report, Nanos now) override;
  void add_facts(ReplayFacts& facts) const override;

 private:
  void answer(const QuotaAsk& request, const AskedWhen& when);

  const std::shared_ptr<const QuotaRound> round_;  // null: answers are the server's own
  std::shared_ptr<const QuotaSettings> settings_;
  QuotaLedger ledger_;
  QuotaCounts counts_;
  QuotaAnswer answer_;                     // to the last request
  std::shared_ptr<QuotaUpdates> updates_;  // null: nobody wants them
  bool is_open_ = false;                   // the last of them has no end yet
};

}  // namespace apf
