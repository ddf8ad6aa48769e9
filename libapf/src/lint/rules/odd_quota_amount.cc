// APF708: an amount whose suffix cannot be meant: bytes in thousandths, next to no bytes, cores by 1024.
#include <fmt/core.h>

#include "lint/quota_keys.h"

namespace apf {

namespace {

bool counts_bytes(std::string_view key) {
  const std::string name = full_name(key);
  return name.ends_with(".memory") || name.ends_with(".storage") || name.ends_with(".ephemeral-storage") ||
         name.ends_with("/requests.storage") || name.starts_with("requests.hugepages-");
}

bool counts_cores(std::string_view key) {
  const std::string name = full_name(key);
  return name == "requests.cpu" || name == "limits.cpu";
}

void check_odd_quota_amount(const LintContext& context, Findings& findings) {
  static const Quantity least = *Quantity::parse("64Ki");
  for (const ResourceQuota& quota : context.loaded.resource_quotas) {
    for (const auto& [key, amount] : quota.spec.hard) {
      if (amount.sign() <= 0) continue;
      if (counts_bytes(key) && amount < least) {
        Quantity bytes = amount;
        const bool whole = bytes.round_up(0);
        const std::string size = bytes.value() == 1 ? "1 byte" : fmt::format("{} bytes", bytes.value());
        Diagnostic& d = findings.add(quota, hard_field(key),
                                     fmt::format("{} of {} is {}{}: nothing that needs any fits", amount.str(), key,
                                                 whole ? "" : "less than ", size));
        d.notes.push_back({whole ? "a number without a suffix is bytes: write Mi or Gi after it"
                                 : "m is a thousandth, of a byte here: write Mi or M for millions",
                           {}});
      } else if (counts_cores(key) && amount.format() == Quantity::Format::binary_si) {
        findings.add(quota, hard_field(key),
                     fmt::format("{} of {} is {} cores: write a number of cores, or thousandths with m", amount.str(),
                                 key, amount.value()));
      }
    }
  }
}

}  // namespace

extern const Rule rule_odd_quota_amount = {
    .code = "APF708",
    .name = "odd-quota-amount",
    .severity = Severity::warning,
    .group = RuleGroup::resource_quota,
    .summary = "an amount is so small or large that another suffix was probably meant",
    .what = R"(Memory or storage is less than 64Ki (a number without a suffix is bytes, and m is a thousandth), or cpu
has a suffix for bytes.)",
    .why = R"(The server accepts any quantity for any resource. With a quota of 10 bytes, no pod that requests memory
can be created. With one of 4Gi cores, all can.)",
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
