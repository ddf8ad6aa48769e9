#include "config/schema.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/core.h>

#include <apf/time.h>

#include "base/releases.h"
#include "base/sort_stably.h"
#include "config/closest.h"
#include "config/metadata_schema.h"
#include "config/quantity_faults.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

using enum FieldType;

// FlowSchema
constexpr FieldSchema kServiceAccountFields[] = {{"namespace", string, "string"}, {"name", string, "string"}};
constexpr StructSchema kServiceAccount{"ServiceAccountSubject", kServiceAccountFields};
constexpr FieldSchema kNameFields[] = {{"name", string, "string"}};
constexpr StructSchema kUser{"UserSubject", kNameFields};
constexpr StructSchema kGroup{"GroupSubject", kNameFields};
constexpr StructSchema kLevelReference{"PriorityLevelConfigurationReference", kNameFields};

constexpr FieldSchema kSubjectFields[] = {
    {"kind", string, "@.SubjectKind"},
    {"user", object, "@.UserSubject", &kUser},
    {"group", object, "@.GroupSubject", &kGroup},
    {"serviceAccount", object, "@.ServiceAccountSubject", &kServiceAccount},
};
constexpr StructSchema kSubject{"Subject", kSubjectFields};

constexpr FieldSchema kResourceRuleFields[] = {
    {"verbs", string_list, "string"},  {"apiGroups", string_list, "string"},  {"resources", string_list, "string"},
    {"clusterScope", boolean, "bool"}, {"namespaces", string_list, "string"},
};
constexpr StructSchema kResourceRule{"ResourcePolicyRule", kResourceRuleFields};

constexpr FieldSchema kNonResourceRuleFields[] = {{"verbs", string_list, "string"},
                                                  {"nonResourceURLs", string_list, "string"}};
constexpr StructSchema kNonResourceRule{"NonResourcePolicyRule", kNonResourceRuleFields};

constexpr FieldSchema kRuleFields[] = {
    {"subjects", object_list, "@.Subject", &kSubject},
    {"resourceRules", object_list, "@.ResourcePolicyRule", &kResourceRule},
    {"nonResourceRules", object_list, "@.NonResourcePolicyRule", &kNonResourceRule},
};
constexpr StructSchema kRule{"PolicyRulesWithSubjects", kRuleFields};

constexpr FieldSchema kTypeFields[] = {{"type", string, "@.FlowDistinguisherMethodType"}};
constexpr StructSchema kDistinguisher{"FlowDistinguisherMethod", kTypeFields};

constexpr FieldSchema kFlowSchemaSpecFields[] = {
    {"priorityLevelConfiguration", object, "@.PriorityLevelConfigurationReference", &kLevelReference},
    {"matchingPrecedence", int32, "int32"},
    {"distinguisherMethod", object, "@.FlowDistinguisherMethod", &kDistinguisher},
    {"rules", object_list, "@.PolicyRulesWithSubjects", &kRule},
};
constexpr StructSchema kFlowSchemaSpec{"FlowSchemaSpec", kFlowSchemaSpecFields};

// status, of both kinds
constexpr FieldSchema kFlowSchemaConditionFields[] = {
    {"type", string, "@.FlowSchemaConditionType"},
    {"status", string, "@.ConditionStatus"},
    {"lastTransitionTime", time, "v1.Time"},
    {"reason", string, "string"},
    {"message", string, "string"},
};
constexpr StructSchema kFlowSchemaCondition{"FlowSchemaCondition", kFlowSchemaConditionFields};
constexpr FieldSchema kFlowSchemaStatusFields[] = {
    {"conditions", object_list, "@.FlowSchemaCondition", &kFlowSchemaCondition}};
constexpr StructSchema kFlowSchemaStatus{"FlowSchemaStatus", kFlowSchemaStatusFields};

