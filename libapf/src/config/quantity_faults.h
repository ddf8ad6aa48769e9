// Quantities in a configuration tree: their value, and what is wrong with a bad one, in words and by position.
#pragma once

#include <optional>
#include <string>

#include <apf/config.h>

#include "config/tree.h"

namespace apf {

struct QuantityFault {
  std::string message;      // `"1.5Gii" is no quantity: …`
  std::string server_text;  // what the server says
  std::string cure;         // may be empty
};

// As the server decodes JSON: strings and numbers, blanks around them dropped, null as 0.
std::optional<Quantity> quantity_of(const ConfigNode& node);
// Nothing where quantity_of has a value.
std::optional<QuantityFault> find_quantity_fault(const ConfigNode& node);

}  // namespace apf
