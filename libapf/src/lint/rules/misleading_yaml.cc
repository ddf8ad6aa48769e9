// APF507: YAML that is read as something else than it seems to say.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "config/reader.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr std::string_view kMergeKey = "<<", kPlainKey = "<-";

// The text with its merge keys as plain ones: what stands before them in a mapping is in its tree then.
std::shared_ptr<ConfigTree> with_plain_merges(const ConfigTree& tree) {
  std::string text(tree.text());
  bool found = false;
  for (std::size_t at = text.find(kMergeKey); at != text.npos; at = text.find(kMergeKey, at + 2)) {
    const std::size_t colon = text.find_first_not_of(" \t", at + 2);
    if (colon == text.npos || text[colon] != ':') continue;
    text.replace(at, kMergeKey.size(), kPlainKey);
    found = true;
  }
  if (!found) return nullptr;
  std::vector<Diagnostic> faults;
  const std::shared_ptr<ConfigTree> out = read_tree({tree.name(), std::move(text)}, faults);
  return faults.empty() ? out : nullptr;
}

bool are_equal(const ConfigNode& a, const ConfigNode& b) {
  return a.is_scalar() && b.is_scalar() && a.kind() == b.kind() && a.text() == b.text();
}

class MisleadingCheck {
 public:
  explicit MisleadingCheck(Findings& findings) : findings_(findings) {}

  void look(const ObjectMeta& meta, const char* kind) {
    const ConfigNode* root = meta.source.tree.get();
    if (!root) return;
    meta_ = &meta;
    kind_ = kind;
    look_at_numbers(*root, {});
    const ConfigTree& tree = root->tree();
    const auto [place, fresh] = plain_.try_emplace(&tree);
    if (fresh) place->second = with_plain_merges(tree);
    if (!place->second) return;
    for (const ConfigDocument& document : place->second->documents()) look_at_merges(*document.root, *root);
  }

 private:
  void look_at_numbers(const ConfigNode& node, const std::string& field) {
    for (std::size_t i = 0; i < node.items().size(); ++i)
      look_at_numbers(node.items()[i], fmt::format("{}[{}]", field, i));
    for (const ConfigEntry& entry : node.entries()) {
      const bool plain = entry.key.text().find_first_of("./[]") == std::string_view::npos;
      look_at_numbers(entry.value, !plain          ? fmt::format("{}[{}]", field, entry.key.text())
                                   : field.empty() ? std::string(entry.key.text())
                                                   : fmt::format("{}.{}", field, entry.key.text()));
    }
    const std::string_view text = node.text();
    const std::optional<std::int64_t> value = node.kind() == NodeKind::integer ? node.integer() : std::nullopt;
    if (!value) return;
    const std::string_view digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    const bool octal = digits.size() > 1 && digits[0] == '0' && digits.find_first_of("xXbB") == digits.npos;
    if (!octal) return;
    Diagnostic& d = findings_.add(*meta_, kind_, field,
                                  fmt::format("{} is read as {}: a number that begins with 0 is octal", text, *value));
    offer_fix(d, fmt::format("replace it with {}", *value), true, replace_scalar(*root_of(), field, NewScalar(*value)));
  }
  const ConfigNode* root_of() const { return meta_->source.tree.get(); }

  // Within the object, mappings with a merge key behind keys of their own that it overwrites.
  void look_at_merges(const ConfigNode& node, const ConfigNode& object) {
    if (node.end() <= object.begin() || node.begin() >= object.end()) return;
    for (const ConfigNode& item : node.items()) look_at_merges(item, object);
    const auto entries = node.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      look_at_merges(entries[i].value, object);
      if (entries[i].key.text() != kPlainKey) continue;
      const ConfigNode& value = entries[i].value;
      const std::span<const ConfigNode> sources = value.is_sequence() ? value.items() : std::span(&value, 1);
      for (std::size_t k = 0; k < i; ++k)
        for (const ConfigNode& source : sources) tell_overwritten(entries[k], source, entries[i].key);
    }
  }

  void tell_overwritten(const ConfigEntry& own, const ConfigNode& source, const ConfigNode& merge) {
    const ConfigNode* other = source.find(own.key.text());
    if (!other || are_equal(own.value, *other) || !told_.insert(&own.key).second) return;
    const std::string taken = other->is_scalar() ? fmt::format("{} of {}", own.key.text(), other->text())
                                                 : fmt::format("{} of its own", own.key.text());
    Diagnostic& d = findings_.add(*meta_, kind_, {},
                                  fmt::format("this {} is overwritten by the {} that '<<' behind it brings: kubectl's "
                                              "reader takes the last one, others the mapping's own",
                                              own.key.text(), taken));
    d.span = own.key.span();
    d.notes.push_back({"the merge is here: write it before the mapping's own keys", merge.span()});
  }

  Findings& findings_;
  const ObjectMeta* meta_ = nullptr;
  const char* kind_ = "";
  std::map<const ConfigTree*, std::shared_ptr<ConfigTree>> plain_;
  std::set<const ConfigNode*> told_;
};

void check_misleading_yaml(const LintContext& context, Findings& findings) {
  MisleadingCheck check(findings);
  const LoadedConfig& loaded = context.loaded;
  for (const FlowSchema& o : loaded.config.flow_schemas) check.look(o.meta, "FlowSchema");
  for (const PriorityLevel& o : loaded.config.priority_levels) check.look(o.meta, "PriorityLevelConfiguration");
  for (const ResourceQuota& o : loaded.resource_quotas) check.look(o.meta, "ResourceQuota");
  for (const LimitRange& o : loaded.limit_ranges) check.look(o.meta, "LimitRange");
  for (const EventRateLimitConfiguration& o : loaded.event_rate_limits) check.look(o.meta, "Configuration");
  for (const AuditPolicy& o : loaded.audit_policies) check.look(o.meta, "Policy");
}

}  // namespace

extern const Rule rule_misleading_yaml = {
    .code = "APF507",
    .name = "misleading-yaml",
    .severity = Severity::warning,
    .group = RuleGroup::versions,
    .summary = "kubectl reads something else than the YAML seems to say",
    .what = R"(A key of a mapping is followed by a merge key (<<) that brings the same key with another value; or a
number begins with 0, and is octal.)",
    .why = R"(YAML says that a mapping's own keys count, wherever the merge key is. kubectl's reader takes the last one,
and so does apfctl: a value that stands before the merge is lost. 0100 is 64, as in YAML 1.1.)",
    .example = R"(queuing:
  handSize: 4
  <<: *defaults
)",
    .instead = R"(queuing:
  <<: *defaults
  handSize: 4
)",
    .check = check_misleading_yaml,
};

}  // namespace apf
