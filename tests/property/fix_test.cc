// Fixes on random texts: what is not changed stays byte for byte, and the tree reads as it did but for the change.
#include <apf/config.h>
#include <apf/lint.h>

#include "lint/fix.h"

#include <random>

#include "catch.h"
#include "config/reader.h"
#include "lint/fix_edits.h"
#include "support/vectors.h"

using namespace apf;

namespace {

std::shared_ptr<ConfigTree> parse(const std::string& text) {
  std::vector<Diagnostic> diagnostics;
  auto tree = read_tree({"a.yaml", text}, diagnostics);
  INFO(text);
  for (const Diagnostic& diagnostic : diagnostics) FAIL(to_string(diagnostic));
  REQUIRE(tree->documents().size() == 1);
  return tree;
}

// The tree as text: kinds, values and keys, nothing of its layout.
std::string shape(const ConfigNode& node) {
  if (node.is_scalar()) return std::to_string(static_cast<int>(node.kind())) + "'" + std::string(node.text()) + "'";
  std::string out = node.is_mapping() ? "{" : "[";
  for (const ConfigEntry& entry : node.entries()) out += std::string(entry.key.text()) + "=" + shape(entry.value) + ";";
  for (const ConfigNode& item : node.items()) out += shape(item) + ";";
  return out + (node.is_mapping() ? "}" : "]");
}

// Random documents in every style with comments in all places that take some.
class TextMaker {
 public:
  explicit TextMaker(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[below(N)];
  }

  std::string document() {
    std::string out = one_in(3) ? "# a comment\n---\n" : "";
    mapping(out, 0, 0, false);
    return out;
  }
  std::string json_document() {
    std::string out;
    json(out, 0, "");
    return out + "\n";
  }

  std::string text() {
    static constexpr const char* const kTexts[] = {
        "plain", "yes",        "5",    "0x1F",  "~",        "*",      "a: b", "a #b", "it's",
        "\"",    "two\nlines", "",     "- x",   "&x",       "!x",     "true", "1e3",  "a:b",
        "%",     "@x",         "\\",   " lead", "trail ",   "pods/*", "\t",   "[x]",  "{x}",
        "12:30", "2026-01-01", "null", "on",    "\xC3\xA9", "?",      "|",    ",",    "system:masters"};
    return pick(kTexts);
  }

 private:
  std::string comment() { return one_in(4) ? " # " + std::string(pick({"why", "it's: \"so\"", "[x", "a: b"})) : ""; }
  const char* pick(std::initializer_list<const char*> words) { return words.begin()[below(words.size())]; }
  void comment_line(std::string& out, std::size_t indent) {
    if (one_in(6)) out += std::string(indent, ' ') + "# " + pick({"- x", "a: b", "{", "text"}) + "\n";
    if (one_in(12)) out += "\n";
  }
  std::string key(std::size_t i) { return pick({"key", "\"quoted", "'single", "k.e-y/"}) + std::to_string(i); }
  std::string closed(std::string key) { return key[0] == '"' || key[0] == '\'' ? key + key[0] : key; }
  std::string scalar() {
    return pick({"text", "5", "-3", "true", "'it''s'", "\"a\\tb\"", "a/b", "~", "two words", "1.5", "\"\"", "'#'"});
  }
  std::string flow(std::size_t depth) {
    if (depth > 2 || one_in(2)) return scalar();
    const bool map = one_in(2);
    std::string out = map ? "{" : "[";
    const std::size_t count = below(4);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += one_in(5) ? ",\n            " : ", ";
      if (map) out += closed(key(i)) + ": ";
      out += flow(depth + 1);
    }
    return out + (map ? "}" : "]");
  }
  void value(std::string& out, std::size_t indent, std::size_t depth) {
    switch (depth > 3 ? below(2) : below(5)) {
      case 0:
        out += " " + scalar() + comment() + "\n";
        break;
      case 1:
        out += " " + flow(0) + comment() + "\n";
        break;
      case 2:
        out += comment() + "\n";
        mapping(out, indent + 2, depth + 1, false);
        break;
      case 3: {
        out += comment() + "\n";
        sequence(out, one_in(2) ? indent : indent + 2, depth + 1);
        break;
      }
      default:
        if (one_in(2)) out += comment() + "\n";  // absent
        else
          out += std::string(pick({" |", " >", " |-"})) + "\n" + std::string(indent + 2, ' ') + "a # line\n" +
                 std::string(indent + 2, ' ') + "b: c\n";
    }
  }
  void mapping(std::string& out, std::size_t indent, std::size_t depth, bool after_dash) {
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 || !after_dash) {
        comment_line(out, indent);
        out += std::string(indent, ' ');
      }
      out += closed(key(i)) + ":";
      value(out, indent, depth);
    }
  }
  void sequence(std::string& out, std::size_t indent, std::size_t depth) {
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
      comment_line(out, indent);
      out += std::string(indent, ' ') + "-";
      if (depth < 4 && one_in(3)) {
        out += " ";
        mapping(out, indent + 2, depth + 1, true);
      } else {
        out += " " + flow(0) + comment() + "\n";
      }
    }
  }
  void json(std::string& out, std::size_t depth, const std::string& indent) {
    const bool map = depth == 0 || one_in(2);
    const bool lines = one_in(2);
    const std::string inner = indent + "  ";
    const std::size_t count = below(4);
    out += map ? "{" : "[";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += lines ? "," : ", ";
      if (lines) out += "\n" + inner;
      if (map) out += "\"k" + std::to_string(i) + "\": ";
      if (depth < 3 && one_in(2)) json(out, depth + 1, inner);
      else out += pick({"1", "\"x\"", "null", "true", "\"a,]b\"", "\"\\\"\""});
    }
    if (lines && count > 0) out += "\n" + indent;
    out += map ? "}" : "]";
  }

  std::mt19937_64 random_;
};

