// Where nothing counts objects, and --server has a scrape: lists as wide as the server's own counters say they were.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/replay.h>
#include <apf/setup.h>

namespace apfctl {

// Reads the log once for it, where it can be read again, and sets the object counts of `options`, whose configuration
// has been loaded. Nothing: it says of no resource how wide its lists are.
std::optional<apf::Remark> measure_widths(const apf::KnownServer& known, const std::vector<std::string>& logs,
                                          apf::ReplayOptions& options);

}  // namespace apfctl
