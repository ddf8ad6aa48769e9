// What reading and writing of dumps share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <apf/error.h>
#include <apf/server.h>

namespace apf {

// Sums of such numbers do not overflow.
constexpr bool is_dump_number(std::int64_t number) { return number >= -1 && number <= 1'000'000'000'000; }

// Of levels without queues, before 1.21, which are not counted: "<none>".
inline constexpr std::int64_t kNotDumped = -1;

inline constexpr std::size_t kWorkDecimals = 8;
inline constexpr std::uint64_t kWorkUnits = 100'000'000;  // of a seat-second

// "77.64342019ss"; before 1.22 a plain number. False: it is none.
bool parse_work(std::string_view text, std::uint64_t& out);

// A scrape that has series of several servers.
class SeveralServers : public Error {
 public:
  using Error::Error;
};

class JsonDocument;

// Of what was saved in place of an answer: the error of the API server or of Prometheus. Throws Error.
void refuse_failed_answer(const JsonDocument& document, const std::string& name);

// The JSON of render_json(const ServerDump&). Throws Error.
void read_json_dump(std::string_view text, const std::string& name, ServerDump& dump);

}  // namespace apf
