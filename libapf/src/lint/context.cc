// What the checks of rules see, gathered once per run.
#include "lint/given_schemas.h"
#include "lint/reach/reach.h"
#include "lint/rule.h"

namespace apf {

LintContext::LintContext(const LoadedConfig& loaded_config, std::span<const ConfigText> config_texts,
                         const Config& stored_config, const Config& effective_config, const Config& builtin_config,
                         const LimitsTable& limits_table, const LintOptions& lint_options,
                         const BrokenObjects& broken_objects)
    : loaded(loaded_config),
      texts(config_texts),
      stored(stored_config),
      effective(effective_config),
      builtins(builtin_config),
      limits(limits_table),
      options(lint_options),
      broken(broken_objects) {}

LintContext::~LintContext() = default;

const Reach& LintContext::reach() const {
  if (!computed_reach) computed_reach = std::make_unique<Reach>(effective, options.version, broken.levels);
  return *computed_reach;
}

const EffectiveLevels& LintContext::levels() const {
  if (!computed_levels) computed_levels = std::make_unique<EffectiveLevels>(*this);
  return *computed_levels;
}

}  // namespace apf
