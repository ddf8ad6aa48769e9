// Hands and collision odds: one line of JSON in, one out.

#include <apf/hand.h>
#include <apf/output.h>

#include <charconv>

#include "base/json_value.h"

namespace apf {

namespace {

// A 64-bit number, as a decimal string or (while it is exact) as a JSON number.
std::optional<std::uint64_t> unsigned_of(const JsonValue& value) {
  const std::optional<std::string_view> text = value.text();
  if (!text) return value.natural();
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (failure != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

bool read_int(const JsonValue& object, const char* key, int& out, std::string& error) {
  const std::optional<JsonValue> value = object.get(key);
  const std::optional<std::int64_t> number = value ? value->whole() : std::nullopt;
  if (!value) {
    error = std::string(key) + " is missing";
  } else if (!number || *number < INT32_MIN || *number > INT32_MAX) {
    error = std::string(key) + " is not a whole number";
  } else {
    out = static_cast<int>(*number);
  }
  return error.empty();
}

bool read_string(const JsonValue& object, const char* key, std::string& out, bool& present, std::string& error) {
  const std::optional<JsonValue> value = object.get(key);
  present = value.has_value();
  if (!present) return true;
  const std::optional<std::string_view> text = value->text();
  if (!text) {
    error = std::string(key) + " is not a string";
    return false;
  }
  out = *text;
  return true;
}

bool read_flow(const JsonValue& object, FlowHand& out, std::string& error) {
  bool has_distinguisher = false;
  if (!read_string(object, "flowSchema", out.flow_schema, out.has_flow, error)) return false;
  if (!read_string(object, "flowDistinguisher", out.flow_distinguisher, has_distinguisher, error)) return false;
  if (out.has_flow) out.hash = flow_hash(out.flow_schema, out.flow_distinguisher);
  const std::optional<JsonValue> value = object.get("hash");
  if (!value) {
    if (!out.has_flow) error = "neither flowSchema nor hash is given";
    return out.has_flow;
  }
  const std::optional<std::uint64_t> hash = unsigned_of(*value);
  if (!hash) {
    error = "hash is not a 64-bit number in decimal";
  } else if (out.has_flow && *hash != out.hash) {
    error = "hash is not that of the flow (" + std::to_string(out.hash) + ")";
  } else {
    out.hash = *hash;
  }
  return error.empty();
}

}  // namespace

std::optional<FlowHand> parse_hand_line(std::string_view line, std::string& error) {
  error.clear();
  const JsonDocument document(line);
  if (document.error() || !document.root().is_object()) {
    error = "not a JSON object";
    return std::nullopt;
  }
  const JsonValue object = document.root();
  FlowHand out;
  if (!read_int(object, "queues", out.queues, error) || !read_int(object, "handSize", out.hand_size, error))
    return std::nullopt;
  if (!read_flow(object, out, error)) return std::nullopt;
  error = dealer_error(out.queues, out.hand_size);
  if (!error.empty()) return std::nullopt;
  out.hand = deal_hand(out.hash, out.queues, out.hand_size);
  return out;
}

std::string render_json(const FlowHand& hand) {
  JsonWriter json;
  json.begin_object();
  if (hand.has_flow) json.field("flowSchema", hand.flow_schema).field("flowDistinguisher", hand.flow_distinguisher);
  json.key("hash").decimal_string(hand.hash).field("queues", hand.queues).field("handSize", hand.hand_size);
  json.key("hand").begin_array();
  for (const std::uint32_t card : hand.hand) json.value(card);
  json.end_array().end_object();
  return json.take();
}

CollisionOdds collision_odds(int queues, int hand_size, std::span<const int> elephants) {
  constexpr double kOnePercent = 0.01;  // where KEP-1040's table ends
  CollisionOdds odds{queues, hand_size, {}, {}, elephants_until(queues, hand_size, kOnePercent)};
  for (const int n : elephants) {
    odds.details.push_back(collision_detail(queues, hand_size, n));
    odds.collision.emplace_back(n, odds.details.back().free.front());
  }
  return odds;
}

std::string render_json(const CollisionOdds& odds) {
  JsonWriter json;
  json.begin_object().field("queues", odds.queues).field("handSize", odds.hand_size);
  json.key("collision").begin_array();
  for (std::size_t i = 0; i < odds.collision.size(); ++i) {
    const auto& [elephants, probability] = odds.collision[i];
    json.begin_object().field("elephants", elephants).field("probability", probability).end_object();
  }
  json.end_array().key("details").begin_array();
  for (std::size_t i = 0; i < odds.details.size(); ++i) {
    json.begin_object().field("elephants", odds.collision[i].first).field("queuesTaken", odds.details[i].taken);
    json.key("free").begin_array();
    for (const double part : odds.details[i].free) json.value(part);
    json.end_array().end_object();
  }
  json.end_array();
  if (odds.one_percent_at) json.field("onePercentAt", *odds.one_percent_at);
  json.end_object();
  return json.take();
}

}  // namespace apf
