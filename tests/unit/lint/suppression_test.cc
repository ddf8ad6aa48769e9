// Comments that silence findings: where they count, until when, and what is said about those that do not.
#include <apf/error.h>
#include <apf/lint.h>

#include "catch.h"
#include "lint/rule.h"
#include "lint/suppression.h"

using namespace apf;

namespace {

std::string schema_of_level(const std::string& name, const std::string& level = "batch") {
  return "apiVersion: flowcontrol.apiserver.k8s.io/v1\n"
         "kind: FlowSchema\n"
         "metadata:\n"
         "  name: " +
         name +
         "\n"
         "spec:\n"
         "  matchingPrecedence: 1000\n"
         "  priorityLevelConfiguration:\n"
         "    name: " +
         level +
         "\n"
         "  distinguisherMethod: {type: ByUser}\n"
         "  rules:\n"
         "  - subjects:\n"
         "    - {kind: Group, group: {name: " +
         name +
         "}}\n"
         "    resourceRules: [{verbs: [get], apiGroups: [\"\"], resources: [pods], namespaces: [\"*\"]}]\n";
}

std::string codes(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (const Diagnostic& d : findings) out += d.code + ":" + std::to_string(d.span.line) + " ";
  return out;
}

struct Linted {
  std::string found, silenced;
  std::vector<Diagnostic> findings;
};

Linted lint_all_files(const std::string& text, LintOptions options = {}) {
  if (options.today.empty()) options.today = "2026-11-20";
  const ConfigText texts[] = {{"a.yaml", text}};
  const LintResult result = lint(load_config(texts), texts, options);
  return {codes(result.findings), codes(result.suppressed), result.findings};
}

std::string replace(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace

TEST_CASE("a comment silences the findings of its line, of the next line, of its document or of its file", "[lint]") {
  CHECK(lint_all_files(schema_of_level("a")).found == "APF101:8 ");
  const auto at_level = [](const std::string& comment) {
    return replace(schema_of_level("a"), "name: batch", "name: batch  # " + comment);
  };
  for (const char* rule : {"APF101", "dangling-level", "APF1", "APF555x, APF101", "APF"}) {
    const Linted linted = lint_all_files(at_level("apfctl: ignore[" + std::string(rule) + "] -- why"));
    INFO(rule);
    CHECK(linted.silenced == "APF101:8 ");
  }
  CHECK(lint_all_files(at_level("apfctl: ignore[APF101] -- why")).found.empty());
  // On another line it counts for nothing.
  CHECK(lint_all_files(
            replace(schema_of_level("a"), "kind: FlowSchema", "kind: FlowSchema # apfctl: ignore[APF101] -- why"))
            .found == "APF901:2 APF101:8 ");
  // The line above, comments and empty lines between.
  const Linted above = lint_all_files(replace(schema_of_level("a"), "    name: batch",
                                              "    # apfctl: ignore[APF101] -- why\n    # more\n\n    name: batch"));
  CHECK(above.found.empty());
  CHECK(above.silenced == "APF101:11 ");
  // Above the first key: the whole document and no other.
  const std::string first = "# apfctl: ignore[APF101] -- why\n" + schema_of_level("a");
  CHECK(lint_all_files(first).silenced == "APF101:9 ");
  CHECK(lint_all_files(first + "---\n" + schema_of_level("b")).found == "APF101:23 ");
  CHECK(
      lint_all_files(schema_of_level("b") + "--- # apfctl: ignore[APF101] -- why\n" + schema_of_level("a")).silenced ==
      "APF101:22 ");
  CHECK(
      lint_all_files(schema_of_level("b") + "---\n\n# apfctl: ignore[APF101] -- why\n" + schema_of_level("a")).found ==
      "APF101:8 ");
  // The file.
  const Linted file =
      lint_all_files(schema_of_level("b") + "# apfctl: ignore-file[APF101] -- why\n---\n" + schema_of_level("a"));
  CHECK(file.found.empty());
  CHECK(file.silenced == "APF101:8 APF101:23 ");
}

TEST_CASE("what looks like a comment inside a string is none", "[lint]") {
  const std::string text = replace(schema_of_level("a"), "  name: a\n",
                                   "  name: a\n  annotations:\n    note: \"x # apfctl: ignore[APF101] -- why\"\n    "
                                   "more: |\n      # apfctl: ignore-file[APF101] -- why\n");
  CHECK(lint_all_files(text).found == "APF101:12 ");
}

TEST_CASE("suppressions are reported when unused, without reason, expired or not understood", "[lint]") {
  const auto at_level = [](const std::string& comment, const std::string& level = "batch") {
    return lint_all_files(
        replace(schema_of_level("a", level), "name: " + level, "name: " + level + "  # apfctl: " + comment));
  };
  const auto message = [&](const std::string& comment) {
    const Linted linted = at_level(comment, "workload-low");
    REQUIRE(linted.findings.size() == 1);
    return linted.findings[0].message;
  };
  CHECK(at_level("ignore[APF101]").found == "APF902:8 ");
  CHECK(at_level("ignore[APF101] --").found == "APF902:8 ");
  CHECK(at_level("ignore[APF101] until=2026-11-20 -- why").found.empty());
  CHECK(at_level("ignore[APF101] until=2026-11-19 -- why").found == "APF101:8 APF903:8 ");
  CHECK(at_level("ignore[APF101] until=2026-11-31x -- why").found == "APF101:8 APF901:8 ");
  CHECK(message("ignore[APF101] -- why") == "unused suppression: APF101 finds nothing here");
  CHECK(message("ignore[APF101, dangling-levle] -- why") ==
        "unused suppression: APF101 finds nothing here; there is no rule \"dangling-levle\", did you mean "
        "\"dangling-level\"?");
  CHECK(message("ignore -- why") == "this comment suppresses nothing: it names no rules: write ignore[CODE]");
  CHECK(message("ignore[] -- why") == "this comment suppresses nothing: it names no rules: write ignore[CODE]");
  CHECK(message("ignore[APF101] until=tomorrow -- why") ==
        "this comment suppresses nothing: \"tomorrow\" is not a date: write until=YYYY-MM-DD");
  CHECK(message("ignore[APF101] because -- why") ==
        "this comment suppresses nothing: \"because\" is not allowed here: write the reason after \"--\"");
  CHECK(message("disable[APF101] -- why") ==
        "this comment suppresses nothing: it is neither ignore[…] nor ignore-file[…]");
}

TEST_CASE("an unused suppression is removed by its fix, the line with it where nothing else is on it", "[lint]") {
  const auto fixed = [](std::string text) {
    const Linted linted = lint_all_files(text);
    REQUIRE(linted.findings.size() == 1);
    REQUIRE(linted.findings[0].fix);
    const Edit& edit = linted.findings[0].fix->edits.at(0);
    return text.replace(edit.begin, edit.end - edit.begin, edit.text);
  };
  const std::string clean = schema_of_level("a", "workload-low");
  CHECK(fixed(replace(clean, "name: workload-low", "name: workload-low  # apfctl: ignore[APF101] -- why")) == clean);
  CHECK(fixed(replace(clean, "spec:\n", "spec:\n  # apfctl: ignore[APF101] -- why\n")) == clean);
}

TEST_CASE("a rule that did not run leaves its suppressions alone, as do files that were not read to the end",
          "[lint]") {
  const std::string text = replace(schema_of_level("a", "workload-low"), "name: workload-low",
                                   "name: workload-low  # apfctl: ignore[APF101] -- why");
  LintOptions options;
  options.select = {"APF901", "APF102"};
  CHECK(lint_all_files(text, options).found.empty());
  options.select = {"APF901", "dangling-level"};
  CHECK(lint_all_files(text, options).found == "APF901:8 ");
  options.select.clear();
  options.ignore = {"unused-suppression"};
  CHECK(lint_all_files(text, options).found.empty());
  CHECK(lint_all_files(text + "---\nkind: [\n").found.find("APF901") == std::string::npos);
}

TEST_CASE("rules are selected and ignored by code, prefix or name", "[lint]") {
  const std::string text = schema_of_level("a") + "---\nunknown: 1\n" + schema_of_level("b");
  const auto found = [&](std::vector<std::string> select, std::vector<std::string> ignore) {
    LintOptions options;
    options.select = std::move(select);
    options.ignore = std::move(ignore);
    return lint_all_files(text, options).found;
  };
  CHECK(found({}, {}) == "APF101:8 APF002:15 APF101:23 ");
  CHECK(found({"dangling-level"}, {}) == "APF101:8 APF002:15 APF101:23 ");
  CHECK(found({"APF102"}, {}) == "APF002:15 ");
  CHECK(found({"APF1"}, {"unknown-field"}) == "APF101:8 APF101:23 ");
  CHECK(found({}, {"APF1", "APF0"}).empty());
  CHECK_THROWS_WITH(found({"dangling-levle"}, {}),
                    "select: there is no rule \"dangling-levle\"; did you mean \"dangling-level\"?");
  CHECK_THROWS_AS(found({}, {"APF9999"}), Error);
}
