#include "commands/uid_lookup.h"

#include <apf/output.h>
#include <apf/report.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "flags/report_output.h"
#include "shared/exit_code.h"
#include "shared/output.h"

namespace apfctl {

namespace {

struct Found {
  std::string uid, kind, name, priority_level;
  std::int32_t matching_precedence = 0;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// What is behind the last colon and blanks, in lower case as the server makes UIDs.
std::string uid_of(const std::string& text) { return lower(text.substr(text.find_last_of(": \t") + 1)); }

bool find(const std::string& uid, const apf::Config& config, std::vector<Found>& out) {
  if (uid.empty()) return false;
  for (const apf::FlowSchema& schema : config.flow_schemas)
    if (lower(schema.meta.uid) == uid) {
      out.push_back({uid, "FlowSchema", schema.meta.name, schema.priority_level, schema.matching_precedence});
      return true;
    }
  for (const apf::PriorityLevel& level : config.priority_levels)
    if (lower(level.meta.uid) == uid) {
      out.push_back({uid, "PriorityLevelConfiguration", level.meta.name, {}, 0});
      return true;
    }
  return false;
}

apf::Document document_of(const std::vector<Found>& found) {
  apf::Document out("Objects with these UIDs");
  apf::Passage& objects = out.section();
  for (const Found& object : found) {
    objects.item(object.kind + " " + object.name, "");
    objects.item("UID " + object.uid, "  ");
    if (object.kind == "FlowSchema")
      objects.item(fmt::format("precedence {}, priority level {}", object.matching_precedence, object.priority_level),
                   "  ");
  }
  return out;
}

std::string render_json(const Found& found) {
  apf::JsonWriter json;
  json.begin_object().field("uid", found.uid).field("kind", found.kind).field("name", found.name);
  if (found.kind == "FlowSchema")
    json.field("matchingPrecedence", found.matching_precedence).field("priorityLevel", found.priority_level);
  json.end_object();
  return json.take();
}

}  // namespace

int explain_uids(const std::vector<std::string>& uids, const apf::Config& config, const OutputFlags& output,
                 const Console& console) {
  std::vector<Found> found;
  std::vector<std::string> missing;
  for (const std::string& text : uids)
    if (!find(uid_of(text), config, found)) missing.push_back(text);
  write_report(
      output, console, [&](const apf::View&) { return document_of(found); },
      [&] {
        std::string out;
        for (const Found& one : found) out += (out.empty() ? "" : "\n") + render_json(one);
        return out;
      });
  for (const std::string& text : missing)
    write_stderr("apfctl explain: no object of the configuration has the UID " + apf::printable(text) +
                 "; give the objects of the cluster that sent it, as kubectl get "
                 "flowschemas,prioritylevelconfigurations -o yaml prints them, or --from-cluster\n");
  return missing.empty() ? 0 : kUsageOrInput;
}

}  // namespace apfctl
