// The events of a log in the order in which a replay takes them, kept for another replay: with their ids and with what
// the stages inside the handler look at. Memory does not grow with the log: see TemporaryFile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "base/temporary_file.h"
#include "replay/prepare/attributes.h"
#include "replay/prepare/prepared.h"

namespace apf {

class EventSpool {
 public:
  // `attributes`: those of events that are taken, and of those that next() returns.
  explicit EventSpool(Pool<AdmissionAttributes>& attributes) : attributes_(attributes) {}

  struct Record {
    Nanos now = 0;
    JoinedEvent joined;
    std::uint64_t text_at = 0;
    std::uint32_t id_size = 0, attributes_size = 0;
  };
  // An event as it can be appended, now or later: its texts are kept.
  Record keep(Nanos now, const JoinedEvent& joined, std::string_view id_text);
  void append(const Record& record) {
    records_.append(&record, sizeof record);
    ++size_;
  }
  std::uint64_t size() const { return size_; }

  struct Item {
    Nanos now = 0;
    JoinedEvent joined;
    std::string id_text;
  };
  // The next one, from the first on; false: there are no more.
  bool next(Item& item);
  void rewind() { read_ = 0; }
  // The one at a place, apart from the order; without its texts: of the event alone.
  void at(std::uint64_t place, Item& item);
  JoinedEvent event_at(std::uint64_t place);

  // Watches that began before the log, and their ends.
  void add_standing_watch(WatchKey key, Nanos end) { standing_watches_.emplace_back(key, end); }
  const std::vector<std::pair<WatchKey, Nanos>>& standing_watches() const { return standing_watches_; }

 private:
  void fill(const Record& record, Item& item);
  Record record_at(std::uint64_t place);

  Pool<AdmissionAttributes>& attributes_;
  TemporaryFile records_, texts_;
  std::uint64_t size_ = 0, read_ = 0;
  std::vector<std::pair<WatchKey, Nanos>> standing_watches_;
  std::string text_;
};

}  // namespace apf
