// Any bytes as a dump of the debug endpoints and as a scrape: what can be read is inspected and shown, and what is
// written of a dump, as text and as JSON, reads as the same.
#include <cstdint>
#include <cstdlib>

#include <apf/error.h>
#include <apf/inspect.h>
#include <apf/report.h>
#include <apf/server.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

std::string text_of(const apf::ServerDump& dump) {
  return render_priority_levels(dump) + render_queues(dump) + render_requests(dump, true);
}

void show(const apf::InspectInput& input) {
  const apf::Inspection inspection = apf::inspect(input);
  require(!render(document_of(inspection), apf::Notation::text).empty());
  // The states that are known are told, each once.
  std::size_t known = inspection.state.has_value(), told = 0;
  for (const apf::InspectedLevel& level : inspection.levels) known += level.state.has_value();
  const std::string json = render_json(inspection, {}), key = "\"state\":";
  for (std::size_t at = json.find(key); at != std::string::npos; at = json.find(key, at + 1)) ++told;
  require(told == known);
}

void check_dump(const std::string& text) {
  apf::InspectInput input;
  apf::ServerDump& dump = input.dump.emplace();
  try {
    apf::read_dump(text, "fuzz", dump);
  } catch (const apf::Error&) {
    return;
  }
  show(input);
  apf::ServerDump again;
  if (!dump.levels.empty()) {
    const std::string json = render_json(dump);
    apf::read_dump(json, "json", again);
    require(again.levels.size() <= dump.levels.size());
  }
  require(!text_of(dump).empty());
}

void check_scrape(const std::string& text) {
  apf::InspectInput input;
  try {
    input.after = apf::parse_part_of_scrape(text, "fuzz");
  } catch (const apf::Error&) {
    return;
  }
  show(input);
  input.before = input.after;
  input.config = apf::bootstrap_config(apf::kNewestKubeVersion);
  input.server_concurrency_limit = 600;
  show(input);
}

}  // namespace

APF_FUZZER(dump_fuzz) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_dump(text);
  check_scrape(text);
}