// Every place of a tree by its path; keys with dots or brackets cannot be named and are left out, as are empty paths.
void collect(const ConfigNode& node, const std::string& path, std::vector<std::string>& paths) {
  if (!path.empty()) paths.push_back(path);
  for (const ConfigEntry& entry : node.entries()) {
    collect(entry.value,
            path.empty() ? std::string(entry.key.text()) : path + "[" + std::string(entry.key.text()) + "]", paths);
  }
  for (std::size_t i = 0; i < node.items().size(); ++i)
    collect(node.items()[i], path + "[" + std::to_string(i) + "]", paths);
}

// The shape with the node at `target` shown as `instead`, or left out with its key.
std::string shape_but(const ConfigNode& node, const ConfigNode* target, const std::string* instead) {
  if (&node == target) return *instead;
  if (node.is_scalar()) return shape(node);
  std::string out = node.is_mapping() ? "{" : "[";
  for (const ConfigEntry& entry : node.entries()) {
    if (&entry.value == target && !instead) continue;
    out += std::string(entry.key.text()) + "=" + shape_but(entry.value, target, instead) + ";";
  }
  for (const ConfigNode& item : node.items()) {
    if (&item == target && !instead) continue;
    out += shape_but(item, target, instead) + ";";
  }
  return out + (node.is_mapping() ? "}" : "]");
}

std::string apply_edits(const ConfigTree& tree, const std::vector<Edit>& edits) {
  Diagnostic finding;
  finding.fix = Fix{"change", true, edits};
  const FixResult result = apply_fixes(tree.text(), "a.yaml", std::span(&finding, 1), false);
  REQUIRE(result.applied == 1);
  return result.text;
}

}  // namespace

TEST_CASE("Replacing scalars keeps every other byte and value", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  TextMaker make(test::seed());
  int changed = 0;
  for (int round = 0; round < test::rounds(1500); ++round) {
    const auto tree = parse(round % 4 == 0 ? make.json_document() : make.document());
    const ConfigNode& root = *tree->documents()[0].root;
    std::vector<std::string> paths;
    collect(root, "", paths);
    if (paths.empty()) continue;
    const std::string path = paths[make.below(paths.size())];
    const ConfigNode* const target = find_field(root, path).value;
    const std::string text = make.text();
    const NewScalar value = make.one_in(4) ? NewScalar(static_cast<std::int64_t>(make.below(1000))) : NewScalar(text);
    INFO(tree->text() << "\nat " << path << " becomes " << value.text);
    const std::vector<Edit> edits = replace_scalar(root, path, value);
    if (edits.empty()) continue;
    ++changed;
    REQUIRE(edits.size() == 1);
    const std::string after = apply_edits(*tree, edits);
    // Nothing else changed, and the place is that of the value.
    CHECK(after.starts_with(tree->text().substr(0, edits[0].begin)));
    CHECK(after.ends_with(tree->text().substr(edits[0].end)));
    if (edits[0].begin != edits[0].end) CHECK((edits[0].begin == target->begin() && edits[0].end == target->end()));
    const std::string kind = std::to_string(static_cast<int>(value.is_string ? NodeKind::string : NodeKind::integer));
    const std::string expected = kind + "'" + value.text + "'";
    CHECK(shape(*parse(after)->documents()[0].root) == shape_but(root, target, &expected));
  }
  CHECK(changed > test::rounds(400));
}

