#include "admission/rolling_update.h"

#include <algorithm>
#include <charconv>

namespace apf {

namespace {

// A number, or part of the Pods in percent; more than all of them is all of them in effect.
std::optional<std::uint64_t> scaled(const ConfigNode* rolling, std::string_view key, std::uint64_t pods, bool up) {
  const ConfigNode* node = rolling ? rolling->find_present(key) : nullptr;
  if (!node) return std::nullopt;
  if (node->kind() == NodeKind::integer) {
    const std::int64_t value = node->integer().value_or(0);
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
  }
  const std::string_view text = node->is_string() ? node->text() : std::string_view();
  std::uint32_t percent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (read.ec != std::errc() || text.substr(static_cast<std::size_t>(read.ptr - text.data())) != "%")
    return std::nullopt;
  return (pods * percent + (up ? 99 : 0)) / 100;
}

Quantity times(Quantity amount, std::uint64_t n) {
  Quantity out(0, amount.format());
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) out += amount;
    amount += Quantity(amount);
  }
  return out;
}

// What `n` such objects need that their namespace's quotas do not have; the tightest of each.
std::vector<RollingUpdate::Need> needs_of(const QuotaSubject& subject, std::uint64_t n, const QuotaEngine& engine,
                                          const std::string& ns) {
  std::vector<RollingUpdate::Need> out;
  for (const std::size_t i : engine.quotas_of(ns)) {
    const QuotaState& quota = engine.quotas()[i];
    if (!QuotaEngine::covers(quota, subject)) continue;
    for (const auto& [name, amount] : QuotaEngine::tracked_usage(quota.hard, subject.usage)) {
      const Quantity* used = quota.used.find(name);
      Quantity needed = used ? *used : Quantity(0, amount.format());
      needed += times(amount, n);
      const Quantity& hard = *quota.hard.find(name);
      if (amount.is_zero() || needed <= hard) continue;
      const auto known =
          std::find_if(out.begin(), out.end(), [&key = name](const auto& need) { return need.resource == key; });
      if (known == out.end()) out.push_back({name, needed, hard});
      else if (hard < known->hard) *known = {name, needed, hard};
    }
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.resource < b.resource; });
  return out;
}

}  // namespace

std::optional<Rollout> rollout_of(const Manifest& manifest, const Workload& workload) {
  const bool deployment = manifest.kind == "Deployment", daemons = manifest.kind == "DaemonSet";
  if ((!deployment && !daemons) || workload.each.empty() || workload.rounds == 0) return std::nullopt;
  const ConfigNode* strategy = find_path(*manifest.object, {"spec", deployment ? "strategy" : "updateStrategy"});
  const std::string_view type = strategy ? text_at(*strategy, "type") : std::string_view();
  if (!type.empty() && type != "RollingUpdate") return std::nullopt;
  const ConfigNode* rolling = strategy ? strategy->find_present("rollingUpdate") : nullptr;
  const std::uint64_t pods = workload.rounds;
  Rollout out;
  // Without a number: 25 % of a Deployment's Pods, and of a DaemonSet's one unavailable.
  out.max_surge = scaled(rolling, "maxSurge", pods, true).value_or(deployment ? (pods + 3) / 4 : 0);
  out.max_unavailable = scaled(rolling, "maxUnavailable", pods, daemons).value_or(deployment ? pods / 4 : 1);
  if (out.max_surge == 0 && out.max_unavailable == 0) out.max_unavailable = 1;
  out.max_surge = std::min(out.max_surge, pods);
  out.once = workload.once;
  out.pod = workload.each.front();
  return out;
}

std::optional<RollingUpdate> update_without_room(const Rollout& rollout, const QuotaEngine& engine,
                                                 const std::string& ns) {
  RollingUpdate out;
  out.max_surge = rollout.max_surge;
  out.max_unavailable = rollout.max_unavailable;
  for (const CreatedObject& object : rollout.once) {
    out.needs = needs_of(object.subject, 1, engine, ns);
    if (out.needs.empty()) continue;
    out.created = object.kind;
    out.more = 1;
    out.stalls = true;
    return out;
  }
  if (rollout.max_surge == 0) return std::nullopt;
  out.created = rollout.pod.kind;
  out.more = rollout.max_surge;
  out.needs = needs_of(rollout.pod.subject, 1, engine, ns);
  out.stalls = !out.needs.empty() && rollout.max_unavailable == 0;
  if (out.stalls) out.more = 1;
  else out.needs = needs_of(rollout.pod.subject, rollout.max_surge, engine, ns);
  if (out.needs.empty()) return std::nullopt;
  return out;
}

}  // namespace apf
