// Recordings in any order, by all that replays them: the bytes are requests, each with a step of time that may go back,
// and choose what is done with them. It ends, and counts the same requests each time.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <apf/advise.h>
#include <apf/error.h>
#include <apf/replay.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

constexpr apf::Nanos kNoon = 1'795'262'400 * apf::kSecond;
constexpr std::size_t kBytesEach = 4, kMostRequests = 120;

// The n-th request in the four bytes at `data`, after the time `at`.
std::string line_of(const std::uint8_t* data, std::size_t n, apf::Nanos& at) {
  constexpr apf::Nanos kSteps[] = {0, apf::kMillisecond, apf::kSecond, 600 * apf::kSecond};
  constexpr const char* kVerbs[] = {"get", "list", "watch", "update"};
  const apf::Nanos step = kSteps[data[0] % 4] * (1 + data[0] / 16);
  at = std::clamp(at + (data[0] % 8 < 6 ? step : -step), apf::kEarliestTime, apf::kLatestTime);
  const apf::Nanos takes = kSteps[data[1] % 3] * (data[1] / 8);
  const char* const verb = kVerbs[data[2] % 4];
  if (data[3] % 3 == 0)
    return fmt::format("{{\"time\":{},\"user\":\"u{}\",\"verb\":\"{}\",\"uri\":\"/api/v1/nodes\",\"execution\":{}}}\n",
                       at, data[2] / 64, verb, takes);
  return fmt::format(
      "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\","
      "\"auditID\":\"00000000-0000-4000-8000-{:012}\",\"stage\":\"{}\",\"requestURI\":\"/api/v1/namespaces/a/pods\","
      "\"verb\":\"{}\",\"user\":{{\"username\":\"u{}\",\"groups\":[\"system:authenticated\"]}},"
      "\"responseStatus\":{{\"code\":{}}},\"requestReceivedTimestamp\":\"{}\",\"stageTimestamp\":\"{}\"}}\n",
      n / (1 + data[3] % 2), data[2] % 4 == 2 ? "ResponseStarted" : "ResponseComplete", verb, data[2] / 64,
      data[3] % 7 == 0 ? 429 : 200, apf::format_rfc3339(at), apf::format_rfc3339(at + takes));
}

void replay_otherwise(apf::ReplayOptions options, std::uint8_t choice) {
  options.spread = choice % 3;
  options.retries = choice % 4 == 0;
  options.client_models_by_log = choice % 5 == 0 && options.recorded;
  if (choice % 4 == 1) options.scales = {{"", 1.5, false}};
  if (choice % 4 == 2) options.dump_at = {{true, apf::kSecond}, {false, kNoon}};
  if (choice % 4 == 3) options.in_flight = apf::InFlightLimits{3, 2};
  options.metrics = options.series = choice % 7 == 0;
  apf::replay(options);
}

void advise(const apf::ReplayOptions& options, std::uint8_t choice) {
  if (choice % 3 == 0) {
    apf::HeadroomOptions headroom;
    headroom.replay = apf::ReplayOptions(options);
    headroom.replay.spread = choice % 2;
    headroom.most = 2;
    headroom.least = 0.5;
    apf::find_headroom(headroom);
  } else if (choice % 3 == 1) {
    apf::SuggestOptions suggest;
    suggest.replay = apf::ReplayOptions(options);
    suggest.isolate_culprits = true;
    suggest.budget = 8;
    apf::suggest(suggest);
  } else {
    apf::CompareOptions compare;
    compare.old_side = apf::ReplayOptions(options);
    compare.new_sides.push_back(options);
    compare.new_sides.front().server_concurrency_limit += 3;
    compare.spread = 1;
    apf::compare(compare);
  }
}

}  // namespace

APF_FUZZER(recordings_fuzz) {
  if (size < 2 + kBytesEach) return;
  static const apf::Config config = apf::bootstrap_config(apf::kNewestKubeVersion);
  apf::ReplayOptions options;
  options.logs = {"log"};
  apf::Nanos at = kNoon;
  std::string text;
  for (std::size_t n = 0; n < kMostRequests && 2 + (n + 1) * kBytesEach <= size; ++n)
    text += line_of(data + 2 + n * kBytesEach, n, at);
  options.texts["log"] = text;
  options.threads = 1;
  options.config = config;
  options.candidates = 1;
  options.server_concurrency_limit = 2 + data[0] % 5;
  if (data[0] % 16 < 4) {
    options.recorded.emplace().config = config;
    options.recorded->server_concurrency_limit = 5;
  }
  try {
    require(apf::replay(options).total.requests == apf::replay(options).total.requests);
    if (data[0] % 2 == 0) replay_otherwise(options, data[1]);
    else advise(options, data[1]);
  } catch (const apf::Error& error) {
    require(*error.what() != 0);
  }
}
