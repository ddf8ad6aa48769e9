// Replays of one log without some of its requests, or with other times, widths or configurations, each of which is held
// against the replay of the log as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/cures.h"
#include "advise/suspects.h"

namespace apf {

// The replays of one log, and what they are held against.
class Experiments {
 public:
  struct Result {
    std::uint64_t refused = 0;
    double wait = 0;                   // ns
    std::uint64_t others_refused = 0;  // of these, of others than the client that stands apart
    std::vector<LevelReport> levels;
  };
  using Experiment = PreparedLog::Experiment;
  struct OfSuspect {
    const Suspect* suspect = nullptr;
    Result result;
    double gone = 0;
  };
  struct OfCure {
    CureCandidate candidate;
    Result result;
    double gone = 0;
    double spares = 0;  // the part of the refusals of others that is gone
  };

  // Of the whole log, or of its worst part.
  Experiments(const ReplayOptions& options, std::uint64_t most_requests);

  const PreparedLog& log() const { return log_; }
  const ReplayOptions& options() const { return options_; }
  const ReplayReport& report() const { return report_; }  // of the log as it is
  const Result& base() const { return base_; }
  const Experiment& covers() const { return covers_; }  // null: the whole log
  bool is_covered(JoinedEvent& joined) const { return !covers_ || covers_(joined); }
  std::optional<std::pair<Nanos, Nanos>> part() const { return part_; }
  std::uint64_t replays() const { return replays_; }

  // A client of whose refusals and those of others cures are asked apart, from then on.
  void set_apart(const std::string& user);

  // The part of the refusals, or of the waits where hardly anything is refused, that is gone.
  double gone(const Result& result) const { return part_gone(result, base_); }
  Result replay(const Experiment& experiment);
  static constexpr int kFurther = 4;
  // With the cure, and nobody repeats what is served; no replay is counted. `number`: 1 … kFurther, with other chance.
  Result with(const CureCandidate& cure, const Experiment& experiment, int number = 0) const;
  Experiment without(const Suspect& suspect) const;
  // With the cure, and nobody comes back to what was refused, where the log does not tell repeats from new requests: at
  // least as much is refused. Nothing: hardly any request may be a repeat.
  std::optional<std::uint64_t> refused_at_least(const CureCandidate& cure);
  // As with().
  std::uint64_t refused_with_chance(const Experiment& experiment, int number) const;
  // Without each; that without which most is gone comes first.
  std::vector<OfSuspect> try_all(const std::vector<Suspect>& suspects);
  std::vector<OfCure> try_all(std::vector<CureCandidate> candidates);  // the smallest first

 private:
  static double part_gone(const Result& result, const Result& base);
  Result result_of(const ReplayReport& report) const;
  void find_worst_part(std::uint64_t most_requests);

  const ReplayOptions options_;
  const PreparedLog log_;
  const std::shared_ptr<const PreparedLog::Classes> classes_;
  Experiment covers_;
  std::optional<std::pair<Nanos, Nanos>> part_;
  ReplayReport report_;
  Result base_;
  std::optional<Result> base_of_cures_;  // once it was asked for
  std::uint64_t replays_ = 0;
  std::string apart_;
  std::optional<bool> has_open_repeats_;
};

}  // namespace apf
