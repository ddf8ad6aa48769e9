// Which of the log formats a text is in, and the names of those that are not read here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "logs/log_chunk.h"

namespace apf {

// Whether the text is JSON documents over several lines, not one value a line.
bool is_multi_line_json(std::string_view head);

// The format of the first record in `head` that is of a known one; kAnyFormat = none is.
LogFormat recognise_log(std::string_view head, bool whole_documents,
                        std::span<const LogFormat> formats = log_formats());

// What wraps the lines of a log of that format, in words: "Filebeat". Empty: nothing does.
const char* label_of_log(std::string_view head, LogFormat format, bool whole_documents);

// What a text is that is no log of a known format, for a message: "a YAML file". Without words there is nothing in it
// but blank space and NUL bytes.
struct ForeignText {
  std::string words;
  bool is_no_log = true;  // else it may become one when it is decoded
  bool may_turn =
      false;  // lines of the server may come later: records of others, and lines of containers, may be of it
};
ForeignText describe_foreign(std::string_view head);

}  // namespace apf
