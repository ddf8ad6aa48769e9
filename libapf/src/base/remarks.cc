#include <apf/remarks.h>

#include "base/releases.h"
#include "base/remark_names.h"

namespace apf {

const char* to_string(RemarkKind kind) { return kRemarkNames[static_cast<std::size_t>(kind)].text; }

std::vector<Remark> release_remarks(KubeVersion release) {
  if (release > kNextKubeVersion)
    return {{.kind = RemarkKind::release_newer, .name = release.str(), .detail = kNextKubeVersion.str()}};
  if (release > kNewestKubeVersion) return {{.kind = RemarkKind::release_not_out, .name = release.str()}};
  return {};
}

}  // namespace apf
