// What the client asks about a place of a file, as JSON.
#pragma once

#include <string>

#include "lsp/workspace.h"

namespace apf {

std::string render_hover(const Asked& at);        // Hover, or null
std::string render_completions(const Asked& at);  // CompletionItem[]
// CodeAction[]: fixes of the findings in the range, comments that suppress them, and all safe fixes of the file.
std::string render_actions(const Asked& at);
std::string render_lenses(const Asked& at);  // CodeLens[]: how many requests of a log go to each FlowSchema
// DocumentSymbol[]: the file's objects, and their rules.
std::string render_symbols(const Asked& at);
// Where a name is given and used: Location[], or null.
std::string render_definition(const Asked& at);
std::string render_references(const Asked& at);
std::string render_renaming(const Asked& at);  // what can be renamed there, and its range
std::string render_renamed(const Asked& at);   // WorkspaceEdit

}  // namespace apf
