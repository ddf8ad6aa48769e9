// How a plain YAML scalar reads: by the rules of YAML 1.1 as sigs.k8s.io/yaml (kubectl, kube-apiserver) has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace apf {

enum class NodeKind : std::uint8_t { null, boolean, integer, floating, string, sequence, mapping };

// null, boolean, integer, floating or string. A float without a fraction is an integer, as JSON has it. Timestamps are
// strings, as in Kubernetes.
NodeKind resolve_plain(std::string_view text);

// Of a text that resolves to a boolean.
bool plain_boolean(std::string_view text);

// The value of a number: Go's ParseInt with base 0, underscores dropped, or a float without a fraction ("1e3"); nothing
// beyond 64 bits.
std::optional<std::int64_t> plain_integer(std::string_view text);
// Of a number: "16" and "0x10", but not "1e3".
bool is_written_as_integer(std::string_view text);
// Of a number: not .inf or .nan.
bool is_finite_number(std::string_view text);
// A number as Go's encoding/json writes it.
std::string number_json(std::string_view text);

// A text that some YAML reader, 1.1 or 1.2, doesn't read as a string if it isn't quoted, or
// that is not safe unquoted at all.
bool needs_quotes(std::string_view text);

}  // namespace apf
