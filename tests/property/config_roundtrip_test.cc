// What is rendered reads back as the same object, with any strings.
#include <apf/config.h>

#include <random>

#include "catch.h"
#include "support/vectors.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

class ObjectMaker {
 public:
  explicit ObjectMaker(std::uint64_t seed) : random_(seed) {}

  FlowSchema flow_schema() {
    FlowSchema schema;
    schema.meta = meta();
    schema.priority_level = text();
    schema.matching_precedence = number();
    if (coin()) schema.distinguisher_method = text();
    for (int i = below(3); i > 0; --i) {
      PolicyRule rule;
      for (int j = below(3); j > 0; --j) rule.subjects.push_back(subject());
      for (int j = below(3); j > 0; --j) rule.resource_rules.push_back({texts(), texts(), texts(), texts(), coin()});
      for (int j = below(3); j > 0; --j) rule.non_resource_rules.push_back({texts(), texts()});
      schema.rules.push_back(std::move(rule));
    }
    return schema;
  }

  PriorityLevel priority_level() {
    PriorityLevel level;
    level.meta = meta();
    level.type = text();
    if (coin()) {
      level.limited = LimitedLevel{optional_number(), optional_number(), optional_number(), text(), {}};
      if (coin()) level.limited->queuing = Queuing{number(), number(), number()};
    }
    if (coin()) level.exempt = ExemptLevel{optional_number(), optional_number()};
    return level;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool coin() { return below(2) == 1; }

  std::int32_t number() {
    static constexpr std::int32_t kEdges[] = {0, 1, -1, 8, 1000, INT32_MAX, INT32_MIN};
    return kEdges[below(std::size(kEdges))];
  }
  std::optional<std::int32_t> optional_number() { return coin() ? std::optional(number()) : std::nullopt; }

  // Strings that YAML likes to read as something else, and strings of any characters.
  std::string text() {
    static constexpr const char* kTricky[] = {
        "",
        "true",
        "no",
        "y",
        "~",
        "null",
        "123",
        "0x1F",
        "0o7",
        "1_000",
        "1e3",
        ".5",
        "12:30:45",
        "*",
        "- a",
        "a: b",
        "a #b",
        "#",
        "<<",
        "=",
        "---",
        "...",
        "{a}",
        "[a]",
        "2026-01-02",
        "it's",
        "\"q\"",
        "a\nb",
        "\n",
        " lead",
        "trail ",
        "\t",
        "%d",
        "@x",
        "`x",
        "!tag",
        "&anchor",
        "*alias",
        "a:",
        ":a",
        "|",
        ">",
        "?",
        "? a",
        "\\",
        "\x7f",
        "\xC2\x85",
        "\xE2\x80\xA8",
        "\xEF\xBB\xBF",
        "\xF0\x9F\x98\x80",
        "+1",
        "-",
    };
    if (coin()) return kTricky[below(std::size(kTricky))];
    static constexpr const char* kPieces[] = {"a",
                                              "B",
                                              "7",
                                              "-",
                                              ".",
                                              "/",
                                              ":",
                                              " ",
                                              "#",
                                              "'",
                                              "\"",
                                              "\\",
                                              "\n",
                                              "\t",
                                              "\r",
                                              ",",
                                              "[",
                                              "}",
                                              "\x01",
                                              "\xC3\xA9",
                                              "\xE2\x80\xA9",
                                              "\xEF\xBF\xBD",
                                              "*",
                                              "&",
                                              "!",
                                              "%",
                                              "~"};
    std::string out;
    for (int i = below(8); i > 0; --i) out += kPieces[below(std::size(kPieces))];
    return out;
  }

  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (int i = below(4); i > 0; --i) out.push_back(text());
    return out;
  }

  Subject subject() {
    Subject s;
    s.kind = text();
    if (coin()) s.user = text();
    if (coin()) s.group = text();
    if (coin()) s.service_account = Subject::ServiceAccount{text(), text()};
    return s;
  }

  ObjectMeta meta() {
    ObjectMeta m;
    m.api_version = "flowcontrol.apiserver.k8s.io/v1";
    m.name = "n" + text();
    if (coin()) m.uid = "u" + text();
    // Each key once, as in any object that a server holds.
    for (int i = below(3); i > 0; --i) m.annotations.emplace_back(std::to_string(i) + text(), text());
    return m;
  }

  std::mt19937_64 random_;
};

template <class Object>
void check_round_trip(const Object& object, const std::vector<Object> Config::*objects) {
  for (const std::string& rendered :
       {render_yaml(object), render_json(object), "---\n" + render_yaml(object) + "---\n"}) {
    INFO(rendered);
    const LoadedConfig loaded = test::load_text(rendered);
    INFO(test::diagnostics_text(loaded));
    REQUIRE(loaded.diagnostics.empty());
    REQUIRE((loaded.config.*objects).size() == 1);
    REQUIRE(test::object_text((loaded.config.*objects)[0]) == test::object_text(object));
  }
}

}  // namespace

TEST_CASE("render: any object reads back as it was", "[config][property]") {
  const std::uint64_t seed = test::seed();
  INFO("APF_TEST_SEED=" << seed);
  ObjectMaker make(seed);
  for (int i = 0; i < test::rounds(2000); ++i) {
    check_round_trip(make.flow_schema(), &Config::flow_schemas);
    check_round_trip(make.priority_level(), &Config::priority_levels);
  }
}

TEST_CASE("render: the built-in objects read back as they are", "[config]") {
  const Config config = bootstrap_config(KubeVersion{33});
  for (const FlowSchema& schema : config.flow_schemas) check_round_trip(schema, &Config::flow_schemas);
  for (const PriorityLevel& level : config.priority_levels) check_round_trip(level, &Config::priority_levels);
}
