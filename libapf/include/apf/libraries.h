// Which libapf is running and what it stands on, for bug reports.
#pragma once

#include <string>
#include <vector>

#include <apf/version.h>

namespace apf {

struct LibraryVersion {
  std::string name, version;
};

// libapf itself first, then those linked libraries that tell their version.
APF_API std::vector<LibraryVersion> library_versions();

}  // namespace apf
