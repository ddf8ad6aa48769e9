// EventRateLimit against the server's own plugin: configurations as it loads them, and which events pass.
#include <apf/config.h>
#include <simdjson.h>

#include <map>

#include "admission/event_rate_limit.h"
#include "catch.h"
#include "config/admission_objects.h"
#include "support/aggregate.h"
#include "support/vector_fields.h"
#include "support/vectors.h"

using namespace apf;

using apf::test::text_of;

namespace {

using Element = simdjson::dom::element;

std::int64_t number_of(const Element& object, const char* key) {
  std::int64_t number = 0;
  return object[key].get(number) == simdjson::SUCCESS ? number : 0;
}

bool has(const Element& object, const char* key) {
  Element value;
  return object[key].get(value) == simdjson::SUCCESS && !value.is_null();
}

// --- configurations --------------------------------------------------------------------------------

std::string first_error(const LoadedConfig& loaded) {
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.severity == Severity::error) return d.detail.empty() ? d.message : d.detail;
  return {};
}

// The server builds an empty configuration where it is given none.
std::vector<Diagnostic> errors_at_start(const LoadedConfig& loaded) {
  std::vector<Diagnostic> out = validate(loaded, kNewestKubeVersion);
  if (loaded.event_rate_limits.empty() && out.empty())
    validate_object(EventRateLimitConfiguration(), kNewestKubeVersion, out);
  return out;
}

void check_loaded(const Element& vector, const LoadedConfig& loaded) {
  Element limits;
  REQUIRE(vector["loaded"].get(limits) == simdjson::SUCCESS);
  if (limits.is_null()) {
    for (const EventRateLimitConfiguration& object : loaded.event_rate_limits) CHECK(object.limits.empty());
  } else {
    REQUIRE(loaded.event_rate_limits.size() == 1);
    const auto& found = loaded.event_rate_limits.front().limits;
    const simdjson::dom::array expected = limits;
    REQUIRE(found.size() == expected.size());
    std::size_t i = 0;
    for (const Element& limit : expected) {
      CHECK(found[i].type == text_of(limit, "Type"));
      CHECK(found[i].qps == number_of(limit, "QPS"));
      CHECK(found[i].burst == number_of(limit, "Burst"));
      CHECK(found[i++].cache_size == number_of(limit, "CacheSize"));
    }
  }
  const std::vector<Diagnostic> found = errors_at_start(loaded);
  std::vector<std::string> messages, expected_messages;
  for (const Diagnostic& d : found) messages.push_back(d.message);
  if (has(vector, "validation_errors"))
    for (const Element& message : simdjson::dom::array(vector["validation_errors"]))
      expected_messages.emplace_back(std::string_view(message));
  CHECK(messages == expected_messages);
  CHECK(test::aggregate_message(found) == text_of(vector, "startup_error"));
}

void check_config(const Element& vector) {
  std::vector<ConfigText> texts;
  if (has(vector, "body")) texts.push_back({"eventconfig.yaml", text_of(vector, "body")});
  const LoadedConfig loaded = load_config(texts);
  const std::string load_error = text_of(vector, "load_error");
  if (load_error.empty()) return check_loaded(vector, loaded);
  CHECK(loaded.event_rate_limits.empty());
  if (texts.front().text.empty()) {  // commands say that there is no object
    CHECK(loaded.documents == 0);
  } else if (texts.front().text == "{{{") {  // reported with its position instead
    CHECK(loaded.has_errors());
  } else {
    CHECK(first_error(loaded) == load_error);
  }
}

void check_admission(const Element& vector) {
  std::vector<ConfigText> texts;
  for (const auto& file : simdjson::dom::object(vector["files"]))
    texts.push_back({std::string(file.key), std::string(std::string_view(file.value))});
  const LoadedConfig loaded = load_config(texts);
  if (has(vector, "error")) CHECK(first_error(loaded) == text_of(vector, "error"));
  else check_loaded(vector, loaded);
}

// --- events ----------------------------------------------------------------------------------------

EventRateLimitConfiguration configuration_of(const Element& vector) {
  EventRateLimitConfiguration out;
  for (const Element& limit : simdjson::dom::array(vector["config"]["limits"]))
    out.limits.push_back({text_of(limit, "type"), static_cast<std::int32_t>(number_of(limit, "qps")),
                          static_cast<std::int32_t>(number_of(limit, "burst")),
                          static_cast<std::int32_t>(number_of(limit, "cacheSize"))});
  return out;
}

