#include "replay/prepare/survey.h"

#include <algorithm>

#include "base/sort_stably.h"

namespace apf {

std::vector<LogTrack> Survey::tracks_to_read(const std::vector<LogTrack>& tracks, const ReplayOptions& options) {
  std::vector<LogTrack> out;
  const bool has_http = std::any_of(tracks.begin(), tracks.end(), [](const LogTrack& t) { return t.may_hold_http; });
  for (const LogTrack& track : tracks) {
    if (!track.regular) continue;
    if (track.may_hold_http || (!has_http && track.format == &kAuditFormat && options.from)) out.push_back(track);
  }
  return out;
}

std::uint32_t Survey::read(const std::vector<LogTrack>& tracks, const ReplayOptions& options,
                           const PrepareContext& context, GlobalNumbers& numbers, ServerClock& clock,
                           std::uint32_t first_worker) {
  PrepareContext only_needed = context;
  const bool of_http = std::any_of(tracks.begin(), tracks.end(), [](const LogTrack& t) { return t.may_hold_http; });
  only_needed.survey = of_http ? PrepareContext::SurveyOf::http : PrepareContext::SurveyOf::audit;
  std::uint32_t worker = first_worker;
  LogOptions reading = options;
  reading.digest = false;  // who reads the log for its requests has it
  EventReader<Preparer> reader(tracks, reading, [&] { return std::make_unique<Preparer>(only_needed, worker++); });
  EventReader<Preparer>::Run run;
  while (reader.next(run)) {
    if (run.is_new) numbers.extend(*run.batch);
    for (std::size_t i = run.from; i < run.to; ++i) {
      PreparedEvent& event = run.batch->events[i].event;
      if (event.note != 0) {
        clock.take(run.batch->notes[event.note - 1]);
        continue;
      }
      if (event.http != of_http) continue;
      if (watches_.size() == options.reorder_limit) {
        overfull_ = true;
        continue;
      }
      numbers.adopt(event, run.batch->worker);
      SurveyedWatch& watch = watches_.emplace_back();
      watch.event = event;
      watch.event.text_id = 0;
      if (event.sender != 0) watch.sender = run.batch->senders[event.sender - 1];
    }
  }
  sort_stably(watches_,
              [](const SurveyedWatch& a, const SurveyedWatch& b) { return a.event.received < b.event.received; });
  done_ = true;
  return worker;
}

}  // namespace apf
