// Findings as the client shows them, and what it can do about them.
#pragma once

#include <string>

#include "base/json_value.h"
#include "lsp/folder.h"

namespace apf {

// What the client says that it can take.
struct ClientFeatures {
  bool utf8 = false;                                 // positions count bytes
  bool pulls = false;                                // it asks for findings itself
  bool refreshes = false, refreshes_lenses = false;  // it asks again when the server wants it to
  bool registers_watches = false;
};

// Diagnostic[] of a file.
std::string render_diagnostics(const Folder& folder, const std::string& path, Lines& lines);
// The members of a report that a client pulls: the findings, or that they are those of `previous`.
void write_report(JsonWriter& json, const std::string& diagnostics, std::string_view previous);

// CodeAction[]: fixes of the findings in the range, comments that suppress them, and all safe fixes of the file.
std::string render_actions(Folder& folder, const std::string& path, Lines& lines, const JsonValue& params);

TextPosition position_in(const JsonValue& position);
// The range of a parameter, as offsets.
TextRange range_in(const JsonValue& range, const LineTable& lines);

// Edits by file, as a WorkspaceEdit.
void write_edits(JsonWriter& json, const std::vector<Edit>& edits, const Folder& folder, Lines& lines);

}  // namespace apf