std::string object_key(const Element& request) {
  Element source, involved;
  std::string parts[7];
  if (request["source"].get(source) == simdjson::SUCCESS) {
    parts[0] = text_of(source, "component");
    parts[1] = text_of(source, "host");
  }
  if (request["involvedObject"].get(involved) == simdjson::SUCCESS) {
    int i = 2;
    for (const char* name : {"Kind", "Namespace", "Name", "UID", "APIVersion"}) parts[i++] = text_of(involved, name);
  }
  return source_and_object_key({parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]});
}

bool is_subject(const Element& request) {
  bool dry_run = false;
  if (request["dry_run"].get(dry_run) == simdjson::SUCCESS && dry_run) return false;
  const std::string operation = text_of(request, "operation");
  return (operation == "create" || operation == "update") && !has(request, "group") && !has(request, "kind");
}

void check_sequence(const Element& vector) {
  EventRateLimiter limiter(configuration_of(vector));
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;
  const simdjson::dom::array requests = vector["requests"], results = vector["results"];
  auto result_at = results.begin();
  for (const Element& request : requests) {
    const Element result = *result_at;
    ++result_at;
    INFO("request " << number_of(result, "i"));
    const bool subject = is_subject(request);
    CHECK(subject == has(result, "keys"));
    if (!subject) {
      CHECK(bool(result["admitted"]));
      continue;
    }
    const std::string texts[] = {"", text_of(request, "namespace"), text_of(request, "user"), object_key(request)};
    EventKeys keys;
    std::array<std::string_view, kEventLimitTypes> views;
    for (std::size_t type = 0; type < kEventLimitTypes; ++type) {
      keys.of[type] = event_key(texts[type]);
      names[{keys.of[type]->high, keys.of[type]->low}] = texts[type];
      views[type] = texts[type];
    }
    const bool admitted = limiter.ask(keys, number_of(request, "t_ns"));
    CHECK(admitted == bool(result["admitted"]));
    if (!admitted) {
      CHECK(limiter.message(views) == text_of(result, "message"));
      CHECK(text_of(result, "reason") == "TooManyRequests");
      CHECK(number_of(result, "code") == 429);
    }
    std::vector<std::string> used, evicted, expected, expected_evicted;
    bool any_evicted = false;
    for (std::size_t i = 0; i < limiter.limits().size(); ++i) {
      used.push_back(texts[static_cast<std::size_t>(limiter.limits()[i].type)]);
      const auto& gone = limiter.answers()[i].evicted;
      any_evicted = any_evicted || gone;
      evicted.push_back(gone ? "1 " + names.at({gone->high, gone->low}) : "");
    }
    for (const Element& key : simdjson::dom::array(result["keys"])) expected.emplace_back(std::string_view(key));
    CHECK(used == expected);
    CHECK(any_evicted == has(result, "evicted"));
    if (!has(result, "evicted")) continue;
    for (const Element& list : simdjson::dom::array(result["evicted"])) {
      const simdjson::dom::array of_limit = list;
      CHECK(of_limit.size() <= 1);
      expected_evicted.push_back(of_limit.size() == 0 ? "" : "1 " + std::string(std::string_view(of_limit.at(0))));
    }
    CHECK(evicted == expected_evicted);
  }
}

int check_file(const char* name) {
  simdjson::dom::parser parser;
  int cases = 0;
  for (const std::string& line : test::read_vectors(name)) {
    const Element vector = parser.parse(line);
    INFO(text_of(vector, "id"));
    const std::string mode = text_of(vector, "mode");
    if (mode == "seq") check_sequence(vector);
    else if (mode == "config") check_config(vector);
    else check_admission(vector);
    ++cases;
  }
  return cases;
}

}  // namespace

TEST_CASE("EventRateLimit: configurations, buckets, eviction and texts as the server has them",
          "[eventratelimit][conformance]") {
  CHECK(check_file("eventratelimit.jsonl") == 76);
}

TEST_CASE("EventRateLimit: generated sequences", "[eventratelimit][conformance]") {
  CHECK(check_file("eventratelimit-random.jsonl") == 19);
}
