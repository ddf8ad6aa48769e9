#include "lint/reach/text.h"

#include <algorithm>

#include <fmt/core.h>

#include <apf/config.h>

#include "lint/fix_edits.h"

namespace apf {

namespace {

constexpr std::size_t kMaxListedSchemas = 4;

std::string precedence_of(const FlowSchema& schema) {
  return fmt::format("matchingPrecedence {}", schema.matching_precedence);
}

// Spec and name as text; where it came from and in which version does not matter.
std::string spec_text(FlowSchema schema) {
  ObjectMeta meta;
  meta.name = schema.meta.name;
  schema.meta = std::move(meta);
  return render_json(schema);
}

std::vector<std::pair<std::string, std::string>> stock_texts() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const KubeVersion version : kube_versions()) {
    for (FlowSchema& schema : bootstrap_config(version).flow_schemas) {
      std::string name = schema.meta.name;
      out.emplace_back(std::move(name), spec_text(std::move(schema)));
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::string listed_schemas(const std::vector<const FlowSchema*>& schemas) {
  std::string out;
  const std::size_t shown = std::min(schemas.size(), kMaxListedSchemas);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == schemas.size() ? " and " : ", ";
    out += fmt::format("\"{}\" ({})", schemas[i]->meta.name,
                       i == 0 ? precedence_of(*schemas[i]) : std::to_string(schemas[i]->matching_precedence));
  }
  if (shown < schemas.size()) out += fmt::format(" and {} more", schemas.size() - shown);
  return out;
}

void add_schema_notes(const std::vector<const FlowSchema*>& schemas, Diagnostic& diagnostic) {
  for (std::size_t i = 0; i < std::min(schemas.size(), kMaxListedSchemas); ++i) {
    const FlowSchema& schema = *schemas[i];
    const std::string text = fmt::format("FlowSchema \"{}\" has {}", schema.meta.name, precedence_of(schema));
    if (is_given(schema.meta)) diagnostic.notes.push_back(note_at(schema.meta, "spec.matchingPrecedence", text));
    else diagnostic.notes.push_back({text + " and is built in", {}});
  }
}

bool is_stock(const FlowSchema& schema) {
  if (!is_given(schema.meta)) return true;
  static const std::vector<std::pair<std::string, std::string>> stock = stock_texts();
  const auto named = [&](const auto& s) { return s.first == schema.meta.name; };
  if (std::none_of(stock.begin(), stock.end(), named)) return false;
  return std::binary_search(stock.begin(), stock.end(), std::pair(schema.meta.name, spec_text(schema)));
}

void add_shadowed(const Reach& reach, std::uint32_t schema, const ReachSelection& selection, std::string field,
                  const std::string& what, Findings& findings) {
  const FlowSchema& object = *reach.consulted()[schema];
  const Shadow shadow = reach.shadow(schema, selection);
  if (shadow.taken_by.empty()) return;
  const bool all_stock =
      std::all_of(shadow.taken_by.begin(), shadow.taken_by.end(), [](const FlowSchema* s) { return is_stock(*s); });
  if (all_stock && is_stock(object)) return;
  const bool tie = shadow.taken_by.size() == 1 && shadow.taken_by[0]->matching_precedence == object.matching_precedence;
  Diagnostic& d = findings.add(
      object, std::move(field),
      tie ? fmt::format("no request reaches {}: \"{}\" has the same matchingPrecedence {}, sorts first by name, and "
                        "gets all its requests",
                        what, shadow.taken_by[0]->meta.name, object.matching_precedence)
          : fmt::format("no request reaches {}: {} {} all its requests first", what, listed_schemas(shadow.taken_by),
                        shadow.taken_by.size() == 1 ? "gets" : "get"));
  add_schema_notes(shadow.taken_by, d);
  if (shadow.witness) d.witness = shadow.witness->command;
  // What of a FlowSchema is dead can go; whether that or another precedence is wanted, its author must say.
  if (!selection.rule) return;
  if (std::vector<Edit> edits = remove_field(*object.meta.source.tree, d.field); !edits.empty()) {
    d.fix = Fix{"remove it", false, std::move(edits)};
  }
}

void for_given_schemas(const LintContext& context, const std::function<void(std::uint32_t, const FlowSchema&)>& visit) {
  const Reach& reach = context.reach();
  for (std::uint32_t i = 0; i < reach.consulted().size(); ++i) {
    const FlowSchema& schema = *reach.consulted()[i];
    // catch-all is the last resort whether it matches or not, and its rules must not be changed.
    if (is_given(schema.meta) && schema.meta.name != "catch-all") visit(i, schema);
  }
}

std::string rule_field(std::uint32_t rule) { return fmt::format("spec.rules[{}]", rule); }

std::string part_field(std::uint32_t rule, const PartReach& part) {
  return fmt::format("spec.rules[{}].{}[{}]", rule, part.is_url ? "nonResourceRules" : "resourceRules", part.index);
}

}  // namespace apf
