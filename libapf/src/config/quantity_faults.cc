#include "config/quantity_faults.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/core.h>

#include "base/go_quote.h"
#include "base/text.h"

namespace apf {

namespace {

constexpr std::size_t kShown = 60;

// The text that the server's parser gets. A list or mapping can't be parsed as one.
std::string text_of(const ConfigNode& node) {
  if (node.is_null()) return "0";
  if (node.kind() == NodeKind::boolean) return node.boolean() ? "true" : "false";
  if (!node.is_scalar()) return node.is_mapping() ? "{}" : "[]";
  std::string text = node.is_string() ? std::string(node.text()) : node.number_text();
  const std::size_t first = text.find_first_not_of(" \t\n\v\f\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\v\f\r") + 1 - first);
}

std::string shortened(std::string_view text) {
  return go_quote(text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "…");
}

// What people write in place of the valid suffixes, such as "10gb".
std::string cure_of(std::string_view text) {
  std::size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) ++at;
  std::string_view number = text.substr(0, at), suffix = text.substr(at);
  if (number.empty() || !Quantity::parse(number)) return {};
  while (suffix.starts_with(' ')) suffix.remove_prefix(1);
  if (suffix.empty()) return {};
  if (suffix == "e") return fmt::format("an exponent is written {}e3; {}E is 10^18", number, number);
  const std::string lower = in_lower_case(suffix);
  for (const char letter : std::string_view("kmgtpe")) {
    const std::string one(1, letter), upper(1, static_cast<char>(letter - 'a' + 'A'));
    const std::array<std::string, 6> spellings{one, one + "b", one + "i", one + "ib", one + "ii", one + "bi"};
    if (std::find(spellings.begin(), spellings.end(), lower) == spellings.end()) continue;
    const std::string decimal = letter == 'k' ? one : upper;
    return fmt::format("write {}{}i (powers of 1024) or {}{} (powers of 1000)", number, upper, number, decimal);
  }
  if (lower == "core" || lower == "cores" || lower == "cpu" || lower == "cpus" || lower == "b" || lower == "bytes")
    return fmt::format("write {}", number);
  if (lower == "millicores" || lower == "mcpu") return fmt::format("write {}m", number);
  return {};
}

std::string where_words(std::string_view text, std::size_t position) {
  if (text.empty()) return "it is empty";
  if (position >= text.size()) return "it ends where something must follow";
  std::size_t end = position + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return fmt::format("{} at position {} isn't allowed there", go_quote(text.substr(position, end - position)),
                     position + 1);
}

}  // namespace

std::optional<Quantity> quantity_of(const ConfigNode& node) { return Quantity::parse(text_of(node)); }

std::optional<QuantityFault> find_quantity_fault(const ConfigNode& node) {
  const std::string text = text_of(node);
  QuantityFault fault;
  std::size_t position = 0;
  if (Quantity::parse(text, &fault.server_text, &position)) return std::nullopt;
  if (!node.is_scalar()) {
    fault.message = node.is_mapping() ? "expected a quantity, found a mapping" : "expected a quantity, found a list";
  } else if (node.kind() == NodeKind::boolean) {
    fault.message = fmt::format("expected a quantity, found the boolean {}", node.text());
  } else {
    fault.message = fmt::format("{} isn't a quantity: {}", shortened(text), where_words(text, position));
    fault.cure = cure_of(text);
  }
  return fault;
}

}  // namespace apf
