// Fixes: which are applied and which skipped, and the edits they are made of.
#include <apf/lint.h>

#include "lint/fix.h"

#include "catch.h"
#include "config/reader.h"
#include "lint/fix_edits.h"

using namespace apf;

namespace {

Diagnostic with_fix(std::vector<Edit> edits, bool safe = true) {
  Diagnostic finding;
  finding.fix = Fix{"change it", safe, std::move(edits)};
  return finding;
}

struct Source {
  explicit Source(std::string text) {
    std::vector<Diagnostic> diagnostics;
    tree = read_tree({"a.yaml", std::move(text)}, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) FAIL(to_string(diagnostic));
    REQUIRE(tree->documents().size() >= 1);
  }
  const ConfigNode& root(std::size_t document = 0) const { return *tree->documents()[document].root; }
  // The text after the edits; "refused" without any. What comes out must parse.
  std::string after(const std::vector<Edit>& edits) const {
    if (edits.empty()) return "refused";
    const Diagnostic findings[] = {with_fix(edits)};
    const FixResult result = apply_fixes(tree->text(), "a.yaml", findings, false);
    REQUIRE(result.applied == 1);
    Source again(result.text);
    return result.text;
  }
  std::shared_ptr<ConfigTree> tree;
};

std::string replaced(const std::string& text, std::string_view field, const NewScalar& value) {
  const Source source(text);
  return source.after(replace_scalar(source.root(), field, value));
}
std::string removed(const std::string& text, std::string_view field) {
  const Source source(text);
  return source.after(remove_field(source.root(), field));
}
std::string inserted(const std::string& text, std::string_view field, std::string_view name, const NewScalar& value) {
  const Source source(text);
  return source.after(insert_after(source.root(), field, name, value));
}
std::string appended(const std::string& text, std::string_view field, const NewScalar& value) {
  const Source source(text);
  return source.after(append_item(source.root(), field, value));
}
std::string renamed(const std::string& text, std::string_view field, std::string_view name) {
  const Source source(text);
  return source.after(rename_key(source.root(), field, name));
}

std::string outcome(std::string_view text, const std::vector<Diagnostic>& findings, bool include_unsafe = false) {
  const FixResult result = apply_fixes(text, "f", findings, include_unsafe);
  return result.text + " " + std::to_string(result.applied) + "/" + std::to_string(result.skipped);
}

}  // namespace

TEST_CASE("Fixes are applied whole, in the order of their places, unless they overlap", "[lint][fix]") {
  CHECK(outcome("abcdef", {with_fix({{"f", 4, 5, "E"}}), with_fix({{"f", 0, 1, "A"}})}) == "AbcdEf 2/0");
  CHECK(outcome("abcdef", {with_fix({{"f", 0, 3, "1"}}), with_fix({{"f", 2, 4, "2"}})}) == "1def 1/1");
  CHECK(outcome("abcdef", {with_fix({{"f", 2, 4, "2"}}), with_fix({{"f", 0, 3, "1"}})}) == "1def 1/1");
  CHECK(outcome("abcdef", {with_fix({{"f", 0, 3, "1"}}), with_fix({{"f", 0, 2, "2"}})}) == "1def 1/1");
  CHECK(outcome("abcdef", {with_fix({{"f", 0, 3, "1"}}), with_fix({{"f", 3, 4, "2"}})}) == "12ef 2/0");
  // The second one's other edit is not made either.
  CHECK(outcome("abcdef", {with_fix({{"f", 0, 2, "1"}}), with_fix({{"f", 1, 2, "2"}, {"f", 5, 6, "F"}})}) ==
        "1cdef 1/1");
  CHECK(outcome("abcdef", {with_fix({{"f", 5, 6, "F"}, {"f", 0, 1, "A"}}), with_fix({{"f", 3, 4, "D"}})}) ==
        "AbcDeF 2/0");
}

