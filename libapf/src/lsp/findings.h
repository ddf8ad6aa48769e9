// Findings and edits as the client has them.
#pragma once

#include <string>
#include <string_view>

#include "base/json_value.h"
#include "lsp/folder.h"

namespace apf {

// Rules whose findings are about what matches no request or has no effect. Some of scope-mismatch and of
// misspelt-system-name are about what matches a few: they are not here.
inline constexpr std::string_view kUnnecessaryRules[] = {"unused-level",
                                                         "schema-without-rules",
                                                         "unreachable-schema",
                                                         "dead-rule",
                                                         "dead-subject",
                                                         "dead-entry",
                                                         "duplicate-entry",
                                                         "covered-entry",
                                                         "literal-wildcard",
                                                         "kind-or-singular-resource",
                                                         "group-in-resource",
                                                         "version-in-api-group",
                                                         "impossible-verb",
                                                         "service-account-as-user",
                                                         "unmatched-url",
                                                         "subject-of-wrong-kind",
                                                         "resource-not-in-group",
                                                         "unknown-api-group",
                                                         "uncounted-quota-resource",
                                                         "uncounted-object-count",
                                                         "quota-never-reached",
                                                         "unmatched-limited-resource",
                                                         "key-never-reached",
                                                         "kep-matches-nothing",
                                                         "kep-shadowed",
                                                         "kep-unused-priority",
                                                         "distinguisher-ignored",
                                                         "event-cache-ignored",
                                                         "ignored-plugin-configuration",
                                                         "unused-suppression",
                                                         "unreached-audit-rule",
                                                         "unmatched-audit-entry"};

// What the client says that it can take.
struct ClientFeatures {
  bool utf8 = false;                                 // positions count bytes
  bool pulls = false;                                // it asks for findings itself
  bool refreshes = false, refreshes_lenses = false;  // it asks again when the server wants it to
  bool registers_watches = false;
  bool markdown = false;  // in hovers
};

// Diagnostic, of a file.
void write_diagnostic(JsonWriter& json, const Diagnostic& d, const std::string& path, Lines& lines);
// Diagnostic[] of a file.
std::string render_diagnostics(const Folder& folder, const std::string& path, Lines& lines);

TextPosition position_in(const JsonValue& position);
// The range of a parameter, as offsets.
TextRange range_in(const JsonValue& range, const LineTable& lines);

// Edits by file, as a WorkspaceEdit.
void write_edits(JsonWriter& json, const std::vector<Edit>& edits, const Folder& folder, Lines& lines);

}  // namespace apf
