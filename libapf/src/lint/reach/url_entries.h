// All entries of nonResourceURLs of the author's own FlowSchemas.
#pragma once

#include <string>

#include "lint/given_schemas.h"
#include "lint/rule.h"

namespace apf {

struct UrlEntry {
  const FlowSchema& schema;
  std::size_t rule;
  const NonResourceRule& part;
  std::size_t index;
  std::string field;
  const std::string& url() const { return part.urls[index]; }
};

template <class Visit>
void for_each_url(const LintContext& context, Visit visit) {
  for (const FlowSchema* schema : own_schemas(context)) {
    for (std::size_t i = 0; i < schema->rules.size(); ++i) {
      const std::vector<NonResourceRule>& rules = schema->rules[i].non_resource_rules;
      for (std::size_t j = 0; j < rules.size(); ++j) {
        for (std::size_t k = 0; k < rules[j].urls.size(); ++k) {
          visit(UrlEntry{*schema, i, rules[j], k, item_field(url_rule_field(i, j) + ".nonResourceURLs", k)});
        }
      }
    }
  }
}

}  // namespace apf
