// apfctl new: objects to begin with, with comments that say why, which lint finds nothing in.

#include <fmt/core.h>

#include <algorithm>

#include <apf/error.h>
#include <apf/lint.h>
#include <apf/report.h>

#include "commands/new_level.h"
#include "commands/new_texts.h"
#include "flags/options.h"
#include "flags/settings_flags.h"
#include "flags/user_shorthand.h"
#include "shared/commands.h"
#include "shared/exit_code.h"
#include "shared/program_name.h"
#include "shared/sources.h"
#include "shared/suggest.h"

namespace apfctl {

namespace {

const std::vector<std::string> kKinds = {"level", "event-rate-limit", "quota", "test", "audit-policy"};
// Below, no request takes more than one seat, however many objects it lists (APF306).
constexpr int kFewestSeats = 7;

struct NewFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  InflightFlags inflight;
  SettingsFlags settings;
  std::vector<std::string> who;
  std::optional<std::string> seats, ns;
};

void declare(CommandLine& line, NewFlags& flags) {
  line.synopsis(
      "new level NAME --for WHO [--seats N] [-f PATH]... [FLAG]...\n       apfctl new quota NAME [-n NS]\n       "
      "apfctl "
      "new test [-f PATH]...\n       apfctl new event-rate-limit|audit-policy");
  line.about("How do I begin with a level, limits, tests or an audit policy?",
             "Prints commented objects to begin with, which 'apfctl lint' finds nothing in: a FlowSchema and its "
             "level, with a "
             "free matchingPrecedence and shares for the seats that are asked for; an EventRateLimit; a ResourceQuota "
             "with its "
             "LimitRange; a test file; the audit policy that a replay needs. The comments say why, and which flags "
             "kube-apiserver needs.");
  line.example("a level for the service accounts of a namespace",
               "apfctl new level team-e --for 'sa:team-e/*' --seats 10");
  line.example("one that fits among the objects of a folder",
               "apfctl new level team-e --for group:team-e -f examples/amok-controller/after.yaml");
  line.example("what the server has to record for a replay", "apfctl new audit-policy");
  line.heading("Object");
  line.list("--for", flags.who, "WHO",
            "Whose requests the level is for: sa:NS/NAME, sa:NS/*, user:NAME or group:NAME. Repeatable.");
  line.option("--seats", flags.seats, "N",
              "Seats of the level, at least (default 12). Its nominal limit; it borrows more, and lends half of them.");
  line.option("-n,--namespace", flags.ns, "NS", "Namespace of the quota (default: default).");
  line.argument_choices(kKinds);
  flags.config.declare(line);
  flags.release.declare(line);
  flags.inflight.declare(line);
  flags.settings.declare(line);
  flags.output.declare(line, {"yaml"});
  flags.console.declare(line);
}

// That lint finds something in what was asked for, such as a level of almost all seats.
void refuse_findings(const std::string& text, const std::vector<apf::ConfigText>& given, const NewFlags& flags) {
  std::vector<apf::ConfigText> texts = given;
  texts.push_back({"new", text});
  apf::LintOptions options;
  options.version = flags.release.version;
  options.max_requests_inflight = flags.inflight.sum_given().value_or(flags.inflight.read_only());
  options.max_mutating_requests_inflight = flags.inflight.sum_given() ? 0 : flags.inflight.mutating();
  const apf::LoadedConfig loaded = apf::load_config(texts);
  for (const apf::Diagnostic& d : apf::lint(loaded, texts, options).findings)
    if (d.span.file == "new")
      throw apf::Error(apf::printable(
          fmt::format("this has a finding, so it is not printed: {} [{} {}]", d.message, d.code, d.name)));
}

std::string level(NewFlags& flags, const std::string& name) {
  flags.inflight.check();
  flags.settings.fill(flags.inflight);
  flags.inflight.need_seats();
  flags.settings.fill(flags.config);
  NewLevel wanted;
  wanted.name = name;
  // Whoever is named twice is meant once.
  for (const std::string& who : flags.who)
    if (std::find(wanted.who.begin(), wanted.who.end(), who) == wanted.who.end()) wanted.who.push_back(who);
  wanted.server_seats = flags.inflight.server_concurrency_limit;
  wanted.seats = static_cast<int>(parse_int("--seats", flags.seats.value_or("12"), kFewestSeats, kMostSeats));
  wanted.version = flags.release.version;
  wanted.server_flags = config_words(flags.config, flags.release);
  if (wanted.who.empty()) throw UsageError("--for is missing: whose requests is the level for, such as sa:team-e/*?");
  const apf::User admin = flags.settings.administrator(flags.release);
  for (const std::string& who : wanted.who) {
    std::optional<apf::Subject> subject = subject_of_shorthand("--for", who, admin);
    if (!subject)
      throw UsageError("--for: '" + apf::printable(who) + "' is none of sa:NS/NAME, sa:NS/*, user:NAME and group:NAME");
    wanted.subjects.push_back(std::move(*subject));
  }
  std::vector<apf::ConfigText> texts;
  const std::optional<apf::Config> config = flags.config.load(flags.console, flags.release, &texts);
  if (!config) return {};
  refuse_kep(*config);
  std::string text = new_level_text(wanted, *config);
  refuse_findings(text, texts, flags);
  return text;
}

}  // namespace

int cmd_new(CommandLine& line) {
  NewFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  const std::vector<std::string>& words = line.arguments(1, 2, "what to make (level, quota, test ...)");
  const std::string& kind = kKinds[find_choice("KIND", words[0], kKinds)];
  const bool named = kind == "level" || kind == "quota";
  if (named && words.size() < 2) throw UsageError(as_typed("NAME is missing: apfctl new " + kind + " NAME"));
  if (!named && words.size() > 1) throw UsageError("unexpected argument '" + apf::printable(words[1]) + "'");
  if (kind != "level" && !flags.who.empty()) throw UsageError("--for belongs to 'new level'");
  if (kind != "level" && flags.seats) throw UsageError("--seats belongs to 'new level'");
  if (kind != "quota" && flags.ns) throw UsageError("--namespace belongs to 'new quota'");
  flags.console.check();
  flags.output.check();
  flags.release.check();
  if (!flags.settings.read(flags.console, &flags.config.cluster)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  std::string text;
  if (kind == "level") text = level(flags, words[1]);
  else if (kind == "quota") text = new_quota_text(words[1], flags.ns.value_or("default"));
  else if (kind == "test") text = new_test_text(flags.config.filenames);
  else text = kind == "audit-policy" ? new_audit_policy_text() : new_event_rate_limit_text();
  if (text.empty()) return kUsageOrInput;
  if (kind == "quota") refuse_findings(text, {}, flags);
  flags.output.write(flags.console, [&](const std::string&, const apf::TextStyle&) { return text; });
  return 0;
}

}  // namespace apfctl
