// Text and numbers in HTML and SVG.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <apf/document.h>

namespace apf {

// Text from logs and configurations: nothing of it is markup, control characters are made visible.
std::string html_text(std::string_view text);

// At most two decimals, never an exponent; what is not finite becomes 0.
std::string svg_number(double value);

// LinkTargets of a page: all that links may lead to, and those that have been written.
struct LinkTargets {
  std::set<std::string> known, written;
  bool has(std::string_view link) const {
    return !link.starts_with('#') || known.contains(std::string(link.substr(1)));
  }
};

// A <table> whose cells name their columns, for narrow screens, where its rows become cards. Of a long one the first
// rows are open.
std::string html_table(const Table& table, LinkTargets& places);

}  // namespace apf
