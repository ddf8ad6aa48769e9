// Findings: faults in a user's file as values. Each says where it is, what is wrong, and how it is fixed.
//
//   apf::Diagnostic finding;
//   finding.code = "APF101";
//   finding.message = "there is no such level";
//   finding.span = {"a.yaml", 3, 5, 3, 12};
//   std::puts(apf::to_string(finding).c_str());  // a.yaml:3:5: error: there is no such level
//
// Reading (<apf/config.h>), validating (<apf/config.h>) and linting (<apf/lint.h>) return lists of them; the render
// functions of <apf/findings_report.h> show them. They are values without references to anything. Lines and columns
// count from 1, columns and edits in bytes of UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <apf/version.h>

namespace apf {

enum class Severity { info, warning, error };
APF_API const char* to_string(Severity severity);  // "info", "warning", "error"

// A stretch of a source text. Lines and columns count from 1, columns in bytes; the end is the
// column after the last byte. line 0 = no position known.
struct Span {
  std::string file;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  bool known() const { return line > 0; }
};

struct Note {
  std::string message;
  Span span;
};

// A change of the source text: bytes [begin, end) of the file become `text`.
struct Edit {
  std::string file;
  std::size_t begin = 0, end = 0;
  std::string text;
};

struct Fix {
  std::string title;  // "replace it with …", one line
  bool safe = false;  // true: the server treats the object as before; false: requests may be treated otherwise
  std::vector<Edit> edits;
};

struct APF_API Diagnostic {
  Diagnostic();
  Diagnostic(const Diagnostic&);
  Diagnostic(Diagnostic&&) noexcept;
  Diagnostic& operator=(const Diagnostic&);
  Diagnostic& operator=(Diagnostic&&) noexcept;
  ~Diagnostic();

  std::string code;  // "APF001"; empty for what has no rule of its own
  std::string name;  // kebab name of the rule
  Severity severity = Severity::error;
  std::string message;  // one line
  Span span;
  int document = 0;  // index of the YAML document within the file, from 0
  std::string api_version, kind, object_name;
  std::string field;   // as kube-apiserver prints it: spec.rules[0].subjects
  std::string type;    // kube-apiserver's error type ("Required value"), empty if it has none
  std::string detail;  // kube-apiserver's detail text
  std::vector<Note> notes;
  std::string witness;  // a request that shows it, as a command to paste; may be empty
  std::optional<Fix> fix;
};

// "file:line:column: error: message", parts that are not known left out.
APF_API std::string to_string(const Diagnostic& diagnostic);

// Sorted by file, position, code and message; exact repetitions removed.
APF_API void sort_diagnostics(std::vector<Diagnostic>& diagnostics);

}  // namespace apf
