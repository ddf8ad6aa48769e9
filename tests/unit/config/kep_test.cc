// The KEP's dialect as text: objects one after another with sentences in between, patterns and where they are wrong.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/hand.h>

#include <algorithm>

#include "catch.h"
#include "config/kep/pattern.h"

using namespace apf;

namespace {

LoadedConfig load_kep(const std::string& text) {
  const ConfigText texts[] = {{"kep.yaml", text}};
  return load_config(texts);
}

constexpr const char* kTop = "kind: RequestPriority\nmeta:\n  name: top\nspec:\n  exempt: true\n";
constexpr const char* kLow = "kind: RequestPriority\nmeta:\n  name: low\nspec:\n  exempt: true\n";

}  // namespace

TEST_CASE("kep: objects need no marker between them, and sentences are passed over", "[config][kep]") {
  const std::string texts[] = {
      std::string(kTop) + kLow,
      std::string("For requests from admins.\n\n") + kTop + "\nAnd these, at length,\nfor others: all.\n\n" + kLow,
      std::string("# a comment\n---\n") + kTop + "---\n" + kLow + "...\n",
      std::string(kTop) + "Some words\n\n" + kLow + "\nThe end.",
  };
  for (const std::string& text : texts) {
    INFO(text);
    const LoadedConfig loaded = load_kep(text);
    CHECK(loaded.diagnostics.empty());
    REQUIRE(loaded.config.priority_levels.size() == 2);
    CHECK(loaded.config.priority_levels[1].meta.name == "low");
    // Positions are those of the file.
    const Span span = loaded.config.priority_levels[1].meta.source.span_of("meta.name");
    const std::size_t at = text.find("name: low");
    CHECK(span.line == 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
}

TEST_CASE("kep: other texts are not cut", "[config][kep]") {
  // An object of the API, with anything else in it; a line that is no sentence.
  CHECK_FALSE(load_kep(std::string("apiVersion: v1\nkind: ConfigMap\nmeta:\n  name: x\nkind: RequestPriority\n"))
                  .config.priority_levels.size());
  CHECK(load_kep(std::string(kTop) + "lower case words\n\n" + kLow).has_errors());
  CHECK(load_kep(std::string(kTop) + "Spec oops\nspec: {}\n").has_errors());
}

TEST_CASE("kep: a pattern matches whole values, and captures the first group", "[config][kep]") {
  const KepPattern pattern("system:serviceaccount:(.*):(.*)");
  CHECK(pattern.error().empty());
  CHECK(pattern.groups() == 2);
  CHECK(pattern.matches("system:serviceaccount:a:b"));
  CHECK_FALSE(pattern.matches("x system:serviceaccount:a:b"));
  CHECK(pattern.capture("system:serviceaccount:a:b") == "a");
  CHECK(pattern.capture("alice").empty());
  CHECK(KepPattern("(a)|b").capture("b").empty());
  CHECK(KepPattern("a.b").matches("a\nb"));
  CHECK(KepPattern("(.*)").capture("x\xff\n") == "x\xff\n");
  CHECK(KepPattern(".*").capture("x").empty());
  CHECK(KepPattern("a\\.b").literal() == "a.b");
  CHECK_FALSE(KepPattern("a.b").literal());
  CHECK_FALSE(KepPattern("a\\d").literal());
}

TEST_CASE("kep: where a pattern is wrong", "[config][kep]") {
  const auto fault = [](std::string_view text) {
    const KepPattern pattern(text);
    CHECK_FALSE(pattern.error().empty());
    CHECK_FALSE(pattern.matches("x"));
    return text.substr(pattern.fault_begin(), pattern.fault_end() - pattern.fault_begin());
  };
  const auto place = [](std::string_view text) { return KepPattern(text).fault_begin(); };
  CHECK(fault("a(b") == "(");
  CHECK(place("(a)[(](") == 6);
  CHECK(fault("a)b") == ")");
  CHECK(place("a*(*b)") == 3);
  CHECK(place("x**y**") == 1);
  CHECK(fault("a[b") == "[");
  CHECK(fault("a\\") == "\\");
  CHECK(fault("[z-a]") == "z-a");
  CHECK(fault("a{2,1}") == "{2,1}");
  CHECK(fault("\\q") == "\\q");
}

TEST_CASE("kep: without an exempt priority those of the KEP are created, but for names in use", "[config][kep]") {
  const std::string mine =
      "kind: RequestPriority\nmeta: {name: mine}\nspec: {catchAll: true, assuredConcurrencyShares: 10, queues: 1, "
      "queueLengthLimit: 5}\n";
  const std::string low =
      "---\nkind: RequestPriority\nmeta: {name: system-low}\nspec: {assuredConcurrencyShares: 7, queues: 1, "
      "queueLengthLimit: 5}\n";
  const auto effective = [](const std::string& text) {
    return with_builtins(load_kep(text).config, kNewestKubeVersion, Builtins::all);
  };
  const auto shares = [](const Config& config) {
    std::string out;
    for (const PriorityLevel& level : config.priority_levels)
      out += level.meta.name + (level.limited ? " " + std::to_string(*level.limited->nominal_concurrency_shares) : "") +
             "; ";
    return out;
  };
  const auto schemas = [](const Config& config) {
    std::string out;
    for (const FlowSchema& schema : config.flow_schemas)
      out += schema.meta.name + " " + std::to_string(schema.matching_precedence) + " " + schema.priority_level + "; ";
    return out;
  };
  const std::string created =
      "system-top 1000 system-top; system-high 1000 system-high; system-low 900 system-low; workload-high 1000 "
      "workload-high; workload-low 9999 workload-high; ";
  const Config config = effective(mine + low);
  CHECK(shares(config) == "mine 10; system-low 7; system-top; system-high 100; workload-high 30; workload-low 100; ");
  CHECK(schemas(config) == created + "system-top-backstop 10000 system-top; non-top-backstop 10000 mine; ");
  // Again, nothing is added.
  const Config again = with_builtins(config, kNewestKubeVersion, Builtins::all);
  CHECK(again.priority_levels.size() == config.priority_levels.size());
  CHECK(again.flow_schemas.size() == config.flow_schemas.size());
  // With an exempt one nothing is created but FlowSchemas whose priorities are there.
  const std::string top = std::string("---\n") + kTop;
  CHECK(shares(effective(mine + low + top)) == "mine 10; system-low 7; top; ");
  CHECK(schemas(effective(mine + low + top)) ==
        "system-low 900 system-low; system-top 10000 top; non-top-backstop 10000 mine; ");
  const std::string to_top =
      "---\nkind: FlowSchema\nmeta: {name: workload-low}\nspec: {requestPriority: {name: top}, match: []}\n";
  CHECK(schemas(effective(mine + low + top + to_top)) ==
        "workload-low 1000 top; system-top 10000 top; non-top-backstop 10000 mine; ");
  // A name in use keeps nothing from being implied.
  const Config taken = effective(
      "kind: RequestPriority\nmeta: {name: system-top}\nspec: {catchAll: true, assuredConcurrencyShares: 1, queues: 1, "
      "queueLengthLimit: 5}\n");
  CHECK(shares(taken) ==
        "system-top 1; system-high 100; system-low 30; workload-high 30; workload-low 100; system-top-backstop; ");
  CHECK(schemas(taken) ==
        created + "system-top-backstop 10000 system-top-backstop; non-top-backstop 10000 system-top; ");
  CHECK(with_builtins(taken, kNewestKubeVersion, Builtins::all).priority_levels.size() == taken.priority_levels.size());
  CHECK(shares(effective("kind: RequestPriority\nmeta: {name: workload-low}\nspec: {exempt: true}\n")) ==
        "workload-low; workload-low-backstop 100; ");
}

TEST_CASE("kep: hands are bounded by their number, not by an estimate of its bits", "[config][kep]") {
  const auto errors = [](int queues, int hand) {
    const LoadedConfig loaded = load_kep(
        "kind: RequestPriority\nmeta: {name: a}\nspec: {catchAll: true, assuredConcurrencyShares: 1, queueLengthLimit: "
        "5, queues: " +
        std::to_string(queues) + ", handSize: " + std::to_string(hand) + "}\n");
    std::string out;
    for (const Diagnostic& d : validate(loaded, kNewestKubeVersion)) out += d.code + " " + d.message + "\n";
    return out;
  };
  CHECK(errors(182, 8).empty());  // ff(182, 8) = 1.03e18
  CHECK(errors(184, 8).empty());  // 1.13e18
  CHECK(errors(185, 8).find("APF808 spec.handSize: 8 doesn't suit 185 queues: ff(185, 8) must be less than 2^60") == 0);
  CHECK(errors(19, 19).empty());  // 19! = 1.22e17
  CHECK(errors(20, 17).empty());  // 20!/3! = 4.05e17
  CHECK_FALSE(errors(20, 18).empty());
  CHECK_FALSE(errors(4, 5).empty());
  CHECK_FALSE(errors(4, 0).empty());
  // Such a level is used as any other.
  PriorityLevel level;
  level.meta.name = "a";
  level.type = "Limited";
  level.limited = LimitedLevel{1, 0, {}, "Queue", Queuing{19, 19, 5}};
  CHECK_FALSE(malformed_reason(level).empty());
  level.kep = load_kep(std::string(kLow)).config.priority_levels.front().kep;
  CHECK(malformed_reason(level).empty());
  std::vector<std::uint32_t> hand = deal_hand(0x0123456789abcdefull, 19, 19);
  std::sort(hand.begin(), hand.end());
  CHECK(std::unique(hand.begin(), hand.end()) == hand.end());
  CHECK(hand.back() == 18);
}
