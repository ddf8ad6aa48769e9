#include "replay/stages/quota_ask.h"

#include <algorithm>

#include "config/reader.h"

namespace apf {

namespace {

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

std::optional<QuotaSubject> subject_of(const AdmissionAttributes& request, const std::string& json, Nanos now) {
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
std::optional<QuotaSubject> result_of(const AdmissionAttributes& request, Nanos now) {
  std::optional<QuotaSubject> subject;
  if (was_served(request.code)) subject = subject_of(request, request.response_object, now);
  if (!subject && (request.operation != AdmissionOperation::patch || request.response_object.empty()))
    subject = subject_of(request, request.object, now);
  return subject;
}

}  // namespace

bool is_turned_away_before(const AdmissionAttributes& request) {
  return (is_turned_away(request.code) || request.code == kTooManyRequests) && !request.refused_by_quota;
}

QuotaAsk read_quota_ask(const AdmissionAttributes& request, Nanos now) {
  QuotaAsk out;
  AdmissionAttributes& of = out.attributes;
  of.operation = request.operation;
  of.api_group = request.api_group;
  of.resource = request.resource;
  of.subresource = request.subresource;
  of.ns = request.ns;
  of.name = request.name;
  of.dry_run = request.dry_run;
  of.code = request.code;
  of.refused_by_quota = request.refused_by_quota;
  of.lost_by_quota = request.lost_by_quota;
  out.has_answer = !request.response_object.empty();
  if (is_turned_away_before(request)) return out;
  if (request.operation != AdmissionOperation::remove) {
    out.subject = result_of(request, now);
    return out;
  }
  if (request.dry_run || !request.subresource.empty() || !was_served(request.code)) return out;
  const std::shared_ptr<ConfigTree> answer = tree_of(request.response_object);
  if (answer && request.api_group.empty() && request.resource == "pods")
    out.grace = grace_of(*answer->documents().front().root);
  out.subject = subject_of(request, request.response_object, now);
  return out;
}

}  // namespace apf
