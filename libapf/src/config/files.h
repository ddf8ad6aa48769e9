// Reading one file of texts; read_config_files() of <apf/config.h> reads many.
#pragma once

#include <string>

#include <apf/config.h>

namespace apf {

inline constexpr const char* kStdinName = "<stdin>";  // the name of the text of standard input

// A whole file; "-" = standard input. Throws Error: not found, unreadable, larger than 256 MiB.
ConfigText read_text_file(const std::string& path);
// The same of a file that nobody named on the command line: no pipe, device or socket.
ConfigText read_regular_file(const std::string& path);

}  // namespace apf
