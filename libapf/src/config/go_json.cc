#include "config/go_json.h"

#include <fmt/core.h>

#include "base/releases.h"
#include "base/utf8.h"
#include "config/tree.h"

namespace apf {

namespace {

// A list of the model, and its node, which shows whether the list is there at all.
template <class T, class Append>
void append_list(std::string& out, const std::vector<T>& list, const ConfigNode* object, std::string_view name,
                 const Append& append) {
  const ConfigNode* node = object ? object->find_present(name) : nullptr;
  if (list.empty()) {
    out += node ? "[]" : "null";
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    append(list[i], node && i < node->items().size() ? &node->items()[i] : nullptr);
  }
  out += ']';
}

void append_strings(std::string& out, std::string_view key, const std::vector<std::string>& list,
                    const ConfigNode* object, std::string_view name) {
  out += key;
  append_list(out, list, object, name, [&](const std::string& text, const ConfigNode*) { append_go_json(out, text); });
}

void append_named(std::string& out, std::string_view key, const std::optional<std::string>& name) {
  out += key;
  if (!name) {
    out += "null";
    return;
  }
  out += "{\"Name\":";
  append_go_json(out, *name);
  out += '}';
}

void append_subject(std::string& out, const Subject& subject) {
  out += "{\"Kind\":";
  append_go_json(out, subject.kind);
  append_named(out, ",\"User\":", subject.user);
  append_named(out, ",\"Group\":", subject.group);
  out += ",\"ServiceAccount\":";
  if (subject.service_account) {
    out += "{\"Namespace\":";
    append_go_json(out, subject.service_account->ns);
    out += ",\"Name\":";
    append_go_json(out, subject.service_account->name);
    out += '}';
  } else {
    out += "null";
  }
  out += '}';
}

void append_rule(std::string& out, const PolicyRule& rule, const ConfigNode* node) {
  out += "{\"Subjects\":";
  append_list(out, rule.subjects, node, "subjects",
              [&](const Subject& subject, const ConfigNode*) { append_subject(out, subject); });
  out += ",\"ResourceRules\":";
  append_list(out, rule.resource_rules, node, "resourceRules", [&](const ResourceRule& r, const ConfigNode* at) {
    append_strings(out, "{\"Verbs\":", r.verbs, at, "verbs");
    append_strings(out, ",\"APIGroups\":", r.api_groups, at, "apiGroups");
    append_strings(out, ",\"Resources\":", r.resources, at, "resources");
    out += r.cluster_scope ? ",\"ClusterScope\":true" : ",\"ClusterScope\":false";
    append_strings(out, ",\"Namespaces\":", r.namespaces, at, "namespaces");
    out += '}';
  });
  out += ",\"NonResourceRules\":";
  append_list(out, rule.non_resource_rules, node, "nonResourceRules",
              [&](const NonResourceRule& r, const ConfigNode* at) {
                append_strings(out, "{\"Verbs\":", r.verbs, at, "verbs");
                append_strings(out, ",\"NonResourceURLs\":", r.urls, at, "nonResourceURLs");
                out += '}';
              });
  out += '}';
}

std::string number_or_null(const std::optional<std::int32_t>& number) {
  return number ? std::to_string(*number) : "null";
}

void append_limited(std::string& out, const LimitedLevel& limited, KubeVersion version) {
  out += fmt::format("{{\"{}\":{},\"LimitResponse\":{{\"Type\":{},\"Queuing\":",
                     has(version, Feature::borrowing) ? "NominalConcurrencyShares" : "AssuredConcurrencyShares",
                     limited.nominal_concurrency_shares.value_or(0), go_json(limited.limit_response));
  if (limited.queuing) {
    out += fmt::format("{{\"Queues\":{},\"HandSize\":{},\"QueueLengthLimit\":{}}}}}", limited.queuing->queues,
                       limited.queuing->hand_size, limited.queuing->queue_length_limit);
  } else {
    out += "null}";
  }
  if (has(version, Feature::borrowing)) {
    out += ",\"LendablePercent\":" + number_or_null(limited.lendable_percent);
    out += ",\"BorrowingLimitPercent\":" + number_or_null(limited.borrowing_limit_percent);
  }
  out += '}';
}

}  // namespace

void append_go_json(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const std::string_view bytes = text.substr(at, c.length);
    at += c.length;
    constexpr std::string_view kNamed = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
    const std::size_t named = c.valid && c.value < 0x80 ? kNamed.find(bytes[0]) : kNamed.npos;
    if (!c.valid) {
      out += "\\ufffd";
    } else if (named != kNamed.npos) {
      out += '\\';
      out += kLetters[named];
    } else if (c.value < 0x20 || c.value == '<' || c.value == '>' || c.value == '&' || c.value == 0x2028 ||
               c.value == 0x2029) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.value));
    } else {
      out += bytes;
    }
  }
  out += '"';
}

std::string go_json(std::string_view text) {
  std::string out;
  append_go_json(out, text);
  return out;
}

std::string go_json(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    append_go_json(out, text);
  }
  return out + ']';
}

std::string go_spec_json(const FlowSchema& schema) {
  const ConfigNode* object = schema.meta.source.tree.get();
  const ConfigNode* spec = object ? object->find_present("spec") : nullptr;
  std::string out = "{\"PriorityLevelConfiguration\":{\"Name\":";
  append_go_json(out, schema.priority_level);
  out += "},\"MatchingPrecedence\":" + std::to_string(schema.matching_precedence) + ",\"DistinguisherMethod\":";
  out += schema.distinguisher_method ? "{\"Type\":" + go_json(*schema.distinguisher_method) + "}" : "null";
  out += ",\"Rules\":";
  append_list(out, schema.rules, spec, "rules",
              [&](const PolicyRule& rule, const ConfigNode* node) { append_rule(out, rule, node); });
  return out + '}';
}

std::string go_spec_json(const PriorityLevel& level, KubeVersion version) {
  std::string out = "{\"Type\":" + go_json(level.type) + ",\"Limited\":";
  if (level.limited) append_limited(out, *level.limited, version);
  else out += "null";
  if (has(version, Feature::exempt_level_has_seats)) {
    out += ",\"Exempt\":";
    out += level.exempt ? "{\"NominalConcurrencyShares\":" + number_or_null(level.exempt->nominal_concurrency_shares) +
                              ",\"LendablePercent\":" + number_or_null(level.exempt->lendable_percent) + "}"
                        : "null";
  }
  return out + '}';
}

}  // namespace apf
