// Words that all reports share: remarks as sentences, numbers, text that is safe for a terminal, differences of texts.
// Nothing is printed here. Text is UTF-8; the same result gives the same bytes everywhere. All functions may be called
// from several threads at once; those that throw apf::Error say so.
//
//   for (const apf::Remark& remark : apf::release_remarks(apf::kNextKubeVersion))
//     std::puts(apf::sentence_of(remark).c_str());
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apf/document.h>
#include <apf/expectation.h>
#include <apf/output.h>
#include <apf/remarks.h>
#include <apf/version.h>

namespace apf {

// What remarks say. Renderers show their sentences, and the hints that a program has added to them.
APF_API std::string sentence_of(const Remark& remark);  // without the hint
APF_API std::string render_text(const Remark& remark);  // with it

// What a user of apfctl can do: "use --start to set another time". Empty: nothing.
APF_API std::string hint_of(const Remark& remark);
APF_API void add_hints(std::vector<Remark>& remarks);  // to those that have one
// Adds that nothing says how many seats the server has, and these are taken.
APF_API void warn_of_seats(int assumed, std::vector<Remark>& remarks);

APF_API void write_remarks(JsonWriter& json, const char* key, const std::vector<Remark>& remarks);

// What a report for others says besides the results: where the configuration came from, and what was expected.
struct ReportFrame {
  std::string configuration;  // a sentence
  std::vector<ExpectationResult> expectations;
};

// A number as the texts write it: 1,234,567.
APF_API std::string grouped(std::uint64_t number);

// `text` without commands of CI systems, such as ##vso[…], ##[…], ##teamcity[…] or ::error::…, wherever they stand in a
// line: names of users or objects are printed where such systems run. The first character of a command is written as
// JSON may write it, \u0023 or \u003a. Formats with escapes of their own (JSON, YAML, XML) escape them in their
// strings.
APF_API std::string without_ci_commands(std::string text);

// `text` safe for a terminal and for CI systems: control characters, escape sequences, bidirectional overrides, broken
// UTF-8 and commands of CI systems made visible.
APF_API std::string printable(std::string_view text);

// "Did you mean": the name that `word` is most likely a slip of, or the beginning of; empty if none is near.
APF_API std::string nearest_name(std::string_view word, std::span<const std::string> names);

// The difference between two texts, as `diff -u`, `patch` and `git apply` have it.

// A unified diff with three lines of context, empty when the texts are equal. The file is called a/NAME and b/NAME,
// so that `git apply` and `patch -p1` take it as it is. Lines are compared as bytes: a carriage return counts, and so
// does a missing newline at the end. For texts that have little in common the diff is right, though not the shortest.
// `is_new`: there is no such file yet, and patch refuses to write one over another.
APF_API std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view name,
                                 bool is_new = false);

}  // namespace apf
