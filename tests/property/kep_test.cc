// The KEP's dialect: the compiled form decides as its tests taken one by one, and what is translated to v1 classifies
// every request as before.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/limits.h>
#include <apf/lint.h>

#include "lint/fix.h"

#include <algorithm>
#include <random>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

// Configurations and requests over few words, so that they meet.
class KepWriter {
 public:
  explicit KepWriter(std::uint64_t seed) : random_(seed) {}

  // `plain`: more of what v1 can say.
  std::string config(bool plain) {
    std::string out = "kind: RequestPriority\nmeta: {name: top}\nspec: {exempt: true}\n";
    out += priority("low", true) + priority("high", false);
    const int schemas = 1 + below(4);
    if (plain || below(3) > 0) {
      out +=
          "---\nkind: FlowSchema\nmeta: {name: masters}\nspec:\n  matchingPrecedence: 2\n  requestPriority: {name: "
          "top}\n  match:\n"
          "  - and:\n    - superSet: {field: groups, set: ['system:masters']}\n";
    }
    for (int i = 0; i < schemas; ++i) out += schema(i, plain);
    return out;
  }

  void request(ParsedRequest& parsed, User& user) {
    static constexpr const char* kMethods[] = {"GET", "POST", "PUT", "DELETE", "PATCH"};
    static constexpr const char* kUris[] = {"/api/v1/namespaces/a/pods",
                                            "/api/v1/namespaces/a/pods/x",
                                            "/api/v1/namespaces/b/pods/x/status",
                                            "/api/v1/nodes",
                                            "/api/v1/nodes/x/status",
                                            "/apis/apps/v1/namespaces/a/deployments",
                                            "/apis/apps/v1/deployments?watch=1",
                                            "/healthz",
                                            "/version",
                                            "/apis",
                                            "/apis/batch/v1/namespaces/b/jobs/x",
                                            "/api/v1/namespaces/a",
                                            "/api/v1/namespaces/c/pods/x/log",
                                            "/metrics/x",
                                            "/apis/apps/v1/namespaces/a/deployments/x/scale"};
    static constexpr const char* kUsers[] = {"alice", "bob", "carol", "system:serviceaccount:a:x", ""};
    static constexpr const char* kGroups[] = {"devs", "ops", "system:masters", "system:authenticated"};
    parse_request(pick(kMethods), pick(kUris), parsed);
    user = {pick(kUsers), {}};
    for (const char* group : kGroups) {
      if (below(4) == 0) user.groups.push_back(group);
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[below(N)];
  }

  std::string priority(const char* name, bool catch_all) {
    const int queues = below(3) == 0 ? 1 : 16;
    return std::string("---\nkind: RequestPriority\nmeta: {name: ") + name +
           "}\nspec: {catchAll: " + (catch_all ? "true" : "false") +
           ", assuredConcurrencyShares: " + std::to_string(below(50)) + ", queues: " + std::to_string(queues) +
           (queues > 1 ? ", handSize: 4" : "") + ", queueLengthLimit: 10}\n";
  }

  std::string schema(int number, bool plain) {
    static constexpr const char* kPriorities[] = {"top", "low", "high"};
    std::string out = "---\nkind: FlowSchema\nmeta: {name: s" + std::to_string(number) + "}\nspec:\n";
    if (below(3) > 0) out += "  matchingPriority: " + std::to_string(plain ? 3 + below(9) : below(9)) + "\n";
    out += std::string("  requestPriority: {name: ") + pick(kPriorities) + "}\n";
    static constexpr const char* kPatterns[] = {"(.*)", "(.*)", "system:serviceaccount:(.*):.*", "(a|b).*", "x"};
    if (below(3) > 0) {
      out += std::string("  flowDistinguisher: {source: ") + (below(2) ? "user" : "namespace");
      if (below(3) == 0) out += std::string(", pattern: '") + (plain && below(4) > 0 ? "(.*)" : pick(kPatterns)) + "'";
      out += "}\n";
    }
    out += "  match:";
    const int lists = below(4);
    if (lists == 0) return out + " []\n";
    out += "\n";
    for (int i = 0; i < lists; ++i) {
      out += "  - and:";
      const int tests = below(plain ? 3 : 4);
      if (tests == 0) out += " []";
      out += "\n";
      for (int t = 0; t < tests; ++t) out += test(plain);
    }
    return out;
  }

  std::string test(bool plain) {
    static constexpr const char* kFields[] = {"user",     "user",        "verb",       "namespace", "apiGroup",
                                              "resource", "subresource", "apiVersion", "name",      "path"};
    const int kind = below(plain ? 8 : 12);
    if (kind < 2)
      return line(plain ? "superSet" : pick2("superSet", "notSuperSet", 4), "groups", "set",
                  list({"devs", "ops", "system:masters"}, plain ? 2 : 3));
    const std::string field = kFields[below(plain ? 5 : 10)];
    if (plain && below(3) == 0)
      return line("inSet", "resource", "set", list(values("resource"), 3)) +
             line("inSet", "subresource", "set", list(values("subresource"), 4));
    if (kind < 6)
      return line(plain ? "equals" : pick2("equals", "notEquals", 3), field, "value", "'" + one(values(field)) + "'");
    if (kind < 8) return line(plain ? "inSet" : pick2("inSet", "notInSet", 3), field, "set", list(values(field), 3));
    if (kind < 10) return line("superSet", field, "set", list(values(field), 2));
    static constexpr const char* kPatterns[] = {
        ".*", "a.*", "alice|bob", "[a-z]+", "pods", "system:serviceaccount:.*", "/healthz"};
    return line(pick2("patternMatch", "notPatternMatch", 3), field, "pattern",
                std::string("'") + pick(kPatterns) + "'");
  }

  // Both ways to write a test.
  std::string line(const std::string& name, const std::string& field, const std::string& member,
                   const std::string& value) {
    if (below(2) == 0) return "    - " + name + ": {field: " + field + ", " + member + ": " + value + "}\n";
    return "    - " + name + ":\n      field: " + field + "\n      " + member + ": " + value + "\n";
  }
  const char* pick2(const char* usual, const char* other, int of) { return below(of) == 0 ? other : usual; }
  static std::vector<std::string> values(const std::string& field) {
    if (field == "user") return {"alice", "bob", "system:serviceaccount:a:x"};
    if (field == "verb") return {"get", "list", "watch", "create", "delete"};
    if (field == "namespace") return {"a", "b", ""};
    if (field == "apiGroup") return {"", "apps", "batch"};
    if (field == "resource") return {"pods", "nodes", "deployments", "namespaces", ""};
    if (field == "subresource") return {"", "status", "scale", "log"};
    if (field == "apiVersion") return {"v1", ""};
    if (field == "name") return {"x", ""};
    return {"/healthz", "/api/v1/nodes"};
  }
  std::string one(const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }
  std::string list(const std::vector<std::string>& words, int most) {
    std::string out = "[";
    for (int i = below(most + 1); i > 0; --i) out += (out.size() > 1 ? ", '" : "'") + one(words) + "'";
    return out + "]";
  }

  std::mt19937_64 random_;
};

LoadedConfig load_kep(const std::string& text) {
  const ConfigText texts[] = {{"kep.yaml", text}};
  return load_config(texts);
}

}  // namespace

