// Workloads into what their controllers create (pkg/controller, v1.36).
#include "admission/workloads.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "config/limit_range.h"

namespace apf {

namespace {

constexpr std::int64_t kMostReplicas = 2'147'483'647;

enum class Controller : std::uint8_t {
  deployment,
  replica_set,
  replication_controller,
  stateful_set,
  daemon_set,
  job,
  cron_job
};
struct Row {
  std::string_view group, kind;
  Controller controller;
};
constexpr Row kControllers[] = {
    {"apps", "Deployment", Controller::deployment},
    {"apps", "ReplicaSet", Controller::replica_set},
    {"", "ReplicationController", Controller::replication_controller},
    {"apps", "StatefulSet", Controller::stateful_set},
    {"apps", "DaemonSet", Controller::daemon_set},
    {"batch", "Job", Controller::job},
    {"batch", "CronJob", Controller::cron_job},
    {"extensions", "Deployment", Controller::deployment},
    {"extensions", "ReplicaSet", Controller::replica_set},
    {"extensions", "DaemonSet", Controller::daemon_set},
};

const Row* controller_of(const Manifest& m) {
  const auto at = std::find_if(std::begin(kControllers), std::end(kControllers),
                               [&](const Row& row) { return row.group == m.resource.group && row.kind == m.kind; });
  return at == std::end(kControllers) ? nullptr : at;
}

class Expansion {
 public:
  Expansion(const Manifest& manifest, const EarlierAdmission& earlier, std::vector<ObjectFault>& faults)
      : manifest_(manifest), earlier_(earlier), faults_(faults) {}

  Workload run(Controller controller, std::uint64_t nodes) {
    const ConfigNode* spec = manifest_.object->find_present("spec");
    if (!spec) return std::move(out_);
    switch (controller) {
      case Controller::deployment:
        out_.rounds = replicas(*spec);
        out_.once.push_back(
            counted({manifest_.resource.group, "replicasets"}, "ReplicaSet", manifest_.name + "-<hash>"));
        pods(*spec, "spec.", manifest_.name + "-<hash>-<id>");
        break;
      case Controller::replica_set:
      case Controller::replication_controller:
        out_.rounds = replicas(*spec);
        pods(*spec, "spec.", manifest_.name + "-<id>");
        break;
      case Controller::stateful_set:
        stateful_set(*spec);
        break;
      case Controller::daemon_set:
        out_.rounds = nodes;
        if (nodes == 0) out_.note = RemarkKind::pods_depend_on_nodes;
        pods(*spec, "spec.", manifest_.name + "-<id>");
        break;
      case Controller::job:
        job(*spec, "spec.", manifest_.name);
        break;
      case Controller::cron_job:
        cron_job(*spec);
        break;
    }
    return std::move(out_);
  }

  Workload of_pod() {
    out_.rounds = 1;
    if (const ConfigNode* spec = manifest_.object->find_present("spec")) ephemeral_claims(*spec, "", manifest_.name);
    return std::move(out_);
  }

 private:
  std::uint64_t number(const ConfigNode& spec, const std::string& prefix, std::string_view key, std::int64_t missing) {
    const ConfigNode* node = spec.find_present(key);
    if (!node) return static_cast<std::uint64_t>(missing);
    const std::int64_t value =
        node->kind() == NodeKind::integer ? node->integer().value_or(kMostReplicas + 1) : kMostReplicas + 1;
    if (value < 0 || value > kMostReplicas) {
      faults_.push_back({node, fmt::format("{}{}", prefix, key),
                         value < 0 ? "must be greater than or equal to 0" : "expected a whole number", 0, value < 0});
      return 0;
    }
    return static_cast<std::uint64_t>(value);
  }
  std::uint64_t replicas(const ConfigNode& spec) { return number(spec, "spec.", "replicas", 1); }

