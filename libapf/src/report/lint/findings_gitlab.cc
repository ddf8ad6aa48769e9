// Findings as Code Quality of GitLab takes them: a JSON array, which a job hands over as the report `codequality`.
#include <apf/findings_report.h>

#include <fmt/core.h>

#include <apf/output.h>

#include "base/hash.h"
#include "lint/baseline.h"
#include "report/core/findings_words.h"

namespace apf {

namespace {

const char* gitlab_severity(Severity severity) {
  return severity == Severity::error ? "critical" : severity == Severity::warning ? "major" : "info";
}

}  // namespace

std::string render_gitlab(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts) {
  const std::vector<std::string> prints = fingerprints(findings, texts);
  JsonWriter json;
  json.begin_array();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Diagnostic& d = findings[i];
    std::string_view path = d.span.file;
    while (path.starts_with("./")) path.remove_prefix(2);
    json.begin_object().field("description", message_line(d)).field("check_name", rule_label(d));
    // GitLab wants no two alike; those of equal objects in two files are.
    json.field("fingerprint", fmt::format("{}-{:016x}", prints[i], hash_bytes(path)));
    json.field("severity", gitlab_severity(d.severity)).key("location").begin_object().field("path", path);
    json.key("lines").begin_object().field("begin", static_cast<std::int64_t>(d.span.known() ? d.span.line : 1));
    json.end_object().end_object().end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace apf
