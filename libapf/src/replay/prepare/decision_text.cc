#include "replay/prepare/decision_text.h"

#include <apf/output.h>

namespace apf {

namespace {

// Between the parts: the last ones of the text, since JSON has neither within texts.
constexpr char kBeforeShown = '\n', kBeforeOthers = '\t';

void add(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (out.back() != kBeforeShown && out.back() != kBeforeOthers) out += ',';
  append_json_string(out, key);
  out += ':';
  append_json_string(out, value);
}

}  // namespace

std::vector<std::string> decision_field_names() { return {"user", "verb", "uri", "agent"}; }

std::string decision_text(std::string_view id, const LogEvent& event, const std::string* user, const KeptFields& kept) {
  std::string out = std::string(id) + kBeforeShown;
  for (std::size_t i = 0; i < kept.fields.size(); ++i) {
    if (i == kept.shown) out += kBeforeOthers;
    switch (kept.fields[i]) {
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
  const std::size_t end = text.rfind(kBeforeShown);
  if (end == std::string_view::npos) return {text, {}, {}};
  const std::string_view id = text.substr(0, end), members = text.substr(end + 1);
  const std::size_t others = members.find(kBeforeOthers);
  if (others == std::string_view::npos) return {id, members, {}};
  return {id, members.substr(0, others), members.substr(others + 1)};
}

}  // namespace apf
