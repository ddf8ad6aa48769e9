#include "logs/write_counters.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/hash.h"

namespace apf {

namespace {

// The number behind a key in JSON text, in quotes or not; 0: there is none.
std::int64_t number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return 0;
  std::string_view rest = text.substr(at + key.size());
  if (rest.starts_with('"')) rest.remove_prefix(1);
  std::int64_t number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

}  // namespace

bool is_write_made(const LogEvent& event, bool of_resource, std::string_view verb) {
  return event.stage == Stage::response_complete && !event.http && !event.trace && event.code >= 200 &&
         event.code <= 299 && of_resource && verb != "get" && verb != "list" && verb != "watch";
}

WriteCounters read_write_counters(const LogEvent& event, bool of_event, bool lease_update, std::string_view chunk) {
  constexpr std::size_t kMostText = 1u << 16;
  WriteCounters out;
  if (of_event) {
    out.event_count = number_behind(event.object, "\"count\":");
    out.object = event.verb == "create" ? 0 : hash_bytes(event.uri);
    return out;
  }
  const std::less<> before;
  const char *const begin = chunk.data(), *const end = begin + chunk.size(), *const uri = event.uri.data();
  if (!lease_update || before(uri, begin) || !before(uri, end)) return out;
  const std::string_view rest(uri, std::min(kMostText, static_cast<std::size_t>(end - uri)));
  out.revision = number_behind(rest.substr(0, rest.find('\n')), "\"resourceVersion\":");
  return out;
}

}  // namespace apf
