// What the formats of findings have in common: messages as one printable line.
#pragma once

#include <string>
#include <string_view>

#include <apf/findings.h>

namespace apf {

// "FlowSchema/ci: ", printable; "FlowSchema/ci .spec.rules[0]: " of an object that is in no file; empty: of none.
std::string object_words(const Diagnostic& finding);
// "FlowSchema/ci: message", printable.
std::string message_line(const Diagnostic& finding);
// "APF101 dangling-level", or what there is of it.
std::string rule_label(const Diagnostic& finding);

// For XML's texts and attributes: printable, markup and what XML 1.0 cannot hold escaped.
std::string xml_escaped(std::string_view text);

}  // namespace apf
