// metadata.name=x,spec.nodeName!=y: split, check, and find the exact demands.
#include <algorithm>
#include <vector>

#include "classify/selectors.h"

namespace apf {
namespace {

struct Term {
  std::string_view field, value;
  bool equal = false;
};

// The first operator from the left splits; "==" and "!=" are tried before "=".
bool split_term(std::string_view text, Term& out) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return false;
  const bool unequal = equals > 0 && text[equals - 1] == '!';
  const bool two = !unequal && text.substr(equals + 1).starts_with('=');
  out.field = text.substr(0, unequal ? equals - 1 : equals);
  out.equal = !unequal;
  out.value = text.substr(equals + (two ? 2 : 1));
  return true;
}

// `\\`, `\,` and `\=` mean the second character; a bare comma or equals sign, any other escape and a lone
// backslash at the end are errors.
bool unescape_value(std::string_view& value, std::string& scratch) {
  if (std::none_of(value.begin(), value.end(), [](char c) { return c == '\\' || c == ',' || c == '='; })) return true;
  const std::size_t begin = scratch.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    char c = value[i];
    if (c == ',' || c == '=') return false;
    if (c == '\\') {
      if (++i == value.size()) return false;
      c = value[i];
      if (c != '\\' && c != ',' && c != '=') return false;
    }
    scratch += c;
  }
  value = std::string_view(scratch).substr(begin);
  return true;
}

// Reads one term; false if it is malformed.
bool take_term(std::string_view text, std::string& scratch, bool& has_name, bool& has_node_name, FieldDemands& out) {
  Term term;
  if (!split_term(text, term) || !unescape_value(term.value, scratch)) return false;
  if (!term.equal) return true;
  if (!has_name && term.field == "metadata.name") {
    has_name = true;
    out.name = term.value;
  } else if (!has_node_name && term.field == "spec.nodeName") {
    has_node_name = true;
    out.node_name = term.value;
  }
  return true;
}

}  // namespace

FieldDemands parse_field_selector(std::string_view selector, std::string& scratch) {
  FieldDemands out;
  bool has_name = false, has_node_name = false;
  if (selector.find(',') == selector.npos) {
    out.valid = selector.empty() || take_term(selector, scratch, has_name, has_node_name, out);
    return out.valid ? out : FieldDemands();
  }
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < selector.size(); ++i) {
    if (selector[i] == '\\') {
      ++i;
    } else if (selector[i] == ',') {
      terms.push_back(selector.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(selector.substr(begin));
  std::sort(terms.begin(), terms.end());
  for (const std::string_view term : terms) {
    if (!term.empty() && !take_term(term, scratch, has_name, has_node_name, out)) return FieldDemands();
  }
  out.valid = true;
  return out;
}

}  // namespace apf