constexpr FieldSchema kLevelConditionFields[] = {
    {"type", string, "@.PriorityLevelConfigurationConditionType"},
    {"status", string, "@.ConditionStatus"},
    {"lastTransitionTime", time, "v1.Time"},
    {"reason", string, "string"},
    {"message", string, "string"},
};
constexpr StructSchema kLevelCondition{"PriorityLevelConfigurationCondition", kLevelConditionFields};
constexpr FieldSchema kLevelStatusFields[] = {
    {"conditions", object_list, "@.PriorityLevelConfigurationCondition", &kLevelCondition}};
constexpr StructSchema kLevelStatus{"PriorityLevelConfigurationStatus", kLevelStatusFields};

constexpr FieldSchema kFlowSchemaFields[] = {
    {"kind", string, "string"},
    {"apiVersion", string, "string"},
    {"metadata", object, "v1.ObjectMeta", &kMetadata},
    {"spec", object, "@.FlowSchemaSpec", &kFlowSchemaSpec},
    {"status", object, "@.FlowSchemaStatus", &kFlowSchemaStatus},
};
constexpr StructSchema kFlowSchema{"FlowSchema", kFlowSchemaFields};

// PriorityLevelConfiguration
constexpr FieldSchema kQueuingFields[] = {
    {"queues", int32, "int32"}, {"handSize", int32, "int32"}, {"queueLengthLimit", int32, "int32"}};
constexpr StructSchema kQueuing{"QueuingConfiguration", kQueuingFields};
constexpr FieldSchema kLimitResponseFields[] = {{"type", string, "@.LimitResponseType"},
                                                {"queuing", object, "@.QueuingConfiguration", &kQueuing}};
constexpr StructSchema kLimitResponse{"LimitResponse", kLimitResponseFields};

// Limited levels call their shares one name or the other, by version. Lending came with a release.
constexpr std::array<FieldSchema, 2> plain_fields(std::string_view shares) {
  return {{{shares, int32, "int32"}, {"limitResponse", object, "@.LimitResponse", &kLimitResponse}}};
}
constexpr std::array<FieldSchema, 4> limited_fields(std::string_view shares) {
  return {{{shares, int32, "int32"},
           {"limitResponse", object, "@.LimitResponse", &kLimitResponse},
           {"lendablePercent", int32, "int32"},
           {"borrowingLimitPercent", int32, "int32"}}};
}
constexpr auto kNominalLimitedFields = limited_fields("nominalConcurrencyShares");
constexpr auto kAssuredLimitedFields = limited_fields("assuredConcurrencyShares");
constexpr auto kNominalPlainFields = plain_fields("nominalConcurrencyShares");
constexpr auto kAssuredPlainFields = plain_fields("assuredConcurrencyShares");
constexpr FieldSchema kExemptFields[] = {{"nominalConcurrencyShares", int32, "int32"},
                                         {"lendablePercent", int32, "int32"}};
constexpr StructSchema kExempt{"ExemptPriorityLevelConfiguration", kExemptFields};

// The tables above a limited level, for each of its shapes.
template <const auto& LimitedFields, bool kHasExempt>
struct Level {
  static constexpr StructSchema kLimited{"LimitedPriorityLevelConfiguration", LimitedFields};
  static constexpr FieldSchema kSpecFields[] = {
      {"type", string, "@.PriorityLevelEnablement"},
      {"limited", object, "@.LimitedPriorityLevelConfiguration", &kLimited},
      {"exempt", object, "@.ExemptPriorityLevelConfiguration", &kExempt},
  };
  static constexpr StructSchema kSpec{"PriorityLevelConfigurationSpec",
                                      std::span<const FieldSchema>(kSpecFields).first(kHasExempt ? 3 : 2)};
  static constexpr FieldSchema kFields[] = {
      {"kind", string, "string"},
      {"apiVersion", string, "string"},
      {"metadata", object, "v1.ObjectMeta", &kMetadata},
      {"spec", object, "@.PriorityLevelConfigurationSpec", &kSpec},
      {"status", object, "@.PriorityLevelConfigurationStatus", &kLevelStatus},
  };
  static constexpr StructSchema kObject{"PriorityLevelConfiguration", kFields};
};

