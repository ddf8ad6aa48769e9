// How a plain YAML scalar reads: by the rules of YAML 1.1 as sigs.k8s.io/yaml (kubectl, kube-apiserver) has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "config/tree.h"

namespace apf {

// null, boolean, integer, floating or string. Timestamps are strings, as in Kubernetes.
NodeKind resolve_plain(std::string_view text);

// Of a text that resolves to a boolean.
bool plain_boolean(std::string_view text);

// Go's ParseInt with base 0, underscores dropped; nothing beyond 64 bits.
std::optional<std::int64_t> plain_integer(std::string_view text);

// A text that some YAML reader, 1.1 or 1.2, doesn't read as a string if it isn't quoted, or
// that is not safe unquoted at all.
bool needs_quotes(std::string_view text);

}  // namespace apf
