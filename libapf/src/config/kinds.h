// Which documents are about limits of requests: by their apiVersion and kind alone.
#pragma once

#include <string_view>

#include "config/tree.h"

namespace apf {

// Is it an object that load_config() reads, or reports because it means to be one? Of a list: is one of its items?
bool is_limiting_object(const ConfigNode& object);

// Does it have both, an apiVersion and a kind?
bool is_api_object(const ConfigNode& object);

// For a text that does not parse: does a line of it say such an apiVersion or kind?
bool has_limiting_head(std::string_view text);

}  // namespace apf
