// LogEntry objects of Google Cloud in YAML: documents, or the items of a sequence.
#pragma once

#include <cstddef>
#include <string_view>

namespace apf {

// Where the last entry of a text begins that begins with an entry itself (or with what comes before the first); 0:
// with the text. Before that place are whole entries.
std::size_t last_yaml_entry(std::string_view text);

}  // namespace apf
