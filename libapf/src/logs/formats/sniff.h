// Which of the log formats a text is in, and the names of those that are not read here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "logs/chunk_source.h"

namespace apf {

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

inline bool contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

// Whether the text is JSON documents over several lines, not one value a line.
bool is_multi_line_json(std::string_view head);

// The format of the first record in `head` that is of a known one; kAnyFormat = none is.
LogFormat recognise_log(std::string_view head, bool whole_documents,
                        std::span<const LogFormat> formats = log_formats());

// What wraps the lines of a log of that format, in words: "Filebeat". Empty: nothing does.
const char* label_of_log(std::string_view head, LogFormat format, bool whole_documents);

// What a text is that is no log of a known format, for a message: "a YAML file". Empty: there is nothing in it but
// blank space and NUL bytes.
std::string describe_foreign(std::string_view head);

}  // namespace apf
