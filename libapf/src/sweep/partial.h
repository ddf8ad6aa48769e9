// Partial results: files of JSON lines. The first says of which plan and task they are, then comes one for each replay,
// the last has the SHA-256 of all that is before it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "base/sha256.h"
#include "sweep/cell.h"

namespace apf {

// 1 had no stages; 2 no warnings, unused entries and loads; 3 no digests of logs and no repeated events.
inline constexpr std::uint64_t kPartialVersion = 4;

struct PartialHead {
  std::uint64_t format = kPartialVersion;  // of another one, nothing but `version` is read
  std::string version;                     // of apfctl
  std::string digest;                      // of the plan
  SweepTask task;
  SweepReport report;  // combinations, seeds, numbers of logs and replays
};

std::string write_head(const PartialHead& head);

std::string write_sum(Sha256& sum);

// A file that is there, but is not what it should be. Its text is a sentence without the name of the file.
struct BrokenPartial {
  std::string because;
  bool is_other_file = false;  // by its first line it is none of a sweep
};

class PartialFile {
 public:
  // Reads the head. Throws BrokenPartial; and Error for another version of the format.
  explicit PartialFile(std::string path);
  ~PartialFile();

  const PartialHead& head() const { return head_; }
  SweepShare share() const;
  // The next cell; false: that was the last one, and the sum is right. Throws BrokenPartial.
  bool next(SweepCell& cell);
  // Reads to the end without looking at the cells. Throws BrokenPartial. Returns the sum.
  std::string check();

 private:
  bool next_line(std::string& line);
  bool next_cell_line(std::string& line);

  std::string path_;
  std::FILE* file_ = nullptr;
  PartialHead head_;
  Sha256 sum_;
  std::string digest_;  // at the end
  std::uint64_t next_ = 0;
  bool ended_ = false;
};

}  // namespace apf
