// Rewritten objects read back as what they are, keep the keys' order, and are rewritten once only.
#include <apf/config.h>

#include <random>

#include "catch.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

constexpr const char* kVersions[] = {"v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha1"};

// Objects as people write them: members in any order, some left out, some null, strings that YAML likes to misread.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::uint64_t seed) : random_(seed) {}

  std::string object(int version) {
    const bool schema = coin();
    std::vector<std::string> members = {
        std::string("\"apiVersion\":\"flowcontrol.apiserver.k8s.io/") + kVersions[version] + "\"",
        std::string("\"kind\":\"") + (schema ? "FlowSchema" : "PriorityLevelConfiguration") + "\"", metadata()};
    if (below(8) > 0) members.push_back("\"spec\":" + (schema ? schema_spec() : level_spec(version)));
    if (coin())
      members.push_back("\"status\":{\"conditions\":[{\"type\":" + text() + ",\"lastTransitionTime\":null}]}");
    return shuffled(std::move(members));
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool coin() { return below(2) == 1; }

  std::string shuffled(std::vector<std::string> members) {
    std::shuffle(members.begin(), members.end(), random_);
    std::string out = "{";
    for (const std::string& member : members) out += (out.size() > 1 ? "," : "") + member;
    return out + "}";
  }

  std::string text() {
    static constexpr const char* kTexts[] = {"\"\"",
                                             "\"true\"",
                                             "\"123\"",
                                             "\"a: b\"",
                                             "\"#\"",
                                             "\"a\\nb\"",
                                             "\"~\"",
                                             "\"x\"",
                                             "\"é<>&\"",
                                             "\"- a\"",
                                             "\" a \"",
                                             "\"0x1\"",
                                             "\"null\"",
                                             "\"*\"",
                                             "\"\\u0001\"",
                                             "\"it's\"",
                                             "\"a\\n\"",
                                             "\"a\\n\\nb: c\\n # d\\n\"",
                                             "\"  a\\nb\"",
                                             "\"a\\n\\n\"",
                                             "\"---\\na\"",
                                             "\"a \\nb\"",
                                             "\"\\na\"",
                                             "\"a\\n\\tb\\r\\n\"",
                                             "\"#\\n- é\\n...\"",
                                             "\"{\\n  \\\"a\\\": 1\\n}\\n\""};
    return kTexts[below(std::size(kTexts))];
  }
  std::string number() {
    static constexpr const char* kNumbers[] = {"0", "1", "-1", "7", "64", "2147483647", "null"};
    return kNumbers[below(std::size(kNumbers))];
  }

  std::string maybe(std::vector<std::string> members) {
    std::vector<std::string> kept;
    for (std::string& member : members) {
      if (coin()) kept.push_back(std::move(member));
    }
    return shuffled(std::move(kept));
  }

  std::string metadata() {
    std::vector<std::string> members = {"\"name\":\"o\""};
    if (coin()) members.push_back("\"labels\":{\"b\":" + text() + ",\"a\":" + text() + "}");
    if (coin()) {
      members.push_back(std::string("\"annotations\":{\"z\":") + text() +
                        (coin() ? ",\"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares\":\"\"" : "") + "}");
    }
    if (coin()) members.push_back("\"generation\":" + std::string(coin() ? "0" : "3"));
    if (coin())
      members.push_back("\"creationTimestamp\":" + std::string(coin() ? "null" : "\"2026-01-05T09:30:00.5+01:00\""));
    if (coin()) {
      members.push_back(
          "\"managedFields\":[{\"operation\":\"Update\",\"fieldsV1\":{\"f:spec\":{\"b\":1.5,\"a\":[true,null]}}}]");
    }
    return "\"metadata\":" + shuffled(std::move(members));
  }

  std::string strings() {
    std::string out = "[";
    for (int i = below(3); i > 0; --i) out += (out.size() > 1 ? "," : "") + text();
    return out + "]";
  }

  std::string schema_spec() {
    const std::string subject =
        maybe({"\"kind\":\"User\"", "\"user\":{\"name\":" + text() + "}", "\"group\":null",
               "\"serviceAccount\":" + maybe({"\"name\":" + text(), "\"namespace\":" + text()})});
    const std::string resource =
        maybe({"\"verbs\":" + strings(), "\"apiGroups\":" + strings(), "\"resources\":null",
               "\"clusterScope\":" + std::string(coin() ? "true" : "false"), "\"namespaces\":" + strings()});
    const std::string rule =
        maybe({"\"subjects\":[" + subject + "]", "\"resourceRules\":[" + resource + "]",
               "\"nonResourceRules\":[" + maybe({"\"verbs\":" + strings(), "\"nonResourceURLs\":" + strings()}) + "]"});
    return maybe({"\"matchingPrecedence\":" + number(), "\"priorityLevelConfiguration\":{\"name\":" + text() + "}",
                  "\"distinguisherMethod\":" + std::string(coin() ? "{}" : "{\"type\":\"ByUser\"}"),
                  "\"rules\":[" + rule + "]"});
  }

  std::string level_spec(int version) {
    const std::string shares = version < 2 ? "\"nominalConcurrencyShares\":" : "\"assuredConcurrencyShares\":";
    const std::string queuing =
        maybe({"\"handSize\":" + number(), "\"queues\":" + number(), "\"queueLengthLimit\":" + number()});
    const std::string limited =
        maybe({shares + number(), "\"limitResponse\":" + maybe({"\"queuing\":" + queuing, "\"type\":" + text()}),
               "\"borrowingLimitPercent\":" + number(), "\"lendablePercent\":" + number()});
    return maybe(
        {"\"type\":" + text(), "\"limited\":" + limited,
         "\"exempt\":" + maybe({"\"nominalConcurrencyShares\":" + number(), "\"lendablePercent\":" + number()})});
  }

  std::mt19937_64 random_;
};

