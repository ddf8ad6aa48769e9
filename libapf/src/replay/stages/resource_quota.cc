// ResourceQuota objects and the configuration of the admission plugin that enforces them.
// Mirrors core/v1 ResourceQuota and apiserver.config.k8s.io/v1 ResourceQuotaConfiguration (v1.36).
#include "replay/stages/resource_quota.h"

#include <algorithm>
#include <iterator>

#include "config/reader.h"

namespace apf {

namespace {

constexpr int kTooManyRequests = 429;  // of a stage before this one
constexpr int kConflict = 409;         // found out when it is stored, after admission

constexpr int kCreated = 201;

bool was_served(int code) { return code == 0 || (code >= 200 && code < 300); }

std::vector<QuotaState> states_of(const std::vector<ResourceQuota>& quotas) {
  std::vector<QuotaState> out;
  for (const ResourceQuota& quota : quotas) out.push_back(quota_state(quota, "default"));
  return out;
}

std::vector<LimitedResource> limited_of(const ReplayOptions& options) {
  return options.resource_quota_configuration ? options.resource_quota_configuration->limited_resources
                                              : std::vector<LimitedResource>();
}

// A pod that is deleted runs on until its grace period is over; then the kubelet deletes it.
Nanos grace_of(const ConfigNode& object) {
  const ConfigNode* metadata = object.find_present("metadata");
  const ConfigNode* grace = metadata ? metadata->find_present("deletionGracePeriodSeconds") : nullptr;
  if (!grace || !metadata->find_present("deletionTimestamp")) return 0;
  return std::clamp<std::int64_t>(grace->integer().value_or(0), 0, 1'000'000) * kSecond;
}

std::shared_ptr<ConfigTree> tree_of(const std::string& json) {
  if (json.empty() || json.front() != '{') return nullptr;
  std::vector<Diagnostic> diagnostics;
  std::shared_ptr<ConfigTree> tree = read_tree({"object.json", json}, diagnostics);
  return tree->documents().size() == 1 && diagnostics.empty() ? tree : nullptr;
}

}  // namespace

ResourceQuotaStage::ResourceQuotaStage(const ReplayOptions& options)
    : engine_(states_of(options.resource_quotas), limited_of(options)), resync_(options.quota_resync) {
  for (std::size_t i = 0; i < options.resource_quotas.size(); ++i) {
    const bool from_status = options.quota_start != QuotaStart::zero && !options.resource_quotas[i].status.hard.empty();
    if (!from_status) engine_.resync(i, engine_.recount(engine_.quotas()[i], {}));
    from_status_.push_back(from_status);
    start_.push_back(engine_.quotas()[i].used);
  }
  if (options.quota_conflicts) updates_.emplace(*options.quota_conflicts, engine_);
  peak_ = start_;
  refused_.resize(start_.size());
}

ResourceQuotaStage::Verdict ResourceQuotaStage::ask(const AdmissionAttributes& request, Nanos now, bool in_report) {
  now_ = now;
  if (!first_request_) first_request_ = now;
  settle(now);  // the end of the last one was not reported
  free_until(now);
  verdict_ = {};
  const bool limited = !engine_.quotas_of(request.ns).empty() || engine_.has_limited_resources();
  if (request.ns.empty() || !limited) return Verdict::bypassed;
  const bool turned_away = is_turned_away(request.code) || request.code == kTooManyRequests;
  if (turned_away && !request.refused_by_quota) {
    if (in_report) ++counts_.turned_away;
    return Verdict::bypassed;
  }
  switch (request.operation) {
    case AdmissionOperation::create:
      return create(request, now, in_report);
    case AdmissionOperation::update:
    case AdmissionOperation::patch:
      return change(request, now, in_report);
    case AdmissionOperation::remove:
      return remove(request, now, in_report);
  }
  return Verdict::bypassed;
}

std::optional<QuotaSubject> ResourceQuotaStage::subject_of(const AdmissionAttributes& request, const std::string& json,
                                                           Nanos now) const {
  const std::shared_ptr<ConfigTree> tree = tree_of(json);
  if (!tree) return std::nullopt;
  const ConfigNode& object = *tree->documents().front().root;
  if (text_at(object, "kind") == "Status") return std::nullopt;  // an answer, no object
  std::vector<ObjectFault> faults;
  EarlierAdmission earlier;
  earlier.now = now;
  QuotaSubject subject = measure_object({request.api_group, request.resource}, object, earlier, faults);
  if (subject.name.empty()) subject.name = request.name;
  return subject;
}

// What became of the object: as it was stored, with all that other plugins made of it; else as it was sent.
std::optional<QuotaSubject> ResourceQuotaStage::result_of(const AdmissionAttributes& request, Nanos now) const {
  std::optional<QuotaSubject> subject;
  if (was_served(request.code)) subject = subject_of(request, request.response_object, now);
  if (!subject && (request.operation != AdmissionOperation::patch || request.response_object.empty()))
    subject = subject_of(request, request.object, now);
  return subject;
}

bool ResourceQuotaStage::concerns(const QuotaSubject& subject, const std::string& ns) const {
  const auto numbers = engine_.quotas_of(ns);
  return engine_.has_limited_resources() || std::any_of(numbers.begin(), numbers.end(), [&](std::size_t i) {
           return !matching_resources(engine_.quotas()[i].hard, subject).empty();
         });
}

ResourceQuotaStage::Verdict ResourceQuotaStage::decide(const QuotaRequest& request,
                                                       const AdmissionAttributes& attributes, bool in_report) {
  verdict_ = engine_.admit(request);
  if (!verdict_.evaluated || !concerns(*request.object, attributes.ns)) return Verdict::bypassed;
  note_peaks(verdict_.matched);
  const bool passes = verdict_.admitted();
  if (updates_ && passes && !verdict_.charged.empty()) updates_->add(now_, verdict_.charged, in_report);
  if (!in_report) return passes ? Verdict::passed : Verdict::refused;
  ++counts_.asked;
  if (attributes.lost_by_quota) ++(attributes.code == kConflict ? counts_.conflicts_in_log : counts_.timed_out_in_log);
  if (!passes) ++counts_.refused;
  if (!passes && resync_ > 0 && waits_for_recount(attributes.ns, now_)) ++counts_.before_recount;
  const auto numbers = engine_.quotas_of(attributes.ns);
  if (std::any_of(numbers.begin(), numbers.end(),
                  [&](std::size_t i) { return QuotaEngine::is_undecidable(engine_.quotas()[i], *request.object); })) {
    ++counts_.undecidable;
  }
  for (const std::size_t i : numbers) refused_[i] += !passes && engine_.quotas()[i].name == verdict_.quota;
  if (attributes.refused_by_quota) ++(passes ? counts_.refused_only_in_log : counts_.refused_in_both);
  else if (!passes && attributes.code != 0) ++counts_.refused_only_in_replay;
  return passes ? Verdict::passed : Verdict::refused;
}

ResourceQuotaStage::Verdict ResourceQuotaStage::create(const AdmissionAttributes& request, Nanos now, bool in_report) {
  if (!request.subresource.empty()) return Verdict::bypassed;
  const GroupResource resource{request.api_group, request.resource};
  std::optional<QuotaSubject> subject = result_of(request, now);
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

ResourceQuotaStage::Verdict ResourceQuotaStage::change(const AdmissionAttributes& request, Nanos now, bool in_report) {
  // A PUT, or a patch that applies, may make the object; then all of it is charged.
  if (request.code == kCreated && request.subresource.empty()) return create(request, now, in_report);
  const GroupResource resource{request.api_group, request.resource};
  const ObjectKey key{request.ns, resource.str(), request.name};
  if (request.dry_run || refused_objects_.count(key) > 0) return Verdict::bypassed;
  std::optional<QuotaSubject> subject = result_of(request, now);
  // A trace line has what became of the object as a patch's `object`; a log's patch alone does not.
  const bool patch_alone =
      request.operation == AdmissionOperation::patch && request.code != 0 && request.response_object.empty();
  const auto stored = stored_.find(key);
  if (!subject || patch_alone) {
    const QuotaSubject nothing = count_object(resource, request.ns, request.name);
    const bool decides = nothing.kind != QuotaKind::counted && request.subresource.empty() &&
                         nothing.kind != QuotaKind::pods && concerns(nothing, request.ns);
    counts_.unknown_changes += decides && in_report;
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
    counts_.unknown_changes += in_report && QuotaEngine::handles(asked) && concerns(*subject, request.ns);
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
  if (!less.usage.empty()) free(key, less);
  stored->second = std::move(*subject);
  return verdict;
}

ResourceQuotaStage::Verdict ResourceQuotaStage::remove(const AdmissionAttributes& request, Nanos now, bool in_report) {
  const GroupResource resource{request.api_group, request.resource};
  if (request.dry_run || !request.subresource.empty() || !was_served(request.code)) return Verdict::bypassed;
  if (request.name.empty()) {  // a collection: the log does not say whom it held
    counts_.unknown_changes += in_report && concerns(count_object(resource, request.ns, {}), request.ns);
    return Verdict::bypassed;
  }
  const ObjectKey key{request.ns, resource.str(), request.name};
  if (refused_objects_.erase(key) > 0) return Verdict::bypassed;
  const std::shared_ptr<ConfigTree> answer = tree_of(request.response_object);
  const Nanos grace = answer && resource == GroupResource{"", "pods"} ? grace_of(*answer->documents().front().root) : 0;
  auto stored = stored_.find(key);
  if (stored == stored_.end()) {
    // From zero, what was there before the log is not counted, and cannot be freed.
    std::optional<QuotaSubject> subject = subject_of(request, request.response_object, now);
    const auto numbers = engine_.quotas_of(request.ns);
    const bool counted = std::any_of(numbers.begin(), numbers.end(), [&](std::size_t i) { return from_status_[i]; });
    if (!subject) {
      subject = count_object(resource, request.ns, request.name);
      counts_.unknown_changes +=
          in_report && counted && std::any_of(numbers.begin(), numbers.end(), [&](std::size_t i) {
            return QuotaEngine::is_undecidable(engine_.quotas()[i], *subject);
          });
    }
    if (!counted) return Verdict::bypassed;
    stored = stored_.emplace(key, std::move(*subject)).first;
    older_.insert(key);
  }
  if (grace > 0) {
    unsettled_.push_back({grace, {0, 0, 0, {}, key}});
    return Verdict::bypassed;
  }
  free(key, stored->second);
  forget(key);
  return Verdict::bypassed;
}

// Of an object older than the log only quotas that began at their status know.
void ResourceQuotaStage::free(const ObjectKey& key, const QuotaSubject& subject) {
  const bool older = older_.count(key) > 0;
  for (const std::size_t i : engine_.quotas_of(std::get<0>(key))) {
    if (older && !from_status_[i]) continue;
    if (QuotaEngine::covers(engine_.quotas()[i], subject)) unsettled_.push_back({0, {0, 0, i, subject, {}}});
  }
}

void ResourceQuotaStage::forget(const ObjectKey& key) {
  stored_.erase(key);
  older_.erase(key);
}

void ResourceQuotaStage::settle(Nanos end) {
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

bool ResourceQuotaStage::waits_for_recount(std::string_view ns, Nanos now) const {
  return std::any_of(freed_.begin(), freed_.end(), [&](const Freed& freed) {
    return !freed.ending && freed.free <= now && engine_.quotas()[freed.quota].ns == ns;
  });
}

Nanos ResourceQuotaStage::recount_of(Nanos time) const {
  if (resync_ <= 0 || !first_request_ || time <= *first_request_) return time;
  const Nanos since = time - *first_request_, rest = since % resync_;
  return rest == 0 ? time : later(time, resync_ - rest);
}

void ResourceQuotaStage::free_until(Nanos now) {
  while (!freed_.empty() && freed_.front().time <= now) {
    std::pop_heap(freed_.begin(), freed_.end(), Later());
    const Freed freed = std::move(freed_.back());
    freed_.pop_back();
    if (!freed.ending) {
      if (engine_.release(freed.quota, freed.subject) && updates_) updates_->recount(freed.time, freed.quota);
      continue;
    }
    const auto stored = stored_.find(*freed.ending);
    if (stored == stored_.end()) continue;  // the kubelet has deleted it
    free(*freed.ending, stored->second);
    forget(*freed.ending);
    settle(freed.time);
  }
}

void ResourceQuotaStage::note_peaks(const std::vector<std::size_t>& quotas) {
  for (const std::size_t i : quotas) peak_[i].raise(engine_.quotas()[i].used);
}

void ResourceQuotaStage::add_facts(ReplayFacts& facts) const {
  facts.quotas = {counts_.undecidable, counts_.unknown_changes, resync_ <= 0, !updates_};
}

void ResourceQuotaStage::fill(ReplayReport& replay, Nanos now) {
  settle(now);
  free_until(now);
  ResourceQuotaReport& report = replay.resource_quota.emplace(counts_);
  report.resync = resync_;
  for (std::size_t i = 0; i < engine_.quotas().size(); ++i) {
    const QuotaState& quota = engine_.quotas()[i];
    QuotaStageReport& out = report.quotas.emplace_back();
    out.name = quota.name;
    out.ns = quota.ns;
    out.from_status = from_status_[i];
    out.refused = refused_[i];
    const auto text = [](const UsageList& list, const std::string& name) {
      const Quantity* amount = list.find(name);
      return amount ? amount->str() : std::string("0");
    };
    for (const auto& [name, hard] : quota.hard) {
      out.resources.push_back({name, text(start_[i], name), text(quota.used, name), text(peak_[i], name), hard.str()});
    }
  }
  std::stable_sort(report.quotas.begin(), report.quotas.end(),
                   [](const QuotaStageReport& a, const QuotaStageReport& b) {
                     return std::tie(a.ns, a.name) < std::tie(b.ns, b.name);
                   });
  if (!updates_) return;
  report.updates = updates_->take();
  ResourceQuotaReport* const one[] = {&report};
  count_conflicts(one);
}

}  // namespace apf
