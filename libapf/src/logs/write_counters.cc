#include "logs/write_counters.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/hash.h"

namespace apf {

namespace {

// At the beginning of JSON text, in quotes or not; 0: there is none.
std::int64_t number_at(std::string_view text) {
  if (text.starts_with('"')) text.remove_prefix(1);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The first one behind a key.
std::int64_t number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == text.npos ? 0 : number_at(text.substr(at + key.size()));
}

std::int64_t revision_in(std::string_view text) {
  constexpr std::string_view kKey = "\"resourceVersion\":";
  constexpr std::size_t kRare = kKey.find('V');  // such a line has hundreds of quotes, and few capitals
  for (std::size_t at = text.find('V', kRare); at != text.npos; at = text.find('V', at + 1)) {
    const std::string_view key = text.substr(at - kRare);
    if (key.starts_with(kKey)) return number_at(key.substr(kKey.size()));
  }
  return 0;
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
  out.revision = revision_in(rest.substr(0, rest.find('\n')));
  return out;
}

}  // namespace apf
