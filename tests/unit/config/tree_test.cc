// The located tree: kinds, styles and spans of what the readers build.
#include "config/tree.h"

#include "catch.h"
#include "config/closest.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "unit/config/model_text.h"

using namespace apf;

namespace {

struct Parsed {
  std::shared_ptr<ConfigTree> tree;
  std::vector<Diagnostic> diagnostics;
  const ConfigNode& root() const { return *tree->documents().at(0).root; }
};

Parsed parse(std::string text, std::string name = "a.yaml") {
  Parsed parsed;
  parsed.tree = read_tree({std::move(name), std::move(text)}, parsed.diagnostics);
  return parsed;
}

// A node and all below it: kind, style, text and the source it spans.
std::string dump(const ConfigNode& node) {
  static constexpr const char* kKinds[] = {"null", "bool", "int", "float", "str", "seq", "map"};
  static constexpr const char* kStyles[] = {"plain", "single", "double", "literal", "folded", "block", "flow"};
  std::string out =
      fmt::format("{}/{}<{}>", kKinds[static_cast<int>(node.kind())], kStyles[static_cast<int>(node.style())],
                  node.tree().text().substr(node.begin(), node.end() - node.begin()));
  if (node.is_sequence()) {
    out += "(";
    for (const ConfigNode& item : node.items()) out += dump(item) + " ";
    out += ")";
  }
  if (node.is_mapping()) {
    out += "(";
    for (const ConfigEntry& entry : node.entries()) out += dump(entry.key) + "=" + dump(entry.value) + " ";
    out += ")";
  }
  return out;
}

std::string first_value(const std::string& text) { return dump(parse(text).root().entries()[0].value); }

}  // namespace

TEST_CASE("tree: YAML nodes span what was written", "[config]") {
  CHECK(first_value("a: b # c\n") == "str/plain<b>");
  CHECK(first_value("a: b c  \n") == "str/plain<b c>");
  CHECK(first_value("a: b\n  c\n\n  d # e\n") == "str/plain<b\n  c\n\n  d>");
  CHECK(first_value("a: 'it''s'\n") == "str/single<'it''s'>");
  CHECK(first_value("a: \"x\\\" y\" \n") == "str/double<\"x\\\" y\">");
  CHECK(first_value("a: |\n  one\n\n  two\nb: 1\n") == "str/literal<|\n  one\n\n  two>");
  CHECK(first_value("a: >- # c\n  one\n  two\n") == "str/folded<>- # c\n  one\n  two>");
  CHECK(first_value("a: !!str 5\n") == "str/plain<5>");
  CHECK(first_value("a: &x  5\n") == "int/plain<5>");
  CHECK(first_value("a: ~\n") == "null/plain<~>");
  CHECK(first_value("a: null\n") == "null/plain<null>");
  CHECK(first_value("a:\nb: 1\n") == "null/plain<a>");  // nothing there: the key
  CHECK(first_value("a: [b, {c: 1}, d: 2 ,] \n") ==
        "seq/flow<[b, {c: 1}, d: 2 ,]>(str/plain<b> map/flow<{c: 1}>(str/plain<c>=int/plain<1> ) map/block<d: "
        "2>(str/plain<d>=int/plain<2> ) )");
  CHECK(first_value("a: [ # x ]\n  ]\n") == "seq/flow<[ # x ]\n  ]>()");
  CHECK(first_value("a:\n- b\n-\n- - c\n") ==
        "seq/block<- b\n-\n- - c>(str/plain<b> null/plain<-> seq/block<- c>(str/plain<c> ) )");
  CHECK(first_value("a:\n  b: 1\n  c: x\n# end\n") ==
        "map/block<b: 1\n  c: x>(str/plain<b>=int/plain<1> str/plain<c>=str/plain<x> )");
  CHECK(first_value("a: {b: , c}\n") == "map/flow<{b: , c}>(str/plain<b>=null/plain<b> str/plain<c>=null/plain<c> )");
  CHECK(first_value("a: yes\n") == "bool/plain<yes>");
  CHECK(first_value("a: 1e+3\n") == "int/plain<1e+3>");
  CHECK(first_value("a: 1e3\n") == "int/plain<1e3>");
  CHECK(first_value("a: 15e-1\n") == "float/plain<15e-1>");
  CHECK(first_value("a: 2026-01-02\n") == "str/plain<2026-01-02>");
}