TEST_CASE("property: the compiled classifier of the KEP's dialect decides as the FlowSchemas taken one by one",
          "[kep]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  KepWriter writer(seed);
  for (int round = 0; round < test::rounds(300); ++round) {
    const std::string text = writer.config(false);
    INFO(text);
    const LoadedConfig loaded = load_kep(text);
    REQUIRE_FALSE(loaded.has_errors());
    const Classifier classifier(loaded.config);
    for (int i = 0; i < 40; ++i) {
      ParsedRequest request;
      User user;
      writer.request(request, user);
      const auto& schemas = classifier.schemas();
      const auto first = std::find_if(schemas.begin(), schemas.end(), [&](const Classifier::Schema& s) {
        return matches_flow_schema(s.object, request.info, user);
      });
      REQUIRE(first != schemas.end());
      const Classifier::Match match = classifier.match(request.info, user);
      CHECK(match.schema == static_cast<std::uint32_t>(first - schemas.begin()));
      CHECK_FALSE(match.fallback);
      const Explanation explanation = explain(classifier, request.info, user);
      for (std::size_t s = 0; s < schemas.size(); ++s)
        CHECK(explanation.trace[s].matches == matches_flow_schema(schemas[s].object, request.info, user));
    }
  }
}

TEST_CASE("property: what the KEP's dialect becomes in v1 takes every request to the same level and flow", "[kep]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  KepWriter writer(seed + 1);
  int translated = 0, matched = 0;
  for (int round = 0; round < test::rounds(1000); ++round) {
    const std::string text = writer.config(round % 4 > 0);
    const LoadedConfig loaded = load_kep(text);
    const ConfigText texts[] = {{"kep.yaml", text}};
    const Rewritten rewritten = convert_objects(loaded, texts, FlowControlVersion::v1);
    const bool partial = std::any_of(rewritten.losses.begin(), rewritten.losses.end(),
                                     [](const Diagnostic& d) { return d.severity == Severity::error; });
    if (partial) continue;
    REQUIRE_FALSE(rewritten.objects.empty());
    ++translated;
    std::string v1;
    for (const RewrittenObject& object : rewritten.objects) v1 += "---\n" + object.yaml;
    INFO(text << "becomes\n" << v1);
    const LoadedConfig after = load_kep(v1);
    REQUIRE(after.diagnostics.empty());
    const Classifier old_classifier(loaded.config), new_classifier(after.config);
    for (int i = 0; i < 60; ++i) {
      ParsedRequest request;
      User user;
      writer.request(request, user);
      INFO("user " << user.name << ", " << request.info.verb << " " << request.info.path << ", " << user.groups.size()
                   << " groups");
      const Explanation before = explain(old_classifier, request.info, user),
                        now = explain(new_classifier, request.info, user);
      REQUIRE(before.exempt == now.exempt);
      if (before.exempt) continue;  // exempt requests have no flows, and in v1 one level
      ++matched;
      CHECK_FALSE(now.fallback);
      CHECK(before.flow_schema == now.flow_schema);
      CHECK(before.priority_level == now.priority_level);
      CHECK(before.flow_distinguisher == now.flow_distinguisher);
      CHECK(before.hash == now.hash);
      CHECK(before.hand == now.hand);
    }
  }
  // Else nothing was looked at.
  CHECK(translated > test::rounds(100));
  CHECK(matched > test::rounds(1000));
}

