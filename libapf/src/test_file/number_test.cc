#include "test_file/number_test.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "base/text.h"

namespace apf {

namespace {

constexpr std::array<std::string_view, 6> kOperators = {"<=", ">=", "==", "!=", "<", ">"};

}  // namespace

bool NumberTest::holds(std::int64_t actual) const {
  if (op == "<") return actual < value;
  if (op == "<=") return actual <= value;
  if (op == ">") return actual > value;
  if (op == ">=") return actual >= value;
  if (op == "!=") return actual != value;
  return actual == value;
}

std::optional<NumberTest> parse_number_test(std::string_view text) {
  NumberTest out;
  text = trimmed(text);
  const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](std::string_view known) { return text.starts_with(known); });
  out.op = op == kOperators.end() ? "==" : *op;
  const std::string_view digits = op == kOperators.end() ? text : trimmed(text.substr(op->size()));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.value);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
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
