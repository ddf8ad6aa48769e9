// Applying the fixes of findings to the text they were found in.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>

namespace apf {

struct FixResult {
  std::string text;
  int applied = 0;  // fixes, not edits
  int skipped = 0;  // those that overlap one that was applied, or that cannot be applied to this text
  std::vector<const Diagnostic*> fixed;  // the findings whose fixes were applied
};

// The text with the fixes of those findings that are about `file`; unsafe ones only with `include_unsafe` (they count
// as neither otherwise). A fix is applied whole or not at all. Where two fixes touch the same place the one that begins
// first wins, and of two that begin there the one of the earlier finding; fixes of the same edits are applied once and
// count each. What is skipped can be tried again after linting the new text.
FixResult apply_fixes(std::string_view text, std::string_view file, std::span<const Diagnostic> findings,
                      bool include_unsafe);

// The findings of texts; run by fix_texts() over each state of them.
using FindingsOf = std::function<std::vector<Diagnostic>(std::span<const ConfigText>)>;

struct FixedTexts {
  std::vector<ConfigText> texts;
  int applied = 0;  // fixes
};

// Applies fixes and looks again, until nothing more can be fixed: a fix may make room for another one. Fixes that
// together would leave something that the server rejects (each empties another half of a list) are tried one by one,
// and those that spoil an object are left. So are those that leave their finding: they would be applied for ever.
FixedTexts fix_texts(std::vector<ConfigText> texts, const FindingsOf& findings_of, bool include_unsafe);

}  // namespace apf
