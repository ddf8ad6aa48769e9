// What controllers create for a workload: who asks "does this namespace fit?" means its pods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apf/remarks.h>

#include "admission/manifests.h"
#include "admission/quota_subject.h"

namespace apf {

struct CreatedObject {
  QuotaSubject subject;
  std::string kind;           // "Pod"
  std::string before, after;  // its name, around the number of the round; `after` empty: the name is not numbered
  bool numbered = false;
  std::string name(std::uint64_t round) const { return numbered ? before + std::to_string(round) + after : before; }
};

struct Workload {
  std::vector<CreatedObject> once;  // before all rounds
  std::vector<CreatedObject> each;  // in every round, one after the other
  std::uint64_t rounds = 0;
  std::optional<RemarkKind> note;
};

bool is_workload(const Manifest& manifest);
// Of a Pod: the claims of its ephemeral volumes. Of other kinds nothing is created.
Workload expand_workload(const Manifest& manifest, const EarlierAdmission& earlier, std::uint64_t nodes,
                         std::vector<ObjectFault>& faults);

// LimitRanger's rules and defaults, after API defaulting of LimitRange (pkg/apis/core/v1/defaults.go, v1.36).
void add_limit_range(const ConfigNode& limit_range, EarlierAdmission& earlier, std::vector<ObjectFault>& faults);

}  // namespace apf
