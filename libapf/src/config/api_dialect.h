// What the dialect of flowcontrol.apiserver.k8s.io (config/dialect.h) does with objects and configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <apf/config.h>

namespace apf {

std::int32_t default_api_precedence(std::int32_t given);
void apply_api_defaults(PriorityLevel& level);

// The given objects over the built-in ones of the release.
Config over_builtins(Config config, KubeVersion version, Builtins builtins);

// Fills in the defaults and, with `to`, writes the objects in that version; with `release`, with its fields alone.
Rewritten rewrite_api_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                              const FlowControlVersion* to, std::optional<KubeVersion> release);

}  // namespace apf
