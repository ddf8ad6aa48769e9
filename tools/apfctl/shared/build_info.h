// From which sources and how this program was built. The Makefile writes the values (embed_build_info.sh): no time and
// no path is among them, so that the same commit gives the same bytes.
#pragma once

namespace apfctl {

struct BuildInfo {
  const char* commit;  // 12 hex digits, with "-changed" after them for uncommitted changes; empty outside of git
  const char* flags;   // of the compiler and the linker
};

extern const BuildInfo kBuildInfo;

}  // namespace apfctl
