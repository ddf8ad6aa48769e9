// APF715: a workload that the quotas and LimitRanges of its namespace refuse, by itself or beside the others.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "admission/quota_check.h"
#include "lint/namespace_limits.h"

namespace apf {

namespace {

// What runs all the time; of others it is not known how many there are at once.
bool runs_on(const Manifest& m) {
  for (const std::string_view kind :
       {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "Pod", "PersistentVolumeClaim", "Service"})
    if (m.kind == kind) return true;
  return false;
}

bool is_checked(const Manifest& m) { return runs_on(m) || is_workload(m); }

// Texts with objects of other kinds, and with the LimitRanges, which come before quotas.
std::vector<ConfigText> texts_to_read(const LintContext& context, const std::vector<NamespaceLimits>& namespaces) {
  std::set<std::string> files;
  for (const SkippedObject& skipped : context.loaded.skipped) files.insert(skipped.span.file);
  if (files.empty()) return {};
  for (const NamespaceLimits& limits : namespaces)
    for (const StoredRange& stored : limits.ranges) files.insert(stored.range->meta.source.file);
  std::vector<ConfigText> texts;
  for (const ConfigText& text : context.texts)
    if (files.contains(text.name)) texts.push_back(text);
  return texts;
}

class Namespace {
 public:
  Namespace(const NamespaceLimits& limits, const ManifestSet& all, KubeVersion version) : limits_(limits), all_(all) {
    for (const ResourceQuota* quota : limits.quotas) quotas_.push_back(*quota);
    options_.ns = limits.ns.empty() ? "default" : limits.ns;
    options_.start = QuotaStart::zero;
    options_.version = version;
    std::set<std::string> files;  // that hold the limits: of objects without a namespace, those of the same file
    for (const ResourceQuota* quota : limits.quotas) files.insert(quota->meta.source.file);
    for (const StoredRange& stored : limits.ranges) files.insert(stored.range->meta.source.file);
    for (const Manifest& m : all.manifests) {
      const bool here = m.ns == limits.ns && (!m.ns.empty() || files.contains(m.span().file));
      if (m.kind == "ResourceQuota" || (m.namespaced && !here)) continue;
      (m.namespaced && is_checked(m) ? objects_ : surroundings_).push_back(m);
    }
  }

  void check(Findings& findings) {
    std::vector<Manifest> rest;
    for (const Manifest& m : objects_) {
      const std::vector<QuotaDenial> denials = of({m}).denials;
      const bool never = !denials.empty() && denials.front().first == 1;
      if (never) report(m, denials.front(), findings);
      else if (runs_on(m)) rest.push_back(m);
    }
    if (limits_.quotas.empty()) return;
    const QuotaReport together = of(rest);
    for (const QuotaDenial& denial : together.denials) {
      const auto at = std::find_if(rest.begin(), rest.end(), [&](const Manifest& m) {
        return m.kind == denial.manifest.kind && m.name == denial.manifest.name;
      });
      if (at != rest.end()) report_together(*at, denial, together, findings);
    }
  }

 private:
  QuotaReport of(std::vector<Manifest> objects) const {
    ManifestSet set;
    set.trees = all_.trees;
    set.manifests = surroundings_;
    set.manifests.insert(set.manifests.end(), objects.begin(), objects.end());
    return QuotaCheck(quotas_, nullptr, set, options_).run();
  }

  static std::string server_words(const QuotaDenial& denial) {
    constexpr std::string_view kForbidden = "is forbidden: ";
    const std::size_t at = denial.message.find(kForbidden);
    return at == std::string::npos ? denial.message : denial.message.substr(at + kForbidden.size());
  }

  ObjectMeta meta_of(const Manifest& m) const {
    ObjectMeta meta;
    meta.api_version = m.api_version;
    meta.name = m.name;
    for (const std::shared_ptr<ConfigTree>& tree : all_.trees)
      if (&m.object->tree() == tree.get())
        meta.source = {std::shared_ptr<const ConfigNode>(tree, m.object), tree->name(), m.document};
    return meta;
  }

