// How the flags of `apfctl replay`, and the keys of the same names in files, write what ReplayOptions hold.
//
//   apf::ReplayOptions options;
//   options.client_models.push_back(apf::parse_client_model("ci/=loop:3"));
//   options.client_timeouts.push_back(apf::parse_client_timeout("kubectl/=30s"));
//
// Each function throws Error for what is written wrong: one sentence, without the name of the flag, which the caller
// puts before it. Several threads may call them at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/replay.h>
#include <apf/time.h>

namespace apf {

APF_API std::int64_t parse_whole_number(std::string_view text, std::int64_t least, std::int64_t most);
// 0 … ten years: "1m30s".
APF_API Nanos parse_duration(std::string_view text);

// "AGENT=MODEL": open, workers, loop; with ":N" behind the last two, at most N requests in flight (1 … 1,000,000).
APF_API ClientModelOf parse_client_model(std::string_view text);
// "AGENT=DURATION"
APF_API ClientTimeout parse_client_timeout(std::string_view text);

// Requests a second, 0.001 … 1e9; 0 is client-go's default, a negative number means no limit.
APF_API float parse_client_qps(std::string_view text);
// 0 … 1e9; 0 is client-go's default.
APF_API int parse_client_burst(std::string_view text);
using ClientLimitOf = std::pair<std::string, ClientLimit>;  // by how the user agent begins
// "AGENT=QPS/BURST"
APF_API ClientLimitOf parse_client_limit(std::string_view text);
// Nothing: none of them is given. Where only some user agents have limits, the others have none.
APF_API std::optional<ClientLimits> client_limits_of(std::optional<float> qps, std::optional<int> burst,
                                                     std::vector<ClientLimitOf> by_user_agent);

// Users: sa:NS/NAME, sa:NS/*, node:NAME, node:*, user:NAME, or the name of one, with a `*` at its end for all whose
// name begins so. As LoadScale::user has them.
APF_API std::string parse_client(std::string_view text);
// "2", "0.5x", "CLIENT=3"; factors are 0 … 10,000.
APF_API LoadScale parse_scale(std::string_view text);
// "2", "0.5x", "workload-low=3", "sa:team-a/*=2".
APF_API ExecutionScale parse_execution_scale(std::string_view text);
// A quantity of bytes, 1 … 1e12: "100k", "512Ki".
APF_API std::int64_t parse_bytes(std::string_view text);
// "200..2000": the least and the most seats of a server that are tried; 1 … 999,999.
APF_API std::pair<int, int> parse_seats_range(std::string_view text);
// "2x": twice the nodes.
APF_API LoadScale parse_nodes(std::string_view text);

// "server", "abandon", "retry"; with ":DURATION" behind the last two.
APF_API EventSending parse_event_sending(std::string_view text);

}  // namespace apf
