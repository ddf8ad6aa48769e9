// Words of the KEP's dialect.
#include "config/kep/kep.h"

#include <algorithm>

#include <apf/config.h>

#include "base/go_quote.h"

namespace apf {

bool is_kep(const Config& config) {
  if (!config.priority_levels.empty()) return config.priority_levels.front().kep != nullptr;
  return !config.flow_schemas.empty() && config.flow_schemas.front().kep != nullptr;
}

std::string kep_test_name(const KepTest& test) {
  const auto at = std::find_if(std::begin(kKepTests), std::end(kKepTests),
                               [&](const KepTestName& t) { return t.op == test.op && t.inverse == test.inverse; });
  return std::string(at->name);
}

std::string_view kep_field_name(KepField field) { return kKepFields[static_cast<std::size_t>(field)]; }

std::string to_string(const KepTest& test) {
  std::string out = kep_test_name(test) + ' ' + std::string(kep_field_name(test.field)) + ' ';
  if (test.op == KepOperator::equals) return out + go_quote(test.value);
  if (test.op == KepOperator::pattern_match) return out + test.value;
  out += '[';
  for (std::size_t i = 0; i < test.set.size(); ++i) {
    if (i == 8) return out + ", … " + std::to_string(test.set.size()) + " in all]";
    out += (i > 0 ? ", " : "") + go_quote(test.set[i]);
  }
  return out + ']';
}

}  // namespace apf
