// How settings of clients, events and the load are written: see apf/flag_values.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <apf/flag_values.h>

namespace apf {

// "AGENT=MODEL": open, workers, loop; with ":N" behind the last two, at most N requests in flight (1 … 1,000,000).
ClientModelOf parse_client_model(std::string_view text);
// "AGENT=DURATION"
ClientTimeout parse_client_timeout(std::string_view text);

// Requests a second, 0.001 … 1e9; 0 is client-go's default, a negative number means no limit.
float parse_client_qps(std::string_view text);
// 0 … 1e9; 0 is client-go's default.
int parse_client_burst(std::string_view text);
// "AGENT=N/BURST", by how the user agent begins.
std::pair<std::string, ClientLimit> parse_client_limit(std::string_view text);

// "2", "0.5x", "CLIENT=3"; factors are 0 … 10,000.
LoadScale parse_scale(std::string_view text);
// "2", "0.5x", "workload-low=3", "sa:team-a/*=2".
ExecutionScale parse_execution_scale(std::string_view text);
// "2x": twice the nodes.
LoadScale parse_nodes(std::string_view text);
// A quantity of bytes, 1 … 1e12: "100k", "512Ki".
std::int64_t parse_bytes(std::string_view text);

// "server", "abandon", "retry"; with ":DURATION" behind the last two.
EventSending parse_event_sending(std::string_view text);

}  // namespace apf