TEST_CASE("Insertions, equal fixes and fixes that are not for this text", "[lint][fix]") {
  CHECK(outcome("abc", {with_fix({{"f", 1, 1, "x"}}), with_fix({{"f", 1, 1, "y"}})}) == "axbc 1/1");
  CHECK(outcome("abc", {with_fix({{"f", 1, 1, "x"}}), with_fix({{"f", 1, 2, "y"}})}) == "axyc 2/0");
  CHECK(outcome("abc", {with_fix({{"f", 0, 1, "y"}}), with_fix({{"f", 1, 1, "x"}})}) == "yxbc 2/0");
  CHECK(outcome("abc", {with_fix({{"f", 0, 3, "y"}}), with_fix({{"f", 1, 1, "x"}})}) == "y 1/1");
  CHECK(outcome("abc", {with_fix({{"f", 1, 2, "x"}}), with_fix({{"f", 1, 2, "x"}})}) == "axc 2/0");
  CHECK(outcome("abc", {with_fix({{"f", 1, 2, "x"}}), with_fix({{"f", 1, 2, "x"}, {"f", 2, 3, "z"}})}) == "axz 2/0");
  CHECK(outcome("abc", {with_fix({{"f", 1, 2, "x"}}, false)}) == "abc 0/0");
  CHECK(outcome("abc", {with_fix({{"f", 1, 2, "x"}}, false)}, true) == "axc 1/0");
  CHECK(outcome("abc", {with_fix({{"g", 1, 2, "x"}}), Diagnostic{}}) == "abc 0/0");
  CHECK(outcome("abc", {with_fix({{"f", 1, 2, "x"}, {"g", 0, 1, "x"}})}) == "abc 0/1");
  CHECK(outcome("abc", {with_fix({{"f", 1, 4, "x"}}), with_fix({{"f", 2, 1, "x"}})}) == "abc 0/2");
}

TEST_CASE("A scalar is replaced in its own style, with quotes where a reader needs them", "[lint][fix]") {
  CHECK(replaced("a: 5 # five\nb: x\n", "a", 6) == "a: 6 # five\nb: x\n");
  CHECK(replaced("a: x\n", "a", "5") == "a: \"5\"\n");
  CHECK(replaced("a: x\n", "a", "yes") == "a: \"yes\"\n");
  CHECK(replaced("a: x\n", "a", "*") == "a: \"*\"\n");
  CHECK(replaced("a: x\n", "a", "pods/status") == "a: pods/status\n");
  CHECK(replaced("a: 'x'\n", "a", "it's") == "a: 'it''s'\n");
  CHECK(replaced("a: 'x'\n", "a", "two\nlines") == "a: \"two\\nlines\"\n");
  CHECK(replaced("a: \"x\"\n", "a", "y") == "a: \"y\"\n");
  CHECK(replaced("a: \"5\"\n", "a", 5) == "a: 5\n");
  CHECK(replaced("a: true\n", "a", false) == "a: false\n");
  CHECK(replaced("a: [x, y] # list\n", "a[1]", "no") == "a: [x, \"no\"] # list\n");
  CHECK(replaced("a: |\n  one\n  two\nb: 1\n", "a", "three") == "a: three\nb: 1\n");
  CHECK(replaced("{\"a\": 5}", "a", "x") == "{\"a\": \"x\"}");
  CHECK(replaced("a: # none\nb: 1\n", "a", 7) == "a: 7 # none\nb: 1\n");
  CHECK(replaced("a: ~\n", "a", 7) == "a: 7\n");
  CHECK(replaced("x: &x 5\na: *x\n", "a", 7) == "x: &x 5\na: 7\n");
}

TEST_CASE("What stands elsewhere or is shared is not replaced", "[lint][fix]") {
  CHECK(replaced("a: &x 5\nb: *x\n", "a", 6) == "refused");
  CHECK(replaced("a: &x {b: 5}\nc: *x\n", "c.b", 6) == "refused");
  CHECK(replaced("a: &x {b: 5}\nc:\n  <<: *x\n", "c.b", 6) == "refused");
  // What an alias or a merge key takes over would change there, too.
  CHECK(replaced("a: &x {b: 5}\nc: *x\n", "a.b", 6) == "refused");
  CHECK(replaced("a: &x\n  b: {d: 5}\n  e: 1\nc:\n  <<: *x\n", "a.b.d", 6) == "refused");
  CHECK(replaced("a: &x {b: 5}\nf: &y {g: *x}\nc: *y\nh: 1\n", "h", 6) == "a: &x {b: 5}\nf: &y {g: *x}\nc: *y\nh: 6\n");
  CHECK(replaced("a: &x {b: 5}\nc: 1\n", "a.b", 6) == "a: &x {b: 6}\nc: 1\n");
  CHECK(replaced("a: !!str 5\n", "a", "6") == "refused");
  CHECK(replaced("a: 5\n", "b", 6) == "refused");
  CHECK(replaced("a: {b: 5}\n", "a", 6) == "refused");
  CHECK(replaced("- a\n-\n", "[1]", 6) == "refused");
}

