// The rules on seats, queues and hands at their edges: from which number on they find something, and what they say.
#include <apf/config.h>
#include <apf/hand.h>
#include <apf/lint.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "catch.h"
#include "lint/given_levels.h"

using namespace apf;

namespace {

LintOptions options_at(int seats, KubeVersion version = {}) {
  LintOptions options;
  options.today = "2026-11-20";
  options.version = version;
  options.max_requests_inflight = seats;
  options.max_mutating_requests_inflight = 0;
  return options;
}

std::string level(const std::string& name, const std::string& limited, const std::string& queuing) {
  return fmt::format(
      "---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {{name: "
      "{}}}\nspec:\n"
      "  type: Limited\n  limited: {{{}, limitResponse: {{type: {}}}}}\n",
      name, limited, queuing.empty() ? "Reject" : "Queue, queuing: " + queuing);
}

std::string schema(const std::string& to, const std::string& subjects, const std::string& distinguisher = "ByUser",
                   const std::string& verbs = "get") {
  return fmt::format(
      "---\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {{name: {0}}}\nspec:\n"
      "  matchingPrecedence: 1000\n  priorityLevelConfiguration: {{name: {0}}}\n{1}  rules:\n  - subjects: [{2}]\n"
      "    resourceRules: [{{verbs: [{3}], apiGroups: [\"\"], resources: [pods], namespaces: [\"*\"], clusterScope: "
      "true}}]\n",
      to, distinguisher.empty() ? "" : "  distinguisherMethod: {type: " + distinguisher + "}\n", subjects, verbs);
}

const std::string kGroup = "{kind: Group, group: {name: g}}";
const std::string kOne = "{kind: User, user: {name: a}}";
const std::string kTwo = kOne + ", {kind: User, user: {name: b}}";

// The messages of one rule; for severities other than the rule's own, with these.
std::vector<std::string> messages(const std::string& code, const std::string& text, LintOptions options) {
  options.select = {code};
  const ConfigText texts[] = {{"test.yaml", text}};
  std::vector<std::string> out;
  for (const Diagnostic& d : lint(load_config(texts), texts, options).findings) {
    if (d.code != code) continue;  // what the server rejects is always said
    out.push_back(d.message);
  }
  return out;
}

bool finds(const std::string& code, const std::string& text, const LintOptions& options) {
  return !messages(code, text, options).empty();
}

bool says(const std::string& code, const std::string& text, const LintOptions& options, const std::string& words) {
  const std::vector<std::string> found = messages(code, text, options);
  INFO(fmt::format("{} findings, the first: {}", found.size(), found.empty() ? "" : found[0]));
  CHECK(found.size() == 1);
  return found.size() == 1 && found[0].find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("APF301: one seat, or none that can be had but from others", "[lint][lint-seats]") {
  // 245 shares of the server's own: with 10 more, 25 seats make 25 * 10 / 255 = 0.98, 26 make 1.02.
  const std::string ten = level("a", "nominalConcurrencyShares: 10", "{queues: 64, handSize: 6, queueLengthLimit: 50}");
  CHECK(says("APF301", ten, options_at(25), "ceil(25 * 10 / 255) = 1 seat of its own"));
  CHECK_FALSE(finds("APF301", ten, options_at(26)));
  const std::string none = level("a", "nominalConcurrencyShares: 0", "{queues: 64, handSize: 6, queueLengthLimit: 50}");
  CHECK(says("APF301", none, options_at(600), "ceil(600 * 0 / 245) = 0 seats"));
  // Those that never have any, or let one through, have rules of their own.
  CHECK_FALSE(finds("APF301",
                    level("a", "nominalConcurrencyShares: 0, borrowingLimitPercent: 10",
                          "{queues: 64, handSize: 6, queueLengthLimit: 50}"),
                    options_at(600)));
  CHECK_FALSE(finds("APF301", level("a", "nominalConcurrencyShares: 0", ""), options_at(600)));
}

TEST_CASE("APF302: half of the built-in levels' seats", "[lint][lint-seats]") {
  CHECK_FALSE(finds("APF302", level("a", "nominalConcurrencyShares: 244", ""), options_at(600)));
  CHECK(says("APF302", level("a", "nominalConcurrencyShares: 245", ""), options_at(600), "245 / 490 = 50%"));
  // Together, too; the finding is at the larger one.
  const std::string two =
      level("a", "nominalConcurrencyShares: 100", "") + level("b", "nominalConcurrencyShares: 200", "");
  CHECK(says("APF302", two, options_at(600), "200 shares and those of 1 more given level"));
  // A built-in level of one's own numbers counts by what it has more.
  CHECK_FALSE(finds("APF302", level("workload-low", "nominalConcurrencyShares: 344", ""), options_at(600)));
  CHECK(finds("APF302", level("workload-low", "nominalConcurrencyShares: 345", ""), options_at(600)));
}

TEST_CASE("APF303: nothing kept", "[lint][lint-seats]") {
  const auto lending = [](int percent) {
    return level("a", fmt::format("nominalConcurrencyShares: 30, lendablePercent: {}", percent), "");
  };
  // ceil(600 * 30 / 275) = 66 seats: 99% of them round to 65.
  CHECK_FALSE(finds("APF303", lending(99), options_at(600)));
  CHECK(says("APF303", lending(100), options_at(600), "round(66 * 100 / 100) = 66 of its 66 seats"));
  // ceil(1 * 30 / 275) = 1 seat: half of it rounds up.
  CHECK(says("APF303", lending(50), options_at(1), "round(1 * 50 / 100) = 1 of its 1 seat"));
  CHECK_FALSE(finds("APF303", lending(49), options_at(1)));
}

TEST_CASE("APF304 and APF305: no borrowing, meant or not", "[lint][lint-seats]") {
  const auto borrowing = [](const std::string& rest) { return level("a", "nominalConcurrencyShares: 1, " + rest, ""); };
  CHECK(says("APF304", borrowing("borrowingLimitPercent: 0"), options_at(600), "always has 3 seats"));
  CHECK_FALSE(finds("APF304", borrowing("borrowingLimitPercent: 0, lendablePercent: 50"), options_at(600)));
  CHECK_FALSE(finds("APF304", borrowing("lendablePercent: 0"), options_at(600)));
  // Releases before 1.26 never borrow.
  CHECK_FALSE(finds("APF304", borrowing("borrowingLimitPercent: 0"), options_at(600, KubeVersion{25})));
  // Of 3 seats 16% round to 0, 17% to 1.
  CHECK(says("APF305", borrowing("borrowingLimitPercent: 16"), options_at(600), "round(3 * 16 / 100) = 0 seats"));
  CHECK_FALSE(finds("APF305", borrowing("borrowingLimitPercent: 17"), options_at(600)));
  CHECK_FALSE(finds("APF305", borrowing("borrowingLimitPercent: 0"), options_at(600)));
}

TEST_CASE("APF306: lists that find no room", "[lint][lint-seats]") {
  const auto with = [](int shares, const std::string& queuing, const std::string& verbs) {
    return level("a", fmt::format("nominalConcurrencyShares: {}", shares), queuing) +
           schema("a", kGroup, "ByUser", verbs);
  };
  const std::string hand_four = "{queues: 64, handSize: 4, queueLengthLimit: 50}";
  // 7 seats: min(ceil(1.05), 7 / 4) = 1; 10 seats: min(ceil(1.5), 10 / 4) = 2.
  CHECK(says("APF306", with(3, hand_four, "list"), options_at(574), "max(1, min(ceil(0.15 * 7), 7 / 4)) = 1 seat"));
  CHECK(finds("APF306", with(3, hand_four, "\"*\""), options_at(574)));
  CHECK_FALSE(finds("APF306", with(3, hand_four, "get"), options_at(574)));
  CHECK_FALSE(finds("APF306", with(4, hand_four, "list"), options_at(574)));
  // Without queues: fewer seats than a wide list has.
  CHECK(finds("APF306", with(3, "", "list"), options_at(600)));
  CHECK_FALSE(finds("APF306", with(5, "", "list"), options_at(600)));
}

TEST_CASE("APF308: more borrowing than lending", "[lint][lint-seats]") {
  // With 600 seats and 275 shares the others lend 22 + 22 + 22 + 44 + 197 + 0 = 307 or so; `limits` says it exactly.
  const auto text = [](int percent) {
    return level("a", fmt::format("nominalConcurrencyShares: 30, borrowingLimitPercent: {}", percent), "");
  };
  const ConfigText texts[] = {{"test.yaml", text(100)}};
  Config config = load_config(texts).config;
  apply_defaults(config);
  int lent = 0, nominal = 0;
  for (const LevelLimits& limits : compute_limits(with_builtins(config, {}, Builtins::all), 600, {}).levels) {
    if (limits.name == "a") nominal = limits.nominal_cl;
    else lent += limits.lendable_cl;
  }
  CHECK(nominal == 66);
  const int enough = (lent * 100 + nominal - 1) / nominal + 1;
  CHECK(says("APF308", text(enough), options_at(600), fmt::format("lend {}: the limit has no effect", lent)));
  CHECK_FALSE(finds("APF308", text(enough - 2), options_at(600)));
}

TEST_CASE("APF309, APF310 and APF311: levels without seats, and one that needs none", "[lint][lint-seats]") {
  const std::string queuing = "{queues: 64, handSize: 6, queueLengthLimit: 50}";
  CHECK(
      says("APF309", level("a", "nominalConcurrencyShares: 0", ""), options_at(600), "and may borrow up to 600 seats"));
  CHECK_FALSE(finds("APF309", level("a", "nominalConcurrencyShares: 0", queuing), options_at(600)));
  CHECK(says("APF310", level("a", "nominalConcurrencyShares: 0, borrowingLimitPercent: 400", queuing), options_at(600),
             "never has a seat"));
  CHECK_FALSE(finds("APF310", level("a", "nominalConcurrencyShares: 0", queuing), options_at(600)));
  const auto exempt = [](const std::string& spec) {
    return "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {name: "
           "exempt}\nspec: {type: Exempt, exempt: {" +
           spec + "}}\n";
  };
  // ceil(600 * 5 / 250) = 12 seats; of these 95% round to 11, 96% to 12.
  CHECK(says("APF311", exempt("nominalConcurrencyShares: 5, lendablePercent: 95"), options_at(600),
             "12 - 11 = 1 of the 600 seats"));
  CHECK_FALSE(finds("APF311", exempt("nominalConcurrencyShares: 5, lendablePercent: 96"), options_at(600)));
}

TEST_CASE("APF401 and APF402: odds above the threshold, for the flows that there can be", "[lint][lint-seats]") {
  const auto with = [](int queues, int hand, const std::string& subjects, const std::string& distinguisher = "ByUser") {
    return level("a", "nominalConcurrencyShares: 30",
                 fmt::format("{{queues: {}, handSize: {}, queueLengthLimit: 50}}", queues, hand)) +
           schema("a", subjects, distinguisher);
  };
  LintOptions options = options_at(600);
  // `apfctl hand --queues 16 --hand-size 4 --elephants 1,4`: 1 / 1820, and 19.36%.
  CHECK(says("APF401", with(16, 4, kGroup), options, "with 4 heavy flows the odds are 19.36%"));
  CHECK_FALSE(finds("APF401", with(64, 6, kGroup), options));
  CHECK_FALSE(finds("APF401", with(8, 4, kOne), options));
  CHECK_FALSE(finds("APF401", with(8, 4, kGroup, ""), options));  // one flow of all
  // Flows that are named have hands that are known.
  int covered = 0;
  for (int queues = 2; queues < 12; ++queues) {
    std::vector<std::uint32_t> one = deal_hand(flow_hash("a", "a"), queues, 1),
                               other = deal_hand(flow_hash("a", "b"), queues, 1);
    covered += one == other;
    CHECK(finds("APF401", with(queues, 1, kTwo), options) == (one == other));
    CHECK_FALSE(finds("APF402", with(queues, 1, kTwo), options));
  }
  CHECK(covered > 0);
  CHECK(covered < 10);
  options.heavy_flows = 1;
  CHECK_FALSE(finds("APF401", with(16, 4, kGroup), options));
  options.collision_threshold = 0.0005;
  CHECK(finds("APF401", with(16, 4, kGroup), options));
  options.collision_threshold = 0.00055;  // 1 / 1820 = 0.000549
  CHECK_FALSE(finds("APF401", with(16, 4, kGroup), options));

  options = options_at(600);
  CHECK(says("APF402", with(99, 1, kGroup), options, "1 in 99 (1.01%)"));
  CHECK_FALSE(finds("APF402", with(100, 1, kGroup), options));
  CHECK_FALSE(finds("APF402", with(16, 1, kOne), options));
  CHECK_FALSE(finds("APF402", with(1, 1, kGroup), options));
}

TEST_CASE("APF403 to APF407: queues and what they hold", "[lint][lint-seats]") {
  const auto with = [](int shares, int queues, int hand, int length, const std::string& subjects) {
    return level("a", fmt::format("nominalConcurrencyShares: {}", shares),
                 fmt::format("{{queues: {}, handSize: {}, queueLengthLimit: {}}}", queues, hand, length)) +
           schema("a", subjects);
  };
  const LintOptions options = options_at(600);
  CHECK(says("APF403", with(30, 4, 4, 50, kTwo), options, "4 * 50 = 200 places"));
  CHECK_FALSE(finds("APF403", with(30, 4, 3, 50, kTwo), options));
  CHECK_FALSE(finds("APF403", with(30, 4, 4, 50, kOne), options));
  // ceil(600 * 10 / 255) = 24 seats, 16 queues for each are 384.
  CHECK(finds("APF404", with(10, 384, 4, 50, kGroup), options));
  CHECK_FALSE(finds("APF404", with(10, 383, 4, 50, kGroup), options));
  CHECK_FALSE(finds("APF404", with(1, 128, 4, 50, kGroup), options));
  CHECK(says("APF405", with(100, 128, 6, 800, kGroup), options, "128 * 800 = 102400 requests"));
  CHECK_FALSE(finds("APF405", with(100, 128, 6, 799, kGroup), options));
  // ceil(600 * 2 / 247) = 5 seats.
  CHECK(finds("APF406", with(2, 64, 5, 50, kTwo), options));
  CHECK_FALSE(finds("APF406", with(2, 64, 4, 50, kTwo), options));
  CHECK_FALSE(finds("APF406", with(2, 64, 5, 50, kOne), options));
  // ceil(600 * 5 / 250) = 12 seats run 60,000 requests of 3 ms in 15 s.
  CHECK_FALSE(finds("APF407", with(5, 60, 6, 1000, kGroup), options));
  CHECK(says("APF407", with(5, 61, 6, 1000, kGroup), options, "61 * 1000 = 61000"));
  CHECK(
      says("APF407", with(5, 61, 6, 10001, kGroup), options, "one flow's queues at this level hold 6 * 10001 = 60006"));
}

TEST_CASE("flows are counted as the distinguisher tells them apart", "[lint][lint-seats]") {
  const auto count = [](const std::string& text) {
    const ConfigText texts[] = {{"test.yaml", text}};
    const Config config = load_config(texts).config;
    return count_flows(config).at("a");
  };
  CHECK(count(schema("a", kTwo)).known == 2);
  CHECK(count(schema("a", kTwo + ", " + kOne)).known == 2);
  CHECK_FALSE(count(schema("a", kTwo)).unbounded);
  CHECK(count(schema("a", kGroup)).unbounded);
  CHECK(count(schema("a", kTwo, "")).known == 1);
  CHECK(count(schema("a", kTwo, "ByNamespace")).unbounded);  // namespaces: ["*"]
  CHECK(count(schema("a", "{kind: ServiceAccount, serviceAccount: {namespace: team, name: \"*\"}}")).unbounded);
  const FlowCount three{3, false}, one{1, false}, many{0, true};
  CHECK(three.heavy(4) == 2);
  CHECK(three.heavy(1) == 1);
  CHECK(one.heavy(4) == 0);
  CHECK(many.heavy(4) == 4);
}

TEST_CASE("the server's own levels give no finding on seats in any release and at any size", "[lint][lint-seats]") {
  for (int minor = kOldestKubeVersion.minor; minor <= kNewestKubeVersion.minor; ++minor) {
    const Config own = bootstrap_config(KubeVersion{minor});
    std::string text;
    for (const FlowSchema& schema : own.flow_schemas) text += "---\n" + render_yaml(schema);
    for (const PriorityLevel& level : own.priority_levels) text += "---\n" + render_yaml(level);
    for (const int seats : {20, 100, 600, 3000}) {
      LintOptions options = options_at(seats, KubeVersion{minor});
      options.select = {"APF3", "APF4"};
      const ConfigText texts[] = {{"test.yaml", text}};
      for (const Diagnostic& d : lint(load_config(texts), texts, options).findings) {
        INFO("1." << minor << ", " << seats << " seats: " << to_string(d));
        CHECK(d.code.substr(0, 4) != "APF3");
        CHECK(d.code.substr(0, 4) != "APF4");
      }
    }
  }
}
