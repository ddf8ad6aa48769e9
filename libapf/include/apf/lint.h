// What the API server would accept and its operator regret: rules over a whole configuration.
#pragma once

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

// The page of a rule: `apfctl rules CODE`.
struct RuleInfo {
  const char* code;     // "APF101"
  const char* name;     // "dangling-level": names the problem, reads well after "allow"
  Severity severity;    // unless configured otherwise
  const char* summary;  // one sentence
  const char* what;     // what the rule finds
  const char* why;      // what goes wrong in the cluster
  const char* example;  // YAML that it finds
  const char* instead;  // YAML, or a sentence
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
