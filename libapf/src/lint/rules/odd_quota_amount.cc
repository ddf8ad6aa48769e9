// APF708: an amount whose suffix cannot be meant: bytes in thousandths, next to no bytes, cores by 1024.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

bool counts_bytes(std::string_view key) {
  return key == "memory" || key == "ephemeral-storage" || key.ends_with(".memory") || key.ends_with("storage") ||
         key.starts_with("hugepages-") || key.starts_with("requests.hugepages-");
}

bool counts_cores(std::string_view key) { return key == "cpu" || key == "requests.cpu" || key == "limits.cpu"; }

// What is odd about so much of `key`; empty: nothing. `effect`: of next to no bytes.
std::string oddness(std::string_view key, const Quantity& amount, const char* effect) {
  static const Quantity least = *Quantity::parse("64Ki");
  if (amount.sign() <= 0) return {};
  if (counts_cores(key) && amount.format() == Quantity::Format::binary_si)
    return fmt::format("{} of {} is {} cores: write a number of cores, or thousandths with m", amount.str(), key,
                       amount.value());
  if (!counts_bytes(key) || amount >= least) return {};
  Quantity bytes = amount;
  const bool whole = bytes.round_up(0);
  return fmt::format("{} of {} is {}{}: {}", amount.str(), key, whole ? "" : "less than ",
                     bytes.value() == 1 ? "1 byte" : fmt::format("{} bytes", bytes.value()), effect);
}

void add_hint(Diagnostic& d, std::string_view key, const Quantity& amount) {
  if (counts_cores(key)) return;
  Quantity bytes = amount;
  d.notes.push_back({bytes.round_up(0) ? "a number without a suffix is bytes: write Mi or Gi after it"
                                       : "m is a thousandth, of a byte here: write Mi or M for millions",
                     {}});
}

void check_range(const LimitRange& range, Findings& findings) {
  for (std::size_t i = 0; i < range.items.size(); ++i) {
    const LimitRange::Item& item = range.items[i];
    const auto look = [&](const char* list, const ResourceList& amounts, const char* effect) {
      for (const auto& [key, amount] : amounts) {
        const std::string odd = oddness(key, amount, effect);
        if (odd.empty()) continue;
        const std::string field = fmt::format("spec.limits[{}].{}[{}]", i, list, key);
        add_hint(findings.add(range.meta, "LimitRange", field, odd), key, amount);
      }
    };
    look("default", item.limit, "no container starts in it");
    look("max", item.max, "nothing that needs any fits");
    look("defaultRequest", item.request, "next to nothing is reserved");
  }
}

void check_odd_quota_amount(const LintContext& context, Findings& findings) {
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      const std::string odd = oddness(full_name(key), amount, "nothing that needs any fits");
      if (odd.empty()) continue;
      add_hint(findings.add(quota, hard_field(key), odd), full_name(key), amount);
    }
  }
  for (const LimitRange& range : context.loaded.limit_ranges) check_range(range, findings);
}

}  // namespace

extern const Rule rule_odd_quota_amount = {
    .code = "APF708",
    .name = "odd-quota-amount",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "an amount is so small or large that another suffix was probably meant",
    .what =
        R"(In a quota or a LimitRange, memory or storage is less than 64Ki (a number without a suffix is bytes, and m is a thousandth), or cpu
has a suffix for bytes.)",
    .why = R"(The server accepts any quantity for any resource. With a quota of 10 bytes, no pod that requests memory
can be created, and no container starts with a default limit of 512 bytes. With a quota of 4Gi cores, all can.)",
    .example = R"(apiVersion: v1
kind: ResourceQuota
metadata:
  name: compute
  namespace: team-a
spec:
  hard:
    requests.memory: 512m
    limits.memory: "10"
)",
    .instead = R"(spec:
  hard:
    requests.memory: 512Mi
    limits.memory: 10Gi
)",
    .check = check_odd_quota_amount,
};

}  // namespace apf
