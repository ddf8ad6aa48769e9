// .apfctl.yaml: what it says, what is wrong with it, and which paths its globs mean.
#include <apf/config.h>
#include <apf/lint.h>

#include "lint/project.h"
#include "lint/select.h"

#include "catch.h"

using namespace apf;

namespace {

Settings read(const std::string& text, std::vector<Diagnostic>& faults) {
  ProjectSettings project = settings_in({".apfctl.yaml", text});
  faults = std::move(project.faults);
  return std::move(project.settings);
}

std::string faults_of(const std::string& text) {
  std::vector<Diagnostic> faults;
  read(text, faults);
  std::string out;
  for (const Diagnostic& d : faults) {
    CHECK(d.severity == Severity::error);
    CHECK(d.code.empty());
    out += std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " + d.message + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("settings say what they say", "[settings]") {
  std::vector<Diagnostic> faults;
  const Settings s = read(
      "kubernetes-version: 1.30\nmax-requests-inflight: 1600\nmax-mutating-requests-inflight: 0\nexclude: [charts/, "
      "'*.tmp.yaml']\n"
      "rules:\n  APF102: off\n  APF1: info\n  dangling-level: error\nignore:\n- path: staging/*.yaml\n  rules: [APF3, "
      "unused-level]\n"
      "baseline: known.json\nfail-on: error\n",
      faults);
  CHECK(faults.empty());
  REQUIRE(s.kubernetes_version);
  CHECK(s.kubernetes_version->minor == 30);
  CHECK(s.max_requests_inflight == 1600);
  CHECK(s.max_mutating_requests_inflight == 0);
  CHECK_FALSE(s.server_concurrency);
  CHECK(s.exclude == std::vector<std::string>{"charts/", "*.tmp.yaml"});
  CHECK(s.baseline == "known.json");
  CHECK(s.fail_on == Severity::error);

  REQUIRE(setting_of(s, "APF102", "unused-level").has_value());
  CHECK_FALSE(setting_of(s, "APF102", "unused-level")->has_value());  // off
  CHECK(setting_of(s, "APF103", "schema-without-rules") == std::optional(std::optional(Severity::info)));
  CHECK(setting_of(s, "APF101", "dangling-level") == std::optional(std::optional(Severity::error)));
  CHECK_FALSE(setting_of(s, "APF901", "unused-suppression").has_value());

  CHECK(is_ignored(s, "staging/a.yaml", "APF102", "unused-level"));
  CHECK(is_ignored(s, "staging/a.yaml", "APF301", "some"));
  CHECK_FALSE(is_ignored(s, "staging/a.yaml", "APF101", "dangling-level"));
  CHECK_FALSE(is_ignored(s, "production/a.yaml", "APF102", "unused-level"));
}

TEST_CASE("settings name one log or several", "[settings]") {
  std::vector<Diagnostic> faults;
  const auto logs_in = [&](const char* text) { return read(text, faults).traffic; };
  CHECK(logs_in("traffic: audit.log\n") == std::vector<std::string>{"audit.log"});
  CHECK(logs_in("traffic: [a.log, logs/b.log]\n") == std::vector<std::string>{"a.log", "logs/b.log"});
  CHECK(faults.empty());
  CHECK(logs_in("traffic: {a: b}\n").empty());
  CHECK(faults.size() == 1);
}

TEST_CASE("settings may be empty", "[settings]") {
  CHECK(faults_of("").empty());
  CHECK(faults_of("# nothing yet\n").empty());
  CHECK(faults_of("---\n").empty());
}

TEST_CASE("what is wrong with settings is said with its place", "[settings]") {
  CHECK(faults_of("exlude: [a]\n") == "1:1 unknown key \"exlude\", did you mean \"exclude\"?\n");
  CHECK(faults_of("fail-on: warnings\n") == "1:10 fail-on: \"warnings\" is unknown, did you mean \"warning\"?\n");
  CHECK(faults_of("fail-on: off\n") == "1:10 fail-on: \"off\" is unknown; it is one of info, warning, error\n");
  CHECK(faults_of("rules:\n  APF102: on\n") ==
        "2:11 APF102: \"on\" is unknown; it is one of off, info, warning, error\n");
  CHECK(faults_of("rules:\n  dangling-levle: off\n") ==
        "2:3 there is no rule \"dangling-levle\", did you mean \"dangling-level\"?\n");
  CHECK(faults_of("rules: [APF101]\n") == "1:8 rules: expected a mapping, found a list\n");
  CHECK(faults_of("kubernetes-version: 1.9\n") ==
        "1:21 kubernetes-version: unsupported version 1.9 (supported: 1.20 and newer)\n");
  CHECK(faults_of("max-requests-inflight: many\n") ==
        "1:24 max-requests-inflight: expected a whole number from 0 to 10000000\n");
  CHECK(faults_of("max-requests-inflight: -1\n") ==
        "1:24 max-requests-inflight: expected a whole number from 0 to 10000000\n");
  CHECK(faults_of("exclude: charts\n") == "1:10 exclude: expected a list, found a single value\n");
  CHECK(faults_of("exclude:\n") == "1:1 exclude: expected a list, found nothing\n");
  CHECK(faults_of("baseline:\nfail-on: info\nbaseline: x\n").find("3:1 the key \"baseline\" occurs twice\n") !=
        std::string::npos);
  CHECK(faults_of("ignore:\n- paths: a\n  rules: [APF101]\n") ==
        "2:3 ignore: the key \"path\" is missing here\n2:3 unknown key \"paths\", did you mean \"path\"?\n");
  CHECK(faults_of("ignore:\n- {path: a, rules: []}\n") == "2:20 rules: expected rules, found none\n");
  CHECK(faults_of("server-concurrency: 600\nmax-requests-inflight: 1\n") ==
        "1:1 server-concurrency is the sum of max-requests-inflight and max-mutating-requests-inflight: give it or "
        "them\n");
  CHECK(faults_of("- a\n") == "1:1 .apfctl.yaml: expected a mapping, found a list\n");
  CHECK(faults_of("fail-on: info\n---\nfail-on: error\n").find("a second document") != std::string::npos);
  CHECK_FALSE(faults_of("fail-on: [\n").empty());
}

TEST_CASE("every preset has its sources, and its objects are valid", "[settings]") {
  for (const apf::Preset& preset : apf::presets()) {
    INFO(preset.name);
    CHECK(apf::find_preset(preset.name) == &preset);
    const bool sets = preset.max_requests_inflight || preset.server_concurrency || !preset.objects.empty();
    CHECK(sets == !preset.facts.empty());
    CHECK((sets || !preset.limits.empty()));
    for (const apf::Preset::Fact& fact : preset.facts) {
      CHECK(fact.source.starts_with("https://"));
      CHECK(fact.date.size() == 10);
    }
    const std::vector<apf::ConfigText> texts = {{"objects", preset.objects}};
    const apf::LoadedConfig loaded = apf::load_config(texts);
    CHECK(loaded.diagnostics.empty());
    CHECK(apf::validate(loaded, apf::kNewestKubeVersion).empty());
  }
  CHECK(apf::find_preset("none") == nullptr);
}
