// ResourceQuota objects and the configuration of the admission plugin that enforces them.
// Mirrors core/v1 ResourceQuota and apiserver.config.k8s.io/v1 ResourceQuotaConfiguration (v1.36).
#include "replay/stages/resource_quota.h"

#include <utility>

namespace apf {

ResourceQuotaStage::ResourceQuotaStage(const ReplayOptions& options)
    : round_(options.quota_round),
      settings_(std::make_shared<const QuotaSettings>(options)),
      ledger_(*settings_),
      counts_(ledger_.counts()) {
  if (!round_ && !options.quota_conflicts) return;
  updates_ = std::make_shared<QuotaUpdates>();
  updates_->settings = settings_;
}

ResourceQuotaStage::Verdict ResourceQuotaStage::ask(const AdmissionAttributes& request, const AskedWhen& when) {
  answer_ = {};
  is_open_ = false;
  ledger_.begin(when.now);
  if (updates_ && !updates_->first_request) updates_->first_request = when.now;
  ledger_.advance(when.now);
  if (!ledger_.looks_at(request)) return Verdict::bypassed;
  QuotaAsk ask = QuotaLedger::read(request, when.now);
  answer(ask, when);
  if (updates_) {
    updates_->asked.push_back({when.request, when.now, when.now, when.in_report, std::move(ask), answer_});
    is_open_ = true;
  }
  return answer_.verdict;
}

void ResourceQuotaStage::answer(const QuotaAsk& request, const AskedWhen& when) {
  if (round_ && !round_->first) {
    const auto at = round_->answers.find(when.request);
    // Not asked in the replay before: it passes, and the next replay knows better.
    if (at != round_->answers.end()) answer_ = at->second;
    else answer_.verdict = Verdict::passed;
    return;
  }
  answer_.verdict = ledger_.ask(request, when.now, when.in_report, counts_);
  if (answer_.verdict != Verdict::refused) return;
  answer_.set(ledger_.verdict());
}

void ResourceQuotaStage::settle(Nanos end) {
  if (is_open_) updates_->asked.back().end = end;
  is_open_ = false;
  ledger_.settle(end);
}

void ResourceQuotaStage::add_facts(ReplayFacts& facts) const {
  const ResourceQuotaReport& of = round_ && !round_->first ? round_->report : counts_.report;
  facts.quotas = {of.undecidable, of.unknown_changes, settings_->resync <= 0, !settings_->conflicts};
}

void ResourceQuotaStage::fill(ReplayReport& replay, Nanos now) {
  ResourceQuotaReport& report = replay.resource_quota.emplace();
  if (round_ && !round_->first) {
    report = round_->report;
  } else {
    ledger_.advance(now);
    report = ledger_.report(counts_);
  }
  if (!updates_) return;
  updates_->end = now;
  report.updates = updates_;
  if (round_) return;
  ResourceQuotaReport* const one[] = {&report};
  count_conflicts(one);
}

}  // namespace apf
