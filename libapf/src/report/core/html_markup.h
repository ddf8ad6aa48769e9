// Text and numbers in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

#include <apf/document.h>

namespace apf {

// Text from logs and configurations: nothing of it is markup, control characters are made visible.
std::string html_text(std::string_view text);

// At most two decimals, never an exponent; what is not finite becomes 0.
std::string svg_number(double value);

// A <table> whose cells name their columns, for narrow screens, where its rows become cards.
std::string html_table(const Table& table);

}  // namespace apf