TEST_CASE("A key is renamed, and its value stays", "[lint][fix]") {
  CHECK(renamed("spec:\n  'assured': 5 # c\n", "spec.assured", "nominal") == "spec:\n  'nominal': 5 # c\n");
  CHECK(renamed("{\"a\": {\"b\": 1}}", "a", "c") == "{\"c\": {\"b\": 1}}");
  CHECK(renamed("a: 1\n", "a", "on") == "\"on\": 1\n");
}

TEST_CASE("Entries and items in block style go with their lines", "[lint][fix]") {
  CHECK(removed("a: 1 # one\nb: 2\nc: 3\n", "b") == "a: 1 # one\nc: 3\n");
  CHECK(removed("a: 1\nb: 2 # two\n", "b") == "a: 1\n");
  CHECK(removed("a: 1\nb: 2", "b") == "a: 1\n");
  CHECK(removed("a: 1\r\nb: 2\r\nc: 3\r\n", "b") == "a: 1\r\nc: 3\r\n");
  CHECK(removed("a: 1\nb:\n  c: 1\n  # in it\n  d: [x,\n    y]\ne: 2\n", "b") == "a: 1\ne: 2\n");
  CHECK(removed("a: 1\nb:\nc: 2\n", "b") == "a: 1\nc: 2\n");
  CHECK(removed("a: 1\nb: |\n  text\n\nc: 2\n", "b") == "a: 1\n\nc: 2\n");
  CHECK(removed("l:\n- a\n- b # two\n- c\n", "l[1]") == "l:\n- a\n- c\n");
  CHECK(removed("l:\n  - k: 1\n    v: 2\n  # above the second\n  - k: 3\n", "l[0]") ==
        "l:\n  # above the second\n  - k: 3\n");
  CHECK(removed("\xEF\xBB\xBF"
                "a: 1\nb: 2\n",
                "a") ==
        "\xEF\xBB\xBF"
        "b: 2\n");
  CHECK(removed("l:\n-\n- b\n", "l[0]") == "l:\n- b\n");
  CHECK(removed("l:\n- a\n-\n- b\n", "l[1]") == "l:\n- a\n- b\n");
}

TEST_CASE("The first entry of an item shares its line with the dash", "[lint][fix]") {
  CHECK(removed("- kind: User # k\n  user: x\n", "[0].kind") == "- user: x\n");
  CHECK(removed("- kind: User\n  # of the user\n  user: x\n", "[0].kind") == "-\n  # of the user\n  user: x\n");
  CHECK(removed("- - a\n  - b\n", "[0][0]") == "- - b\n");
  CHECK(removed("- kind: User\n  user: x\n", "[0].user") == "- kind: User\n");
}

TEST_CASE("When nothing is left, an empty mapping or list is", "[lint][fix]") {
  CHECK(removed("a: # it\n  b: 1\nc: 2\n", "a.b") == "a: {} # it\nc: 2\n");
  CHECK(removed("a:\n- b\nc: 2\n", "a[0]") == "a: []\nc: 2\n");
  CHECK(removed("- a: 1 # c\n- b\n", "[0].a") == "- {} # c\n- b\n");
  CHECK(removed("a: 1\n", "a") == "{}\n");
  CHECK(removed("a: [ b ]\n", "a[0]") == "a: []\n");
  CHECK(removed("{\"a\": [\n  1\n]}", "a[0]") == "{\"a\": []}");
}

