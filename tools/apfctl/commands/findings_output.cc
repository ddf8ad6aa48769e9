#include "commands/findings_output.h"

#include <apf/report.h>

namespace apfctl {

std::vector<std::string> findings_formats() {
  return {"text", "concise", "json", "sarif", "junit", "github", "gitlab", "rdjson", "checkstyle"};
}

std::string render_findings(const std::string& format, const std::vector<apf::Diagnostic>& findings,
                            const apf::FindingsSummary& summary, const std::vector<apf::ConfigText>& texts,
                            const apf::TextStyle& style, const apf::FindingsTraffic& traffic) {
  if (format == "concise") return apf::render_concise(findings);
  if (format == "json") return apf::render_json(findings, summary, traffic) + "\n";
  if (format == "sarif") return apf::render_sarif(findings, texts, summary.remarks) + "\n";
  if (format == "junit") return apf::render_junit(findings, texts);
  if (format == "github") return apf::render_github(findings);
  if (format == "gitlab") return apf::render_gitlab(findings, texts) + "\n";
  if (format == "rdjson") return apf::render_rdjson(findings, texts) + "\n";
  if (format == "checkstyle") return apf::render_checkstyle(findings);
  return apf::render_text(findings, texts, style, traffic);
}

}  // namespace apfctl
