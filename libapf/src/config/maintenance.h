// Objects that the server maintains: which of its own objects it may change, by their annotation, and what it makes of
// them (pkg/registry/flowcontrol/ensurer of kube-apiserver).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>

namespace apf {

inline constexpr const char* kAutoupdateAnnotation = "apf.kubernetes.io/autoupdate-spec";

bool has_autoupdate(const ObjectMeta& meta);
// What it says; nothing if it is absent or no boolean.
std::optional<bool> autoupdate(const ObjectMeta& meta);

// Whether the server would restore its own spec of one of its suggested objects.
bool is_restored(const ObjectMeta& meta);

// The same spec, with any metadata.
bool equal_specs(const FlowSchema& a, const FlowSchema& b);
bool equal_specs(const PriorityLevel& a, const PriorityLevel& b);

// What of a spec differs, in words where there are some: "200 → 100 shares".
struct SpecChange {
  std::string field;
  std::string words;
};
std::vector<SpecChange> spec_changes(const FlowSchema& given, const FlowSchema& own);
std::vector<SpecChange> spec_changes(const PriorityLevel& given, const PriorityLevel& own);
// "200 → 100 shares, 90 → 50 percent lendable"; empty: no change has words.
std::string words_of(const std::vector<SpecChange>& changes);

// Removes the given objects that the server restores or deletes; the exempt level keeps what the server leaves to it.
void remove_maintained(Config& config, KubeVersion release);

}  // namespace apf
