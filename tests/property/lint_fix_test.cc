// What --fix does to random configurations: it ends, fixes what it says it fixes, keeps what it does not fix,
// and its safe fixes leave every request where it was.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/limits.h>
#include <apf/lint.h>

#include "lint/fix.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "catch.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;

constexpr const char* kFile = "a.yaml";

// Written in a configuration, with the slips that have fixes.
const Names kWrittenVerbs = {"get", "list", "watch", "create", "LIST", "post"};
const Names kWrittenGroups = {"", "apps", "batch", "apps/v1", "v1", "example.com"};
const Names kWrittenResources = {"pods", "pods/status", "deployments",      "jobs",    "pod",
                                 "Pods", "pods/*",      "apps/deployments", "widgets", "leases"};
const Names kWrittenNamespaces = {"ns1", "ns2", "team-*", ""};
const Names kWrittenUrls = {"/healthz", "/healthz/*", "/metrics", "/api/v1/pods", "/version"};
const Names kLevels = {"workload-low", "workload-high", "own", "absent"};

// Asked for: what an API server has.
const Names kRealResources = {"pods", "pods/status", "deployments", "jobs", "widgets", "leases", "unnamed"};
const Names kRealGroups = {"", "apps", "batch", "example.com", "unnamed.example.com"};

// Writes YAML in many ways: block and flow, quotes, comments, items that come twice.
class ConfigWriter {
 public:
  explicit ConfigWriter(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  const std::string& pick(const Names& from) { return from[below(from.size())]; }

  std::string configuration() {
    std::string out;
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) out += schema(i);
    if (chance(70)) out += level();
    return out;
  }

 private:
  std::string comment() {
    if (chance(8)) return "  # apfctl: ignore[APF114] -- why not";
    return chance(20) ? "  # c" + std::to_string(++comments_) : "";
  }
  std::string line(const std::string& text) {
    std::string out =
        chance(6) ? std::string(text.find_first_not_of(' '), ' ') + "# c" + std::to_string(++comments_) + "\n" : "";
    return out + text + comment() + "\n";
  }
  std::string quoted(const std::string& text) {
    const bool plain = !text.empty() && text[0] != '*' && chance(60);
    return plain ? text : chance(50) ? "\"" + text + "\"" : "'" + text + "'";
  }

  std::string list(const std::string& indent, const std::string& key, const Names& from, bool dash = false) {
    Names items = {"*"};
    if (!chance(25)) {
      items.clear();
      for (std::size_t n = 1 + below(4); n > 0; --n) items.push_back(pick(from));
    }
    const std::string head = indent + (dash ? "- " : "  ") + key + ":";
    if (chance(50)) {
      std::string text = head + " [";
      for (std::size_t i = 0; i < items.size(); ++i) text += (i ? ", " : "") + quoted(items[i]);
      return line(text + "]");
    }
    std::string out = line(head);
    for (const std::string& item : items) out += line(indent + "  - " + quoted(item));
    return out;
  }

  std::string subject() {
    switch (below(4)) {
      case 0:
        return line("    - {kind: User, user: {name: " +
                    quoted(pick({"u1", "u2", "system:serviceaccount:ns1:sa", "sa"})) + "}}");
      case 1:
        return line("    - kind: Group") + line("      group:") +
               line("        name: " +
                    quoted(pick({"g1", "g2", "system:authenticated", "system:serviceaccount:ns1:sa"})));
      case 2:
        return line("    - {kind: ServiceAccount, serviceAccount: {namespace: ns1, name: " + quoted(pick({"sa", "*"})) +
                    "}}");
      default:
        return line("    - kind: User") + line("      user: {name: u1}");
    }
  }

