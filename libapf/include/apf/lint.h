// What the API server would accept and its operator regret: rules over a whole configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/diagnostic.h>
#include <apf/kube_version.h>
#include <apf/version.h>

namespace apf {

// What a rule is about: the heading of its range of codes.
enum class RuleGroup : std::uint8_t {
  rejected,          // 0xx: the API server rejects it
  dangling,          // 1xx
  precedence,        // 2xx
  concurrency,       // 3xx
  queues,            // 4xx
  versions,          // 5xx
  event_rate_limit,  // 6xx
  resource_quota,    // 7xx
  kep,               // 8xx
  suppressions,      // 9xx
};
// "Concurrency and lending"
APF_API std::string_view rule_group_title(RuleGroup group);

// Which configurations a rule looks at: those of the API, those in the KEP's own dialect, or both.
enum class RuleDialect : std::uint8_t { api, kep, any };

// The page of a rule: `apfctl rules CODE`.
struct RuleInfo {
  const char* code;   // "APF101"
  const char* name;   // "dangling-level": names the problem, reads well after "allow"
  Severity severity;  // unless configured otherwise
  RuleGroup group;
  RuleDialect dialect;
  const char* summary;  // one sentence
  std::string what;     // what the rule finds
  std::string why;      // what goes wrong in the cluster
  std::string example;  // YAML that it finds, or a sentence
  std::string instead;  // YAML, or a sentence; YAML ends with a line break
};

// All rules by code, those of decoding and validation included.
APF_API std::span<const RuleInfo> lint_rules();
// By code or name; null if there is none.
APF_API const RuleInfo* find_rule(std::string_view code_or_name);

struct LintOptions {
  KubeVersion version;
  int max_requests_inflight = 400, max_mutating_requests_inflight = 200;  // seats of the server
  std::string today;                        // "2026-11-20": for the end dates of suppressions; empty: none has ended
  std::vector<std::string> select, ignore;  // codes, code prefixes ("APF1") or names; empty select = all rules
  double collision_threshold = 0.01;        // odds from which a hand is called too small
  // Of a log: from how many namespaces and users core/v1 events came. Empty: there is no log.
  struct EventSources {
    std::size_t namespaces = 0, users = 0;
  };
  std::optional<EventSources> events;
  int heavy_flows = 4;  // how many flows are taken to be heavy at once
};

struct LintResult {
  std::vector<Diagnostic> findings;    // sorted; suppressed ones left out
  std::vector<Diagnostic> suppressed;  // by comments
};

// Validation findings (0xx) and those of all selected rules. Findings are about the given objects only, never about
// the release's own. `texts` must be those that `loaded` came from.
APF_API LintResult lint(const LoadedConfig& loaded, std::span<const ConfigText> texts, const LintOptions& options);

}  // namespace apf
