// What settings, test files and plans of sweeps have in common: they are one document each, and say of a server what
// the flags of kube-apiserver of the same names do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/version.h>

#include "config/fields.h"

namespace apf {

inline constexpr int kMostInflight = 10'000'000;

// kubernetes-version
std::optional<KubeVersion> version_in(Faults& faults, const Fields& fields);
// builtins
std::optional<Builtins> builtins_in(Faults& faults, const Fields& fields);

// max-requests-inflight and max-mutating-requests-inflight, or server-concurrency, which is their sum.
struct InflightKeys {
  std::optional<int> reads, writes, sum;
};
// `node`: that of the fields.
InflightKeys inflight_in(Faults& faults, const Fields& fields, const ConfigNode& node);

// `read` gets the only document of the text. `what`: "a plan is"; `needs`: what an empty one lacks; empty: it may be.
// The faults are sorted.
void read_single_document(const ConfigText& text, const std::string& what, const std::string& needs,
                          std::vector<Diagnostic>& faults,
                          const std::function<void(const ConfigNode& root, Faults& faults)>& read);

}  // namespace apf