TEST_CASE("tree: places count bytes, also behind other characters, and texts end with a line break", "[config]") {
  CHECK(first_value("\u00e9: \u263a # \U0001F600\n") == "str/plain<\u263a>");
  CHECK(
      dump(parse("- \u00e9\u00e9\n- &\u0061 \"\u263a\"\n- *a\n- [\u00e9, b]").root()) ==
      "seq/block<- \u00e9\u00e9\n- &a \"\u263a\"\n- *a\n- [\u00e9, b]>(str/plain<\u00e9\u00e9> str/double<\"\u263a\"> "
      "str/double<*a> seq/flow<[\u00e9, b]>(str/plain<\u00e9> str/plain<b> ) )");
  CHECK(parse("a: |\n  b").root().find("a")->text() == "b\n");
  CHECK(first_value("a: |\n  b\n\n\n# c\n") == "str/literal<|\n  b>");
  CHECK(first_value("a: [!!str b, ! 1]\n") == "seq/flow<[!!str b, ! 1]>(str/plain<b> str/plain<1> )");
}

TEST_CASE("tree: as deep as the bound in every style, and no deeper", "[config]") {
  const auto nested = [](const std::string& open, std::size_t depth, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "x";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{a: ", "}"), std::pair("- ", "")}) {
    INFO(open);
    CHECK(parse(nested(open, kMaxTreeDepth, close)).diagnostics.empty());
    const Parsed deeper = parse(nested(open, kMaxTreeDepth + 1, close));
    REQUIRE(deeper.diagnostics.size() == 1);
    CHECK(deeper.diagnostics[0].message == "nested deeper than 400 levels");
  }
  std::string list = "a: [b";
  for (int i = 0; i < 100'000; ++i) list += ",b";
  REQUIRE(parse(list + "]").diagnostics.size() == 1);
  CHECK(parse(list + "]").diagnostics[0].message ==
        "YAML: more than 100000 values between these brackets: write them in block style, or the file as JSON");
}

TEST_CASE("tree: aliases stand where they are written and share what they stand for", "[config]") {
  const Parsed parsed = parse("a: &x [1, 2]\nb: *x\n");
  const ConfigNode& a = *parsed.root().find("a");
  const ConfigNode& b = *parsed.root().find("b");
  CHECK(a.span().line == 1);
  CHECK(b.span().line == 2);
  CHECK(dump(b) == "seq/flow<*x>(int/plain<1> int/plain<2> )");
  CHECK(a.items().data() == b.items().data());
}

TEST_CASE("tree: JSON nodes span what was written", "[config]") {
  const Parsed parsed = parse("{\"a\": [1, -2.5e3, true, null, \"x\\u00e9\\n\"], \"b\": {}}", "a.json");
  CHECK(dump(parsed.root()) ==
        "map/flow<{\"a\": [1, -2.5e3, true, null, \"x\\u00e9\\n\"], \"b\": {}}>(str/double<\"a\">=seq/flow<[1, -2.5e3, "
        "true, null, "
        "\"x\\u00e9\\n\"]>(int/plain<1> float/plain<-2.5e3> bool/plain<true> null/plain<null> "
        "str/double<\"x\\u00e9\\n\"> ) "
        "str/double<\"b\">=map/flow<{}>() )");
  CHECK(parsed.root().find("a")->items()[4].text() == "x\xC3\xA9\n");
  const auto text_of = [](const char* json) { return std::string(parse(json, "a.json").root().items()[0].text()); };
  CHECK(text_of(R"(["😀"])") == "\xF0\x9F\x98\x80");
  CHECK(text_of(R"(["\ud83d"])") == "\xEF\xBF\xBD");
  CHECK(text_of(R"(["\ud83dA"])") ==
        "\xEF\xBF\xBD"
        "A");
  CHECK(text_of(R"(["\"\\\/\b\f\t"])") == "\"\\/\b\f\t");
}

TEST_CASE("tree: find takes the last of equal keys, and only from mappings", "[config]") {
  const Parsed parsed = parse("a: 1\nb: 2\na: 3\n");
  CHECK(parsed.root().entries().size() == 3);
  CHECK(parsed.root().find("a")->text() == "3");
  CHECK(parsed.root().find("c") == nullptr);
  CHECK(parsed.root().find("a")->find("b") == nullptr);
}

