// What is known of the order of lines in logs, for all that read them: copies of LogOptions share it.
//
// Logs are read as they stand, since nearly all of them are in order of time. Where lines come so late that their
// requests can no longer be put in their place, or where many are late, whatever reads begins again, and the events of
// those logs are sorted first: newest line first, blocks of lines, files that overlap.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <apf/logs.h>

#include "logs/kept_pipe.h"
#include "logs/line_order.h"

namespace apf {

class SortedEvents;

// Thrown by what reads logs, once for each track: see until_in_order().
struct OutOfOrder {};

// The cure where lines cannot be sorted here.
inline constexpr const char* kSortFirst = "sort it first (gcloud logging read --order=asc, sort @timestamp asc, tac)";

class LogOrder {
 public:
  // From now on, in_order() (sort_log.h) sorts the logs of that track.
  void sort(const std::vector<std::string>& logs);
  // By log. Nothing: they are not to be sorted; empty: they were not sorted yet.
  using Sorted = std::vector<std::shared_ptr<const SortedEvents>>;
  std::optional<Sorted> sorted(const std::vector<std::string>& logs);
  void keep(const std::vector<std::string>& logs, const Sorted& sorted);

  // What a log was found to hold, which its beginning need not show. False: nothing that was not noted before.
  bool note(const std::string& log, HeldKinds holds);
  HeldKinds held_in(const std::string& log);

  // What `find` finds in a whole log, once; `what`: of which kind.
  int found_in(const std::string& log, const char* what, const std::function<int()>& find);

  // What is read of a pipe, so that it can be sorted.
  std::shared_ptr<KeptPipe> pipe(const std::string& path);
  // These, and all pipes that were kept to their end.
  LogTexts with_kept(const LogTexts& texts);

 private:
  std::mutex mutex_;
  std::map<std::vector<std::string>, Sorted> sorted_;  // by the logs of a track; empty: not yet
  std::map<std::string, std::shared_ptr<KeptPipe>> pipes_;
  std::map<std::string, HeldKinds> held_;
  std::map<std::string, int> found_;  // by what and the log's name
};

// Reads logs, and once more after `begin_again` wherever their lines were found to be too far out of order, or a log to
// hold more than its beginning shows.
template <class Read, class BeginAgain>
auto until_in_order(const Read& read, const BeginAgain& begin_again) {
  for (;;) {
    try {
      return read();
    } catch (const OutOfOrder&) {
      begin_again();
    }
  }
}

}  // namespace apf
