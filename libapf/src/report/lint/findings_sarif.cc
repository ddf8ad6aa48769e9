// Findings as SARIF 2.1.0, the form in which code-scanning services take them.
#include <apf/findings_report.h>

#include "lint/baseline.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include <apf/lint.h>
#include <apf/output.h>

#include "base/utf8.h"
#include "lint/docs_uri.h"
#include "report/core/findings_words.h"
#include "report/lint/findings_sarif.h"

namespace apf {

namespace {

const char* level_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

// A path as a URI reference; relative ones stay relative, to the root of whoever reads the log.
std::string uri_of(std::string_view path) {
  static constexpr std::string_view kPlain = "-._~/";
  while (path.starts_with("./")) path.remove_prefix(2);
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kPlain.find(c) != kPlain.npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += decode_utf8(text, at).length;
  return count;
}

// Positions of a text as SARIF counts them: lines and code points from 1.
class Positions {
 public:
  explicit Positions(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t i = text.find('\n'); i != text.npos; i = text.find('\n', i + 1)) starts_.push_back(i + 1);
  }

  struct Position {
    std::size_t line = 1, column = 1;
  };
  Position of_offset(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const std::size_t start = *(next - 1);
    return {static_cast<std::size_t>(next - starts_.begin()), column_of(start, offset)};
  }
  Position of(int line, int column) const {
    const auto number = static_cast<std::size_t>(line);
    if (number > starts_.size()) return {number, static_cast<std::size_t>(column)};
    const std::size_t start = starts_[number - 1];
    const std::size_t end = number < starts_.size() ? starts_[number] - 1 : text_.size();
    return {number, column_of(start, std::min(end, start + static_cast<std::size_t>(std::max(column, 1) - 1)))};
  }

 private:
  // Findings come in order, so a long line is counted on from the last one.
  std::size_t column_of(std::size_t start, std::size_t offset) const {
    if (start != last_start_) last_ = {start, 1};
    last_start_ = start;
    auto& [at, column] = last_;
    if (offset >= at) column += code_points(text_.substr(at, offset - at));
    else column -= code_points(text_.substr(offset, at - offset));
    at = offset;
    return column;
  }

  std::string_view text_;
  std::vector<std::size_t> starts_;
  mutable std::size_t last_start_ = 0;
  mutable std::pair<std::size_t, std::size_t> last_{0, 1};  // an offset in the line at last_start_, and its column
};

class SarifWriter {
 public:
  SarifWriter(std::span<const ConfigText> texts, std::string_view docs) : docs_(docs) {
    for (const ConfigText& text : texts) positions_.emplace(text.name, Positions(text.text));
  }

  std::string write(const std::vector<Diagnostic>& findings, const std::vector<std::string>& prints,
                    const std::vector<Remark>& remarks) {
    json_.begin_object().field("$schema", "https://json.schemastore.org/sarif-2.1.0.json").field("version", "2.1.0");
    json_.key("runs").begin_array().begin_object();
    write_tool();
    json_.field("columnKind", "unicodeCodePoints").key("results").begin_array();
    for (std::size_t i = 0; i < findings.size(); ++i) write_result(findings[i], prints[i]);
    json_.end_array();
    write_remarks(remarks);
    json_.end_object().end_array().end_object();
    return json_.take();
  }

 private:
  void write_text(const char* key, const std::string& text) {
    json_.key(key).begin_object().field("text", text).end_object();
  }

  void write_tool() {
    json_.key("tool").begin_object().key("driver").begin_object().field("name", "apfctl");
    json_.field("semanticVersion", fmt::format("{}.{}.{}", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH));
    if (!docs_.empty()) json_.field("informationUri", docs_);
    json_.key("rules").begin_array();
    for (const RuleInfo& rule : lint_rules()) {
      json_.begin_object().field("id", rule.code).field("name", rule.name);
      write_text("shortDescription", rule.summary);
      write_text("fullDescription", rule.what);
      if (!docs_.empty()) json_.field("helpUri", rule_page_uri(docs_, rule.code));
      json_.key("help")
          .begin_object()
          .field("text", help_text(rule))
          .field("markdown", help_markdown(rule))
          .end_object();
      json_.key("defaultConfiguration")
          .begin_object()
          .field("level", level_of(rule.severity))
          .end_object()
          .end_object();
    }
    json_.end_array().end_object().end_object();
  }

  static std::string help_text(const RuleInfo& rule) {
    return fmt::format("{}\n\nWhy: {}\n\nExample:\n{}\n\nInstead:\n{}", rule.what, rule.why, rule.example,
                       rule.instead);
  }

  static std::string help_markdown(const RuleInfo& rule) {
    const std::string instead = rule.instead;
    const bool yaml = instead.find('\n') != instead.npos;
    return fmt::format("{}\n\n**Why:** {}\n\n**Example:**\n\n```yaml\n{}```\n\n**Instead:** {}", rule.what, rule.why,
                       rule.example, yaml ? "\n\n```yaml\n" + instead + "```" : instead);
  }

