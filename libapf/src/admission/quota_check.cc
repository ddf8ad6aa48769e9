// Manifests against quotas, one object after the other.
#include "admission/quota_check.h"

#include <algorithm>

#include <fmt/core.h>

#include "admission/quota_denial.h"
#include "admission/string_fields.h"
#include "base/go_quote.h"
#include "base/joined.h"
#include "base/sort_stably.h"

namespace apf {

namespace {

// More rounds than this are counted together.
constexpr int kDoublings = 32;

std::string common_namespace(std::span<const ResourceQuota> quotas, const QuotaCheckOptions& options) {
  if (!options.ns.empty()) return options.ns;
  std::set<std::string> names;
  for (const ResourceQuota& quota : quotas) names.insert(quota.ns.empty() ? "default" : quota.ns);
  return names.size() == 1 ? *names.begin() : "default";
}

std::vector<LimitedResource> limited_of(const ResourceQuotaConfiguration* configuration) {
  return configuration ? configuration->limited_resources : std::vector<LimitedResource>();
}

bool annotated_default(const ConfigNode& object) {
  const ConfigNode* annotations = find_path(object, {"metadata", "annotations"});
  return annotations && text_at(*annotations, "storageclass.kubernetes.io/is-default-class") == "true";
}

std::string counted_kind(std::uint64_t n, const std::string& kind) {
  return fmt::format("{} {}{}", n, kind, n == 1 ? "" : "s");
}

}  // namespace

QuotaCheck::QuotaCheck(std::span<const ResourceQuota> quotas, const ResourceQuotaConfiguration* configuration,
                       const ManifestSet& manifests, const QuotaCheckOptions& options)
    : options_(options),
      manifests_(manifests),
      ns_(common_namespace(quotas, options)),
      beginning_(begin_quotas(quotas, manifests, limited_of(configuration), options, ns_)),
      engine_(beginning_.states, limited_of(configuration)) {
  engine_.set_version(options.version);
  report_.notes = beginning_.notes;
  for (const QuotaState& state : beginning_.states) start_.push_back(state.used);
  demand_ = start_;
}

namespace {

// Of HorizontalPodAutoscalers and of KEDA's ScaledObjects: the least number of Pods.
const ConfigNode* least_of_autoscaler(const Manifest& m) {
  if (m.kind == "HorizontalPodAutoscaler" && m.resource.group == "autoscaling")
    return find_path(*m.object, {"spec", "minReplicas"});
  return m.kind == "ScaledObject" && m.resource.group == "keda.sh" ? find_path(*m.object, {"spec", "minReplicaCount"})
                                                                   : nullptr;
}

// A template of Pods, wherever the kind has it.
bool has_containers(const ConfigNode& node, int depth = 0) {
  constexpr int kMostDepth = 12;
  if (depth > kMostDepth) return false;
  const ConfigNode* containers = node.is_mapping() ? node.find_present("containers") : nullptr;
  if (containers && !containers->items().empty() && !text_at(containers->items().front(), "image").empty()) return true;
  const auto below = [&](const ConfigNode& of) { return has_containers(of, depth + 1); };
  return std::any_of(node.items().begin(), node.items().end(), below) ||
         std::any_of(node.entries().begin(), node.entries().end(),
                     [&](const ConfigEntry& entry) { return below(entry.value); });
}

// What a custom resource makes its Pods of is for its controller to know.
bool makes_unknown_pods(const Manifest& m) {
  const std::string_view group = m.resource.group;
  const bool is_custom = group.find('.') != group.npos && (!group.ends_with(".k8s.io") || group.ends_with(".x-k8s.io"));
  const ConfigNode* spec = is_custom ? m.object->find_present("spec") : nullptr;
  return spec && (has_containers(*spec) || (m.kind == "Rollout" && spec->find_present("workloadRef")));
}

}  // namespace

std::optional<std::string> QuotaCheck::why_open(const Manifest& m) const {
  if (!options_.expand) return std::nullopt;
  if (makes_unknown_pods(m) && owners_.count({m.kind, namespace_of(m), m.name}) == 0)
    return "it creates Pods, and apfctl does not know how many (list them as Pods, or use --no-expand)";
  const ConfigNode* least = least_of_autoscaler(m);
  if (!least) return std::nullopt;
  const ConfigNode* target = find_path(*m.object, {"spec", "scaleTargetRef"});
  const std::string_view name = target ? text_at(*target, "name") : std::string_view();
  std::string_view kind = target ? text_at(*target, "kind") : std::string_view();
  if (kind.empty()) kind = "Deployment";  // KEDA's default
  std::int64_t own = 0;
  for (const Manifest& other : manifests_.manifests) {
    if (other.kind != kind || other.name != name || namespace_of(other) != namespace_of(m)) continue;
    const ConfigNode* replicas = find_path(*other.object, {"spec", "replicas"});
    own = replicas ? replicas->integer().value_or(1) : 1;
  }
  if (least->integer().value_or(0) <= own) return std::nullopt;
  return fmt::format(
      "it keeps at least {} Pods of {} {}, of which {} (set spec.replicas to the most that there may be)",
      least->text(), kind, name,
      own == 0 ? "none is counted" : fmt::format("the manifest's own number, {}, is counted", own));
}

// What applies to objects of any scope.
void QuotaCheck::prepare() {
  for (const Manifest& m : manifests_.manifests) {
    std::vector<ObjectFault> faults;
    check_strings(m, faults);
    if (faults.empty() && m.resource == GroupResource{"", "limitranges"})
      add_limit_range(*m.object, earlier_[namespace_of(m)], faults);
    tell_faults(m, faults);
    if (m.kind == "StorageClass" && storage_class_.empty() && annotated_default(*m.object)) {
      storage_class_ = m.name;
    } else if (m.kind == "PriorityClass") {
      const ConfigNode* global = m.object->find_present("globalDefault");
      if (global && global->kind() == NodeKind::boolean && global->boolean()) priority_class_ = m.name;
    }
    const ConfigNode* references = find_path(*m.object, {"metadata", "ownerReferences"});
    if (!references) continue;
    for (const ConfigNode& owner : references->items()) {
      owners_.emplace(std::string(text_at(owner, "kind")), namespace_of(m), std::string(text_at(owner, "name")));
    }
  }
}

const EarlierAdmission& QuotaCheck::earlier_of(const std::string& ns) {
  EarlierAdmission& earlier = earlier_[ns];
  earlier.storage_class = storage_class_;
  earlier.priority_class = priority_class_;
  return earlier;
}

ManifestReference QuotaCheck::reference(const Manifest& m) const {
  return {m.api_version, m.kind, m.name, m.namespaced ? namespace_of(m) : std::string(), m.span(), m.document};
}

void QuotaCheck::tell_faults(const Manifest& m, const std::vector<ObjectFault>& faults) {
  for (const ObjectFault& fault : faults) {
    Diagnostic d = manifest_fault(m, *fault.at, fault.field, fault.message);
    if (fault.decodes) {  // the server's validation, which has no rule here
      d.code.clear();
      d.name.clear();
    }
    report_.diagnostics.push_back(std::move(d));
  }
}

QuotaReport QuotaCheck::run() {
  report_.diagnostics = manifests_.diagnostics;
  prepare();
  for (const Manifest& m : manifests_.manifests) apply(m);
  for (const auto& [manifest, rollout] : rollouts_) {
    std::optional<RollingUpdate> update = update_without_room(rollout, engine_, namespace_of(*manifest));
    if (!update) continue;
    update->manifest = reference(*manifest);
    report_.updates.push_back(std::move(*update));
  }
  sort_diagnostics(report_.diagnostics);
  fill_tables();
  fill_total();
  return std::move(report_);
}

void QuotaCheck::apply(const Manifest& m) {
  ++report_.objects;
  if (std::optional<std::string> why = why_open(m))
    report_.uncounted.push_back({reference(m), {}, std::move(*why), true});
  if (!m.namespaced) {
    report_.uncounted.push_back({reference(m), {}, "it belongs to no namespace"});
    return;
  }
  const std::string& ns = namespace_of(m);
  std::vector<ObjectFault> faults;
  QuotaSubject subject = measure_object(m.resource, *m.object, earlier_of(ns), faults);
  Workload workload;
  const bool owns_others = owners_.count({m.kind, ns, m.name}) > 0;
  if (options_.expand && !owns_others) workload = expand_workload(m, earlier_of(ns), options_.nodes, faults);
  if (!faults.empty()) return tell_faults(m, faults);

  if (m.resource == GroupResource{"", "resourcequotas"} && apply_quota(m)) return;

  subject.has_resource_version = true;
  const ObjectKey key{m.resource.str(), ns, m.name};
  const auto stored = m.name.empty() || !subject.generate_name.empty() ? stored_.end() : stored_.find(key);
  if (stored != stored_.end()) {
    const bool admitted = update(m, subject, stored->second);
    if (is_workload(m) && workload.rounds > 0) {
      report_.notes.push_back({.kind = RemarkKind::manifest_repeated, .name = m.kind + " " + m.name});
    }
    if (admitted) stored->second = std::move(subject);
    return;
  }
  if (!create(m, subject)) return;
  if (subject.generate_name.empty()) stored_.emplace(key, std::move(subject));
  if (owns_others && options_.expand && is_workload(m)) {
    report_.notes.push_back({.kind = RemarkKind::workload_objects_given, .name = m.kind + " " + m.name});
  }
  apply_workload(m, workload);
}

// True: it is one of the quotas of the check, which are counted from the start on, or was denied then.
bool QuotaCheck::apply_quota(const Manifest& m) {
  const std::string& ns = namespace_of(m);
  if (const auto denied = beginning_.denied.find({ns, m.name}); denied != beginning_.denied.end()) {
    denied->second.manifest = reference(m);
    report_.denials.push_back(denied->second);
    ++report_.denied;
    demand(count_object(m.resource, ns, m.name), ns);
    return true;
  }
  const auto& quotas = engine_.quotas();
  return std::any_of(quotas.begin(), quotas.end(), [&](const QuotaState& q) { return q.name == m.name && q.ns == ns; });
}

bool QuotaCheck::create(const Manifest& m, const QuotaSubject& subject) {
  const std::string& ns = namespace_of(m);
  if (deny_by_limit_range(m, subject, m.name)) {
    demand(subject, ns);
    ++report_.denied;
    return false;
  }
  QuotaRequest request;
  request.ns = ns;
  request.object = &subject;
  const QuotaVerdict verdict = engine_.admit(request);
  demand(subject, ns);
  if (verdict.admitted()) {
    tell_uncounted(m, subject, {});
    return true;
  }
  deny(m, verdict, request);
  ++report_.denied;
  return false;
}

bool QuotaCheck::update(const Manifest& m, const QuotaSubject& subject, const QuotaSubject& old) {
  const std::string& ns = namespace_of(m);
  QuotaRequest request;
  // Pods cannot change what LimitRanger looks at.
  if (m.kind != "Pod" && deny_by_limit_range(m, subject, m.name)) {
    ++report_.denied;
    return false;
  }
  request.operation = QuotaOperation::update;
  request.ns = ns;
  request.object = &subject;
  request.old = &old;
  const QuotaVerdict verdict = engine_.admit(request);
  if (verdict.evaluated) {
    QuotaSubject more = subject;
    more.usage = growth(subject.usage, old.usage);
    demand(more, ns);
  }
  if (verdict.admitted()) return true;
  deny(m, verdict, request);
  ++report_.denied;
  return false;
}

void QuotaCheck::deny(const Manifest& m, const QuotaVerdict& verdict, const QuotaRequest& request) {
  QuotaDenial denial = denial_of(verdict, request, engine_);
  denial.manifest = reference(m);
  report_.denials.push_back(std::move(denial));
}

bool QuotaCheck::deny_by_limit_range(const Manifest& m, const QuotaSubject& subject, const std::string& name) {
  if (subject.limit_range_fault.empty()) return false;
  QuotaDenial denial;
  denial.manifest = reference(m);
  denial.reason = "limit-range";
  denial.message =
      fmt::format("{} {} is forbidden: {}", subject.resource.str(), go_quote(name), subject.limit_range_fault);
  report_.denials.push_back(std::move(denial));
  return true;
}

void QuotaCheck::demand(const QuotaSubject& subject, const std::string& ns) {
  QuotaRequest request;
  request.ns = ns;
  request.object = &subject;
  if (!QuotaEngine::handles(request, options_.version)) return;
  for (const std::size_t i : engine_.quotas_of(ns)) {
    const QuotaState& quota = engine_.quotas()[i];
    if (QuotaEngine::covers(quota, subject)) demand_[i].add(QuotaEngine::tracked_usage(quota.hard, subject.usage));
  }
}

// Objects alike are tried 2^n at a time: whether so many fit is a matter of sums.
std::uint64_t QuotaCheck::create_rounds(const Workload& workload, const std::string& ns) {
  std::vector<std::vector<CreatedObject>> doubled{workload.each};
  // Only sums that a quota limits matter for more than one; a pod may name thousands of other resources.
  std::vector<CreatedObject> limited = workload.each;
  if (!engine_.has_limited_resources()) {
    for (CreatedObject& object : limited) {
      UsageList tracked;
      for (const std::size_t i : engine_.quotas_of(ns))
        tracked.raise(QuotaEngine::tracked_usage(engine_.quotas()[i].hard, object.subject.usage));
      object.subject.usage = std::move(tracked);
    }
  }
  while (doubled.size() < kDoublings && (std::uint64_t{1} << doubled.size()) <= workload.rounds) {
    std::vector<CreatedObject> next = doubled.size() == 1 ? limited : doubled.back();
    for (CreatedObject& object : next) object.subject.usage.add(UsageList(object.subject.usage));
    doubled.push_back(std::move(next));
  }
  std::uint64_t done = 0;
  for (std::size_t n = doubled.size(); n-- > 0;) {
    const std::uint64_t size = std::uint64_t{1} << n;
    // The largest power may fit more than once.
    while (workload.rounds - done >= size) {
      std::vector<std::pair<std::size_t, UsageList>> before;
      for (const std::size_t i : engine_.quotas_of(ns)) before.emplace_back(i, engine_.quotas()[i].used);
      if (create_all(doubled[n], done, ns, nullptr, 0)) {
        done += size;
        continue;
      }
      for (auto& [i, used] : before) engine_.set_used(i, std::move(used));
      break;
    }
  }
  // Demand: as if all had been created.
  for (std::size_t n = 0; n < doubled.size(); ++n) {
    const std::uint64_t size = std::uint64_t{1} << n;
    const std::uint64_t times = n + 1 < doubled.size() ? (workload.rounds / size) % 2 : workload.rounds / size;
    for (std::uint64_t i = 0; i < times; ++i) {
      for (const CreatedObject& object : doubled[n]) demand(object.subject, ns);
    }
  }
  return done;
}

bool QuotaCheck::create_all(const std::vector<CreatedObject>& objects, std::uint64_t round, const std::string& ns,
                            const Manifest* reported, std::uint64_t of) {
  for (const CreatedObject& object : objects) {
    const std::string name = object.name(round);
    QuotaRequest request;
    request.ns = ns;
    request.name = name;
    request.object = &object.subject;
    const bool in_range = object.subject.limit_range_fault.empty();
    if (!in_range && !reported) return false;
    QuotaVerdict verdict;
    if (in_range) verdict = engine_.admit(request);
    if (in_range && verdict.admitted()) continue;
    if (reported) {
      if (in_range) deny(*reported, verdict, request);
      else deny_by_limit_range(*reported, object.subject, name);
      QuotaDenial& denial = report_.denials.back();
      denial.created = object.kind;
      denial.first = round + 1;
      denial.of = of;
      denial.denied = of - round;
      report_.denied += denial.denied;
    }
    return false;
  }
  return true;
}

void QuotaCheck::apply_workload(const Manifest& m, const Workload& workload) {
  const std::string& ns = namespace_of(m);
  // Nobody knows how many there will be.
  const auto is_limited = [&](const CreatedObject& object) {
    return engine_.has_limited_resources() || !object.subject.limit_range_fault.empty() ||
           why_uncounted(object.subject, ns).empty();
  };
  if (workload.note == RemarkKind::pods_depend_on_nodes &&
      std::any_of(workload.each.begin(), workload.each.end(), is_limited))
    report_.uncounted.push_back(
        {reference(m), {}, "how many Pods it creates depends on the nodes (use --nodes to say how many)", true});
  else if (workload.note) report_.notes.push_back({.kind = *workload.note, .name = m.kind + " " + m.name});
  if (workload.once.empty() && (workload.each.empty() || workload.rounds == 0)) return;

  std::string created;
  for (const CreatedObject& object : workload.once) {
    created += counted_kind(1, object.kind);
    demand(object.subject, ns);
  }
  for (const CreatedObject& object : workload.each) {
    if (workload.rounds == 0) break;
    created += (created.empty() ? "" : ", ") + counted_kind(workload.rounds, object.kind);
  }
  report_.workloads.push_back({reference(m), created});
  report_.created += workload.once.size() + workload.rounds * workload.each.size();

  const std::size_t denials = report_.denials.size();
  const bool started = create_all(workload.once, 0, ns, &m, 1);
  if (workload.each.empty()) return;
  const std::uint64_t done = started ? create_rounds(workload, ns) : 0;
  if (started && done < workload.rounds) create_all(workload.each, done, ns, &m, workload.rounds);
  if (started && done == workload.rounds) {
    if (std::optional<Rollout> rollout = rollout_of(m, workload)) rollouts_.emplace_back(&m, std::move(*rollout));
  }
  // What is denied is no object that nothing counts.
  const auto is_denied = [&](const CreatedObject& object) {
    return std::any_of(report_.denials.begin() + static_cast<std::ptrdiff_t>(denials), report_.denials.end(),
                       [&](const QuotaDenial& denial) { return denial.created == object.kind; });
  };
  for (const CreatedObject& object : workload.each)
    if (workload.rounds > 0 && !is_denied(object)) tell_uncounted(m, object.subject, object.kind);
}

std::string QuotaCheck::why_uncounted(const QuotaSubject& subject, const std::string& ns) const {
  const std::span<const std::size_t> quotas = engine_.quotas_of(ns);
  QuotaRequest request;
  request.ns = ns;
  request.object = &subject;
  if (!QuotaEngine::handles(request, options_.version)) {
    if (subject.resource.group != "extensions") return "the server leaves this resource out of quota";
    return fmt::format("Kubernetes {} has no {}", options_.version.str(), subject.resource.str());
  }
  if (quotas.empty()) return fmt::format("namespace {} has no quota", ns);
  bool by_key = false;
  for (const std::size_t i : quotas) {
    const QuotaState& quota = engine_.quotas()[i];
    if (matching_resources(quota.hard, subject).empty()) continue;
    by_key = true;
    if (!QuotaEngine::covers(quota, subject)) continue;
    if (!QuotaEngine::tracked_usage(quota.hard, subject.usage).empty()) return {};
  }
  return by_key ? "no quota that limits such objects is of a scope that takes it, or it uses nothing that they limit"
                : fmt::format("no quota limits {}", subject.resource.str());
}

void QuotaCheck::tell_uncounted(const Manifest& m, const QuotaSubject& subject, std::string created) {
  std::string reason = why_uncounted(subject, namespace_of(m));
  if (!reason.empty()) report_.uncounted.push_back({reference(m), std::move(created), std::move(reason)});
}

void QuotaCheck::fill_tables() {
  const std::vector<ResourceQuota>& quotas = beginning_.quotas;
  for (std::size_t i = 0; i < quotas.size(); ++i) {
    const QuotaState& state = engine_.quotas()[i];
    QuotaTable table;
    table.name = state.name;
    table.ns = state.ns;
    table.span = quotas[i].meta.source.span_of("metadata.name");
    table.scopes = quotas[i].spec.scopes;
    std::sort(table.scopes.begin(), table.scopes.end());
    if (quotas[i].spec.scope_selector) {
      for (const ScopeRequirement& r : *quotas[i].spec.scope_selector) {
        table.scope_selector.push_back(fmt::format(
            "{} {}{}", r.scope_name, r.op, r.values.empty() ? "" : fmt::format(" ({})", joined(r.values, ", "))));
      }
    }
    table.from_status = beginning_.from_status[i];
    for (const auto& [name, hard] : state.hard) {
      const auto amount = [&key = name](const UsageList& list) { return list.has(key) ? *list.find(key) : Quantity(); };
      const bool tracked = QuotaEngine::is_tracked_key(name, options_.version);
      table.amounts.push_back({name, amount(start_[i]), amount(state.used), amount(demand_[i]), hard, tracked});
    }
    report_.quotas.push_back(std::move(table));
  }
  sort_stably(report_.quotas,
              [](const QuotaTable& a, const QuotaTable& b) { return std::tie(a.ns, a.name) < std::tie(b.ns, b.name); });
}

// Each namespace counts with the tightest of its quotas without scopes; quotas of scopes count parts of that.
void QuotaCheck::fill_total() {
  std::map<std::string, std::map<std::string, QuotaAmount>> by_namespace;
  for (const QuotaTable& table : report_.quotas) {
    auto& amounts = by_namespace[table.ns];
    if (!table.scopes.empty() || !table.scope_selector.empty()) continue;
    for (const QuotaAmount& a : table.amounts) {
      const auto [at, fresh] = amounts.emplace(a.resource, a);
      if (fresh || at->second.hard <= a.hard) continue;
      at->second = a;
    }
  }
  if (by_namespace.size() < 2) return;
  std::map<std::string, QuotaAmount> total;
  for (const auto& [ns, amounts] : by_namespace) {
    for (const auto& [resource, a] : amounts) {
      const auto [at, fresh] = total.emplace(resource, a);
      if (fresh) continue;
      QuotaAmount& sum = at->second;
      sum.start += a.start;
      sum.used += a.used;
      sum.demand += a.demand;
      sum.hard += a.hard;
      sum.tracked = sum.tracked || a.tracked;
    }
  }
  report_.namespaces = by_namespace.size();
  for (auto& [resource, amount] : total) report_.total.push_back(std::move(amount));
}

bool QuotaReport::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::optional<bool> QuotaReport::fits() const {
  if (denied > 0) return false;
  const bool is_open =
      std::any_of(uncounted.begin(), uncounted.end(), [](const UncountedObject& object) { return object.leaves_open; });
  return is_open ? std::nullopt : std::optional(true);
}

QuotaReport check_quota(std::span<const ResourceQuota> quotas, const ResourceQuotaConfiguration* configuration,
                        std::span<const ConfigText> manifests, const QuotaCheckOptions& options) {
  const ManifestSet set = read_manifests(manifests);
  return QuotaCheck(quotas, configuration, set, options).run();
}

}  // namespace apf
