// The audit parser against a plain reading of the same events with simdjson's DOM: random order of members, escapes,
// spacing, unknown members; whole, and with random damage.
#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include <simdjson.h>

#include <apf/time.h>

#include "catch.h"
#include "logs/answer_cause.h"
#include "support/vectors.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }

  std::string line() {
    std::vector<std::string> members{member("kind", string("Event")),
                                     member("apiVersion", string(pick({"audit.k8s.io/v1", "audit.k8s.io/v1beta1"})))};
    members.push_back(member("auditID", string("id-" + std::to_string(below(1000000)))));
    members.push_back(
        member("stage", string(pick({"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"}))));
    members.push_back(member("requestURI", string(pick({"/api/v1/pods?limit=1&watch=true", "/healthz",
                                                        "/apis/x/<y>/\"z\"\\", "/a/\xC3\xA9\xF0\x9F\x98\x80"}))));
    members.push_back(member("verb", string(pick({"get", "list", "watch", "create"}))));
    members.push_back(member("requestReceivedTimestamp", string(time())));
    if (chance(80)) members.push_back(member("stageTimestamp", string(time())));
    if (chance(90)) members.push_back(member("user", user()));
    if (chance(20)) members.push_back(member("impersonatedUser", chance(30) ? "null" : user()));
    if (chance(80))
      members.push_back(member("userAgent", string(pick({"kubectl", "a\tb", "agent (linux/amd64)", ""}))));
    if (chance(80))
      members.push_back(
          member("sourceIPs", "[" + string("10.0.0." + std::to_string(below(256))) + "," + string("::1") + "]"));
    if (chance(80)) members.push_back(member("responseStatus", status()));
    if (chance(50)) members.push_back(member("annotations", annotations()));
    if (chance(50)) members.push_back(member("level", string("Metadata")));
    for (std::size_t i = below(4); i > 0; --i) members.push_back(member("x" + std::to_string(i), value(3)));
    return object(members);
  }

 private:
  std::string pick(std::initializer_list<const char*> from) { return from.begin()[below(from.size())]; }
  std::string space() { return chance(5) ? std::string(below(20), chance(50) ? ' ' : '\t') : std::string(); }
  std::string member(const std::string& key, const std::string& value) {
    return space() + string(key) + space() + ":" + space() + value + space();
  }

  std::string object(std::vector<std::string> members) {
    std::shuffle(members.begin(), members.end(), random_);
    std::string out = "{";
    for (std::size_t i = 0; i < members.size(); ++i) out += (i > 0 ? "," : "") + members[i];
    return out + "}";
  }

  // Each character escaped now and then, all that must be always.
  std::string string(const std::string& text) {
    const bool wild = chance(10);
    std::string out = "\"";
    for (const char c : text) {
      const auto b = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\' || b < 0x20 || c == '&' || c == '<' || c == '>' || (wild && b < 0x80 && chance(30))) {
        if ((c == '"' || c == '\\') && chance(50)) {
          out += '\\';
          out += c;
        } else {
          char hex[8];
          std::snprintf(hex, sizeof hex, chance(50) ? "\\u%04x" : "\\u%04X", b);
          out += hex;
        }
      } else {
        out += c;
      }
    }
    return out + "\"";
  }

  std::string time() {
    static const char* const kDays[] = {"2026-11-20", "2024-02-29", "1970-01-01", "2026-12-31"};
    char text[64];
    const auto digits = static_cast<int>(below(10));
    std::snprintf(text, sizeof text, "%sT%02zu:%02zu:%02zu", kDays[below(4)], below(24), below(60), below(60));
    std::string out = text;
    if (digits > 0)
      out += "." + std::to_string(1000000000 + below(1000000000)).substr(1, static_cast<std::size_t>(digits));
    return out + (chance(80) ? "Z" : chance(50) ? "+01:30" : "-11:00");
  }

  std::string user() {
    std::vector<std::string> members;
    if (chance(90))
      members.push_back(member("username", string(pick({"jane", "system:serviceaccount:a:b", "\xC3\xBC\"&"}))));
    if (chance(80)) {
      std::string groups = "[";
      for (std::size_t i = below(4); i > 0; --i)
        groups += string(pick({"g", "system:authenticated", "a<b"})) + (i > 1 ? "," : "");
      members.push_back(member("groups", groups + "]"));
    }
    if (chance(50)) members.push_back(member("uid", string("u-1")));
    if (chance(30)) members.push_back(member("extra", value(2)));
    return object(members);
  }

  std::string status() {
    std::vector<std::string> members{member("code", pick({"200", "201", "404", "429", "504"})),
                                     member("metadata", "{}")};
    if (chance(20)) members.push_back(member("reason", string("TooManyRequests")));
    if (chance(20))
      members.push_back(member("message", string(pick({"Too many requests, please try again later.", "no"}))));
    return object(members);
  }

  std::string annotations() {
    std::vector<std::string> members{member("authorization.k8s.io/decision", string("allow"))};
    if (chance(50))
      members.push_back(member("apiserver.latency.k8s.io/apf-queue-wait",
                               string(pick({"1.5s", "3.019\xC2\xB5s", "250.178185ms", "soon"}))));
    return object(members);
  }

  std::string value(int depth) {
    switch (below(depth > 0 ? 7 : 5)) {
      case 0:
        return pick({"0", "-1.5e3", "17", "1E-2"});
      case 1:
        return pick({"true", "false", "null"});
      case 2:
      case 3:
      case 4:
        return string(pick({"text", "{\"a\":[", "]}\\", "\xE2\x82\xAC"}));
      case 5: {
        std::vector<std::string> members;
        for (std::size_t i = below(4); i > 0; --i) members.push_back(member("k" + std::to_string(i), value(depth - 1)));
        return object(members);
      }
      default: {
        std::string out = "[";
        for (std::size_t i = below(4); i > 0; --i) out += value(depth - 1) + (i > 1 ? "," : "");
        return out + "]";
      }
    }
  }

  std::mt19937_64 random_;
};