Rewritten rewritten(const std::string& text, const char* name, std::optional<FlowControlVersion> to) {
  const ConfigText texts[] = {{name, text}};
  const LoadedConfig loaded = load_config(texts);
  INFO(test::diagnostics_text(loaded));
  REQUIRE(loaded.diagnostics.empty());
  Rewritten out = to ? convert_objects(loaded, texts, *to) : default_objects(loaded, texts);
  REQUIRE(out.objects.size() == 1);
  return out;
}

// The keys of a YAML text with their indentation, in order.
std::vector<std::string> keys_of(const std::string& yaml) {
  std::vector<std::string> keys;
  for (std::size_t at = 0; at < yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', at), yaml.size());
    const std::string line = yaml.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) keys.push_back(line.substr(0, colon));
    at = end + 1;
  }
  return keys;
}

bool holds_in_order(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  auto at = all.begin();
  for (const std::string& key : some) {
    at = std::find(at, all.end(), key);
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

}  // namespace

TEST_CASE("default: YAML reads back equal, in the input's order, and nothing changes twice", "[convert][property]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  ObjectWriter writer(seed);
  for (int round = 0; round < test::rounds(1000); ++round) {
    const std::string text = writer.object(round % 5);
    INFO(text);
    const Rewritten first = rewritten(text, "in.json", {});
    const RewrittenObject& object = first.objects[0];
    CHECK(object.changed == (object.yaml != object.yaml_before));
    CHECK(holds_in_order(keys_of(object.yaml), keys_of(object.yaml_before)));
    INFO(object.yaml);
    const Rewritten again = rewritten(object.yaml, "out.yaml", {});
    CHECK(again.objects[0].json == object.json);
    CHECK(again.objects[0].yaml == object.yaml);
    CHECK_FALSE(again.objects[0].changed);
    CHECK(rewritten(object.json, "out.json", {}).objects[0].json == object.json);
  }
}

TEST_CASE("convert: there and back again is the same object, unless a loss was told", "[convert][property]") {
  const std::uint64_t seed = test::seed() + 1;
  INFO("APF_TEST_SEED=" << seed - 1);
  ObjectWriter writer(seed);
  int compared = 0;
  for (int round = 0; round < test::rounds(1000); ++round) {
    const int from = round % 5;
    const auto home = static_cast<FlowControlVersion>(from);
    const auto to = static_cast<FlowControlVersion>(round / 5 % 5);
    const std::string text = writer.object(from);
    INFO(text);
    const std::string here = rewritten(text, "in.json", home).objects[0].json;
    const Rewritten there = rewritten(here, "here.json", to);
    INFO(there.objects[0].yaml);
    const Rewritten from_yaml = rewritten(there.objects[0].yaml, "there.yaml", to);
    if (!there.losses.empty()) continue;
    ++compared;
    CHECK(from_yaml.objects[0].json == there.objects[0].json);
    const std::string back = rewritten(there.objects[0].json, "there.json", home).objects[0].json;
    // An object that carries the annotation outside v1beta3, where the server refuses it, loses it on the way there.
    if (text.find("preserve-zero") == std::string::npos) CHECK(back == here);
  }
  CHECK(compared > test::rounds(300));
}

TEST_CASE("convert: for a release, nothing is left that it does not know", "[config][property]") {
  const std::uint64_t seed = test::seed() + 2;
  INFO("APF_TEST_SEED=" << seed - 2);
  ObjectWriter writer(seed);
  const std::vector<KubeVersion> releases = kube_versions();
  for (int round = 0; round < test::rounds(500); ++round) {
    const KubeVersion release = releases[static_cast<std::size_t>(round) % releases.size()];
    const std::string text = writer.object(round % 5);
    INFO(text << " for " << release.str());
    const ConfigText texts[] = {{"in.json", text}};
    const Rewritten out = convert_objects(load_config(texts), texts, newest_served(release), release);
    REQUIRE(out.objects.size() == 1);
    for (const std::string& written : {out.objects[0].json, out.objects[0].yaml}) {
      const bool lends = written.find("lendablePercent") != std::string::npos ||
                         written.find("borrowingLimitPercent") != std::string::npos;
      const bool exempts =
          written.find("\"exempt\":") != std::string::npos || written.find("  exempt:") != std::string::npos;
      if (release < KubeVersion{26}) CHECK_FALSE(lends);
      if (release < KubeVersion{28}) CHECK_FALSE(exempts);
    }
    if (text.find("preserve-zero") != std::string::npos) continue;
    // The server reads what is written without a remark.
    const ConfigText again[] = {{"out.json", out.objects[0].json}};
    CHECK(convert_objects(load_config(again), again, newest_served(release), release).losses.empty());
  }
}