  std::string schema(std::size_t number) {
    std::string out = "---\n";
    out += line(std::string("apiVersion: flowcontrol.apiserver.k8s.io/") + (chance(30) ? "v1beta3" : "v1"));
    out += line("kind: FlowSchema") + line("metadata:") + line("  name: s" + std::to_string(number));
    if (chance(15)) out += line("  annotations:") + line("    apf.kubernetes.io/autoupdate-spec: \"true\"");
    out += line("spec:") + line("  matchingPrecedence: " + std::to_string(500 + 100 * below(4)));
    out += line("  priorityLevelConfiguration:") + line("    name: " + pick(kLevels));
    if (chance(50))
      out += line(std::string("  distinguisherMethod: {type: ") + (chance(50) ? "ByUser}" : "ByNamespace}"));
    out += line("  rules:");
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      out += line("  - subjects:");
      for (std::size_t m = 1 + below(3); m > 0; --m) out += subject();
      if (const std::size_t m = below(3)) {
        out += line("    resourceRules:");
        for (std::size_t i = 0; i < m; ++i) out += resource_rule();
      }
      if (const std::size_t m = below(2)) {
        out += line("    nonResourceRules:");
        for (std::size_t i = 0; i < m; ++i)
          out += list("    ", "verbs", kWrittenVerbs, true) + list("    ", "nonResourceURLs", kWrittenUrls);
      }
    }
    return out;
  }

  std::string resource_rule() {
    std::string out = list("    ", "verbs", kWrittenVerbs, true) + list("    ", "apiGroups", kWrittenGroups);
    out += list("    ", "resources", kWrittenResources);
    if (chance(70)) out += list("    ", "namespaces", kWrittenNamespaces);
    if (chance(40)) out += line(std::string("      clusterScope: ") + (chance(70) ? "true" : "false"));
    return out;
  }

  std::string level() {
    std::string out = "---\n";
    out += line(std::string("apiVersion: flowcontrol.apiserver.k8s.io/") + (chance(30) ? "v1beta3" : "v1"));
    out += line("kind: PriorityLevelConfiguration") + line("metadata:") + line("  name: own");
    out += line("spec:") + line("  type: Limited") + line("  limited:");
    out += line("    nominalConcurrencyShares: " + std::to_string(below(40)));
    out += line("    limitResponse:");
    if (chance(30)) return out + line("      type: Reject");
    out += line("      type: Queue") + line("      queuing:");
    out += line("        queues: " + pick({"16", "64", "0", "8"})) +
           line("        handSize: " + pick({"0", "1", "4", "8"}));
    return out + line("        queueLengthLimit: " + pick({"0", "50"}));
  }

  std::mt19937_64 random_;
  int comments_ = 0;
};

std::vector<Diagnostic> findings_of(const std::string& text, const LintOptions& options) {
  const ConfigText texts[] = {{kFile, text}};
  return lint(load_config(texts), texts, options).findings;
}

std::string fixed(const std::string& text, const LintOptions& options, bool unsafe, int& applied) {
  const FindingsOf find = [&](std::span<const ConfigText> texts) { return findings_of(texts.front().text, options); };
  const FixedTexts result = fix_texts({{kFile, text}}, find, unsafe);
  applied = result.applied;
  return result.texts.front().text;
}

Config effective_config(const std::string& text) {
  const ConfigText texts[] = {{kFile, text}};
  LoadedConfig loaded = load_config(texts);
  INFO(text);
  CHECK_FALSE(loaded.has_errors());
  apply_defaults(loaded.config);
  return with_builtins(std::move(loaded.config), kNewestKubeVersion, Builtins::all);
}

std::vector<User> users() {
  std::vector<User> out = {{"u1", {}}, {"u2", {"g1"}}, {"nobody", {"g2"}}, {"sa", {}}, {"system:anonymous", {}}};
  for (const char* name : {"ns1:sa", "ns1:other", "ns2:sa"})
    out.push_back({std::string("system:serviceaccount:") + name, {}});
  for (User& user : out) add_implied_groups(user);
  return out;
}

std::vector<RequestInfo> requests() {
  std::vector<RequestInfo> out;
  for (const char* verb : {"get", "post", "head"}) {
    for (const char* path : {"/healthz", "/healthz/etcd", "/metrics", "/version", "/unnamed"}) {
      out.emplace_back().verb = verb;
      out.back().path = path;
    }
  }
  for (const char* verb : {"get", "list", "watch", "create", "delete"}) {
    for (const std::string& group : kRealGroups) {
      for (const std::string& resource : kRealResources) {
        for (const char* ns : {"", "ns1", "ns2", "team-a", "unnamed"}) {
          RequestInfo& info = out.emplace_back();
          info.is_resource_request = true;
          info.verb = verb;
          info.api_group = group;
          info.resource = resource.substr(0, resource.find('/'));
          if (resource.find('/') != std::string::npos) info.subresource = resource.substr(resource.find('/') + 1);
          info.ns = ns;
        }
      }
    }
  }
  return out;
}