TEST_CASE(
    "property: fixes of the KEP's dialect leave each request where it went, and what is said to be shadowed is never "
    "reached",
    "[kep]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  KepWriter writer(seed + 2);
  LintOptions options;
  const auto findings_of = [&](std::span<const ConfigText> some) {
    return lint(load_config(some), some, options).findings;
  };
  int fixed_files = 0, shadowed = 0;
  for (int round = 0; round < test::rounds(300); ++round) {
    const ConfigText texts[] = {{"kep.yaml", writer.config(round % 2 > 0)}};
    const LoadedConfig loaded = load_config(texts);
    const FixedTexts fixed = fix_texts({texts[0]}, findings_of, true);
    fixed_files += fixed.applied > 0;
    INFO(texts[0].text << "becomes\n" << fixed.texts[0].text);
    const LoadedConfig after = load_config(fixed.texts);
    REQUIRE_FALSE(after.has_errors());
    const Classifier before_classifier(loaded.config), after_classifier(after.config);
    std::vector<std::string> unreached;
    for (const Diagnostic& d : findings_of(texts)) {
      if (d.code == "APF823" && d.field == "meta.name") unreached.push_back(d.object_name);
    }
    shadowed += !unreached.empty();
    for (int i = 0; i < 60; ++i) {
      ParsedRequest request;
      User user;
      writer.request(request, user);
      const Explanation before = explain(before_classifier, request.info, user),
                        now = explain(after_classifier, request.info, user);
      CHECK(before.flow_schema == now.flow_schema);
      CHECK(before.priority_level == now.priority_level);
      CHECK(before.flow_distinguisher == now.flow_distinguisher);
      CHECK(std::find(unreached.begin(), unreached.end(), before.flow_schema) == unreached.end());
    }
  }
  CHECK(fixed_files > test::rounds(20));
  CHECK(shadowed > test::rounds(10));
}

