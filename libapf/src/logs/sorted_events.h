// The events of a log whose lines are not in order of time, in that order. They are kept in a file without a name: what
// is held in memory does not grow with the log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <apf/remarks.h>

#include "base/temporary_file.h"
#include "logs/line_order.h"
#include "logs/log_chunk.h"
#include "logs/sorted_record.h"
#include "logs/track_counts.h"

namespace apf {

class SortedEvents {
 public:
  // The next records of the log, in the order of its text.
  void add(std::string_view records);
  // All were added. Where the log was in order, nothing is kept. Throws Error, as add(): no place on the disk.
  void finish();

  // Of the lines of the log.
  const LineOrder& order() const { return order_; }

  // What the text was before it was sorted: its lines, those that cannot be used …
  TrackCounts counts;
  std::vector<Remark> warnings;
  std::uint64_t too_long_lines = 0;

  // Hands the events out in order. Each belongs to one thread; several may read at once.
  class Cursor {
   public:
    explicit Cursor(const SortedEvents& events);
    // The next records, as a chunk that make_sorted_parser() reads; false at the end.
    bool next(LogChunk& chunk);

   private:
    struct Run;
    bool comes_later(std::size_t a, std::size_t b) const;

    const SortedEvents& events_;
    std::vector<std::shared_ptr<Run>> runs_;
    std::vector<std::size_t> heap_;  // of runs that hold more; the one whose turn it is comes first
  };

 private:
  struct Held {
    RecordHead head;
    std::size_t at;  // in bytes_
  };
  struct Part {  // records in order, one after the other in the file
    std::uint64_t begin = 0, end = 0;
  };
  void write();

  TemporaryFile file_;
  std::vector<Part> parts_;
  std::vector<Held> held_;  // to be sorted
  std::string bytes_;       // of those
  std::uint64_t added_ = 0;
  LineOrder order_;
};

}  // namespace apf
