// Any text as object counts, as --objects takes them: lines or a scrape of /metrics.
#include <cstdint>

#include <apf/error.h>
#include <apf/limits.h>

#include "fuzz/entry.h"

APF_FUZZER(objects_fuzz) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const apf::ObjectCounts counts = apf::ObjectCounts::parse(text, "objects.txt");
    const apf::ObjectStats stats = counts.find("", "pods");
    apf::RequestInfo info;
    apf::RequestQuery query;
    info.is_resource_request = true;
    info.verb = "list";
    info.resource = "pods";
    const apf::SeatEstimate seats = apf::estimate_seats(info, query, counts, 10, apf::kNewestKubeVersion);
    if (seats.work.initial_seats < 1 || seats.work.initial_seats > 10) __builtin_trap();
    if (stats.state == apf::ObjectStats::State::known && counts.empty()) __builtin_trap();
  } catch (const apf::Error& error) {
    if (std::string_view(error.what()).find("objects.txt") == std::string_view::npos) __builtin_trap();
  }
}
