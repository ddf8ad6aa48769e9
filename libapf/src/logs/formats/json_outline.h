// The members of a JSON text, or of the beginning of one, without parsing what they hold.
#pragma once

#include <string_view>
#include <vector>

namespace apf {

// What may stand before and behind a record; NUL bytes are what a log holds whose disk was full.
inline constexpr std::string_view kBlankSpace{" \t\r\n\0", 5};

// The members of a JSON object, as far as a possibly broken or incomplete text shows them: of the first element if the
// text is an array. Values are the text from the value's first byte on, up to its end or the text's.
struct JsonOutline {
  struct Member {
    std::string_view key, value;
  };
  bool is_json = false;  // begins as an object (or an array of objects)
  std::vector<Member> members;

  bool has(std::string_view key) const;
  std::string_view value(std::string_view key) const;  // empty: no such member
};
JsonOutline outline_json(std::string_view text);

// Whether a trimmed line begins as a JSON record or an array of them: in brackets stand names of Pods and numbers, too.
inline bool begins_records(std::string_view line) {
  if (!line.starts_with('[')) return line.starts_with('{');
  const std::size_t next = line.find_first_not_of(kBlankSpace, 1);
  return next == line.npos || std::string_view("{[\"]").find(line[next]) != std::string_view::npos;
}

inline bool contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

}  // namespace apf
