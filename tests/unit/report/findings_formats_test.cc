// The formats of findings: whole and well-formed for any configuration.
#include <apf/lint.h>
#include <apf/report.h>

#include <simdjson.h>

#include <algorithm>

#include "catch.h"
#include "lint/docs_uri.h"
#include "report/lint/findings_sarif.h"

using namespace apf;

namespace {

const std::string kEvil = "a<b>&\"'\x1b[31m\x07\xff\xe2\x80\xae%,:\r\n::error::x";

Diagnostic evil_finding() {
  Diagnostic d;
  d.code = "APF101";
  d.name = "dangling-level";
  d.severity = Severity::warning;
  d.message = "level " + kEvil;
  d.kind = "FlowSchema";
  d.object_name = kEvil;
  d.field = "spec.x[" + kEvil + "]";
  d.span = {kEvil + ".yaml", 2, 5, 2, 8};
  d.notes.push_back({"note " + kEvil, {kEvil + ".yaml", 1, 1, 1, 2}});
  d.witness = "apfctl explain " + kEvil;
  d.fix = Fix{"title " + kEvil, false, {{kEvil + ".yaml", 0, 2, kEvil}}};
  return d;
}

bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; }) ||
         text.find("\xe2\x80\xae") != std::string::npos || text.find('\xff') != std::string::npos;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

simdjson::dom::element at(simdjson::dom::element root, std::string_view pointer) {
  simdjson::dom::element found;
  INFO(pointer);
  REQUIRE(root.at_pointer(pointer).get(found) == simdjson::SUCCESS);
  return found;
}

}  // namespace

TEST_CASE("no format lets control characters through", "[report][findings]") {
  const std::vector<Diagnostic> findings = {evil_finding(), Diagnostic()};
  const ConfigText texts[] = {{kEvil + ".yaml", "é\xc3\xa9\nab: défg\n"}};
  for (const std::string& text : {render_concise(findings), render_github(findings), render_junit(findings, texts),
                                  render_checkstyle(findings), render_sarif(findings, texts)}) {
    INFO(text);
    CHECK_FALSE(has_control_characters(text));
  }
  CHECK(lines_of(render_concise(findings)) == 2);
  CHECK(lines_of(render_github(findings)) == 2);
}

TEST_CASE("GitHub's separators are escaped where they separate", "[report][findings]") {
  Diagnostic d;
  d.code = "APF101";
  d.name = "dangling-level";
  d.severity = Severity::error;
  d.message = "100%, a: b";
  d.span = {"a,b:c%.yaml", 2, 5, 2, 8};
  d.notes.push_back({"seen", {"d.yaml", 3, 1, 3, 2}});
  CHECK(render_github({d}) ==
        "::error file=a%2Cb%3Ac%25.yaml,line=2,col=5,endLine=2,endColumn=7,title=APF101 dangling-level::100%25, a: "
        "b%0Anote: d.yaml:3: seen\n");
  d.severity = Severity::info;
  d.span = {"x.yaml"};
  d.notes.clear();
  CHECK(render_github({d}) == "::notice file=x.yaml,title=APF101 dangling-level::100%25, a: b\n");
}

TEST_CASE("SARIF points at code points, names its rule and its fix", "[report][findings]") {
  Diagnostic d;
  d.code = "APF101";
  d.name = "dangling-level";
  d.severity = Severity::warning;
  d.message = "no such level";
  d.span = {"dir/a b.yaml", 2, 8, 2, 9};
  d.fix = Fix{"drop it", true, {{"dir/a b.yaml", 3, 5, ""}}};
  const ConfigText texts[] = {{"dir/a b.yaml", "ab\nké: é!\n"}};
  simdjson::dom::parser parser;
  const std::string text = render_sarif({d}, texts);
  simdjson::dom::element root;
  REQUIRE(parser.parse(simdjson::padded_string(text)).get(root) == simdjson::SUCCESS);
  CHECK(std::string_view(at(root, "/version")) == "2.1.0");
  CHECK(std::string_view(at(root, "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri")) ==
        "dir/a%20b.yaml");
  CHECK(std::int64_t(at(root, "/runs/0/results/0/locations/0/physicalLocation/region/startColumn")) == 6);
  CHECK(std::int64_t(at(root, "/runs/0/results/0/locations/0/physicalLocation/region/endColumn")) == 7);
  const std::int64_t index = at(root, "/runs/0/results/0/ruleIndex");
  CHECK(std::string_view(at(root, "/runs/0/tool/driver/rules/" + std::to_string(index) + "/id")) == "APF101");
  CHECK(at(root, "/runs/0/tool/driver/rules").get_array().size() == lint_rules().size());
  CHECK(std::string_view(at(root, "/runs/0/results/0/partialFingerprints/apfctlFinding~1v1")).size() == 34);
  const std::string region = "/runs/0/results/0/fixes/0/artifactChanges/0/replacements/0/deletedRegion";
  CHECK(std::int64_t(at(root, region + "/startLine")) == 2);
  CHECK(std::int64_t(at(root, region + "/startColumn")) == 1);
  CHECK(std::int64_t(at(root, region + "/endColumn")) == 3);
}

TEST_CASE("rules of SARIF link to their pages where the manual is published, and nowhere else", "[report][findings]") {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const std::string docs = "https://docs.example/apfctl";
  const std::string text = sarif_of({}, {}, {}, docs);
  REQUIRE(parser.parse(simdjson::padded_string(text)).get(root) == simdjson::SUCCESS);
  CHECK(std::string_view(at(root, "/runs/0/tool/driver/informationUri")) == docs);
  std::size_t linked = 0;
  for (const simdjson::dom::element rule : at(root, "/runs/0/tool/driver/rules").get_array()) {
    CHECK(std::string_view(rule["helpUri"]) == rule_page_uri(docs, std::string_view(rule["id"])));
    ++linked;
  }
  CHECK(linked == lint_rules().size());
  CHECK(rule_page_uri(docs, "APF101") == "https://docs.example/apfctl/rules/APF101.html");
  CHECK(sarif_of({}, {}, {}, "").find("Uri\"") == std::string::npos);
}

TEST_CASE("JUnit counts what failed, file by file", "[report][findings]") {
  Diagnostic d;
  d.code = "APF101";
  d.severity = Severity::warning;
  d.message = "no such level";
  d.span = {"a.yaml", 1, 1, 1, 2};
  Diagnostic hint = d;
  hint.severity = Severity::info;
  const ConfigText texts[] = {{"a.yaml", "x"}, {"b.yaml", "y"}};
  const std::string text = render_junit({d, hint}, texts);
  CHECK(text.find("<testsuites name=\"apfctl\" tests=\"3\" failures=\"1\" errors=\"0\">") != std::string::npos);
  CHECK(text.find("<testsuite name=\"a.yaml\" tests=\"2\" failures=\"1\"") != std::string::npos);
  CHECK(text.find("<testcase name=\"no findings\" classname=\"b.yaml\"/>") != std::string::npos);
}

TEST_CASE("without findings the formats are whole", "[report][findings]") {
  CHECK(render_concise({}).empty());
  CHECK(render_github(std::vector<Diagnostic>{}).empty());
  CHECK(render_checkstyle({}) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n</checkstyle>\n");
  CHECK(render_sarif({}, {}).find("\"results\":[]") != std::string::npos);
}
