#include "replay/event_spool.h"

#include <type_traits>

namespace apf {

EventSpool::Record EventSpool::keep(Nanos now, const JoinedEvent& joined, std::string_view id_text) {
  static_assert(std::is_trivially_copyable_v<Record>);
  Record record;
  record.now = now;
  record.joined = joined;
  record.joined.event.attributes = 0;
  text_.assign(id_text);
  if (joined.event.attributes != 0) append_attributes(attributes_.at(joined.event.attributes), text_);
  if (text_.empty()) return record;
  record.text_at = texts_.size();
  record.id_size = static_cast<std::uint32_t>(id_text.size());
  record.attributes_size = static_cast<std::uint32_t>(text_.size() - id_text.size());
  texts_.append(text_.data(), text_.size());
  return record;
}

void EventSpool::fill(const Record& record, Item& item) {
  item.now = record.now;
  item.joined = record.joined;
  item.id_text.clear();
  if (record.id_size + record.attributes_size == 0) return;
  text_.resize(record.id_size + record.attributes_size);
  texts_.read(record.text_at, text_.data(), text_.size());
  item.id_text.assign(text_, 0, record.id_size);
  if (record.attributes_size > 0)
    item.joined.event.attributes = attributes_.add(read_attributes(std::string_view(text_).substr(record.id_size)));
}

bool EventSpool::next(Item& item) {
  if (read_ == size_) return false;
  Record record;
  records_.read(read_++ * sizeof(Record), &record, sizeof(Record));
  fill(record, item);
  return true;
}

EventSpool::Record EventSpool::record_at(std::uint64_t place) {
  Record record;
  records_.read_apart(place * sizeof(Record), &record, sizeof(Record));
  return record;
}

void EventSpool::at(std::uint64_t place, Item& item) { fill(record_at(place), item); }

JoinedEvent EventSpool::event_at(std::uint64_t place) { return record_at(place).joined; }

}  // namespace apf
