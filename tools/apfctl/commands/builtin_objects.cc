#include "commands/builtin_objects.h"

namespace apfctl {

std::vector<apf::RewrittenObject> builtin_objects(const apf::Config& config, apf::KubeVersion release) {
  const apf::ObjectForm form{apf::newest_served(release), release};
  std::vector<apf::RewrittenObject> out;
  for (const apf::PriorityLevel& level : config.priority_levels) out.push_back(apf::render_object(level, form));
  for (const apf::FlowSchema& schema : config.flow_schemas) out.push_back(apf::render_object(schema, form));
  return out;
}

}  // namespace apfctl
