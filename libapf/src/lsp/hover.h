// What a place means: who gets to a FlowSchema, how many seats a level has, the odds of a hand, what a key is for.
#pragma once

#include <string>

#include "lsp/workspace.h"

namespace apf {

std::string render_hover(const Asked& at);        // Hover, or null
std::string render_completions(const Asked& at);  // CompletionItem[]

// The schema of a file's object: that of its kind, of .apfctl.yaml or of test files; empty: it is none of ours.
std::string schema_of(const KeyDocs& docs, const std::string& path, std::string_view text,
                      const std::string& api_version, const std::string& kind);

}  // namespace apf
