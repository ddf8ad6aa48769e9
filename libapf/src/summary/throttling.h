// Lines in which a client says that its request waited: for client-go's own rate limiter, which no server knows of, or
// because a server answered 429.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <apf/log_summary.h>

namespace apf {

struct ClientLine {
  enum class Kind : std::uint8_t {
    limiter,   // waited for the client's own limiter
    gave_up,   // its context ended before the limiter let it go
    retry,     // waits, because a server answered 429
    status,    // an answer 429, as kubectl -v=6 and above write it
    message,   // the error that it became
    schema,    // the header of an answer 429 that names its FlowSchema
    eviction,  // a disruption budget refused it
    event,     // EventRateLimit refused it
  };
  Kind kind = Kind::limiter;
  Nanos delay = 0;
  std::string target;
  std::string schema;  // UID
};
// Calls `sink` for each of them among the lines of `text`.
void read_client_lines(std::string_view text, const std::function<void(ClientLine&&)>& sink);

// Where the line begins in which the place is.
inline std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return newline == text.npos ? 0 : newline + 1;
}

// Calls take(line, place of the word in the text) for each line that holds the word.
template <class Take>
void for_each_line_with(std::string_view text, std::string_view word, Take&& take) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at)) {
    const std::size_t begin = begin_of_line(text, at), end = std::min(text.find('\n', at), text.size());
    take(text.substr(begin, end - begin), at);
    at = end;
  }
}

class ThrottlingSums {
 public:
  void add(const ClientLine& line);
  ClientThrottling finish(std::size_t top);

 private:
  using Targets = std::unordered_map<std::string, LogTally>;
  static void add(Targets& to, const std::string& name, Nanos delay);
  static std::vector<LogRow> rows(const Targets& of, std::size_t top);

  ClientThrottling out_;
  std::uint64_t statuses_ = 0, others_ = 0;  // lines about answers 429: those of a status tell all of them
  Targets limited_, statuses_of_, others_of_, schemas_;
};

}  // namespace apf
