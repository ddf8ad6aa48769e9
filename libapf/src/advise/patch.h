// A plan written down: as edits of the user's own files that keep comments and layout, and as whole objects.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "advise/plan.h"

namespace apf {

struct PatchedTexts {
  std::vector<ConfigText> texts;     // the user's own with the changes; new ones last
  std::vector<std::string> objects;  // changed and new objects, whole
  std::string unwritable;            // "FlowSchema/NAME" whose layout allows no edit (an alias, say); empty: none
};
// The levels that the server itself suggests, less the mandatory ones.
std::set<std::string> suggested_levels(KubeVersion version);

// Further lines of the comment on the shares of a level.
using Remarks = std::map<std::string, std::string>;
// `before` is what the plan changes, made of the texts. `no_files`: texts that stay as they are, by name; what changes
// there is written whole.
PatchedTexts patch(const std::vector<ConfigText>& texts, const Plan& plan, const ReplayOptions& before,
                   const std::set<std::string>& suggested, const Remarks& remarks = {},
                   const std::set<std::string>& no_files = {});
inline PatchedTexts patch(const std::vector<ConfigText>& texts, const Plan& plan, const ReplayOptions& before) {
  return patch(texts, plan, before, suggested_levels(before.version));
}

// What kube-apiserver would say to a level of the plan; empty: nothing. It ignores levels that it would reject.
std::string rejection_by_server(const Plan& plan, const ReplayOptions& before);

// What lint says to plans. Several threads may ask at once.
class LintBaseline {
 public:
  // Both live as long as it does.
  LintBaseline(const std::vector<ConfigText>& texts, const ReplayOptions& before);

  // Why the plan must not be suggested: "lint would find APF305 in PriorityLevelConfiguration/shop", where the texts
  // have no such finding; or its file does not allow it, or the server. Empty: it may.
  std::string objection(const Plan& plan);

  using Key = std::pair<std::string, std::string>;  // code, object
  using Keys = std::set<Key>;
  // All that lint would find anew; the codes of what it would find in that level.
  Keys found_anew(const Plan& plan);
  std::set<std::string> codes_found_in(const std::string& level, const Plan& plan);

 private:
  PatchedTexts patched(const Plan& plan) const;
  Keys found_anew(const Plan& plan, const std::vector<ConfigText>& texts);
  Keys findings(const std::vector<ConfigText>& texts, int seats) const;
  std::shared_ptr<const Keys> known_with(const std::set<std::string>& suggested, int seats);

  const std::vector<ConfigText>& texts_;
  const ReplayOptions& before_;
  const std::set<std::string> suggested_;  // levels that the server itself suggests
  std::mutex mutex_;
  // By the suggested levels that change, and the seats.
  std::map<std::pair<std::set<std::string>, int>, std::shared_ptr<const Keys>> known_;
};

}  // namespace apf
