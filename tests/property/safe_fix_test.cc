// What "safe" means: after the safe fixes of --fix the stored objects, their seats at any server and the classification
// of every request are what they were. Over random configurations, and over the files of examples and golden tests.
#include <apf/classify.h>
#include <apf/config.h>
#include <apf/limits.h>
#include <apf/lint.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "catch.h"
#include "lint/fix.h"
#include "support/vectors.h"

using namespace apf;

namespace {

using Names = std::vector<std::string>;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  const std::string& pick(const Names& from) { return from[below(from.size())]; }

 private:
  std::mt19937_64 random_;
};

// --- requests, from METHOD and URI, and users as authenticators make them ---

struct Asked {
  RequestInfo info;
  User user;
};

std::string random_path(Dice& dice) {
  static const Names kPaths = {"/healthz", "/healthz/etcd", "/livez", "/readyz", "/metrics", "/version", "/", "/x/y"};
  static const Names kPrefixes = {"/api/v1", "/apis/apps/v1", "/apis/batch/v1", "/apis/coordination.k8s.io/v1",
                                  "/apis/example.com/v1"};
  static const Names kResources = {"pods", "nodes", "deployments", "jobs", "leases", "widgets", "namespaces", "events"};
  static const Names kSubresources = {"status", "log", "scale", "eviction", "token"};
  if (dice.chance(12)) return dice.pick(kPaths);
  std::string out = dice.pick(kPrefixes);
  if (dice.chance(65)) out += "/namespaces/" + dice.pick({"ns1", "ns2", "kube-system", "team-a", "default"});
  out += "/" + dice.pick(kResources);
  if (dice.chance(40)) return dice.chance(20) ? out + "?watch=true" : out;
  out += "/x";
  return dice.chance(25) ? out + "/" + dice.pick(kSubresources) : out;
}

User random_user(Dice& dice) {
  User user;
  switch (dice.below(4)) {
    case 0:
      user = {"system:serviceaccount:" + dice.pick({"ns1", "ns2", "kube-system"}) + ":" + dice.pick({"sa", "other"}),
              {}};
      break;
    case 1:
      user = {dice.pick({"u1", "u2", "alice"}), {}};
      for (const char* group : {"g1", "g2", "developers"}) {
        if (dice.chance(40)) user.groups.emplace_back(group);
      }
      break;
    case 2:
      user = {"system:node:n1", {"system:nodes"}};
      break;
    default:
      user = {dice.pick({"system:anonymous", "system:kube-scheduler", "system:kube-controller-manager"}), {}};
      if (dice.chance(20)) user = {"root", {"system:masters"}};
  }
  add_implied_groups(user);
  return user;
}