// Where every request goes and as which flow, and what every level has: a line each.
std::string treatment(const std::string& text) {
  const Config config = effective_config(text);
  const Classifier classifier(config);
  std::string out;
  for (const User& user : users()) {
    for (const RequestInfo& request : requests()) {
      const Classifier::Match match = classifier.match(request, user);
      const Classifier::Schema& schema = classifier.schemas()[match.schema];
      out += schema.name + (match.fallback ? "!" : "") + "/" + classifier.levels()[schema.level].name + "/";
      out += std::string(classifier.distinguisher(match.schema, request, user)) + "\n";
    }
  }
  for (const LevelLimits& level : compute_limits(config, 600).levels) {
    out += level.name;
    for (const std::int64_t n :
         {std::int64_t(level.nominal_cl), std::int64_t(level.min_cl), std::int64_t(level.max_cl),
          std::int64_t(level.queues), std::int64_t(level.hand_size), std::int64_t(level.queue_length_limit)})
      out += " " + std::to_string(n);
    out += "\n";
  }
  return out;
}

// The first line that differs, of both; empty if none does.
std::string difference(const std::string& a, const std::string& b) {
  const auto [at, there] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() && there == b.end()) return {};
  const auto line = [](const std::string& text, std::size_t offset) {
    const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
    return text.substr(begin, text.find('\n', offset) - begin);
  };
  return line(a, static_cast<std::size_t>(at - a.begin())) + " became " +
         line(b, static_cast<std::size_t>(there - b.begin()));
}

std::set<std::string> comments_of(const std::string& text) {
  std::set<std::string> out;
  for (std::size_t at = text.find("# c"); at != std::string::npos; at = text.find("# c", at + 1))
    out.insert(text.substr(at, text.find('\n', at) - at));
  return out;
}

std::size_t errors_of(const std::vector<Diagnostic>& findings) {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                [](const Diagnostic& d) { return d.severity == Severity::error; }));
}

}  // namespace

TEST_CASE("safe fixes leave every request where it was, and come to rest with nothing left to fix",
          "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  ConfigWriter writer(test::seed());
  std::map<std::string, int> mended;
  for (int round = 0; round < test::rounds(120); ++round) {
    const std::string text = writer.configuration();
    LintOptions options;
    options.version = writer.chance(30) ? KubeVersion{30} : kNewestKubeVersion;
    options.today = "2026-11-20";
    const std::vector<Diagnostic> before = findings_of(text, options);
    int applied = 0;
    const std::string after = fixed(text, options, false, applied);
    INFO(text << "\n--- fixed:\n" << after);
    const std::vector<Diagnostic> left = findings_of(after, options);
    for (const Diagnostic& d : left) CHECK_FALSE((d.fix && d.fix->safe));
    CHECK(errors_of(left) <= errors_of(before));
    int again = 0;
    CHECK(fixed(after, options, false, again) == after);
    CHECK(again == 0);
    CHECK((applied > 0) == (after != text));
    CHECK(difference(treatment(text), treatment(after)) == "");
    for (const Diagnostic& d : before) mended[d.code] += d.fix && d.fix->safe;
  }
  std::erase_if(mended, [](const auto& entry) { return entry.second == 0; });
  CHECK(mended.size() >= 2);  // the configurations do hold what fixes are for
}

TEST_CASE("unsafe fixes come to rest too, and leave what can be read", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  ConfigWriter writer(test::seed() + 1);
  std::set<std::string> mended;
  for (int round = 0; round < test::rounds(120); ++round) {
    const std::string text = writer.configuration();
    LintOptions options;
    options.today = "2026-11-20";
    const std::vector<Diagnostic> before = findings_of(text, options);
    int applied = 0;
    const std::string after = fixed(text, options, true, applied);
    INFO(text << "\n--- fixed:\n" << after);
    const std::vector<Diagnostic> left = findings_of(after, options);
    for (const Diagnostic& d : left) CHECK_FALSE(d.fix);
    CHECK(errors_of(left) <= errors_of(before));
    for (const Diagnostic& d : before) {
      if (d.fix) mended.insert(d.code);
    }
    // No comment is made up, and none is lost where nothing was mended.
    const std::set<std::string> kept = comments_of(after), had = comments_of(text);
    CHECK(std::includes(had.begin(), had.end(), kept.begin(), kept.end()));
    if (applied == 0) CHECK(kept == had);
  }
  CHECK(mended.size() >= 8);
}
