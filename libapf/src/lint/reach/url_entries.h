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
    for_each_url_rule(*schema, [&](const UrlRuleEntry& of) {
      for (std::size_t i = 0; i < of.part.urls.size(); ++i)
        visit(UrlEntry{of.schema, of.rule, of.part, i, item_field(of.field + ".nonResourceURLs", i)});
    });
  }
}

}  // namespace apf