const std::vector<Asked>& asked_requests() {
  static const std::vector<Asked> all = [] {
    Dice dice(test::seed() + 7);
    std::vector<Asked> out;
    while (out.size() < 10'000) {
      ParsedRequest parsed;
      parse_request(dice.pick({"GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}), random_path(dice), parsed);
      if (parsed.error().empty()) out.push_back({parsed.info, random_user(dice)});
    }
    return out;
  }();
  return all;
}

// --- configurations ---

// Objects of all versions, with fields of other versions and other slips.
class ConfigurationWriter {
 public:
  explicit ConfigurationWriter(Dice& dice) : dice_(dice) {}

  std::string configuration() {
    if (dice_.chance(20)) return list();
    std::string out;
    for (std::size_t i = 0, n = 1 + dice_.below(3); i < n; ++i) out += "---\n" + object(i);
    return out;
  }

 private:
  // The items one step deeper.
  std::string list() {
    const bool typed = dice_.chance(40);
    const std::string version = pick_version();
    std::string out = typed ? "apiVersion: flowcontrol.apiserver.k8s.io/" + version +
                                  "\nkind: PriorityLevelConfigurationList\nitems:\n"
                            : "apiVersion: v1\nkind: List\nitems:\n";
    for (std::size_t i = 0, n = 1 + dice_.below(3); i < n; ++i) {
      std::istringstream lines(typed ? level(i) : object(i));
      std::string indent = "- ";
      for (std::string line; std::getline(lines, line); indent = "  ") out += indent + line + "\n";
    }
    return out;
  }

  std::string object(std::size_t number) { return dice_.chance(60) ? level(number) : schema(number); }
  std::string pick_version() { return dice_.pick({"v1", "v1beta3", "v1beta3", "v1beta2", "v1beta2", "v1beta1"}); }

  std::string head(const char* kind, std::size_t number) {
    const std::string version = "flowcontrol.apiserver.k8s.io/" + pick_version();
    std::string out = "apiVersion: " + (dice_.chance(20) ? "\"" + version + "\"" : version) + "\n";
    if (dice_.chance(3)) out += "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n";
    out += "kind: " + std::string(kind) + "\nmetadata:\n  name: o" + std::to_string(number) + "\n";
    if (dice_.chance(8)) out += "  annotations: {flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: \"\"}\n";
    if (dice_.chance(10)) out += "# apfctl: ignore[APF114] -- why not\n";
    if (dice_.chance(6)) out += "  note: |\n    # apfctl: ignore[APF116] -- a text\n";
    return out + "spec:\n";
  }

  std::string maybe(int percent, const std::string& line) { return dice_.chance(percent) ? line + "\n" : ""; }
  std::string number() { return dice_.pick({"0", "1", "20", "60", "null"}); }

  std::string level(std::size_t number_of) {
    std::string out = head("PriorityLevelConfiguration", number_of) + "  type: Limited\n  limited:\n";
    out += maybe(55, "    assuredConcurrencyShares: " + number());
    out += maybe(55, "    nominalConcurrencyShares: " + number());
    out += maybe(5, "    nominalConcurrencyShares: 7");
    out += maybe(5, "    nominalConcurrencyShare: 9");
    out += maybe(30, "    lendablePercent: " + dice_.pick({"0", "50"}));
    out += maybe(5, "    colour: red");
    if (dice_.chance(30)) return out + "    limitResponse: {type: Reject}\n";
    out += "    limitResponse:\n      type: Queue\n      queuing:\n";
    out += "        queues: " + dice_.pick({"1", "16", "0", "64"}) + "\n";
    out += "        handSize: " + dice_.pick({"1", "1", "0", "4"}) + "\n";
    return out + maybe(50, "        queueLengthLimit: " + dice_.pick({"0", "50"}));
  }

  std::string words(const Names& from) {
    std::string out = "[";
    for (std::size_t n = 1 + dice_.below(4); n > 0; --n) out += dice_.pick(from) + (n > 1 ? ", " : "]");
    return out;
  }

  std::string schema(std::size_t number) {
    std::string out = head("FlowSchema", number);
    out += "  matchingPrecedence: " + dice_.pick({"0", "500", "500", "1000", "9000"}) + "\n";
    out += "  priorityLevelConfiguration: {name: " + dice_.pick({"o0", "o1", "workload-low", "exempt", "catch-all"}) +
           "}\n";
    out += maybe(50, "  distinguisherMethod: {type: " + dice_.pick({"ByUser", "ByNamespace"}) + "}");
    out += maybe(5, "  matchingPrecedense: 3");
    out += "  rules:\n";
    for (std::size_t rules = 1 + dice_.below(2); rules > 0; --rules) {
      out += "  - subjects:\n";
      for (std::size_t n = 1 + dice_.below(3); n > 0; --n)
        out += "    - " +
               dice_.pick({"{kind: User, user: {name: u1}}", "{kind: Group, group: {name: g1}}",
                           "{kind: Group, group: {name: \"system:serviceaccounts\"}}",
                           "{kind: Group, group: {name: \"system:authenticated\"}}",
                           "{kind: ServiceAccount, serviceAccount: {namespace: ns1, name: sa}}"}) +
               "\n";
      out += "    resourceRules:\n";
      for (std::size_t n = 1 + dice_.below(2); n > 0; --n)
        out += "    - {verbs: " + words({"get", "list", "create"}) +
               ", apiGroups: " + words({"\"\"", "apps", "batch"}) +
               ", resources: " + words({"pods", "pod", "jobs", "deployments"}) +
               ", namespaces: " + words({"ns1", "ns2"}) + ", clusterScope: " + dice_.pick({"true", "false"}) + "}\n";
    }
    return out;
  }

  Dice& dice_;
};

// --- what the server makes of a text ---

template <class Object>
std::string stored_text(Object object) {
  object.meta.source = {};
  object.meta.api_version = "flowcontrol.apiserver.k8s.io/v1";
  return render_json(object) + "\n";
}

Config stored(const std::vector<ConfigText>& texts) {
  LoadedConfig loaded = load_config(texts);
  apply_defaults(loaded.config);
  return loaded.config;
}

std::string objects_text(const Config& config) {
  std::string out;
  for (const FlowSchema& schema : config.flow_schemas) out += stored_text(schema);
  for (const PriorityLevel& level : config.priority_levels) out += stored_text(level);
  return out;
}

std::string seats_text(const Config& effective, KubeVersion version) {
  std::string out;
  for (const int total : {1, 7, 60, 600, 4321}) {
    for (const LevelLimits& level : compute_limits(effective, total, version).levels) {
      out += level.name;
      for (const std::int64_t n :
           {std::int64_t(level.nominal_cl), std::int64_t(level.min_cl), std::int64_t(level.max_cl),
            std::int64_t(level.queues), std::int64_t(level.hand_size), std::int64_t(level.queue_length_limit)})
        out += " " + std::to_string(n);
      out += "\n";
    }
  }
  return out;
}

bool is_same_flow(const Classifier& was, const Classifier& is, const Asked& asked) {
  const Classifier::Match before = was.match(asked.info, asked.user), after = is.match(asked.info, asked.user);
  const Classifier::Schema &old = was.schemas()[before.schema], &now = is.schemas()[after.schema];
  return old.name == now.name && before.fallback == after.fallback &&
         was.levels()[old.level].name == is.levels()[now.level].name &&
         was.distinguisher(before.schema, asked.info, asked.user) ==
             is.distinguisher(after.schema, asked.info, asked.user);
}

// By code, how often it was offered as a safe fix.
using Counts = std::map<std::string, int>;

// Applies the safe fixes; true if there were any.
bool check_safe_fixes(const std::vector<ConfigText>& texts, KubeVersion version, Counts& counts) {
  LintOptions options;
  options.version = version;
  options.today = "2026-11-20";
  bool first = true;
  const FindingsOf find = [&](std::span<const ConfigText> now) {
    std::vector<Diagnostic> found = lint(load_config(now), now, options).findings;
    for (const Diagnostic& d : found) {
      if (first && d.fix && d.fix->safe) ++counts[d.code];
    }
    first = false;
    return found;
  };
  const FixedTexts fixed = fix_texts(texts, find, false);
  if (fixed.applied == 0) return false;
  const Config before = stored(texts), after = stored(fixed.texts);
  INFO(texts[0].name << " for " << version.str() << "\n" << texts[0].text << "\n--- fixed:\n" << fixed.texts[0].text);
  CHECK(objects_text(before) == objects_text(after));
  const Config old = with_builtins(before, version, Builtins::all), now = with_builtins(after, version, Builtins::all);
  CHECK(seats_text(old, version) == seats_text(now, version));
  const Classifier was(old), is(now);
  const bool same = std::all_of(asked_requests().begin(), asked_requests().end(),
                                [&](const Asked& asked) { return is_same_flow(was, is, asked); });
  CHECK(same);
  return true;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// APF_TEST_FILES adds folders, with colons between them.
std::vector<std::filesystem::path> yaml_files() {
  std::vector<std::string> folders;
  for (const char* folder : {"/golden/lint", "/golden/inputs", "/golden/validate", "/golden/convert", "/../examples"})
    folders.push_back(std::string(APF_TESTS_DIR) + folder);
  const char* const more = std::getenv("APF_TEST_FILES");
  std::istringstream others(more ? more : "");
  for (std::string folder; std::getline(others, folder, ':');) folders.push_back(folder);
  std::vector<std::filesystem::path> out;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const bool is_yaml = entry.path().extension() == ".yaml" || entry.path().extension() == ".json";
      if (entry.is_regular_file() && is_yaml && entry.file_size() < 20'000) out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("safe fixes change nothing of what a server stores, deals out or classifies", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  Dice dice(test::seed());
  ConfigurationWriter writer(dice);
  Counts counts;
  int fixed = 0;
  for (int round = 0; round < test::rounds(200); ++round) {
    const KubeVersion version{23 + static_cast<int>(dice.below(14))};
    fixed += check_safe_fixes({{"a.yaml", writer.configuration()}}, version, counts);
  }
  CHECK(fixed > test::rounds(30));
  CHECK(counts.contains("APF502"));
  CHECK(counts.contains("APF901"));
}

TEST_CASE("safe fixes of the files in the tree change nothing of what a server does", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  Counts counts;
  int fixed = 0;
  for (const std::filesystem::path& path : yaml_files()) {
    const std::string text = read(path);
    if (text.find("flowcontrol") == std::string::npos && text.find("RequestPriority") == std::string::npos) continue;
    for (const int minor : {31, 28}) {
      if (minor == 28 && test::rounds(2) < 2) continue;
      fixed += check_safe_fixes({{path.filename().string(), text}}, KubeVersion{minor}, counts);
    }
  }
  CHECK(fixed > test::rounds(10));
}

TEST_CASE("fixes of the files in the tree take their findings with them", "[lint][fix][property]") {
  LintOptions options;
  options.today = "2026-11-20";
  const FindingsOf find = [&](std::span<const ConfigText> now) {
    return lint(load_config(now), now, options).findings;
  };
  int fixed = 0;
  for (const std::filesystem::path& path : yaml_files()) {
    const std::vector<ConfigText> texts = {{path.filename().string(), read(path)}};
    for (const bool all : {false, true}) {
      const FixedTexts after = fix_texts(texts, find, all);
      if (after.applied == 0) continue;
      ++fixed;
      INFO(path << "\n--- fixed:\n" << after.texts[0].text);
      for (const Diagnostic& d : find(after.texts))
        if (d.fix && (all || d.fix->safe)) FAIL_CHECK(to_string(d));
      if (texts[0].text.find("annotations: {}") == std::string::npos)
        CHECK(after.texts[0].text.find("annotations: {}") == std::string::npos);
    }
  }
  CHECK(fixed > 20);
}
