// apfctl ladder: the order in which FlowSchemas are asked, and where another one would have to stand.

#include <unistd.h>

#include <apf/change.h>
#include <apf/classify.h>
#include <apf/error.h>
#include <apf/report.h>

#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/request_flags.h"
#include "flags/settings_flags.h"
#include "flags/user_shorthand.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/folder_notes.h"
#include "shared/sources.h"

namespace apfctl {

namespace {

struct LadderFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  SettingsFlags settings;
  std::vector<std::string> places;
  RequestFlags request;
};

void declare(CommandLine& line, LadderFlags& flags) {
  line.synopsis(
      "ladder [-f PATH]... [--place WHO|FILE]... [FLAG]...\n       apfctl ladder VERB RESOURCE [NAME] [FLAG]...\n      "
      " "
      "apfctl ladder METHOD /PATH|URL [FLAG]...");
  line.about(
      "In which order are FlowSchemas asked, and where does another one fit?",
      "Shows the order in which kube-apiserver asks the FlowSchemas: their numbers (matchingPrecedence), ties, free "
      "numbers between them, and whose requests each is for. With --place, says between which numbers another "
      "FlowSchema has to stand to get its requests and to take none from FlowSchemas that have requests of their own, "
      "and which FlowSchemas would lose what. With a request, in the words of explain, says which FlowSchema gets it "
      "and "
      "where one for this request has to stand.");
  line.example("where is room for a FlowSchema of mine?", "apfctl ladder -f examples/amok-controller/after.yaml");
  line.example("which number does a FlowSchema for the service accounts of ci need?",
               "apfctl ladder -f examples/amok-controller/after.yaml --place 'sa:ci/*'");
  line.example("who gets this request, and where does a FlowSchema for it have to stand?",
               "apfctl ladder list pods -n ci --as alice -f examples/amok-controller/after.yaml");
  line.heading("Ladder");
  line.argument_choices(request_words());
  line.list("--place", flags.places, "WHO|FILE",
            "Say where a FlowSchema has to stand: the FlowSchemas of FILE, or one for all requests of WHO: sa:NS/NAME, "
            "sa:NS/*, node:NAME, node:*, group:NAME, user:NAME or admin. Repeatable.");
  line.heading("Request");
  flags.request.declare(line);
  flags.config.declare(line);
  flags.release.declare(line);
  flags.settings.declare(line);
  flags.output.declare(line, {"text", "json", "markdown", "html"});
  flags.console.declare(line);
}

apf::FlowSchema schema_for(const std::string& who, apf::Subject subject) {
  apf::FlowSchema out;
  out.meta.name = who;
  out.priority_level = "global-default";
  out.rules.push_back({{std::move(subject)}, {{{"*"}, {"*"}, {"*"}, {"*"}, true}}, {{{"*"}, {"*"}}}});
  return out;
}

// Nothing: the file has errors, which were printed.
std::optional<std::vector<apf::FlowSchema>> schemas_to_place(const LadderFlags& flags, const std::string& text) {
  const apf::User admin = flags.settings.administrator(flags.release);
  if (std::optional<apf::Subject> subject = subject_of_shorthand("--place", text, admin)) {
    if (const std::optional<Assumption> meant = administrator_meant(text, admin)) flags.console.note(text_of(*meant));
    return std::vector<apf::FlowSchema>{schema_for(text, std::move(*subject))};
  }
  const bool is_name = text.find_first_of("/.*") == std::string::npos &&
                       (text.find(':') == std::string::npos || text.starts_with("system:"));
  if (is_name && text != "-" && ::access(text.c_str(), F_OK) != 0) {
    throw UsageError("--place: there is no file " + apf::printable(text) + "; a user is user:" + apf::printable(text) +
                     ", a group group:" + apf::printable(text));
  }
  apf::FolderContents contents;
  const std::vector<apf::ConfigText> texts = read_sources({text}, contents);
  note_left_out(contents, "lint", flags.console);
  apf::LoadedConfig loaded = apf::load_config(texts);
  if (print_findings(loaded.diagnostics, texts, flags.console) > 0 && !flags.config.no_validate) return std::nullopt;
  if (loaded.config.flow_schemas.empty()) throw apf::Error(apf::printable(text) + ": there is no FlowSchema in it");
  apf::apply_defaults(loaded.config);
  return std::move(loaded.config.flow_schemas);
}

apf::LadderPlace place_of(const AskedRequest& asked, const apf::Config& config, const std::string& words,
                          const LadderFlags& flags) {
  if (!asked.request.error().empty()) throw apf::Error(apf::printable(asked.uri + ": " + asked.request.error()));
  asked.print_notes(flags.console);
  for (const Assumption& assumption : asked.assumptions)
    if (assumption.kind == user_not_named().kind)
      flags.console.note("the user is system:anonymous: " + text_of(assumption));
  return apf::place_on_ladder(config, asked.request.info, asked.user, words, config_words(flags.config, flags.release));
}

}  // namespace

int cmd_ladder(CommandLine& line) {
  LadderFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  flags.console.check();
  flags.output.check();
  flags.release.check();
  if (!flags.settings.read(flags.console, &flags.config.cluster)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.settings.fill(flags.config);
  std::optional<AskedRequest> asked;
  if (!flags.request.first_given().empty() || !line.arguments(0, 3, "").empty())
    asked = flags.request.take(line, flags.settings.administrator(flags.release), flags.console);
  const std::optional<apf::Config> config = flags.config.load(flags.console, flags.release);
  if (!config) return kUsageOrInput;
  refuse_kep(*config);
  std::vector<apf::LadderPlace> places;
  if (asked) places.push_back(place_of(*asked, *config, flags.request.words(line), flags));
  for (const std::string& text : flags.places) {
    const std::optional<std::vector<apf::FlowSchema>> schemas = schemas_to_place(flags, text);
    if (!schemas) return kUsageOrInput;
    for (const apf::FlowSchema& schema : *schemas)
      places.push_back(apf::place_on_ladder(*config, schema, config_words(flags.config, flags.release)));
  }
  const apf::Ladder ladder = apf::make_ladder(*config);
  write_report(
      flags.output, flags.console, [&](const apf::View&) { return apf::document_of(ladder, places); },
      [&] { return with_warnings(apf::render_json(ladder, places), remarks_about(*config, flags.release)); }, {},
      {{"Configuration", flags.config.origin(*config, flags.release)}});
  return 0;
}

}  // namespace apfctl
