// What a place means: who gets to a FlowSchema, how many seats a level has, the odds of a hand, what a key is for.
#pragma once

#include <string>
#include <vector>

#include "lsp/folder.h"
#include "lsp/key_docs.h"
#include "lsp/place.h"

namespace apf {

// Hover of textDocument/hover, or null.
std::string render_hover(Folder& folder, const std::string& path, std::size_t offset, Lines& lines, KeyDocs& docs);

// CompletionItem[] of textDocument/completion.
std::string render_completions(Folder& folder, const std::string& path, std::size_t offset, Lines& lines,
                               KeyDocs& docs);

// The schema of a file's object: that of its kind, of .apfctl.yaml or of test files; empty: it is none of ours.
std::string schema_of(const KeyDocs& docs, const std::string& path, std::string_view text,
                      const std::string& api_version, const std::string& kind);

}  // namespace apf
