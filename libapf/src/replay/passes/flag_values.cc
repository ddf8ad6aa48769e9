#include "replay/passes/flag_values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include <apf/config.h>
#include <apf/error.h>
#include <fmt/core.h>

#include "base/decimal.h"
#include "base/joined.h"
#include "config/closest.h"

namespace apf {

namespace {

constexpr int kMostPlaces = 1'000'000;
constexpr std::int64_t kMostBurst = 1'000'000'000;
constexpr std::int64_t kMostBytes = 1'000'000'000'000;
constexpr float kLeastQps = 0.001F, kMostQps = 1e9F;

template <class Value>
using Words = std::span<const std::pair<std::string_view, Value>>;

template <class Value>
Value parse_word(std::string_view text, Words<Value> words) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : words) {
    if (text == name) return value;
    names.push_back(name);
  }
  const std::string_view near = closest(text, names);
  throw Error(near.empty() ? fmt::format("unknown value '{}'; expected one of {}", text, joined(names, ", "))
                           : fmt::format("unknown value '{}'; did you mean '{}'?", text, near));
}

// "AGENT=WHAT"; a user agent may contain '=' itself. `form`: how it is written.
std::pair<std::string, std::string_view> split(std::string_view text, const char* form) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("'{}' is not {}", text, form));
  return {std::string(text.substr(0, equals)), text.substr(equals + 1)};
}

}  // namespace

double parse_number(std::string_view text) {
  double value = 0;
  if (read_decimal(text, value) != std::errc() || !(value >= 0))
    throw Error(fmt::format("'{}' is not a number (0 or greater)", text));
  return value;
}

std::int64_t parse_whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    throw Error(fmt::format("'{}' is not an integer", text));
  if (error == std::errc::result_out_of_range || value < least || value > most)
    throw Error(fmt::format("{} is not between {} and {}", text, least, most));
  return value;
}

std::int64_t parse_bytes(std::string_view text) {
  const std::optional<Quantity> amount = Quantity::parse(text);
  if (!amount) throw Error(fmt::format("'{}' is not a number of bytes such as 100k or 512Ki", text));
  const std::int64_t bytes = amount->value();
  if (bytes < 1 || bytes > kMostBytes) throw Error(fmt::format("{} is not between 1 byte and 1T", text));
  return bytes;
}

std::pair<int, int> parse_seats_range(std::string_view text) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t dots = text.find("..");
  const auto number = [](std::string_view part) {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() && part.size() <= kMostDigits ? value : 0;
  };
  const int least = dots == std::string_view::npos ? 0 : number(text.substr(0, dots));
  const int most = dots == std::string_view::npos ? 0 : number(text.substr(dots + 2));
  if (least < 1 || most < least) throw Error(fmt::format("'{}' is not A..B with 1 <= A <= B, such as 200..2000", text));
  return {least, most};
}

ReplayTime parse_replay_time(std::string_view text) {
  if (const std::optional<ReplayTime> time = ReplayTime::parse(text)) return *time;
  throw Error(fmt::format(
      "'{}' is neither an RFC 3339 time, nor an integer (ns), nor a duration after the first arrival; times "
      "are from 1970 to 2200, durations up to ten years",
      text));
}

Nanos parse_duration(std::string_view text) {
  const std::optional<Nanos> value = parse_go_duration(text);
  if (!value) throw Error(fmt::format("'{}' is not a duration such as 1.5s, 200ms or 1m30s", text));
  if (*value < 0) throw Error(fmt::format("{} is negative", text));
  if (!is_duration_in_range(*value)) throw Error(fmt::format("{} is longer than ten years", text));
  return *value;
}

ClientModelOf parse_client_model(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, ClientModel>, 3> kModels = {
      {{"open", ClientModel::open}, {"workers", ClientModel::workers}, {"loop", ClientModel::loop}}};
  auto [agent, model] = split(text, "AGENT=MODEL, such as ci/=loop, or auto");
  const std::size_t colon = model.find(':');
  ClientModelOf out;
  out.agent = std::move(agent);
  out.model = parse_word<ClientModel>(model.substr(0, colon), kModels);
  if (colon == std::string_view::npos) return out;
  const std::string_view places = model.substr(colon + 1);
  if (out.model == ClientModel::open) throw Error("open clients have no number of requests in flight: use open alone");
  if (places != "auto") out.places = static_cast<int>(parse_whole_number(places, 1, kMostPlaces));
  return out;
}

ClientTimeout parse_client_timeout(std::string_view text) {
  auto [agent, duration] = split(text, "AGENT=DURATION, such as kubectl/=30s or '*=30s'");
  const Nanos patience = parse_duration(duration);
  if (patience == 0) throw Error(fmt::format("{} must be greater than 0", text));
  return {std::move(agent), patience};
}

float parse_client_qps(std::string_view text) {
  double number = 0;
  const std::errc error = read_decimal(text, number);
  const auto qps = static_cast<float>(number);
  if (error != std::errc() || !std::isfinite(qps))
    throw Error(fmt::format("'{}' is not a number of requests a second", text));
  if (qps < 0) return qps;
  if (number == 0) return ClientLimit{}.qps;  // as in a client's configuration
  if (qps < kLeastQps || qps > kMostQps)
    throw Error(
        fmt::format("{} is not between {} and {}; a negative number means no limit", text, kLeastQps, kMostQps));
  return qps;
}

int parse_client_burst(std::string_view text) {
  const auto burst = static_cast<int>(parse_whole_number(text, 0, kMostBurst));
  return burst == 0 ? ClientLimit{}.burst : burst;
}

std::pair<std::string, ClientLimit> parse_client_limit(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  const std::size_t slash = equals == std::string_view::npos ? equals : text.find('/', equals);
  if (equals == std::string_view::npos || equals == 0 || slash == std::string_view::npos)
    throw Error(fmt::format("'{}' is not AGENT=N/BURST, such as kubectl/=50/300", text));
  ClientLimit limit;
  limit.qps = parse_client_qps(text.substr(equals + 1, slash - equals - 1));
  limit.burst = parse_client_burst(text.substr(slash + 1));
  return {std::string(text.substr(0, equals)), limit};
}

EventSending parse_event_sending(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, EventSender>, 3> kSenders = {
      {{"server", EventSender::server}, {"abandon", EventSender::abandon}, {"retry", EventSender::retry}}};
  const std::size_t colon = text.find(':');
  EventSending out;
  out.sender = parse_word<EventSender>(text.substr(0, colon), kSenders);
  if (out.sender == EventSender::server) {
    if (colon != std::string_view::npos) throw Error("server takes no duration");
    return out;
  }
  out.pause = (out.sender == EventSender::retry ? 10 : 1) * kSecond;
  if (colon != std::string_view::npos) out.pause = parse_duration(text.substr(colon + 1));
  if (out.pause == 0) throw Error("the duration must be greater than 0");
  return out;
}

}  // namespace apf
