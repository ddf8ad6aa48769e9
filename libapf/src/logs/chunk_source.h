// Log files as chunks of whole lines: plain or compressed (by content, not by name), several files in order, standard
// input.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <apf/error.h>
#include <apf/logs.h>
#include <apf/remarks.h>

#include "logs/log_chunk.h"

namespace apf {

class SortedEvents;

// Of a file that is no log that is read here. `why`: in words that go after its name.
class ForeignLog : public Error {
 public:
  ForeignLog(const std::string& name, const std::string& looks, const std::string& cure, bool known_to_be_none)
      : Error(name + " " + looks + "; " + cure), why(looks), is_no_log(known_to_be_none) {}
  std::string why;
  bool is_no_log;  // else it may be one, if it is decoded
};

class ChunkSource {
 public:
  // Opens nothing yet but checks every path at once: throws Error for a path that does not exist, is a
  // directory or cannot be read. "-" = standard input. Rotated files are read in the order given. Of the options it
  // takes the texts, the year, the other logs, which may show the year, and whether events are needed.
  ChunkSource(std::span<const std::string> paths, LogFormat format, const LogOptions& options = {},
              std::span<const LogFormat> formats = log_formats());
  ~ChunkSource();
  // By file: its events in order of time, which are handed out in place of its text; null, and files beyond: its text.
  void read_sorted(std::vector<std::shared_ptr<const SortedEvents>> sorted);

  // Reads the rest of a pipe, so that all of it can be read again; what came before the user interrupts is all of it.
  // False: it is too long for that.
  bool keep_rest(const std::atomic<bool>* interrupted);

  // The next chunk (memory of `chunk` is reused); false at the end. Not thread-safe: one caller at a time. A chunk may
  // be empty: when a signal interrupts waiting for input, so that the caller can see to it. A damaged stream (truncated
  // gzip) ends its file early and leaves a note; what was inflated is still used. Throws Error when a file looks like
  // no log that is read here, saying what it looks like and what is accepted.
  bool next(LogChunk& chunk);

  // Lines that never reach a chunk: longer than the limit (64 MiB).
  std::uint64_t too_long_lines() const;
  const std::vector<std::string>& names() const;
  const ChunkSourceStats& stats() const;
  const std::vector<Remark>& warnings() const;  // damaged, empty, no year …

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
