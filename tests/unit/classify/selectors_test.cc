// The grammar of field and label selectors.
#include "classify/selectors.h"

#include <string>
#include <vector>

#include "catch.h"

using namespace apf;

namespace {

struct Demands {
  bool valid;
  std::string name, node_name;
  bool operator==(const Demands&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Demands& d) {
  return out << (d.valid ? "valid" : "invalid") << " name=" << d.name << " node=" << d.node_name;
}

Demands demands(std::string_view selector) {
  std::string scratch;
  scratch.reserve(selector.size() + 16);
  const FieldDemands d = parse_field_selector(selector, scratch);
  return {d.valid, std::string(d.name), std::string(d.node_name)};
}

}  // namespace

TEST_CASE("field selectors", "[classify]") {
  CHECK(demands("") == Demands{true, "", ""});
  CHECK(demands("metadata.name=x") == Demands{true, "x", ""});
  CHECK(demands("metadata.name==x") == Demands{true, "x", ""});
  CHECK(demands("metadata.name!=x") == Demands{true, "", ""});
  CHECK(demands("spec.nodeName=n,metadata.name=x") == Demands{true, "x", "n"});
  CHECK(demands(",,metadata.name=x,") == Demands{true, "x", ""});
  CHECK(demands(",") == Demands{true, "", ""});
  CHECK(demands("metadata.name=b,metadata.name=a") == Demands{true, "a", ""});  // sorted before anything else
  CHECK(demands("metadata.name=,metadata.name=a") == Demands{true, "", ""});    // the first, though it is empty
  CHECK(demands(R"(metadata.name=x\,y)") == Demands{true, "x,y", ""});
  CHECK(demands(R"(metadata.name=x\=y)") == Demands{true, "x=y", ""});
  CHECK(demands(R"(metadata.name=x\\)") == Demands{true, R"(x\)", ""});
  CHECK_FALSE(demands("metadata.name").valid);
  CHECK_FALSE(demands("metadata.name=x,foo").valid);
  CHECK_FALSE(demands("metadata.name=x=y").valid);
  CHECK_FALSE(demands("metadata.name=!=y").valid);
  CHECK_FALSE(demands(R"(metadata.name=x\q)").valid);
  CHECK_FALSE(demands(R"(metadata.name=x\)").valid);
  CHECK_FALSE(demands(R"(a!==b)").valid);
}

TEST_CASE("label selectors that parse", "[classify]") {
  const std::string longest(63, 'x');
  const std::string prefix = std::string(125, 'p') + "." + std::string(127, 'q');
  for (const std::string& selector : std::vector<std::string>{"",
                                                              "  ",
                                                              "a",
                                                              "!a",
                                                              "a,b,!c",
                                                              "a=b",
                                                              "a == b",
                                                              "a!=b",
                                                              "a=",
                                                              "a=,b",
                                                              "a in (b,c)",
                                                              "a notin(b , c)",
                                                              "a in ()",
                                                              "a in (,)",
                                                              "a in (b,,c,)",
                                                              "in in (in,notin)",
                                                              "notin=in",
                                                              "x>1",
                                                              "x<0017",
                                                              "a.b/c-D_9.e=f",
                                                              longest,
                                                              prefix + "/a",
                                                              "a\t=\nb\r"}) {
    INFO(selector);
    CHECK(is_valid_label_selector(selector));
  }
  CHECK(is_valid_label_selector(std::string_view("a\0", 2)));
  CHECK(is_valid_label_selector(std::string_view("a\0=b", 4)));  // a NUL ends a token and is swallowed
  CHECK(is_valid_label_selector(std::string_view("\0%%%", 4)));  // or ends the selector
}

TEST_CASE("label selectors that do not", "[classify]") {
  const std::string too_long(64, 'x');
  for (const std::string& selector : std::vector<std::string>{"!!a",
                                                              "a,",
                                                              ",a",
                                                              "a,,b",
                                                              "=",
                                                              "!",
                                                              "a b",
                                                              "!a=b",
                                                              "a in b",
                                                              "a in (b c)",
                                                              "a in (b",
                                                              "a in (b)c",
                                                              "a in",
                                                              "a notin (=)",
                                                              "a=b=c",
                                                              "a===",
                                                              "x>y",
                                                              "x>",
                                                              "x>-1",
                                                              "x>9223372036854775808",
                                                              "a=-b",
                                                              "a=b-",
                                                              "-a",
                                                              "a.=b",
                                                              "/a",
                                                              "A/a",
                                                              "a/b/c",
                                                              "a../b",
                                                              "a=b c",
                                                              "a=ü",
                                                              too_long,
                                                              "a=" + too_long,
                                                              std::string(254, 'p') + "/a",
                                                              "a in (ok," + too_long + ")",
                                                              "a)",
                                                              "(a)"}) {
    INFO(selector);
    CHECK_FALSE(is_valid_label_selector(selector));
  }
  CHECK_FALSE(is_valid_label_selector(std::string_view("a\0b", 3)));
}
