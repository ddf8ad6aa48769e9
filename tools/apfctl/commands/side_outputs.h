// What a comparison writes of each side beside its report: a page, decisions, a timeline, dumps and metrics.
#pragma once

#include <string>
#include <vector>

#include <apf/advise.h>

#include "flags/replay_flags.h"

namespace apfctl {

class SideOutputs {
 public:
  // Those of replay, which keeps what is given.
  static void declare(CommandLine& line, ReplayFlags& flags);

  // `sides`: OLD and every NEW. Throws UsageError.
  SideOutputs(const ReplayFlags& flags, std::size_t sides);
  // Where a side writes: 0 is OLD.
  void set_paths(apf::ReplayOptions& options, std::size_t side) const;
  void write(const apf::CompareReport& comparison) const;
  // Of --pages: that of the comparison, empty where none are asked for; that of a side.
  const std::string& page() const { return flags_.pages; }
  std::string page_of(std::size_t side) const { return path_of(flags_.pages, side); }

 private:
  std::string name_of(std::size_t side) const;  // "old", "new", with several "new1", …
  std::string path_of(const std::string& path, std::size_t side) const;

  const ReplayFlags& flags_;
  const std::size_t sides_;
};

}  // namespace apfctl
