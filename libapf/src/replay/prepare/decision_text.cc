#include "replay/prepare/decision_text.h"

#include <apf/output.h>

namespace apf {

namespace {

constexpr char kBetween = '\n';  // of the parts: the last one, since JSON has no line breaks within texts

void add(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (out.back() != kBetween) out += ',';
  append_json_string(out, key);
  out += ':';
  append_json_string(out, value);
}

}  // namespace

std::vector<std::string> decision_field_names() { return {"user", "verb", "uri", "agent"}; }

std::string decision_text(std::string_view id, const LogEvent& event, const std::string* user,
                          const std::vector<DecisionField>& fields) {
  std::string out = std::string(id) + kBetween;
  for (const DecisionField field : fields) {
    switch (field) {
      case DecisionField::user:
        if (user) add(out, "user", *user);
        break;
      case DecisionField::verb:
        add(out, "verb", event.verb.empty() ? event.method : event.verb);
        break;
      case DecisionField::uri:
        add(out, "uri", event.uri);
        break;
      case DecisionField::agent:
        add(out, "agent", event.user_agent);
        break;
    }
  }
  return out;
}

DecisionText parse_decision_text(std::string_view text) {
  const std::size_t end = text.rfind(kBetween);
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

}  // namespace apf
