#include "replay/books/timeline.h"

#include <apf/output.h>

namespace apf {

namespace {

std::string render(const Round& round, const LevelRound& level, const std::string& name, const std::string& server) {
  JsonWriter json;
  json.begin_object();
  if (!server.empty()) json.field("server", server);
  json.field("timeNs", round.time).field("kind", round.config ? "config" : "borrow");
  json.field("priorityLevel", name).field("nominalCL", level.nominal_cl).field("minCL", level.min_cl);
  json.field("maxCL", level.max_cl).field("currentCL", level.current_cl).field("highWatermark", level.high_watermark);
  json.field("avg", level.avg).field("stdev", level.stdev).field("smoothed", level.smoothed);
  json.field("minCurrentCL", level.min_current_cl).field("target", level.target).field("fairFrac", round.fair_frac);
  json.end_object();
  return json.take();
}

}  // namespace

void TimelineWriter::write(const Round& round, const Controller& controller) {
  if (!file_.active()) return;
  for (const LevelRound& level : round.levels)
    file_.write(render(round, level, controller.level_name(level.level), server_) + "\n");
}

}  // namespace apf