TEST_CASE("tree: find_field follows paths with indices and bracketed keys", "[config]") {
  const Parsed parsed = parse("m: {a.b/c: {x: 1}}\nl: [[1, 2]]\n");
  CHECK(find_field(parsed.root(), "m[a.b/c].x").value->text() == "1");
  CHECK(find_field(parsed.root(), "m[a.b/c].x").exact);
  CHECK(find_field(parsed.root(), "l[0][1]").value->text() == "2");
  CHECK_FALSE(find_field(parsed.root(), "l[0][9]").exact);
  CHECK_FALSE(find_field(parsed.root(), "l[x]").exact);
  CHECK_FALSE(find_field(parsed.root(), "l[0").exact == find_field(parsed.root(), "l[1").exact);
  CHECK(find_field(parsed.root(), "").value == &parsed.root());
}

TEST_CASE("scalar: plain scalars of YAML 1.1", "[config]") {
  const auto kind = [](const char* text) { return resolve_plain(text); };
  for (const char* text : {"", "~", "null", "Null", "NULL"}) CHECK(kind(text) == NodeKind::null);
  for (const char* text : {"y", "N", "yes", "No", "ON", "off", "true", "False"}) CHECK(kind(text) == NodeKind::boolean);
  for (const char* text : {"0", "-0", "+12", "0x1F", "0o17", "017", "0b11", "-0b11", "1_000", "18446744073709551615",
                           "08", "1.", "1e+3", "1e3", "12e03", "+1.e3", "-0.", "1e3_0", "5.0"}) {
    INFO(text);
    CHECK((kind(text) == NodeKind::integer) == (std::string_view(text) != "1e3_0"));
  }
  for (const char* text : {"1.5", "-.5", ".5", "1e30", ".inf", "-.INF", ".NaN", "18446744073709551616", "1e3_0"}) {
    INFO(text);
    CHECK(kind(text) == NodeKind::floating);
  }
  for (const char* text : {"yEs", "nUll", "1e400", "1e", ".e3", "._5", "1.2.3", "0x", "0b2", "-", "+", ".", "1:30",
                           "2026-01-01", "0o8", "inf", "_1", "5m"}) {
    INFO(text);
    CHECK(kind(text) == NodeKind::string);
  }
  CHECK(plain_integer("-9223372036854775808") == INT64_MIN);
  CHECK_FALSE(plain_integer("9223372036854775808"));
  CHECK(plain_integer("-0x10") == -16);
}

TEST_CASE("scalar: what must be quoted", "[config]") {
  for (const char* text :
       {"",   "true", "Yes", "n",  "123",  "1_0", "0o7",  "1e3", "1.5", "12:30", "2026-01-01", "~", "null",
        "<<", "=",    "*",   "-",  "a: b", "a:",  " a",   "a ",  "#a",  "a #b",  "[a",         "é", "'",
        "\"", "@a",   "%a",  "&a", "!a",   "|",   "a\nb", "-a",  ".",   "+1",    "0x"}) {
    INFO(text);
    if (std::string_view(text) != "0x") CHECK(needs_quotes(text));
  }
  for (const char* text : {"a", "system:masters", "/healthz", "pods/log", "kube-system",
                           "flowcontrol.apiserver.k8s.io/v1", "a.b", "x1", "_a", "True-ish"}) {
    INFO(text);
    CHECK_FALSE(needs_quotes(text));
  }
}

TEST_CASE("closest: did you mean", "[config]") {
  constexpr std::string_view kNames[] = {"matchingPrecedence", "rules", "distinguisherMethod"};
  CHECK(closest("matchingprecedence", kNames) == "matchingPrecedence");
  CHECK(closest("rulse", kNames) == "rules");
  CHECK(closest("status", kNames).empty());
  CHECK(edit_distance("abcd", "acbd") == 1);
  CHECK(edit_distance("", "abc") == 3);
  const std::string_view words[] = {"",     "a",           "pods",        "dops",    "podss",
                                    "opds", "deployments", "deploymnets", "level-1", "level-12"};
  for (const std::string_view a : words) {
    for (const std::string_view b : words) {
      const std::size_t distance = edit_distance(a, b);
      CHECK(edit_distance(b, a) == distance);
      for (std::size_t enough = 0; enough < 12; ++enough) {
        INFO(a << " " << b << " " << enough);
        const std::size_t found = edit_distance(a, b, enough);
        CHECK((distance < enough ? found == distance : found >= enough));
      }
    }
  }
}
