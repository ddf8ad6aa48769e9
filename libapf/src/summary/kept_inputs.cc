#include "summary/kept_inputs.h"

#include <unistd.h>

#include <vector>

#include "logs/inflate.h"

namespace apf {

KeptInputs::KeptInputs(LogOptions& options) {
  std::vector<char> block(1u << 16);
  for (const std::string& path : options.logs) {
    if (can_be_read_again(path, options.texts)) continue;
    if (path != "-" && access(path.c_str(), R_OK) != 0) continue;  // whoever reads it says so
    ByteSource bytes(path, options.texts);
    TemporaryFile& file = files_.emplace_back();
    while (!bytes.packed_end() && !(options.interrupted && options.interrupted->load()))
      file.append(block.data(), bytes.read_packed(block.data(), block.size()));
    options.texts[path] = file.map();
  }
}

}  // namespace apf
