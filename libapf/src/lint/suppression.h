// Comments that silence findings: `# apfctl: ignore[APF101] until=2027-01-31 -- why`, and ignore-file[…].
// One at the end of a line counts for that line; one on a line of its own for the next line of content, and where that
// is a document's first key, for the whole document; ignore-file for the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/lint.h>

namespace apf {

class ConfigTree;

struct Suppression {
  enum class Scope { line, document, file };

  std::string file;
  std::size_t begin = 0, end = 0;  // the comment, in the file's text
  Span span;
  Scope scope = Scope::line;
  int line = 0, last_line = 0;  // what it counts for; of a document: its lines
  int document = 0;
  std::vector<std::string> rules;  // codes, code prefixes, names
  std::string fault;               // why it counts for nothing, empty if it does
  std::string until;               // "2027-01-31" or empty
  bool has_reason = false;
};

// All of a text. `tree`, where there is one, distinguishes comments from strings that look like one.
std::vector<Suppression> find_suppressions(const ConfigText& text, const ConfigTree* tree);

// Moves what comments silence from `result.findings` to `result.suppressed` and adds the findings about the comments.
void apply_suppressions(const LoadedConfig& loaded, std::span<const ConfigText> texts, const LintOptions& options,
                        LintResult& result);

}  // namespace apf