  CreatedObject counted(GroupResource resource, const char* kind, std::string name) const {
    CreatedObject out;
    out.subject.resource = std::move(resource);
    out.subject.usage.set(count_name(out.subject.resource), Quantity(1));
    out.kind = kind;
    out.before = std::move(name);
    return out;
  }

  CreatedObject measured(GroupResource resource, const char* kind, const ConfigNode& object, const std::string& field) {
    const std::size_t before = faults_.size();
    CreatedObject out;
    out.subject = measure_object(resource, object, earlier_, faults_);
    for (std::size_t i = before; i < faults_.size(); ++i) faults_[i].field = field + faults_[i].field;
    out.subject.has_resource_version = false;
    out.kind = kind;
    return out;
  }

  CreatedObject pod(const ConfigNode& spec, const std::string& prefix) {
    static const ConfigNode kNothing{};
    const ConfigNode* pod_template = spec.find_present("template");
    return measured({"", "pods"}, "Pod", pod_template ? *pod_template : kNothing, prefix + "template.");
  }

  void pods(const ConfigNode& spec, const std::string& prefix, const std::string& name) {
    CreatedObject created = pod(spec, prefix);
    created.before = name;
    out_.each.push_back(std::move(created));
    const ConfigNode* pod_spec = find_path(spec, {"template", "spec"});
    if (pod_spec) ephemeral_claims(*pod_spec, prefix + "template.", name);
  }

  // Claims that come and go with a pod.
  void ephemeral_claims(const ConfigNode& pod_spec, const std::string& prefix, const std::string& pod_name) {
    const ConfigNode* volumes = pod_spec.find_present("volumes");
    if (!volumes) return;
    for (const ConfigNode& volume : volumes->items()) {
      const ConfigNode* claim = find_path(volume, {"ephemeral", "volumeClaimTemplate"});
      if (!claim) continue;
      CreatedObject created = measured(
          {"", "persistentvolumeclaims"}, "PersistentVolumeClaim", *claim,
          fmt::format("{}spec.volumes[{}].ephemeral.volumeClaimTemplate.", prefix, &volume - volumes->items().data()));
      created.before = fmt::format("{}-{}", pod_name, text_at(volume, "name"));
      out_.each.push_back(std::move(created));
    }
  }

  void stateful_set(const ConfigNode& spec) {
    out_.rounds = replicas(spec);
    if (const ConfigNode* templates = spec.find_present("volumeClaimTemplates")) {
      for (const ConfigNode& claim : templates->items()) {
        CreatedObject created =
            measured({"", "persistentvolumeclaims"}, "PersistentVolumeClaim", claim,
                     fmt::format("spec.volumeClaimTemplates[{}].", &claim - templates->items().data()));
        created.before = fmt::format("{}-{}-", created.subject.name, manifest_.name);
        created.numbered = true;
        out_.each.push_back(std::move(created));
      }
    }
    const std::size_t first = out_.each.size();
    pods(spec, "spec.", manifest_.name + "-");
    out_.each[first].numbered = true;
    for (std::size_t i = first + 1; i < out_.each.size(); ++i) {  // claims of ephemeral volumes: POD-VOLUME
      CreatedObject& claim = out_.each[i];
      claim.after = claim.before.substr(manifest_.name.size() + 1);
      claim.before = manifest_.name + "-";
      claim.numbered = true;
    }
  }

  // As many pods as run at once.
  void job(const ConfigNode& spec, const std::string& prefix, const std::string& name) {
    const ConfigNode* suspend = spec.find_present("suspend");
    const std::uint64_t parallelism = number(spec, prefix, "parallelism", 1);
    const std::uint64_t completions = number(spec, prefix, "completions", kMostReplicas);
    out_.rounds = std::min(parallelism, completions);
    if (suspend && suspend->kind() == NodeKind::boolean && suspend->boolean()) {
      out_.rounds = 0;
      out_.note = RemarkKind::workload_suspended;
    }
    pods(spec, prefix, name + "-<id>");
  }

