#include "commands/cluster_findings.h"

#include <iterator>
#include <map>
#include <string>

#include <apf/report.h>

namespace apfctl {

namespace {

// By line: the object that begins there in what kubectl printed.
using ObjectLines = std::map<int, std::string>;

ObjectLines object_lines(const apf::LoadedConfig& loaded) {
  ObjectLines out;
  const auto add = [&](const char* kind, const apf::ObjectMeta& meta) {
    out.emplace(meta.source.span_of("apiVersion").line, std::string(kind) + "/" + meta.name);
  };
  for (const apf::FlowSchema& schema : loaded.config.flow_schemas) add("FlowSchema", schema.meta);
  for (const apf::PriorityLevel& level : loaded.config.priority_levels) add("PriorityLevelConfiguration", level.meta);
  return out;
}

void replace_all(std::string& text, const std::string& old, const std::string& now) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
    text.replace(at, old.size(), now);
}

}  // namespace

void say_of_cluster(apf::ProjectFindings& found, const ClusterFlags& cluster) {
  const std::string as_file = " -f " + apf::shell_word(cluster.name()), as_flag = cluster.flags();
  const ObjectLines objects = object_lines(found.loaded);
  for (apf::Diagnostic& d : found.findings) {
    replace_all(d.witness, as_file, as_flag);
    for (apf::Note& note : d.notes) {
      replace_all(note.message, as_file, as_flag);
      const auto after = objects.upper_bound(note.span.line);
      const bool other = note.span.known() && after != objects.begin();
      if (other) note.message += " (" + std::prev(after)->second + ")";
      note.span = {};
    }
    if (d.fix) d.notes.push_back({"the cure: " + d.fix->title, {}});
    d.fix.reset();
    d.span = {};
  }
}

}  // namespace apfctl
