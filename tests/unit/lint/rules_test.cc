// The table of rules and its pages, and for each rule a configuration that it finds and one that it does not.
#include <apf/config.h>
#include <apf/lint.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.h"
#include "config/codes.h"
#include "lint/rule.h"

using namespace apf;

namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return in ? out.str() : std::string();
}

LintOptions usual_options() {
  LintOptions options;
  options.events = LintOptions::EventSources{2, 3};
  options.today = "2026-11-20";
  return options;
}

// A case may say of which release it is in its first line: "# kubernetes-version: 1.31".
LintOptions options_of(const std::string& text) {
  constexpr std::string_view kMark = "# kubernetes-version: ";
  LintOptions options = usual_options();
  if (text.starts_with(kMark))
    options.version = KubeVersion::parse(text.substr(kMark.size(), text.find('\n') - kMark.size())).value();
  return options;
}

LintResult lint_text(const std::string& text, const LintOptions& options = usual_options()) {
  const ConfigText texts[] = {{"test.yaml", text}};
  return lint(load_config(texts), texts, options);
}

std::string all_of(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (const Diagnostic& d : findings) out += d.code + " " + to_string(d) + "\n";
  return out;
}

bool has(const std::vector<Diagnostic>& findings, std::string_view code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Diagnostic& d) { return d.code == code; });
}

}  // namespace

TEST_CASE("every rule has a code, a name and a page of its own", "[lint]") {
  std::set<std::string> codes, names;
  std::string last;
  for (const RuleInfo& rule : lint_rules()) {
    INFO(rule.code << " " << rule.name);
    const std::string code = rule.code, name = rule.name;
    CHECK(code.size() == 6);
    CHECK(code.substr(0, 3) == "APF");
    CHECK(code.find_first_not_of("0123456789", 3) == std::string::npos);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    CHECK(codes.insert(code).second);
    CHECK(names.insert(name).second);
    CHECK(last < code);
    last = code;
    for (const std::string& part : {std::string(rule.summary), rule.what, rule.why, rule.example, rule.instead})
      CHECK(part.size() > 10);
    // Rules about audit policies are APF95x.
    const RuleGroup suppressions = RuleGroup::suppressions, policies = RuleGroup::audit_policies;
    CHECK(rule.group == (code[3] != '9'   ? static_cast<RuleGroup>(code[3] - '0')
                         : code[4] == '5' ? policies
                                          : suppressions));
    CHECK((rule.dialect == RuleDialect::kep) == (rule.group == RuleGroup::kep));
    CHECK_FALSE(rule_group_title(rule.group).empty());
    CHECK(find_rule(code) == &rule);
    CHECK(find_rule(name) == &rule);
  }
  CHECK(find_rule("APF999") == nullptr);
}

TEST_CASE("everything that reading and validating can find has a page", "[lint]") {
  for (const ConfigCode& code : kConfigCodes) CHECK(find_rule(code.code) != nullptr);
  for (const ConfigCode& code : kKepCodes) CHECK(find_rule(code.code) != nullptr);
  const auto without_check = [](const RuleInfo& rule) { return !is_checked(rule.code); };
  const auto pages = std::count_if(lint_rules().begin(), lint_rules().end(), without_check);
  CHECK(pages == std::ssize(kConfigCodes) + std::ssize(kKepCodes) + 3);  // and the handling of suppressions
}

TEST_CASE("each rule finds its bad case and not its good one", "[lint]") {
  for (const Rule* rule : all_rules()) {
    const std::string code = rule->code, folder = std::string(APF_TESTS_DIR) + "/golden/lint/" + code;
    INFO(folder);
    const std::string bad = file_text(folder + "/bad.yaml"), good = file_text(folder + "/good.yaml");
    CHECK_FALSE(bad.empty());
    CHECK_FALSE(good.empty());
    LintOptions for_bad = options_of(bad), for_good = options_of(good);
    for_bad.enabled = for_good.enabled = {code};
    const LintResult of_bad = lint_text(bad, for_bad), of_good = lint_text(good, for_good);
    INFO("bad:\n" << all_of(of_bad.findings) << "good:\n" << all_of(of_good.findings));
    CHECK(has(of_bad.findings, code));
    CHECK_FALSE(has(of_good.findings, code));
    for (const Diagnostic& d : of_good.findings) {
      CHECK_FALSE((d.code.substr(0, 4) == "APF0" && d.severity == Severity::error));
    }
    for (const Diagnostic& d : of_bad.findings) CHECK(d.span.known());
  }
}

TEST_CASE("the server's own objects give no finding in any release and version", "[lint]") {
  constexpr std::pair<FlowControlVersion, std::pair<int, int>> kServed[] = {{FlowControlVersion::v1, {29, 99}},
                                                                            {FlowControlVersion::v1beta3, {26, 31}},
                                                                            {FlowControlVersion::v1beta2, {23, 28}},
                                                                            {FlowControlVersion::v1beta1, {20, 25}}};
  for (int minor = kOldestKubeVersion.minor; minor <= kNewestKubeVersion.minor; ++minor) {
    const Config own = bootstrap_config(KubeVersion{minor});
    std::string v1;
    for (const FlowSchema& schema : own.flow_schemas) v1 += "---\n" + render_yaml(schema);
    for (const PriorityLevel& level : own.priority_levels) v1 += "---\n" + render_yaml(level);
    const ConfigText texts[] = {{"test.yaml", v1}};
    int versions = 0;
    for (const auto& [version, releases] : kServed) {
      if (minor < releases.first || minor > releases.second) continue;
      ++versions;
      LintOptions options = usual_options();
      options.version = KubeVersion{minor};
      std::string text;
      for (const RewrittenObject& object : convert_objects(load_config(texts), texts, version, options.version).objects)
        text += "---\n" + object.yaml;
      // That a version is about to go is said of these objects as of any others.
      const bool newest = version == newest_served(options.version);
      if (!newest) options.ignore = {"APF502"};
      const LintResult result = lint_text(text, options);
      INFO("1." << minor << " version " << static_cast<int>(version));
      CHECK(all_of(result.findings) == "");
      options.ignore.clear();
      CHECK(has(lint_text(text, options).findings, "APF502") == !newest);
    }
    CHECK(versions > 0);
  }
}