template <const auto& LimitedFields, const auto& PlainFields>
const StructSchema& level_schema(KubeVersion release) {
  if (!has(release, Feature::borrowing)) return Level<PlainFields, false>::kObject;
  return has(release, Feature::exempt_level_has_seats) ? Level<LimitedFields, true>::kObject
                                                       : Level<LimitedFields, false>::kObject;
}

// The name the server's decoder has for a value of this kind.
std::string_view json_kind(const ConfigNode& node) {
  switch (node.kind()) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return "bool";
    case NodeKind::integer:
    case NodeKind::floating:
      return "number";
    case NodeKind::string:
      return "string";
    case NodeKind::sequence:
      return "array";
    case NodeKind::mapping:
      return "object";
  }
  return "value";
}

// Of any year: Go's zero time is in year 1.
bool is_rfc3339(std::string_view text) {
  if (text.size() < 4 || text.substr(0, 4).find_first_not_of("0123456789") != text.npos) return false;
  return parse_rfc3339("2000" + std::string(text.substr(4))).has_value();
}

bool is_percentage(std::string_view text) {
  return text.size() > 1 && text.find_first_not_of("0123456789") == text.size() - 1 && text.ends_with('%');
}

class Checker {
 public:
  Checker(ApiVersion version, const ObjectLabel& label, std::vector<Diagnostic>& diagnostics)
      : version_(version), label_(label), diagnostics_(diagnostics) {}

  bool ok() const { return ok_; }

  void check_struct(const ConfigNode& node, const StructSchema& schema) {
    if (path_.empty()) root_ = &node;
    const std::size_t path = path_.size();
    const std::size_t go_path = go_path_.size();
    const auto entries = node.entries();
    std::uint64_t seen = 0;  // one bit a field; no struct has more than 64
    for (const ConfigEntry& entry : entries) {
      const std::string_view name = entry.key.text();
      const auto field = std::find_if(schema.fields.begin(), schema.fields.end(),
                                      [&](const FieldSchema& f) { return f.name == name; });
      append_name(name);
      if (field == schema.fields.end()) {
        report_unknown(node, entry, schema);
      } else {
        const std::uint64_t bit = std::uint64_t{1} << (field - schema.fields.begin());
        if (seen & bit) report_duplicate(entry);
        seen |= bit;
        struct_name_ = schema.go_name;
        check_field(entry.value, *field);
      }
      path_.resize(path);
      go_path_.resize(go_path);
    }
  }

 private:
  void append_name(std::string_view name) {
    if (!path_.empty()) path_ += '.';
    path_ += name;
    if (!go_path_.empty()) go_path_ += '.';
    go_path_ += name;
  }

  void check_field(const ConfigNode& node, const FieldSchema& field) {
    if (node.is_null() || field.type == any) return;
    switch (field.type) {
      case object:
        if (!node.is_mapping()) return report_scalar(node, field);
        return check_struct(node, *field.fields);
      case object_list:
        if (!node.is_sequence()) return report_type(node, "a list", field.go_type, "[]");
        return each_item(node, [&](const ConfigNode& item, std::string_view owner) {
          struct_name_ = owner;
          if (item.is_mapping()) check_struct(item, *field.fields);
          else if (!item.is_null()) report_type(item, "a mapping", field.go_type, {});
        });
      case string_list:
        if (!node.is_sequence()) {
          report_type(node, "a list of strings", field.go_type, "[]");
          return suggest(node, fmt::format("[{}]", as_written(node)));
        }
        return each_item(node,
                         [&](const ConfigNode& item, std::string_view) { check_scalar(item, string, field.go_type); });
      case string_map:
        return check_string_map(node, field);
      case quantity_map:
        return check_quantity_map(node, field);
      default:
        return check_scalar(node, field.type, field.go_type);
    }
  }

