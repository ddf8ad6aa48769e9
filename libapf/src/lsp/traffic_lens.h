// The requests of a log that go to each FlowSchema, above its name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <apf/classify.h>

#include "lsp/folder.h"

namespace apf {

class TrafficLens {
 public:
  // CodeLens[] of a file: "37 of 100,000 requests". Nothing where the settings name no log.
  std::string render(Folder& folder, const LintProject& project, const std::string& path, Lines& lines);

 private:
  // Requests that classification treats alike.
  struct Alike {
    RequestInfo request;
    User user;
    std::uint64_t count = 0;
  };
  void read(const std::vector<std::string>& logs);

  std::string read_of_;  // the logs, their sizes and times
  std::vector<Alike> requests_;
  std::uint64_t all_ = 0;
};

}  // namespace apf
