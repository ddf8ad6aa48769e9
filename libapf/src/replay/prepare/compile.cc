#include "replay/prepare/compile.h"

#include <apf/error.h>

#include <map>
#include <string_view>

namespace apf {

std::vector<std::shared_ptr<const Classifier>> compile_configurations(const ReplayOptions& options,
                                                                      std::span<const ReplayOptions> others) {
  std::vector<std::shared_ptr<const Classifier>> out;
  const auto add = [&](const auto& server) {
    out.push_back(std::make_shared<Classifier>(server.config));
    for (const auto& change : server.config_changes) out.push_back(std::make_shared<Classifier>(change.second));
  };
  add(options);
  if (options.recorded) add(*options.recorded);
  for (const ReplayOptions& other : others) add(other);
  std::map<std::string_view, bool> exempt;
  for (const auto& classifier : out) {
    for (const Classifier::Level& level : classifier->levels()) {
      if (exempt.emplace(level.name, level.exempt).first->second == level.exempt) continue;
      // The API fixes which level is; the KEP's dialect does not.
      throw Error("priority level " + level.name +
                  " is exempt in one of the configurations and not in another; rename it in one");
    }
  }
  return out;
}

}  // namespace apf