  void write_region(const Positions::Position& begin, const Positions::Position& end) {
    json_.key("region").begin_object().field("startLine", static_cast<std::uint64_t>(begin.line));
    json_.field("startColumn", static_cast<std::uint64_t>(begin.column))
        .field("endLine", static_cast<std::uint64_t>(end.line));
    json_.field("endColumn", static_cast<std::uint64_t>(end.column)).end_object();
  }

  void write_artifact(const std::string& file) {
    json_.key("artifactLocation").begin_object().field("uri", uri_of(file)).end_object();
  }

  void write_place(const Span& span) {
    json_.key("physicalLocation").begin_object();
    write_artifact(span.file);
    const auto at = positions_.find(span.file);
    if (span.known() && at != positions_.end()) {
      const bool ends = span.end_line >= span.line && span.end_column > 0;
      write_region(at->second.of(span.line, span.column),
                   ends ? at->second.of(span.end_line, span.end_column) : at->second.of(span.line, span.column));
    }
    json_.end_object();
  }

  // What is no finding in a file.
  void write_remarks(const std::vector<Remark>& remarks) {
    if (remarks.empty()) return;
    json_.key("invocations").begin_array().begin_object().field("executionSuccessful", true);
    json_.key("toolConfigurationNotifications").begin_array();
    for (const Remark& remark : remarks) {
      json_.begin_object().key("descriptor").begin_object().field("id", to_string(remark.kind)).end_object();
      json_.field("level", level_of(Severity::warning));
      write_text("message", printable(render_text(remark)));
      json_.end_object();
    }
    json_.end_array().end_object().end_array();
  }

  void write_result(const Diagnostic& d, const std::string& print) {
    json_.begin_object();
    const std::span<const RuleInfo> rules = lint_rules();
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const RuleInfo& r) { return d.code == r.code; });
    if (!d.code.empty()) json_.field("ruleId", d.code);
    if (rule != rules.end()) json_.field("ruleIndex", static_cast<std::int64_t>(rule - rules.begin()));
    json_.field("level", level_of(d.severity));
    write_text("message", message_line(d) + (d.witness.empty() ? "" : "\nShown by: " + printable(d.witness)));
    json_.key("locations").begin_array().begin_object();
    write_place(d.span);
    if (!d.object_name.empty()) {
      json_.key("logicalLocations").begin_array().begin_object().field("name", printable(d.object_name));
      json_
          .field("fullyQualifiedName", printable(d.kind + "/" + d.object_name + (d.field.empty() ? "" : "/" + d.field)))
          .end_object()
          .end_array();
    }
    json_.end_object().end_array();
    write_notes(d);
    json_.key("partialFingerprints").begin_object().field("apfctlFinding/v1", print).end_object();
    write_fix(d);
    json_.end_object();
  }

  void write_notes(const Diagnostic& d) {
    if (d.notes.empty()) return;
    json_.key("relatedLocations").begin_array();
    for (std::size_t i = 0; i < d.notes.size(); ++i) {
      json_.begin_object().field("id", static_cast<std::uint64_t>(i));
      write_text("message", printable(d.notes[i].message));
      if (!d.notes[i].span.file.empty()) write_place(d.notes[i].span);
      json_.end_object();
    }
    json_.end_array();
  }

  void write_fix(const Diagnostic& d) {
    if (!d.fix || d.fix->edits.empty()) return;
    std::map<std::string, std::vector<const Edit*>> by_file;
    for (const Edit& edit : d.fix->edits) {
      if (!positions_.contains(edit.file)) return;
      by_file[edit.file].push_back(&edit);
    }
    json_.key("fixes").begin_array().begin_object();
    write_text("description", printable(d.fix->title) + (d.fix->safe ? "" : " (requests may be treated otherwise)"));
    json_.key("artifactChanges").begin_array();
    for (const auto& [file, edits] : by_file) {
      const Positions& positions = positions_.at(file);
      json_.begin_object();
      write_artifact(file);
      json_.key("replacements").begin_array();
      for (const Edit* edit : edits) {
        const Positions::Position begin = positions.of_offset(edit->begin), end = positions.of_offset(edit->end);
        json_.begin_object().key("deletedRegion").begin_object();
        json_.field("startLine", static_cast<std::uint64_t>(begin.line))
            .field("startColumn", static_cast<std::uint64_t>(begin.column));
        json_.field("endLine", static_cast<std::uint64_t>(end.line))
            .field("endColumn", static_cast<std::uint64_t>(end.column))
            .end_object();
        write_text("insertedContent", edit->text);
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array().end_object().end_array();
  }

  std::string_view docs_;
  std::map<std::string, Positions> positions_;
  JsonWriter json_;
};

}  // namespace

std::string sarif_of(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                     const std::vector<Remark>& remarks, std::string_view docs) {
  return SarifWriter(texts, docs).write(findings, fingerprints(findings, texts), remarks);
}

std::string render_sarif(const std::vector<Diagnostic>& findings, std::span<const ConfigText> texts,
                         const std::vector<Remark>& remarks) {
  return sarif_of(findings, texts, remarks, docs_url());
}

}  // namespace apf
