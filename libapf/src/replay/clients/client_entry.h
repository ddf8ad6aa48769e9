// Which entry of a list by clients is that of a client.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "replay/prepare/requester.h"

namespace apf {

// The entry whose `agent` is the longest beginning of the user agent or of the user's name; "*" fits every client, and
// is the shortest. Null: none fits. Of two alike the last one counts.
template <class Entry>
const Entry* entry_of(const std::vector<Entry>& entries, const Requester& client) {
  const Entry* found = nullptr;
  std::size_t longest = 0;
  for (const Entry& entry : entries) {
    const bool all = entry.agent == "*";
    const std::size_t length = all ? 0 : entry.agent.size();
    if (length < longest) continue;
    if (!all && !client.user_agent.starts_with(entry.agent) && !client.user.starts_with(entry.agent)) continue;
    longest = length;
    found = &entry;
  }
  return found;
}

}  // namespace apf