TEST_CASE("Removing an entry or an item leaves the others", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  TextMaker make(test::seed());
  int changed = 0;
  for (int round = 0; round < test::rounds(1500); ++round) {
    const auto tree = parse(round % 4 == 0 ? make.json_document() : make.document());
    const ConfigNode& root = *tree->documents()[0].root;
    std::vector<std::string> paths;
    collect(root, "", paths);
    if (paths.empty()) continue;
    const std::string path = paths[make.below(paths.size())];
    INFO(tree->text() << "\nwithout " << path);
    const std::vector<Edit> edits = remove_field(root, path);
    if (edits.empty()) continue;
    ++changed;
    const std::string after = apply_edits(*tree, edits);
    CHECK(shape(*parse(after)->documents()[0].root) == shape_but(root, find_field(root, path).value, nullptr));
  }
  CHECK(changed > test::rounds(800));
}

TEST_CASE("Inserting an entry or appending an item changes nothing else", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  TextMaker make(test::seed());
  int changed = 0;
  for (int round = 0; round < test::rounds(1500); ++round) {
    const auto tree = parse(round % 4 == 0 ? make.json_document() : make.document());
    const ConfigNode& root = *tree->documents()[0].root;
    std::vector<std::string> paths;
    collect(root, "", paths);
    if (paths.empty()) continue;
    const std::string path = paths[make.below(paths.size())];
    const std::string value = make.text();
    const ConfigNode* const target = find_field(root, path).value;
    INFO(tree->text() << "\nat " << path << " gets " << value);
    std::vector<Edit> edits = append_item(root, path, value);
    std::string added = path + "[" + std::to_string(target->items().size()) + "]";
    if (edits.empty()) {
      edits = insert_after(root, path, "added", value);
      added = path.substr(0, path.rfind('[')) + "[added]";
      if (path.find('[') == std::string::npos) added = "added";
    }
    if (edits.empty()) continue;
    ++changed;
    const auto after = parse(apply_edits(*tree, edits));
    const ConfigNode& new_root = *after->documents()[0].root;
    const FieldPosition found = find_field(new_root, added);
    INFO(after->text());
    REQUIRE(found.exact);
    CHECK(found.value->is_string());
    CHECK(found.value->text() == value);
    CHECK(shape_but(new_root, found.value, nullptr) == shape(root));
  }
  CHECK(changed > test::rounds(500));
}

TEST_CASE("Fixes that are all over a text give one that parses", "[lint][fix][property]") {
  INFO("APF_TEST_SEED=" << test::seed());
  TextMaker make(test::seed());
  int applied = 0;
  for (int round = 0; round < test::rounds(600); ++round) {
    const auto tree = parse(make.document());
    const ConfigNode& root = *tree->documents()[0].root;
    std::vector<std::string> paths;
    collect(root, "", paths);
    std::vector<Diagnostic> findings;
    for (int i = 0; i < 4; ++i) {
      const std::string& path = paths[make.below(paths.size())];
      Diagnostic finding;
      finding.fix = Fix{
          "change", true,
          make.one_in(2) ? replace_scalar(root, path, make.text()) : insert_after(root, path, "added", make.text())};
      findings.push_back(std::move(finding));
    }
    INFO(tree->text());
    const FixResult result = apply_fixes(tree->text(), "a.yaml", findings, false);
    parse(result.text);
    applied += result.applied;
  }
  CHECK(applied > test::rounds(600));
}
