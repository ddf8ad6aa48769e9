// Sentences and figures of an inspection that several formats share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/document.h>
#include <apf/inspect.h>

namespace apf {

// The level refused requests before the one scrape, and no requests wait: nothing says whether it still refuses.
bool has_refused(const Inspection& inspection, const InspectedLevel& level);
// A number from a server's text, whole and in range.
std::uint64_t whole(double number);
Nanos rounded_nanos(double seconds);

std::string seconds_text(double seconds);                                                          // "1.23s"
std::string bounds_text(const std::optional<InspectedHistogram::Bounds>& bounds, bool durations);  // "5s-10s", ">30s"
std::string reasons_text(const InspectedLevel& level);  // "96 time-out, 3 queue-full"
std::string flow_text(const InspectedFlow& flow);

Tone tone_of(LevelState state);

// What is going on: the headline first, then a sentence for each level that is worth one, worst first.
std::vector<std::string> inspection_sentences(const Inspection& inspection);
// How the server's limits differ from those of the configuration; empty if nothing was compared.
std::vector<std::string> comparison_sentences(const Inspection& inspection);
// What the input does not say, and what would.
std::vector<std::string> missing_sentences(const Inspection& inspection);

// The panels of examples/operations/dashboard.json that show over time what is wrong; empty if nothing is, or if no
// scrape was read.
std::vector<std::string> panels_of(const Inspection& inspection);

// How a level fared over the samples of a database.
struct CourseFacts {
  struct Step {
    Nanos from = 0, to = 0;
    double requests = 0;
  };
  std::vector<Step> refusals;      // from one sample to the next, where it refused any
  std::optional<Step> most;        // waiting at once; `from` is when
  std::optional<Nanos> restarted;  // its counters fell before this
  Nanos first = 0, last = 0;       // samples
};
CourseFacts facts_of(const ScrapeCourse& course);
std::vector<std::string> course_sentences(const Inspection& inspection);

}  // namespace apf
