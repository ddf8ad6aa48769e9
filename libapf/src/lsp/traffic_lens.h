// The requests of a log that go to each FlowSchema, above its name.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <apf/classify.h>
#include <apf/traffic.h>

#include "base/background.h"
#include "lsp/folder.h"

namespace apf {

class TrafficLens {
 public:
  // CodeLens[] of a file: "37 of 100,000 requests". Nothing where the settings name no log. `in_background`: none
  // before the log is read, when take() is true; otherwise it is read here.
  std::string render(Folder& folder, const LintProject& project, const std::string& path, Lines& lines,
                     bool in_background);
  bool is_reading() const { return reading_.is_running(); }
  bool take();  // true: a log has been read since

 private:
  // Requests that classification treats alike.
  struct Alike {
    RequestInfo request;
    User user;
    std::uint64_t count = 0;
  };
  struct Logged {
    std::string of;  // the logs, their sizes and times
    std::vector<Alike> requests;
    std::uint64_t all = 0;
  };
  static Logged read(TrafficReader& traffic, const std::vector<std::string>& logs, std::string of);
  void keep(Logged logged);
  // A log that grows all the time is read again from time to time.
  bool may_read_again() const;

  Logged logged_;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
  Background<Logged> reading_;
};

}  // namespace apf