TEST_CASE("Entries and items in flow style go with their comma", "[lint][fix]") {
  CHECK(removed("a: [x, y, z] # c\n", "a[0]") == "a: [y, z] # c\n");
  CHECK(removed("a: [x, y, z]\n", "a[1]") == "a: [x, z]\n");
  CHECK(removed("a: [x, y, z]\n", "a[2]") == "a: [x, y]\n");
  CHECK(removed("a: {p: 1, q: , r: 3}\n", "a.q") == "a: {p: 1, r: 3}\n");
  CHECK(removed("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "b") == "{\n  \"a\": 1,\n  \"c\": 3\n}\n");
  CHECK(removed("{\n  \"a\": 1,\n  \"b\": 2\n}\n", "b") == "{\n  \"a\": 1\n}\n");
  CHECK(removed("a: [\n  x, # of x\n  y, # of y\n]\n", "a[1]") == "a: [\n  x, # of x\n]\n");
  CHECK(removed("a: [\n  x, # of x\n  y # of y\n]\n", "a[0]") == "a: [\n  y # of y\n]\n");
  CHECK(removed("a: [x, # of x\n  y]\n", "a[1]") == "a: [x, # of x\n  ]\n");
}

TEST_CASE("What others refer to, or what is written in unusual ways, is not removed", "[lint][fix]") {
  CHECK(removed("a: &x 5\nb: *x\n", "a") == "refused");
  CHECK(removed("a: [&x 5, 6]\nb: *x\n", "a[0]") == "refused");
  CHECK(removed("? a\n: 5\nb: 1\n", "a") == "refused");
  CHECK(removed("a: &x {b: 5}\nc:\n  <<: *x\n  d: 1\n", "c.b") == "refused");
  CHECK(removed("a: [b: 1, c]\n", "a[0].b") == "refused");
  CHECK(removed("a: 1\n", "b") == "refused");
  CHECK(removed("a: 1\n", "") == "refused");
}

TEST_CASE("An entry is inserted after another with its indentation", "[lint][fix]") {
  CHECK(inserted("a:\n  b: 1 # c\n  d: 2\n", "a.b", "new", 7) == "a:\n  b: 1 # c\n  new: 7\n  d: 2\n");
  CHECK(inserted("a:\n  b: 1", "a.b", "new", "yes") == "a:\n  b: 1\n  new: \"yes\"");
  CHECK(inserted("a: 1\r\n", "a", "new", 7) == "a: 1\r\nnew: 7\r\n");
  CHECK(inserted("- a:\n    b: 1\n", "[0].a", "new", 7) == "- a:\n    b: 1\n  new: 7\n");
  CHECK(inserted("a:\n- x\n- y\nb: 1\n", "a", "new", 7) == "a:\n- x\n- y\nnew: 7\nb: 1\n");
  CHECK(inserted("a:\n  b:\nc: 1\n", "a.b", "new", 7) == "a:\n  b:\n  new: 7\nc: 1\n");
  CHECK(inserted("a: {b: 1} # c\n", "a.b", "new", 7) == "a: {b: 1, new: 7} # c\n");
  CHECK(inserted("{\"b\": 1}", "b", "new", "x") == "{\"b\": 1, \"new\": \"x\"}");
  CHECK(inserted("{\n  \"b\": 1,\n  \"c\": 2\n}\n", "b", "new", 7) == "{\n  \"b\": 1,\n  \"new\": 7,\n  \"c\": 2\n}\n");
  CHECK(inserted("a: |+\n  text\n\nb: 1\n", "a", "new", 7) == "refused");
  CHECK(inserted("a: [x]\n", "a[0]", "new", 7) == "refused");
}

TEST_CASE("An item is appended to a list", "[lint][fix]") {
  CHECK(appended("a:\n- x # c\nb: 1\n", "a", "pods/status") == "a:\n- x # c\n- pods/status\nb: 1\n");
  CHECK(appended("a:\n  - 'x'\n", "a", "y") == "a:\n  - 'x'\n  - 'y'\n");
  CHECK(appended("a: [x, \"y\"]\n", "a", "z") == "a: [x, \"y\", \"z\"]\n");
  CHECK(appended("{\"a\": [\n    \"x\"\n]}", "a", "z") == "{\"a\": [\n    \"x\",\n    \"z\"\n]}");
  CHECK(appended("a: []\n", "a", "z") == "refused");
  CHECK(appended("a: 1\n", "a", "z") == "refused");
}

TEST_CASE("Edits of a later document and of several places in one", "[lint][fix]") {
  const Source source("a: 1\n---\n# second\na: [x, y, z]\nb: 2\n");
  std::vector<Diagnostic> findings = {
      with_fix(remove_field(source.root(1), "a[0]")), with_fix(remove_field(source.root(1), "a[1]")),
      with_fix(replace_scalar(source.root(1), "b", 3)), with_fix(replace_scalar(source.root(0), "a", 2))};
  const FixResult result = apply_fixes(source.tree->text(), "a.yaml", findings, false);
  CHECK(result.text == "a: 2\n---\n# second\na: [z]\nb: 3\n");
  CHECK(result.applied == 4);
}