struct Plain {
  std::map<std::string, std::string> texts;
  std::int64_t code = 0;
  User user;
  bool impersonated = false, has_groups = false;
};

std::string text_of(const simdjson::dom::element& element) {
  std::string_view text;
  return element.get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

User user_of(const simdjson::dom::element& element) {
  User user;
  simdjson::dom::element field;
  if (element["username"].get(field) == simdjson::SUCCESS) user.name = text_of(field);
  simdjson::dom::array groups;
  if (element["groups"].get(groups) == simdjson::SUCCESS) {
    for (const auto group : groups) user.groups.push_back(text_of(group));
  }
  return user;
}

bool read_plainly(simdjson::dom::parser& parser, const std::string& line, Plain& out) {
  simdjson::dom::element root;
  if (parser.parse(line).get(root) != simdjson::SUCCESS || !root.is_object()) return false;
  for (const char* key :
       {"auditID", "stage", "requestURI", "verb", "userAgent", "requestReceivedTimestamp", "stageTimestamp"}) {
    simdjson::dom::element field;
    if (root[key].get(field) == simdjson::SUCCESS) out.texts[key] = text_of(field);
  }
  simdjson::dom::element field;
  if (root["sourceIPs"].at(0).get(field) == simdjson::SUCCESS) out.texts["ip"] = text_of(field);
  if (root["responseStatus"]["code"].get(out.code) != simdjson::SUCCESS) out.code = 0;
  if (root["responseStatus"]["message"].get(field) == simdjson::SUCCESS) out.texts["message"] = text_of(field);
  if (root["responseStatus"]["reason"].get(field) == simdjson::SUCCESS) out.texts["reason"] = text_of(field);
  if (root["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"].get(field) == simdjson::SUCCESS)
    out.texts["wait"] = text_of(field);
  out.impersonated = root["impersonatedUser"].get(field) == simdjson::SUCCESS && !field.is_null();
  if (out.impersonated || root["user"].get(field) == simdjson::SUCCESS) {
    out.user = user_of(field);
    simdjson::dom::element groups;
    out.has_groups = field["groups"].get(groups) == simdjson::SUCCESS;
  }
  return true;
}

const char* stage_name(Stage stage) {
  switch (stage) {
    case Stage::received:
      return "RequestReceived";
    case Stage::response_started:
      return "ResponseStarted";
    case Stage::response_complete:
      return "ResponseComplete";
    default:
      return "Panic";
  }
}

void compare(const KeptEvent& kept, Plain& plain) {
  const LogEvent& e = kept.event;
  CHECK(kept.id == plain.texts["auditID"]);
  CHECK(stage_name(e.stage) == plain.texts["stage"]);
  CHECK(kept.uri == plain.texts["requestURI"]);
  CHECK(kept.verb == plain.texts["verb"]);
  CHECK(kept.user_agent == plain.texts["userAgent"]);
  CHECK(kept.source_ip == plain.texts["ip"]);
  CHECK(e.received == parse_rfc3339(plain.texts["requestReceivedTimestamp"]).value());
  CHECK(e.stage_time == parse_rfc3339(plain.texts["stageTimestamp"]).value_or(kNoTime));
  CHECK(e.queue_wait == parse_go_duration(plain.texts["wait"]).value_or(kNoTime));
  CHECK(e.code == plain.code);
  const std::string& message = plain.texts["message"];
  CHECK(may_be_apf(e.cause) ==
        (plain.code == 429 && (message.find("Too many requests, please try again later") != std::string::npos ||
                               (message.empty() && plain.texts["reason"].empty()))));
  CHECK(e.impersonated == plain.impersonated);
  const User user = parse_user_json(kept.user);
  CHECK(user.name == plain.user.name);
  // Without any in the event, its export left them out: those that follow from the name.
  if (plain.has_groups || plain.user.name.empty()) CHECK(user.groups == plain.user.groups);
  else CHECK(!user.groups.empty());
}

void with_each_kernel(const std::function<void()>& test) {
  const simdjson::implementation* const best = simdjson::get_active_implementation();
  for (const simdjson::implementation* kernel : simdjson::get_available_implementations()) {
    if (!kernel->supported_by_runtime_system()) continue;
    simdjson::get_active_implementation() = kernel;
    INFO(kernel->name());
    test();
  }
  simdjson::get_active_implementation() = best;
}

}  // namespace

