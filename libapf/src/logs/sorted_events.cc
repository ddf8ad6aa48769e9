#include "logs/sorted_events.h"

#include <algorithm>

namespace apf {

namespace {

constexpr std::size_t kPart = std::size_t{64} << 20;     // bytes that are sorted in memory
constexpr std::size_t kWindow = std::size_t{256} << 10;  // bytes of a part that are read ahead

}  // namespace

void SortedEvents::add(std::string_view records) {
  for (std::size_t at = 0; at < records.size();) {
    RecordHead head = head_of_record(records.data() + at);
    if (head.written == kNoTime) head.written = order_.last();  // it is told where it stands
    else order_.note(EventPlace{head.written, head.stage, {}});
    head.order = added_++;
    held_.push_back({head, bytes_.size()});
    bytes_.append(records.substr(at, head.size));
    at += head.size;
  }
  if (bytes_.size() >= kPart) write();
}

void SortedEvents::finish() {
  if (order_.falls().lines > 0) write();
  else file_ = {};
  held_ = {};
  bytes_ = {};
}

void SortedEvents::write() {
  if (order_.runs_backwards())
    for (Held& held : held_) held.head.order = UINT64_MAX - held.head.order;
  std::sort(held_.begin(), held_.end(), [](const Held& a, const Held& b) { return a.head.comes_before(b.head); });
  Part part;
  part.begin = file_.size();
  for (const Held& held : held_) {
    file_.append(&held.head, sizeof held.head);
    file_.append(bytes_.data() + held.at + sizeof held.head, held.head.size - sizeof held.head);
  }
  part.end = file_.size();
  if (part.end > part.begin) parts_.push_back(part);
  held_.clear();
  bytes_.clear();
}

// A part that is being read.
struct SortedEvents::Cursor::Run {
  std::uint64_t at = 0, end = 0;  // in the file, what was not read yet
  std::string window;
  std::size_t used = 0;
  RecordHead head;  // of the next record

  bool holds_more() const { return used < window.size(); }
  const char* record() const { return window.data() + used; }

  // Makes the next record, if there is one, whole in the window.
  void look(const TemporaryFile& file) {
    const auto has = [&](std::size_t size) { return window.size() - used >= size; };
    if (!has(sizeof head)) fill(file, sizeof head);
    if (!has(sizeof head)) return;
    head = head_of_record(record());
    if (!has(head.size)) fill(file, head.size);
  }
  void fill(const TemporaryFile& file, std::size_t least) {
    window.erase(0, used);
    used = 0;
    const std::size_t had = window.size();
    const std::size_t more = std::min<std::uint64_t>(std::max(kWindow, least), end - at);
    window.resize(had + more);
    if (more > 0) file.read_apart(at, window.data() + had, more);
    at += more;
  }
};

SortedEvents::Cursor::Cursor(const SortedEvents& events) : events_(events) {
  for (const Part& part : events.parts_) {
    const auto run = std::make_shared<Run>();
    run->at = part.begin;
    run->end = part.end;
    run->look(events.file_);
    runs_.push_back(run);
    if (run->holds_more()) heap_.push_back(runs_.size() - 1);
  }
  std::make_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return comes_later(a, b); });
}

bool SortedEvents::Cursor::comes_later(std::size_t a, std::size_t b) const {
  const RecordHead &x = runs_[a]->head, &y = runs_[b]->head;
  if (x.written != y.written || x.stage != y.stage) return y.comes_before(x);
  return events_.order().runs_backwards() ? a < b : b < a;
}

bool SortedEvents::Cursor::next(LogChunk& chunk) {
  chunk.buffer.clear();
  const auto later = [this](std::size_t a, std::size_t b) { return comes_later(a, b); };
  while (!heap_.empty() && chunk.buffer.size() < kChunkSize) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Run& run = *runs_[heap_.back()];
    // As long as it is its turn.
    do {
      chunk.buffer.append(run.record(), run.head.size);
      run.used += run.head.size;
      run.look(events_.file_);
    } while (run.holds_more() && chunk.buffer.size() < kChunkSize &&
             (heap_.size() == 1 || !comes_later(heap_.back(), heap_.front())));
    if (run.holds_more()) std::push_heap(heap_.begin(), heap_.end(), later);
    else heap_.pop_back();
  }
  chunk.size = chunk.buffer.size();
  chunk.buffer.append(kChunkPadding, '\0');
  chunk.sorted = true;
  chunk.first_line = 0;
  chunk.last_of_file = heap_.empty();
  return chunk.size > 0;
}

}  // namespace apf
