// ResourceQuota objects and the configuration of the admission plugin that enforces them.
// Mirrors core/v1 ResourceQuota and apiserver.config.k8s.io/v1 ResourceQuotaConfiguration (v1.36).
#include "replay/stages/quota_ledger.h"

#include <algorithm>
#include <iterator>

#include "base/sort_stably.h"
#include "config/reader.h"

namespace apf {

namespace {

constexpr int kConflict = 409;  // found out when it is stored, after admission

constexpr int kCreated = 201;

std::vector<QuotaState> states_of(const std::vector<ResourceQuota>& quotas) {
  std::vector<QuotaState> out;
  for (const ResourceQuota& quota : quotas) out.push_back(quota_state(quota, "default"));
  return out;
}

std::vector<LimitedResource> limited_of(const QuotaSettings& settings) {
  return settings.configuration ? settings.configuration->limited_resources : std::vector<LimitedResource>();
}

}  // namespace

QuotaSettings::QuotaSettings(const ReplayOptions& options)
    : quotas(options.resource_quotas),
      configuration(options.resource_quota_configuration),
      start(options.quota_start),
      resync(options.quota_resync),
      conflicts(options.quota_conflicts) {}

QuotaLedger::QuotaLedger(const QuotaSettings& settings, bool keeps_charges)
    : engine_(states_of(settings.quotas), limited_of(settings)),
      resync_(settings.resync),
      keeps_charges_(keeps_charges) {
  for (std::size_t i = 0; i < settings.quotas.size(); ++i) {
    const bool from_status = settings.start != QuotaStart::zero && !settings.quotas[i].status.hard.empty();
    if (!from_status) engine_.resync(i, engine_.recount(engine_.quotas()[i], {}));
    from_status_.push_back(from_status);
    start_.push_back(engine_.quotas()[i].used);
  }
  peak_ = start_;
}

QuotaCounts QuotaLedger::counts() const {
  QuotaCounts out;
  out.refused.resize(start_.size());
  return out;
}

void QuotaLedger::begin(Nanos first_request) {
  if (!first_request_) first_request_ = first_request;
}

void QuotaLedger::advance(Nanos now) {
  settle(now);  // the end of the last one was not reported
  free_until(now);
}

bool QuotaLedger::looks_at(const AdmissionAttributes& request) const {
  return !request.ns.empty() && (!engine_.quotas_of(request.ns).empty() || engine_.has_limited_resources());
}

QuotaLedger::Verdict QuotaLedger::ask(const QuotaAsk& request, Nanos now, bool in_report, QuotaCounts& counts) {
  now_ = now;
  counts_ = &counts;
  begin(now);
  advance(now);
  verdict_ = {};
  charge_.reset();
  if (is_turned_away_before(request.attributes)) {
    if (in_report) ++counts.report.turned_away;
    return Verdict::bypassed;
  }
  switch (request.attributes.operation) {
    case AdmissionOperation::create:
      return create(request, in_report);
    case AdmissionOperation::update:
    case AdmissionOperation::patch:
      return change(request, in_report);
    case AdmissionOperation::remove:
      return remove(request, in_report);
  }
  return Verdict::bypassed;
}

bool QuotaLedger::concerns(const QuotaSubject& subject, const std::string& ns) const {
  const auto numbers = engine_.quotas_of(ns);
  return engine_.has_limited_resources() || std::any_of(numbers.begin(), numbers.end(), [&](std::size_t i) {
           return !matching_resources(engine_.quotas()[i].hard, subject).empty();
         });
}

QuotaLedger::Verdict QuotaLedger::decide(const QuotaRequest& request, const AdmissionAttributes& attributes,
                                         bool in_report) {
  std::vector<UsageList> before;
  if (keeps_charges_)
    for (const std::size_t i : engine_.quotas_of(attributes.ns)) before.push_back(engine_.quotas()[i].used);
  verdict_ = engine_.admit(request);
  if (!verdict_.evaluated || !concerns(*request.object, attributes.ns)) return Verdict::bypassed;
  for (const std::size_t i : verdict_.matched) peak_[i].raise(engine_.quotas()[i].used);
  const bool passes = verdict_.admitted();
  if (keeps_charges_ && passes && !verdict_.charged.empty()) keep_charge(request, attributes, before);
  if (!in_report) return passes ? Verdict::passed : Verdict::refused;
  ++counts_->report.asked;
  if (attributes.lost_by_quota)
    ++(attributes.code == kConflict ? counts_->report.conflicts_in_log : counts_->report.timed_out_in_log);
  if (!passes) ++counts_->report.refused;
  if (!passes && resync_ > 0 && waits_for_recount(attributes.ns, now_)) ++counts_->report.before_recount;
  const auto numbers = engine_.quotas_of(attributes.ns);
  std::vector<std::uint64_t>& refused = counts_->refused;
  if (std::any_of(numbers.begin(), numbers.end(),
                  [&](std::size_t i) { return QuotaEngine::is_undecidable(engine_.quotas()[i], *request.object); })) {
    ++counts_->report.undecidable;
  }
  for (const std::size_t i : numbers) refused[i] += !passes && engine_.quotas()[i].name == verdict_.quota;
  if (attributes.refused_by_quota) ++(passes ? counts_->report.refused_only_in_log : counts_->report.refused_in_both);
  else if (!passes && attributes.code != 0) ++counts_->report.refused_only_in_replay;
  return passes ? Verdict::passed : Verdict::refused;
}

void QuotaLedger::keep_charge(const QuotaRequest& request, const AdmissionAttributes& attributes,
                              const std::vector<UsageList>& before) {
  QuotaCharge& charge = charge_.emplace();
  const GroupResource resource{attributes.api_group, attributes.resource};
  charge.key = {attributes.ns, resource.str(), request.object->name};
  charge.object = *request.object;
  if (request.operation == QuotaOperation::update) charge.previous = *request.old;
  charge.served = was_served(attributes.code);
  const auto numbers = engine_.quotas_of(attributes.ns);
  for (const std::size_t quota : verdict_.charged) {
    const auto place = static_cast<std::size_t>(std::find(numbers.begin(), numbers.end(), quota) - numbers.begin());
    charge.quotas.emplace_back(quota, growth(engine_.quotas()[quota].used, before[place]));
  }
}

// Its end frees what the object uses less.
void QuotaLedger::pass(const QuotaCharge& charge, Nanos now) {
  if (!charge.less) return;
  free(charge.key, *charge.less);
  settle(now);
}

void QuotaLedger::take_back(const QuotaCharge& charge, std::span<const std::uint32_t> failed, Nanos now) {
  const auto stored = stored_.find(charge.key);
  const bool named = !std::get<2>(charge.key).empty();
  if (named && stored == stored_.end()) return;  // it was deleted meanwhile, and gives all back by that
  if (named && charge.previous) {
    stored->second = *charge.previous;
  } else if (named) {
    stored_.erase(stored);
    if (charge.served) refused_objects_.insert(charge.key);
  }
  for (const auto& [quota, amounts] : charge.quotas) {
    QuotaSubject subject = charge.object;
    subject.usage = amounts;
    if (std::find(failed.begin(), failed.end(), quota) != failed.end()) {
      engine_.release(quota, subject);
      continue;
    }
    // Written for nothing, until the quota controller counts again.
    freed_.push_back({recount_of(now), order_++, quota, std::move(subject), {}, now});
    std::push_heap(freed_.begin(), freed_.end(), Later());
  }
}

QuotaLedger::Verdict QuotaLedger::create(const QuotaAsk& ask, bool in_report) {
  const AdmissionAttributes& request = ask.attributes;
  if (!request.subresource.empty()) return Verdict::bypassed;
  const GroupResource resource{request.api_group, request.resource};
  std::optional<QuotaSubject> subject = ask.subject;
  if (!subject) subject = count_object(resource, request.ns, request.name);
  QuotaRequest asked;
  asked.ns = request.ns;
  asked.name = request.name;
  // What is there already is charged and, as the quota controller counts, given back.
  asked.dry_run = request.dry_run || request.code == kConflict || request.lost_by_quota;
  asked.object = &*subject;
  const Verdict verdict = decide(asked, request, in_report);
  if (verdict == Verdict::bypassed || asked.dry_run || subject->name.empty()) return verdict;
  const ObjectKey key{request.ns, resource.str(), subject->name};
  if (verdict == Verdict::refused) {
    // What the log refused too has no end to wait for: a controller that keeps trying new names costs nothing here.
    if (was_served(request.code)) refused_objects_.insert(key);
  } else {
    subject->has_resource_version = true;
    refused_objects_.erase(key);
    stored_.insert_or_assign(key, std::move(*subject));
  }
  return verdict;
}

QuotaLedger::Verdict QuotaLedger::change(const QuotaAsk& ask, bool in_report) {
  const AdmissionAttributes& request = ask.attributes;
  // A PUT, or a patch that applies, may make the object; then all of it is charged.
  if (request.code == kCreated && request.subresource.empty()) return create(ask, in_report);
  const GroupResource resource{request.api_group, request.resource};
  const ObjectKey key{request.ns, resource.str(), request.name};
  if (request.dry_run || refused_objects_.count(key) > 0) return Verdict::bypassed;
  std::optional<QuotaSubject> subject = ask.subject;
  // A trace line has what became of the object as a patch's `object`; a log's patch alone does not.
  const bool patch_alone = request.operation == AdmissionOperation::patch && request.code != 0 && !ask.has_answer;
  const auto stored = stored_.find(key);
  if (!subject || patch_alone) {
    const QuotaSubject nothing = count_object(resource, request.ns, request.name);
    const bool decides = nothing.kind != QuotaKind::counted && request.subresource.empty() &&
                         nothing.kind != QuotaKind::pods && concerns(nothing, request.ns);
    counts_->report.unknown_changes += decides && in_report;
    return Verdict::bypassed;
  }
  subject->has_resource_version = true;
  if (stored == stored_.end() && !concerns(*subject, request.ns)) return Verdict::bypassed;
  if (stored == stored_.end() || stored->second.counts_only) {
    // It was there before the log, or nobody knows how much of it is counted.
    QuotaRequest asked;
    asked.operation = QuotaOperation::update;
    asked.ns = request.ns;
    asked.subresource = request.subresource;
    asked.object = asked.old = &*subject;
    counts_->report.unknown_changes += in_report && QuotaEngine::handles(asked) && concerns(*subject, request.ns);
    if (stored != stored_.end()) return Verdict::bypassed;
    stored_.insert_or_assign(key, std::move(*subject));
    older_.insert(key);
    return Verdict::bypassed;
  }
  QuotaRequest asked;
  asked.operation = QuotaOperation::update;
  asked.ns = request.ns;
  asked.name = request.name;
  asked.subresource = request.subresource;
  asked.object = &*subject;
  asked.old = &stored->second;
  const Verdict verdict = decide(asked, request, in_report);
  if (verdict == Verdict::refused) return verdict;
  // What it uses less, the quota controller finds; an ended pod is such a change.
  QuotaSubject less = stored->second;
  less.usage = growth(stored->second.usage, subject->usage);
  if (!less.usage.empty()) {
    if (charge_) charge_->less = std::move(less);
    else free(key, less);
  }
  stored->second = std::move(*subject);
  return verdict;
}

QuotaLedger::Verdict QuotaLedger::remove(const QuotaAsk& ask, bool in_report) {
  const AdmissionAttributes& request = ask.attributes;
  const GroupResource resource{request.api_group, request.resource};
  if (request.dry_run || !request.subresource.empty() || !was_served(request.code)) return Verdict::bypassed;
  if (request.name.empty()) {  // a collection: the log does not say whom it held
    counts_->report.unknown_changes += in_report && concerns(count_object(resource, request.ns, {}), request.ns);
    return Verdict::bypassed;
  }
  const ObjectKey key{request.ns, resource.str(), request.name};
  if (refused_objects_.erase(key) > 0) return Verdict::bypassed;
  auto stored = stored_.find(key);
  if (stored == stored_.end()) {
    // From zero, what was there before the log is not counted, and cannot be freed.
    std::optional<QuotaSubject> subject = ask.subject;
    const auto numbers = engine_.quotas_of(request.ns);
    const bool counted = std::any_of(numbers.begin(), numbers.end(), [&](std::size_t i) { return from_status_[i]; });
    if (!subject) {
      subject = count_object(resource, request.ns, request.name);
      counts_->report.unknown_changes +=
          in_report && counted && std::any_of(numbers.begin(), numbers.end(), [&](std::size_t i) {
            return QuotaEngine::is_undecidable(engine_.quotas()[i], *subject);
          });
    }
    if (!counted) return Verdict::bypassed;
    stored = stored_.emplace(key, std::move(*subject)).first;
    older_.insert(key);
  }
  if (ask.grace > 0) {
    unsettled_.push_back({ask.grace, {0, 0, 0, {}, key}});
    return Verdict::bypassed;
  }
  free(key, stored->second);
  forget(key);
  return Verdict::bypassed;
}

// Of an object older than the log only quotas that began at their status know.
void QuotaLedger::free(const ObjectKey& key, const QuotaSubject& subject) {
  const bool older = older_.count(key) > 0;
  for (const std::size_t i : engine_.quotas_of(std::get<0>(key))) {
    if (older && !from_status_[i]) continue;
    if (QuotaEngine::covers(engine_.quotas()[i], subject)) unsettled_.push_back({0, {0, 0, i, subject, {}}});
  }
}

void QuotaLedger::forget(const ObjectKey& key) {
  stored_.erase(key);
  older_.erase(key);
}

void QuotaLedger::settle(Nanos end) {
  for (auto& [delay, freed] : unsettled_) {
    freed.free = end + delay;
    // The end of a pod is an event of its own; what it frees is counted later.
    freed.time = freed.ending ? freed.free : recount_of(freed.free);
    freed.order = order_++;
    freed_.push_back(std::move(freed));
    std::push_heap(freed_.begin(), freed_.end(), Later());
  }
  unsettled_.clear();
}

bool QuotaLedger::waits_for_recount(std::string_view ns, Nanos now) const {
  return std::any_of(freed_.begin(), freed_.end(), [&](const Freed& freed) {
    return !freed.ending && freed.free <= now && engine_.quotas()[freed.quota].ns == ns;
  });
}

Nanos QuotaLedger::recount_of(Nanos time) const {
  if (resync_ <= 0 || !first_request_ || time <= *first_request_) return time;
  const Nanos since = time - *first_request_, rest = since % resync_;
  return rest == 0 ? time : later(time, resync_ - rest);
}

void QuotaLedger::free_until(Nanos now) {
  while (!freed_.empty() && freed_.front().time <= now) {
    std::pop_heap(freed_.begin(), freed_.end(), Later());
    const Freed freed = std::move(freed_.back());
    freed_.pop_back();
    if (!freed.ending) {
      if (engine_.release(freed.quota, freed.subject) && on_recount) on_recount(freed.quota, freed.time);
      continue;
    }
    const auto stored = stored_.find(*freed.ending);
    if (stored == stored_.end()) continue;  // the kubelet has deleted it
    free(*freed.ending, stored->second);
    forget(*freed.ending);
    settle(freed.time);
  }
}

ResourceQuotaReport QuotaLedger::report(const QuotaCounts& counts) const {
  ResourceQuotaReport report = counts.report;
  report.resync = resync_;
  for (std::size_t i = 0; i < engine_.quotas().size(); ++i) {
    const QuotaState& quota = engine_.quotas()[i];
    QuotaStageReport& out = report.quotas.emplace_back();
    out.name = quota.name;
    out.ns = quota.ns;
    out.from_status = from_status_[i];
    out.refused = counts.refused[i];
    if (i < counts.conflicts.size()) out.conflicts = counts.conflicts[i];
    const auto text = [](const UsageList& list, const std::string& name) {
      const Quantity* amount = list.find(name);
      return amount ? amount->str() : std::string("0");
    };
    for (const auto& [name, hard] : quota.hard) {
      out.resources.push_back({name, text(start_[i], name), text(quota.used, name), text(peak_[i], name), hard.str()});
    }
  }
  sort_stably(report.quotas, [](const QuotaStageReport& a, const QuotaStageReport& b) {
    return std::tie(a.ns, a.name) < std::tie(b.ns, b.name);
  });
  return report;
}

}  // namespace apf
