// apfctl schema: the JSON Schemas of API objects, of .apfctl.yaml and of the JSON that the commands read and write.

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include <apf/error.h>
#include <apf/report.h>

#include "shared/commands.h"
#include "shared/output.h"
#include "shared/schemas.h"
#include "shared/suggest.h"
#include "shared/words.h"

namespace apfctl {

namespace {

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const Schema& schema : schemas()) names.emplace_back(schema.name);
  return names;
}

// The value of the first "title", which is the schema's own.
std::string_view title_of(const Schema& schema) {
  static constexpr std::string_view kTitle = "\"title\": \"";
  const std::size_t at = schema.text.find(kTitle);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = schema.text.substr(at + kTitle.size());
  return rest.substr(0, rest.find('"'));
}

std::string render_list() {
  std::size_t width = 0;
  for (const Schema& schema : schemas()) width = std::max(width, schema.name.size());
  std::string out;
  // One line each, for scripts; the API group is in the schema itself.
  for (const Schema& schema : schemas()) {
    std::string title(title_of(schema));
    if (const std::size_t at = title.find(kFlowControlGroup); at != title.npos)
      title.erase(at, kFlowControlGroup.size());
    out += fmt::format("{:<{}}  {}\n", schema.name, width, title);
  }
  return out;
}

}  // namespace

int cmd_schema(CommandLine& line) {
  line.synopsis("schema [NAME]");
  line.about(
      "Which fields do objects, settings and outputs have?",
      "Prints a JSON Schema (draft 2020-12) or, without NAME, the list of schemas: one for each kind and API version "
      "of flowcontrol.apiserver.k8s.io; flowcontrol, which covers all of these; apfctl, for .apfctl.yaml; test, for "
      "test "
      "files; and one for each JSON output. Editors with yaml-language-server use them for completion and validation.");
  line.example("all schemas", "apfctl schema");
  line.example("the schema that an editor checks manifests by", "apfctl schema flowcontrol");
  line.example("what a replay prints with -o json", "apfctl schema replay");
  line.argument_choices(schema_names());
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(0, 1, "NAME");
  if (words.empty()) {
    write_stdout(render_list());
    return 0;
  }
  const std::span<const Schema> all = schemas();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Schema& schema) { return schema.name == words[0]; });
  if (found == all.end()) {
    std::string hint = did_you_mean(words[0], schema_names());
    if (hint.empty()) hint = "; run 'apfctl schema' for a list";
    throw UsageError("unknown schema " + apf::printable(words[0]) + hint);
  }
  write_stdout(found->text);
  return 0;
}

}  // namespace apfctl
