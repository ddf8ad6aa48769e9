// Linting: what kube-apiserver would reject in a configuration, and what it would accept and its operator would regret.
//
// lint_project() does all that `apfctl lint` does: it reads the files and the project's settings (.apfctl.yaml), runs
// the rules, applies suppressions and the baseline, counts the requests of a log that each finding is about, and fixes
// what can be fixed.
//
//   apf::LintProject project;
//   project.paths = {"flowcontrol/"};
//   project.today = "2026-11-20";
//   const apf::ProjectFindings found = apf::lint_project(project);
//   for (const apf::Diagnostic& d : found.findings) std::puts(apf::to_string(d).c_str());
//   const bool failed = found.count_from(found.fail_on) > 0;
//
// lint() runs the rules alone, over texts that the caller has loaded:
//
//   const std::vector<apf::ConfigText> texts = {{"a.yaml", "kind: FlowSchema"}};
//   const apf::LoadedConfig loaded = apf::load_config(texts);
//   const apf::LintResult result = apf::lint(loaded, texts, apf::LintOptions{});
//
// Ownership: results are values and refer to nothing that was passed in. Threads: every function may be called from
// several threads at once. Errors: faults in the user's files, the settings included, are findings; what stops the
// whole (a file that cannot be read, a rule that does not exist) throws apf::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/findings.h>
#include <apf/policy_coverage.h>
#include <apf/related_files.h>
#include <apf/remarks.h>
#include <apf/settings.h>
#include <apf/traffic.h>
#include <apf/version.h>

namespace apf {

// The settings in the file `path`; without a path those in the .apfctl.yaml found from the current folder upward to the
// root of the git work tree (outside of one only the current folder is looked at). Rules that they name have to exist.
// Throws Error for a file that cannot be read.
APF_API ProjectSettings load_settings(const std::optional<std::string>& path = std::nullopt);

// --- the rules ---

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
  audit_policies,    // 95x
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

// --- one configuration ---

struct LintOptions {
  KubeVersion version;
  int max_requests_inflight = 400, max_mutating_requests_inflight = 200;  // seats of the server
  std::string today;  // "2026-11-20": for the end dates of suppressions; empty: none has ended
  std::vector<std::string> select,
      ignore;  // codes, code prefixes ("APF1") or names; empty select = all rules but by-user-one-flow
  std::vector<std::string> enabled;   // codes of rules that would run only if they were selected
  double collision_threshold = 0.01;  // odds from which a hand is called too small
  // Of a log: from how many namespaces and users core/v1 events came. Empty: there is no log.
  struct EventSources {
    std::size_t namespaces = 0, users = 0;
  };
  std::optional<EventSources> events;
  // Of a log: how often a request that others may wait for ran within one that may have caused it, of how many.
  struct Nested {
    User inner_user;
    RequestInfo inner;
    User outer_user;
    RequestInfo outer;
    std::uint64_t count = 0, of = 0;
  };
  std::vector<Nested> nested;  // the most frequent first
  int heavy_flows = 4;         // how many flows are taken to be heavy at once
  Config added;                // objects that are in the cluster besides these and the release's own: see Preset
  bool partial = false;        // other objects, which are not given, are in the cluster too
  bool renamed = false;        // they get other names when they are built: see ConfigSet
};

struct LintResult {
  std::vector<Diagnostic> findings;    // sorted; suppressed ones left out
  std::vector<Diagnostic> suppressed;  // by comments
};

// Validation findings (0xx) and those of all selected rules. Findings are about the given objects only, never about
// the release's own. `texts` must be those that `loaded` came from.
APF_API LintResult lint(const LoadedConfig& loaded, std::span<const ConfigText> texts, const LintOptions& options);

// --- a project ---

// Of a FlowSchema: the requests that match it, whether or not an earlier one takes them, and those that it takes.
// Where the finding is at a rule, or a subject or entry of one, only what matches that counts. Of a level: the requests
// that are led to it, twice.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t taken = 0;
  std::uint64_t of = 0;  // all requests of the log
};

// By finding; nothing for a finding that is not about an object in force. Empty without a log.
using FindingsTraffic = std::vector<std::optional<Traffic>>;

