// What kinds of remarks are called in JSON and in the manual: as their enumerators, with hyphens.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <apf/remarks.h>

namespace apf {

struct RemarkName {
  char text[40] = {};
  constexpr std::string_view view() const { return text; }
};

// By the name of the enumerator as the compiler writes it: "… Kind = apf::RemarkKind::log_empty; …", or "…]" at its
// end.
template <RemarkKind Kind>
constexpr RemarkName remark_name() {
  constexpr std::string_view kType = "RemarkKind::";
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.rfind(kType) + kType.size());
  RemarkName out;
  std::size_t size = 0;
  for (const char c : name.substr(0, name.find_first_of(";]"))) out.text[size++] = c == '_' ? '-' : c;
  return out;
}

template <std::size_t... Numbers>
constexpr std::array<RemarkName, sizeof...(Numbers)> remark_names(std::index_sequence<Numbers...>) {
  return {remark_name<static_cast<RemarkKind>(Numbers)>()...};
}
inline constexpr auto kRemarkNames =
    remark_names(std::make_index_sequence<static_cast<std::size_t>(RemarkKind::kCount)>());

}  // namespace apf
