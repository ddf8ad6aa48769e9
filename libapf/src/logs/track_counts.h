// What was read of a track of logs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/text_digest.h"
#include "logs/event_batch.h"
#include "logs/log_chunk.h"
#include "logs/origins.h"
#include "logs/server_names.h"

namespace apf {

// What was read of a track, as of the batch handed out last.
struct TrackCounts {
  std::uint64_t lines = 0, other_lines = 0, implied_groups = 0;
  RefusalCounts refusals;
  TroubleCounts troubles;
  std::uint64_t unusable[static_cast<int>(Unusable::kCount)] = {};
  struct File {
    std::uint64_t lines = 0;
    bool has_events = false;
    LogFormat format = kAnyFormat;
    const char* label = "";
    BadLines bad;  // without its name
  };
  std::vector<File> files;
  ChunkSourceStats source;
  Origins origins, renewals;
  std::vector<LogSpan> spans;  // by file, without their names
  TextDigest text;             // with LogOptions::digest

  void add(const EventBatch& batch);
  // What was counted of a file before its events were sorted; its lines and its events are counted as they come.
  void add_text(std::uint32_t file, const TrackCounts& of);
};

}  // namespace apf