// What was looked at. How many findings there are of each severity is counted from the findings themselves.
struct FindingsSummary {
  std::size_t files = 0, objects = 0;
  std::size_t skipped = 0;      // objects of other kinds
  std::size_t suppressed = 0;   // findings that comments, settings or a baseline silence
  std::vector<Remark> remarks;  // about all of them: that the release is newer than all known ones
};

enum class FixKind : std::uint8_t {
  none,
  safe,  // fixes after which the server treats the objects as before
  all,   // also those after which it may treat requests otherwise
};

// What lint_project() looks at. An option here takes precedence over the settings.
struct LintProject {
  std::vector<std::string> paths;            // as read_config_files() takes them
  std::vector<ConfigText> texts;             // besides those of `paths`, as read elsewhere
  std::string stdin_name = "<stdin>";        // what the path "-" is called in findings and settings
  bool together = false;                     // true: all texts are one configuration; else see sets_of()
  bool fixtures = false;                     // true: files for tests are read as well: see FolderContents
  bool use_settings = true;                  // false: no .apfctl.yaml
  std::optional<std::string> settings_path;  // see load_settings()
  std::optional<std::string> preset;         // the name of a Preset; else that of the settings
  bool use_baseline = true;                  // false: known findings are also reported
  std::optional<std::string> baseline_path;  // else that of the settings, if they name one
  std::vector<std::string> traffic;          // logs; "-" = standard input
  MakeTrafficReader traffic_reader;          // log_traffic() of <apf/logs.h>; empty: logs are an Error
  std::vector<std::string> select, ignore;   // as in LintOptions
  std::string today;                         // as in LintOptions
  std::optional<KubeVersion> version;        // else that of the settings, else the newest
  // Seats of the server. The sum takes the place of the two; else the settings', else 400 and 200.
  std::optional<int> max_requests_inflight, max_mutating_requests_inflight, server_concurrency;
  FixKind fix = FixKind::none;
};

struct APF_API ProjectFindings {
  ProjectSettings project;           // with faults nothing else is filled
  std::vector<Diagnostic> findings;  // sorted; about `texts`; of the severity that the settings give them
  FindingsTraffic traffic;           // by finding
  FindingsSummary summary;
  std::vector<ConfigText> texts;    // as read, without the excluded ones; fixed if `fix` asks for it
  std::vector<ConfigText> unfixed;  // with `fix`: as read, by text
  int fixes = 0;                    // applied
  std::size_t excluded = 0;         // texts that the settings exclude
  FolderContents contents;          // what of folders was left out
  std::vector<ConfigSet> sets;      // of `texts`, each of which was linted by itself
  std::size_t baseline_unused = 0;  // entries of the baseline whose findings are gone
  struct Unclassified {
    std::string log;
    std::uint64_t requests = 0, bad = 0;  // all of the log; those that cannot be classified
  };
  std::vector<Unclassified> unclassified;  // logs with such requests
  std::vector<Remark> damaged_logs;        // RemarkKind::log_damaged
  Severity fail_on = Severity::warning;    // of the settings: findings from this severity on are a failure
  LoadedConfig loaded;                     // what `texts` hold

  std::size_t count_from(Severity severity) const;  // findings of this severity or a higher one
};

// What `apfctl lint` finds, in the same order. Throws Error: a file or log that cannot be read, a baseline that is
// none, a rule that does not exist, a log without a request.
APF_API ProjectFindings lint_project(const LintProject& project);

// Objects in another version of the API with the layout and the comments of their files.
struct ConvertedTexts {
  std::vector<ConfigText> texts;  // by text
  std::size_t converted = 0;      // objects
  // What is lost, and what stays as it is: an object that does not decode, or that other objects surround.
  std::vector<Diagnostic> losses;
};
APF_API ConvertedTexts convert_texts(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                                     FlowControlVersion to, std::optional<KubeVersion> release = {});

// The text of a baseline file that holds these findings; `folder` is the file's own.
APF_API std::string render_baseline(const ProjectFindings& found, const std::string& folder);

// --- audit policies ---

// Which requests of each FlowSchema the policy never records, over the matching languages of both: exact for users that
// a FlowSchema or the policy names, and for others by the least groups that a FlowSchema asks for. `config` complete.
// Objects in the KEP's dialect are left out.
APF_API PolicyCoverage policy_coverage(const Config& config, const AuditPolicy& policy);

}  // namespace apf
