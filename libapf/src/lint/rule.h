// What a lint rule is: a page and a check. One file per rule in rules/; rules.inc lists them.
#pragma once

#include <apf/limits.h>
#include <apf/lint.h>

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apf {

class EffectiveLevels;  // lint/given_schemas.h: what levels do with flows
class Reach;            // lint/reach/reach.h: which requests reach which FlowSchema

// Given objects with an error: the server has them neither as written nor not at all.
struct BrokenObjects {
  std::set<std::string, std::less<>> levels, schemas;  // names
  bool has_unread_schema = false;                      // or a text that may hold some
  bool has_unread_level = false;                       // a text that may hold some
};

// What checks see. Object lists are aligned: stored.flow_schemas[i] is loaded.config.flow_schemas[i] defaulted.
struct LintContext {
  const LoadedConfig& loaded;         // as written
  std::span<const ConfigText> texts;  // of `loaded`
  const Config& stored;               // as the server stores it: defaulted
  const Config& effective;            // what the server holds: `stored` over all built-in objects of the release
  const Config& builtins;             // those of the release
  const LimitsTable& limits;          // of `effective` at the given server limits
  const LintOptions& options;
  const BrokenObjects& broken;
  // Computed at the first call.
  const Reach& reach() const;
  const EffectiveLevels& levels() const;

  mutable std::unique_ptr<Reach> computed_reach;
  mutable std::unique_ptr<EffectiveLevels> computed_levels;
  LintContext(const LoadedConfig&, std::span<const ConfigText>, const Config&, const Config&, const Config&,
              const LimitsTable&, const LintOptions&, const BrokenObjects&);
  ~LintContext();
};

// True for objects from the given texts, false for the release's own.
inline bool is_given(const ObjectMeta& meta) { return meta.source.tree != nullptr; }

class Findings;

// A rule as its file writes it. A text that ends with a line break is YAML, shown as it is; in other texts a line break
// is a space.
struct Rule {
  const char* code;
  const char* name;
  Severity severity;
  RuleGroup group;
  RuleDialect dialect = RuleDialect::api;
  const char* summary;
  const char* what;
  const char* why;
  const char* example;
  const char* instead;
  bool on_request = false;  // runs only if it is selected by its code or name, or if the settings give it a severity
  // Null for what reading, validation and the handling of suppressions report.
  void (*check)(const LintContext& context, Findings& findings) = nullptr;
};

// Where a rule's check reports to. The returned Diagnostic may be added to (notes, witness, fix, severity); the
// reference is valid until the next add.
class Findings {
 public:
  explicit Findings(std::vector<Diagnostic>& out) : out_(out) {}
  void set_rule(const Rule& rule) {
    rule_ = &rule;
    first_ = out_.size();
  }
  Diagnostic& add(const FlowSchema& object, std::string field, std::string message);
  Diagnostic& add(const PriorityLevel& object, std::string field, std::string message);
  Diagnostic& add(const EventRateLimitConfiguration& object, std::string field, std::string message);
  Diagnostic& add(const ObjectMeta& meta, const char* kind, std::string field, std::string message);
  Diagnostic& add(const ResourceQuota& object, std::string field, std::string message);

 private:
  std::vector<Diagnostic>& out_;
  const Rule* rule_ = nullptr;
  std::size_t first_ = 0;  // finding of this rule
  Diagnostic beyond_;      // gets the findings of a rule that aren't reported
};

// A note that points at a field of another object.
Note note_at(const ObjectMeta& meta, std::string_view field, std::string message);

// The rules of rules/, by code.
std::span<const Rule* const> all_rules();
// Does the rule with this code have a check of its own?
bool is_checked(std::string_view code);

}  // namespace apf
