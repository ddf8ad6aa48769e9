#include "test_file/number_test.h"

#include <fmt/core.h>

#include "base/comparison.h"
#include "base/decimal.h"
#include "base/text.h"

namespace apf {

bool NumberTest::holds(std::int64_t actual) const { return compares(actual, op, value); }

std::optional<NumberTest> parse_number_test(std::string_view text) {
  NumberTest out;
  text = trimmed(text);
  const std::string_view op = operator_at(text), digits = trimmed(text.substr(op.size()));
  out.op = op.empty() ? "==" : op;
  if (!read_integer(digits, out.value)) return std::nullopt;
  out.text = fmt::format("{} {}", out.op, out.value);
  return out;
}

std::vector<NumberTest> number_tests_of(Faults& faults, std::string_view key, const ConfigNode& node) {
  std::vector<NumberTest> out;
  for (const std::string& text : texts_of(faults, key, node, "a number, or a comparison such as \">= 90\"")) {
    if (std::optional<NumberTest> test = parse_number_test(text)) {
      out.push_back(std::move(*test));
    } else {
      faults.add(node,
                 fmt::format("{}: \"{}\" is neither a whole number nor a comparison such as \">= 90\" (supported: "
                             "< <= > >= == !=)",
                             key, text));
    }
  }
  return out;
}

}  // namespace apf