  template <class Check>
  void each_item(const ConfigNode& list, const Check& check) {
    const std::size_t path = path_.size();
    const std::string_view owner = struct_name_;
    std::size_t index = 0;
    for (const ConfigNode& item : list.items()) {
      path_ += fmt::format("[{}]", index++);
      check(item, owner);
      path_.resize(path);
    }
  }

  void check_string_map(const ConfigNode& node, const FieldSchema& field) {
    if (!node.is_mapping()) return report_type(node, "a mapping of strings", field.go_type, {});
    each_key(node, [&](const ConfigNode& value) { check_scalar(value, string, "string"); });
  }

  void check_quantity_map(const ConfigNode& node, const FieldSchema& field) {
    if (!node.is_mapping()) return report_type(node, "a mapping of quantities", field.go_type, {});
    each_key(node, [&](const ConfigNode& value) {
      const auto fault = find_quantity_fault(value);
      if (!fault) return;
      ok_ = false;
      Diagnostic& d = add(kInvalidQuantity, Severity::error, value, fmt::format("{}: {}", path_, fault->message));
      d.detail = fault->server_text;
      if (!fault->cure.empty()) d.notes.push_back({fault->cure, {}});
    });
  }

  // In the order of the keys.
  template <class Check>
  void each_key(const ConfigNode& node, const Check& check) {
    const std::size_t path = path_.size();
    std::vector<const ConfigEntry*> by_key;
    for (const ConfigEntry& entry : node.entries()) by_key.push_back(&entry);
    sort_stably(by_key, [](const auto* a, const auto* b) { return a->key.text() < b->key.text(); });
    for (std::size_t i = 0; i < by_key.size(); ++i) {
      path_ += fmt::format("[{}]", by_key[i]->key.text());
      if (i > 0 && by_key[i]->key.text() == by_key[i - 1]->key.text()) report_duplicate(*by_key[i]);
      check(by_key[i]->value);
      path_.resize(path);
    }
  }

  void check_scalar(const ConfigNode& node, FieldType type, std::string_view go_type) {
    switch (type) {
      case string:
        if (!node.is_string() && !node.is_null()) report_type(node, "a string", go_type, {});
        return;
      case boolean:
        if (node.kind() != NodeKind::boolean) report_type(node, "true or false", go_type, {});
        return;
      case time:
        if (!node.is_string()) report_type(node, "an RFC 3339 time as a string", "string", {});
        else if (!is_rfc3339(node.text())) report_time(node);
        return;
      default:
        return check_integer(node, type, go_type);
    }
  }

  void check_integer(const ConfigNode& node, FieldType type, std::string_view go_type) {
    const bool number = node.kind() == NodeKind::integer || node.kind() == NodeKind::floating;
    const auto value = node.kind() == NodeKind::integer ? node.integer() : std::nullopt;
    const bool small = type == int32;
    if (value && (!small || (*value >= std::numeric_limits<std::int32_t>::min() &&
                             *value <= std::numeric_limits<std::int32_t>::max()))) {
      return;
    }
    const bool whole = node.kind() == NodeKind::integer;
    const char* const expected = !whole ? "an integer" : small ? "a 32-bit integer" : "a 64-bit integer";
    report(node, expected, number ? "number " + node.number_text() : std::string(json_kind(node)), go_type);
  }

  Diagnostic& add(const ConfigCode& code, Severity severity, const ConfigNode& at, std::string message) {
    Diagnostic d =
        make_diagnostic(at.tree(), code, severity, at.begin(), at.end(), std::move(message), label_.document);
    d.api_version = label_.api_version;
    d.kind = label_.kind;
    d.object_name = label_.name;
    d.field = path_;
    diagnostics_.push_back(std::move(d));
    return diagnostics_.back();
  }