  void cron_job(const ConfigNode& spec) {
    const ConfigNode* suspend = spec.find_present("suspend");
    const ConfigNode* job_spec = find_path(spec, {"jobTemplate", "spec"});
    if (suspend && suspend->kind() == NodeKind::boolean && suspend->boolean()) {
      out_.note = RemarkKind::workload_suspended;
      return;
    }
    if (!job_spec) return;
    out_.note = RemarkKind::cron_job_as_one_job;
    const std::string name = manifest_.name + "-<time>";
    out_.once.push_back(counted({"batch", "jobs"}, "Job", name));
    job(*job_spec, "spec.jobTemplate.spec.", name);
  }

  const Manifest& manifest_;
  const EarlierAdmission& earlier_;
  std::vector<ObjectFault>& faults_;
  Workload out_;
};

}  // namespace

bool is_workload(const Manifest& manifest) { return controller_of(manifest) != nullptr; }

Workload expand_workload(const Manifest& manifest, const EarlierAdmission& earlier, std::uint64_t nodes,
                         std::vector<ObjectFault>& faults) {
  Expansion expansion(manifest, earlier, faults);
  if (const Row* row = controller_of(manifest)) return expansion.run(row->controller, nodes);
  if (quota_kind(manifest.resource) == QuotaKind::pods) return expansion.of_pod();
  return {};
}

namespace {

ResourceList listed(const UsageList& amounts) { return {amounts.begin(), amounts.end()}; }

// What the server refuses the range itself for.
void add_range_faults(const LimitRangeRules& rules, const ConfigNode& limits, std::vector<ObjectFault>& faults) {
  std::vector<LimitRange::Item> items;
  for (const LimitRangeItem& item : rules.items)
    items.push_back(
        {item.type, listed(item.min), listed(item.max), listed(item.limit), listed(item.request), listed(item.ratio)});
  const ObjectMeta meta;
  std::vector<Diagnostic> found;
  FieldErrors errors(meta, kLimitRangeKind, kNewestKubeVersion, found);
  validate_limit_range_items(items, errors);
  for (const Diagnostic& d : found) {
    const auto item = static_cast<std::size_t>(std::strtoul(d.field.c_str() + d.field.find('[') + 1, nullptr, 10));
    faults.push_back({&limits.items()[item], d.field, d.message.substr(d.field.size() + 2), 0, true});
  }
}

}  // namespace

void add_limit_range(const ConfigNode& limit_range, EarlierAdmission& earlier, std::vector<ObjectFault>& faults) {
  const ConfigNode* limits = find_path(limit_range, {"spec", "limits"});
  if (!limits) return;
  LimitRangeRules& rules = earlier.limit_ranges.emplace_back();
  for (const ConfigNode& item : limits->items()) {
    const std::string field = fmt::format("spec.limits[{}].", &item - limits->items().data());
    LimitRangeItem& read = rules.items.emplace_back();
    read.type = text_at(item, "type");
    read.max = read_amounts(item.find("max"), field + "max", faults);
    read.min = read_amounts(item.find("min"), field + "min", faults);
    read.limit = read_amounts(item.find("default"), field + "default", faults);
    read.request = read_amounts(item.find("defaultRequest"), field + "defaultRequest", faults);
    read.ratio = read_amounts(item.find("maxLimitRequestRatio"), field + "maxLimitRequestRatio", faults);
    if (read.type != "Container") continue;
    for (const auto& [name, amount] : read.max) read.limit.set_if_absent(name, amount);
    for (const auto& [name, amount] : read.limit) read.request.set_if_absent(name, amount);
    for (const auto& [name, amount] : read.min) read.request.set_if_absent(name, amount);
    for (const auto& [name, amount] : read.limit) earlier.default_limits.set_if_absent(name, amount);
    for (const auto& [name, amount] : read.request) earlier.default_requests.set_if_absent(name, amount);
  }
  add_range_faults(rules, *limits, faults);
}

}  // namespace apf
