// Reading one file of texts; read_config_files() of <apf/config.h> reads many.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>

namespace apf {

inline constexpr const char* kStdinName = "<stdin>";  // the name of the text of standard input

// A whole file; "-" = standard input. Throws Error: not found, unreadable, larger than 256 MiB.
ConfigText read_text_file(const std::string& path);
// The same of a file that nobody named on the command line: no pipe, device or socket.
ConfigText read_regular_file(const std::string& path);

// Throws Error for such a path.
void refuse_no_regular_file(const std::string& path);

// read_config_files() that says of each text whether its file was named, by a path or by an AdmissionConfiguration;
// others were found in a folder or by a glob.
struct FoundText {
  ConfigText text;
  bool named = false;
  bool hidden = false;     // in a folder below the one given that begins with a dot: read_config_files() leaves it out
  std::size_t below = 0;   // where in its name the path below the folder given begins
  bool left = false;       // at the first look: its text is empty
  bool elsewhere = false;  // in no path given: a kustomization builds with it
};
// `wants` is the first look at a file that nobody named: the texts that it does not want are not kept in memory.
using FirstLook = std::function<bool(const ConfigText&)>;
std::vector<FoundText> find_config_files(std::span<const std::string> paths, const FirstLook& wants = {});

}  // namespace apf