  void report_unknown(const ConfigNode& owner, const ConfigEntry& entry, const StructSchema& schema) {
    Diagnostic& d = add(kUnknownField, Severity::warning, entry.key, fmt::format("unknown field \"{}\"", path_));
    d.detail = "strict decoding error: " + d.message;
    const std::string_view name = entry.key.text();
    // The one field that was renamed between versions of the API.
    const bool assured = name == "assuredConcurrencyShares";
    if ((assured || name == "nominalConcurrencyShares") && schema.go_name == "LimitedPriorityLevelConfiguration") {
      const std::string_view right = assured ? "nominalConcurrencyShares" : "assuredConcurrencyShares";
      d.notes.push_back({fmt::format("{} calls it {}; the server ignores {} here and uses {}",
                                     api_version_name(version_), right, name, shares_in_words(owner, right)),
                         {}});
      return;
    }
    std::vector<std::string_view> names;
    for (const FieldSchema& field : schema.fields) names.push_back(field.name);
    const std::string_view near = closest(name, names);
    if (near.empty()) return;
    const ConfigNode* const there = owner.find_present(near);
    d.notes.push_back({there && there->is_scalar()
                           ? fmt::format("{} It is there, and its value {} counts", did_you_mean(near), there->text())
                           : did_you_mean(near),
                       {}});
  }

  // Which shares count where `field` is the version's name of them.
  std::string shares_in_words(const ConfigNode& owner, std::string_view field) const {
    const ConfigNode* const there = owner.find_present(field);
    if (!there || !there->is_scalar()) return "the default of 30";
    // Only v1 tells 0 from absent, and v1beta3 where an annotation asks for it.
    const bool keeps_zero =
        version_ == ApiVersion::v1 ||
        (version_ == ApiVersion::v1beta3 &&
         find_field(*root_, fmt::format("metadata.annotations[{}]", kPreserveZeroAnnotation)).exact);
    const bool is_default = there->integer() == 0 && !keeps_zero;
    return fmt::format("{}: {}{}", field, there->text(), is_default ? ", which means the default of 30" : "");
  }

  void report_duplicate(const ConfigEntry& entry) {
    Diagnostic& d = add(kDuplicateField, Severity::warning, entry.key, fmt::format("duplicate field \"{}\"", path_));
    d.detail = "strict decoding error: " + d.message;
    d.notes.push_back({"the last one is used", {}});
  }

  void report_type(const ConfigNode& node, std::string_view expected, std::string_view go_type,
                   std::string_view go_prefix) {
    report(node, expected, std::string(json_kind(node)), std::string(go_prefix) + std::string(go_type));
  }