TEST_CASE("property: whatever a text of the KEP's dialect is turned into, reading and using it ends", "[kep]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  KepWriter writer(seed + 3);
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  constexpr std::string_view kPieces[] = {"\n",
                                          ": ",
                                          "- ",
                                          "meta:",
                                          "kind: FlowSchema\n",
                                          "Some words here.\n\n",
                                          "(",
                                          ")",
                                          "[",
                                          "*",
                                          "\\",
                                          "{",
                                          "}",
                                          "'",
                                          "null",
                                          "and",
                                          "pattern: ",
                                          "\xc3",
                                          "---\n",
                                          "1e9",
                                          "&a ",
                                          "*a"};
  for (int round = 0; round < test::rounds(2000); ++round) {
    std::string text = writer.config(false);
    for (std::size_t edits = 1 + below(6); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      if (below(2) == 0) text.erase(at, 1 + below(12));
      else text.insert(at, kPieces[below(std::size(kPieces))]);
    }
    INFO(text);
    const ConfigText texts[] = {{"kep.yaml", text}};
    const LoadedConfig loaded = load_config(texts);
    for (const Diagnostic& d : loaded.diagnostics) CHECK(d.span.known());
    const std::vector<Diagnostic> errors = validate(loaded, kNewestKubeVersion);
    const LintResult linted = lint(loaded, texts, {});
    CHECK(linted.findings.size() >= errors.size());
    convert_objects(loaded, texts, FlowControlVersion::v1);
    default_objects(loaded, texts);
    compute_limits(loaded.config, 600);
    const Classifier classifier(loaded.config);
    ParsedRequest request;
    User user;
    writer.request(request, user);
    const Explanation explanation = explain(classifier, request.info, user);
    CHECK_FALSE(explanation.flow_schema.empty());
  }
}

TEST_CASE("property: presets, releases and both dialects go together", "[kep]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  KepWriter writer(seed + 4);
  constexpr const char* kOfApi =
      "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: s0}\nspec: "
      "{priorityLevelConfiguration: {name: workload-low}}\n";
  int round = 0;
  for (const Preset& preset : presets()) {
    for (const KubeVersion version : kube_versions()) {
      for (const bool kep : {true, false}) {
        std::string text = kep ? writer.config(false) : kOfApi;
        // Only the kinds of the first objects tell the dialect; sometimes there is one object alone.
        if (kep && ++round % 3 == 0) text.erase(text.find("---"));
        INFO(preset.name << " " << version.str() << "\n" << text);
        const ConfigText texts[] = {{"a.yaml", text}};
        const LoadedConfig loaded = load_config(texts);
        LintOptions options;
        options.version = version;
        options.added = preset_objects(preset);
        lint(loaded, texts, options);
        Config stored = loaded.config;
        apply_defaults(stored);
        const Config config = with_objects(with_builtins(stored, version, Builtins::all), options.added);
        CHECK(is_kep(config) == kep);
        for (const FlowSchema& schema : config.flow_schemas) CHECK((schema.kep != nullptr) == kep);
        for (const PriorityLevel& level : config.priority_levels) CHECK((level.kep != nullptr) == kep);
        CHECK(compute_limits(config, 600, version).levels.size() == config.priority_levels.size());
        ParsedRequest request;
        User user;
        writer.request(request, user);
        CHECK_FALSE(explain(Classifier(config), request.info, user).flow_schema.empty());
      }
    }
  }
}