  Diagnostic& add(const Manifest& m, const QuotaDenial& denial, std::string message, Findings& findings) {
    Diagnostic& d = findings.add(meta_of(m), m.kind.c_str(), "metadata.name", std::move(message));
    for (const ResourceQuota* quota : limits_.quotas)
      if (quota->meta.name == denial.quota)
        d.notes.push_back(note_at(quota->meta, "metadata.name", "the quota is here"));
    return d;
  }

  // Not even the first one is admitted to an empty namespace.
  void report(const Manifest& m, const QuotaDenial& denial, Findings& findings) {
    const std::string what =
        denial.created.empty() ? "it is never admitted" : fmt::format("no {} of it is ever admitted", denial.created);
    Diagnostic& d = add(m, denial, fmt::format("{}: {}", what, server_words(denial)), findings);
    std::string change;
    for (const QuotaExcess& excess : denial.exceeded)
      change +=
          fmt::format("{}{}: {}", change.empty() ? "" : ", ", excess.resource, (excess.requested + excess.used).str());
    if (!change.empty())
      d.notes.push_back(smallest_change(fmt::format("{} in ResourceQuota \"{}\"", change, denial.quota)));
    if (denial.reason == "must-specify")
      d.notes.push_back(smallest_change("these amounts for the containers, or a default for them in a LimitRange"));
  }

  // It fits by itself, or some of it does, and not beside all that is given.
  void report_together(const Manifest& m, const QuotaDenial& denial, const QuotaReport& all, Findings& findings) {
    const std::string what = denial.of > 1 ? fmt::format("{} of its {} {}s fit into the namespace", denial.first - 1,
                                                         denial.of, denial.created)
                                           : "it does not fit into the namespace beside the others that are given";
    Diagnostic& d = add(m, denial, fmt::format("{}: {}", what, server_words(denial)), findings);
    std::string change;
    for (const QuotaTable& table : all.quotas)
      for (const QuotaAmount& amount : table.amounts)
        if (table.name == denial.quota && amount.demand > amount.hard)
          change += fmt::format("{}{}: {}", change.empty() ? "" : ", ", amount.resource, amount.demand.str());
    if (!change.empty())
      d.notes.push_back(
          smallest_change(fmt::format("{} in ResourceQuota \"{}\", for all that is given", change, denial.quota)));
  }

  const NamespaceLimits& limits_;
  const ManifestSet& all_;
  std::vector<ResourceQuota> quotas_;
  QuotaCheckOptions options_;
  std::vector<Manifest> objects_, surroundings_;
};

void check_workload_never_fits(const LintContext& context, Findings& findings) {
  const std::vector<NamespaceLimits> namespaces = namespaces_of(context.loaded);
  if (namespaces.empty()) return;
  const std::vector<ConfigText> texts = texts_to_read(context, namespaces);
  if (texts.empty()) return;
  const ManifestSet manifests = read_manifests(texts);
  for (const NamespaceLimits& limits : namespaces)
    Namespace(limits, manifests, context.options.version).check(findings);
}

}  // namespace

extern const Rule rule_workload_never_fits = {
    .code = "APF715",
    .name = "workload-never-fits",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "the quotas and LimitRanges of a namespace refuse a workload that is given with them",
    .what = R"(A workload, Pod, claim or Service of a namespace whose ResourceQuotas or LimitRanges are given, too: they
refuse its first object in an empty namespace; or not all of it fits beside the other objects that are given. Jobs and
DaemonSets are only looked at by themselves. It is the computation of 'apfctl quota'.)",
    .why = R"(The controller of a workload tries again and again, and only its events say why there is no Pod. With
'apfctl quota' one sees the whole: which object is refused first, and what all of them need.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: team-a}
spec:
  hard: {requests.memory: 2Gi}
---
apiVersion: v1
kind: Pod
metadata: {name: cache, namespace: team-a}
spec:
  containers:
  - name: cache
    image: cache:1
    resources: {requests: {memory: 4Gi}}
)",
    .instead = R"(apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: team-a}
spec:
  hard: {requests.memory: 4Gi}
)",
    .check = check_workload_never_fits,
};

}  // namespace apf