  void report(const ConfigNode& node, std::string_view expected, const std::string& go_value,
              std::string_view go_type) {
    ok_ = false;
    Diagnostic& d = add(kWrongType, Severity::error, node,
                        fmt::format("{}: expected {}, found {}", path_, expected, found_words(node)));
    std::string type(go_type);
    const std::size_t package = type.find('@');
    if (package != type.npos) type.replace(package, 1, api_version_name(version_));
    d.detail = fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", go_value, struct_name_,
                           go_path_, type);
    const bool quoted = node.is_string() && node.style() != NodeStyle::plain;
    if (quoted && (expected.find("integer") != expected.npos || expected.starts_with("true")) &&
        resolve_plain(node.text()) != NodeKind::string) {
      d.notes.push_back({"write it without quotes", node.span()});
    } else if (node.is_string() && expected.find("integer") != expected.npos && is_percentage(node.text())) {
      suggest(node, std::string(node.text().substr(0, node.text().size() - 1)));
    } else if (node.is_string() && node.text().starts_with("${")) {
      d.notes.push_back({fmt::format("{} is a variable: fill it in first, as with flux envsubst", node.text()), {}});
    } else if (expected == "a string" && node.is_scalar()) {
      d.notes.push_back({fmt::format("YAML reads {} as {}; write it in quotes", node.text(),
                                     json_kind(node) == "bool" ? "a boolean" : "a number"),
                         node.span()});
    }
  }

  // "priorityLevelConfiguration: workload-low" means its name, "distinguisherMethod: ByUser" its type.
  void report_scalar(const ConfigNode& node, const FieldSchema& field) {
    report_type(node, "a mapping", field.go_type, {});
    if (tell_odd_colon(node)) return;
    for (const FieldSchema& member : field.fields->fields) {
      if (member.type == string && (member.name == "name" || member.name == "type"))
        return suggest(node, fmt::format("{{{}: {}}}", member.name, as_written(node)));
    }
  }

  // "name:<U+00A0>web" looks like a mapping.
  bool tell_odd_colon(const ConfigNode& node) {
    const std::optional<OddColon> odd = find_odd_colon(as_written(node), 0);
    if (!odd) return false;
    diagnostics_.back().notes.push_back({odd->words, {}});
    offer(node, "write it so", node.begin() + odd->begin, node.begin() + odd->end, odd->meant);
    return true;
  }

  void offer(const ConfigNode& node, std::string title, std::size_t begin, std::size_t end, std::string text) {
    if (!node.tree().is_aliased(node.begin(), node.end()))
      diagnostics_.back().fix = Fix{std::move(title), false, {{node.tree().name(), begin, end, std::move(text)}}};
  }

  static std::string_view as_written(const ConfigNode& node) {
    return node.tree().text().substr(node.begin(), node.end() - node.begin());
  }

  // How the string that was found is written as what was expected.
  void suggest(const ConfigNode& node, const std::string& value) {
    if (!node.is_string() || as_written(node).empty() || value.find('\n') != value.npos) return;
    Diagnostic& d = diagnostics_.back();
    const std::string_view key = std::string_view(path_).substr(path_.rfind('.') + 1);
    d.notes.push_back({fmt::format("write {}: {}", key, value), {}});
    offer(node, fmt::format("write {}", value), node.begin(), node.end(), value);
  }

  void report_time(const ConfigNode& node) {
    ok_ = false;
    Diagnostic& d = add(kWrongType, Severity::error, node,
                        fmt::format("{}: expected an RFC 3339 time, found \"{}\"", path_, node.text()));
    d.detail = fmt::format("parsing time \"{}\" as \"2006-01-02T15:04:05Z07:00\"", node.text());
  }

  ApiVersion version_;
  const ObjectLabel& label_;
  std::vector<Diagnostic>& diagnostics_;
  const ConfigNode* root_ = nullptr;
  std::string path_, go_path_;
  std::string_view struct_name_;  // the struct that holds the field being checked
  bool ok_ = true;
};

}  // namespace

std::string found_words(const ConfigNode& node) {
  const auto short_text = [&] {
    const std::string_view text = node.text();
    return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
  };
  switch (node.kind()) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return "the boolean " + short_text();
    case NodeKind::integer:
    case NodeKind::floating:
      return "the number " + short_text();
    case NodeKind::string:
      return "a string";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::mapping:
      return "a mapping";
  }
  return "something else";
}

const StructSchema& flow_schema_schema() { return kFlowSchema; }

const StructSchema& priority_level_schema(ApiVersion version, KubeVersion release) {
  return has_assured_shares(version) ? level_schema<kAssuredLimitedFields, kAssuredPlainFields>(release)
                                     : level_schema<kNominalLimitedFields, kNominalPlainFields>(release);
}

bool check_fields(const ConfigNode& object, const StructSchema& schema, ApiVersion version, const ObjectLabel& label,
                  std::vector<Diagnostic>& diagnostics) {
  Checker checker(version, label, diagnostics);
  checker.check_struct(object, schema);
  return checker.ok();
}

}  // namespace apf
