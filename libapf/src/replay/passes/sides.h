// One reading of a log for several servers: what a comparison is made of.
#pragma once

#include <vector>

#include <apf/compare.h>
#include <apf/output.h>

#include "replay/books/subjects.h"

namespace apf {

struct SideReplay {
  ReplayReport report;
  std::vector<Subjects> runs;  // the report's, then those with jitter
  // With jitter in the phase of the log's server, where the log shows it.
  std::vector<Subjects> same_phase;
  // The same as `runs` with clients that send at the recorded times, where those of the report wait for their answers.
  std::vector<Subjects> others;
  std::vector<MovedFlow> moved;       // from OLD
  std::vector<ReplayReport> servers;  // of a sum: see CompareReport::by_server
};

struct SidesReplay {
  SideReplay old_side;
  std::vector<SideReplay> new_sides;
};

// The decisions and timelines of OLD and of each NEW.
class SideFiles {
 public:
  explicit SideFiles(const CompareOptions& options);
  // Files without names, for what append() adds to these.
  SideFiles scratch() const;
  OutputFile& decisions(std::size_t side) { return decisions_[side]; }
  OutputFile& timeline(std::size_t side) { return timelines_[side]; }
  void append(SideFiles& scratch);
  void commit();

 private:
  SideFiles() = default;
  std::vector<OutputFile> decisions_, timelines_;
};

// The log is read once and scheduled for each server. Throws Error: as replay().
SidesReplay replay_sides(const CompareOptions& options, SideFiles& files);

}  // namespace apf