TEST_CASE("the audit parser reads what the DOM reads", "[logs][audit][property]") {
  const std::uint64_t first_seed = seed();
  INFO("APF_TEST_SEED=" << first_seed);
  with_each_kernel([&] {
    Generator generator(first_seed);
    std::vector<std::string> lines;
    std::string text;
    for (int i = 0; i < 1500; ++i) {
      lines.push_back(generator.line());
      text += lines.back() + (generator.chance(10) ? "\r\n" : "\n");
    }
    const KeepingSink sink = parse_audit(text);
    REQUIRE(sink.unusable.empty());
    REQUIRE(sink.events.size() == lines.size());
    simdjson::dom::parser parser;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(lines[i]);
      Plain plain;
      REQUIRE(read_plainly(parser, lines[i], plain));
      CHECK(sink.events[i].line == i + 1);
      compare(sink.events[i], plain);
    }
  });
}

TEST_CASE("damaged lines are told from sound ones", "[logs][audit][property]") {
  const std::uint64_t first_seed = seed();
  INFO("APF_TEST_SEED=" << first_seed);
  with_each_kernel([&] {
    Generator generator(first_seed + 1);
    simdjson::dom::parser parser;
    std::string text;
    std::vector<bool> sound;
    for (int i = 0; i < 1500; ++i) {
      std::string line = generator.line();
      if (generator.chance(50)) {
        const std::size_t at = generator.below(line.size());
        switch (generator.below(4)) {
          case 0:
            line.resize(at);
            break;
          case 1:
            line.erase(at, 1);
            break;
          case 2:
            line[at] = "{}[]\":,x1\\"[generator.below(10)];
            break;
          default:
            line.insert(at, 1, "{}[]\":,x1\\"[generator.below(10)]);
        }
      }
      Plain plain;
      if (line.empty()) continue;
      sound.push_back(read_plainly(parser, line, plain));
      text += line + "\n";
    }
    const KeepingSink sink = parse_audit(text);
    // Every line is either an event or reported, once.
    CHECK(sink.events.size() + sink.unusable.size() == sound.size());
    std::vector<bool> used(sound.size(), false);
    for (const KeptEvent& e : sink.events) used[e.line - 1] = true;
    for (std::size_t i = 0; i < sound.size(); ++i) {
      INFO("line " << i + 1);
      // What the DOM refuses is refused here too, except for escapes within strings that are skipped.
      if (used[i] && !sound[i]) {
        const std::size_t begin = [&] {
          std::size_t at = 0;
          for (std::size_t k = 0; k < i; ++k) at = text.find('\n', at) + 1;
          return at;
        }();
        const std::string line = text.substr(begin, text.find('\n', begin) - begin);
        INFO(line);
        CHECK(line.find('\\') != std::string::npos);
      }
    }
    for (const auto& [reason, line] : sink.unusable) {
      if (reason == Unusable::not_json || reason == Unusable::truncated || reason == Unusable::not_utf8)
        CHECK_FALSE(sound[line - 1]);
    }
  });
}
