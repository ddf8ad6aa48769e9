// What a file has, where a name is given and used, and giving it another one.
#pragma once

#include <string>

#include "lsp/workspace.h"

namespace apf {

std::string render_symbols(const Asked& at);     // DocumentSymbol[]: the file's objects, and their rules
std::string render_definition(const Asked& at);  // Location[], or null
std::string render_references(const Asked& at);
std::string render_renaming(const Asked& at);  // what can be renamed there, and its range
std::string render_renamed(const Asked& at);   // WorkspaceEdit

}  // namespace apf
