// Texts that become YAML only once a tool renders them: Helm, ytt, Jinja, Terraform and others.
#pragma once

#include <string_view>

#include "config/tree.h"

namespace apf {

// Of a text that does not parse: does it have what a template has and YAML has not?
bool has_template_marks(std::string_view text);

// Of an object that parses: is a key or a value of it, or a line around them, a template's? A variable ${NAME} is none:
// it is found where it stands.
bool has_template_marks(const ConfigNode& object);

// The first variable of a text, "${NAME}" or "$(NAME)" or "@@NAME@@"; empty if there is none.
std::string_view variable_in(std::string_view text);

}  // namespace apf
