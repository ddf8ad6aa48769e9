// What the dialect's objects hold is described in KEP-1040, "Request Categorization" and "Example Configuration". There
// no server drops its fields in silence: what is not understood is an error.
#include "config/kep/decode.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/utf8.h"
#include "config/closest.h"
#include "config/codes.h"
#include "config/kep/fields.h"
#include "config/kep/pattern.h"
#include "config/reader.h"
#include "config/yaml_text.h"

namespace apf {

namespace {

constexpr std::int32_t kDefaultPrecedence = 1000;

// How long the escape is that begins at `at`, a backslash in double quotes; 0 for one that joins lines.
std::size_t escape_length(std::string_view source, std::size_t at) {
  const char kind = at + 1 < source.size() ? source[at + 1] : '\n';
  if (kind == '\n' || kind == '\r') return 0;
  const std::size_t length = kind == 'x' ? 4 : kind == 'u' ? 6 : kind == 'U' ? 10 : 2;
  // JSON has two escapes for one character beyond U+FFFF.
  const bool is_half =
      kind == 'u' && at + 3 < source.size() && (source[at + 2] == 'd' || source[at + 2] == 'D') && source[at + 3] > '7';
  return is_half && source.substr(at + length, 2) == "\\u" ? 2 * length : length;
}

// The place in the file of the byte `offset` of a string, through quotes and escapes; npos where lines are joined.
std::size_t place_in_file(const ConfigNode& node, std::size_t offset) {
  const std::string_view source = node.tree().text().substr(0, node.end()), value = node.text();
  if (node.style() == NodeStyle::literal || node.style() == NodeStyle::folded) {
    const std::string_view line = value.substr(0, value.find_last_not_of('\n') + 1);
    const std::size_t at = line.empty() ? source.npos : source.find(line, line_end(source, node.begin()));
    return at == source.npos || offset > line.size() ? source.npos : at + offset;
  }
  const bool is_double = node.style() == NodeStyle::double_quoted, is_single = node.style() == NodeStyle::single_quoted;
  std::size_t at = node.begin() + (is_double || is_single ? 1 : 0);
  for (std::size_t read = 0; read < offset;) {
    if (at >= source.size() || source[at] == '\n' || source[at] == '\r') return source.npos;
    const std::size_t written = decode_utf8(value, read).length;
    std::size_t length = written;
    if (is_double && source[at] == '\\') length = escape_length(source, at);
    else if (is_single && source[at] == '\'') length = 2;
    else if (source.substr(at, written) != value.substr(read, written)) return source.npos;
    if (length == 0) return source.npos;
    at += length;
    read += written;
  }
  return at;
}

class KepDecoder : private KepFields {
 public:
  using KepFields::KepFields;
  using KepFields::ok;

  // The object's head; returns its spec, if it has one.
  const ConfigNode* head(ObjectMeta& meta) {
    meta.name = label_.name;
    check_keys(object_, "", {"kind", "meta", "spec"});
    if (const ConfigNode* node = mapping_at(object_, "", "meta", true)) {
      check_keys(*node, "meta", {"name"});
      meta.name = text_at(*node, "meta", "name", true);
      if (const ConfigNode* name = node->find("name"); name && name->is_string() && meta.name.empty())
        fail(kKepWrongValue, *name, "meta.name", "meta.name: a name must not be empty");
    }
    return mapping_at(object_, "", "spec", true);
  }

  void flow_schema(const ConfigNode& spec, FlowSchema& schema, KepMatch& match) {
    check_keys(spec, "spec",
               {"matchingPrecedence", "matchingPriority", "requestPriority", "flowDistinguisher", "match"});
    schema.matching_precedence = precedence(spec);
    if (const ConfigNode* priority = mapping_at(spec, "spec", "requestPriority", true)) {
      check_keys(*priority, "spec.requestPriority", {"name"});
      schema.priority_level = text_at(*priority, "spec.requestPriority", "name", true);
    }
    if (const ConfigNode* distinguisher = mapping_at(spec, "spec", "flowDistinguisher", false))
      flow_distinguisher(*distinguisher, schema, match);
    predicate(spec, match);
  }

  void priority(const ConfigNode& spec, PriorityLevel& level, KepPriority& priority) {
    check_keys(spec, "spec",
               {"exempt", "catchAll", "assuredConcurrencyShares", "queues", "handSize", "queueLengthLimit"});
    const bool exempt = boolean_at(spec, "exempt");
    priority.catch_all = boolean_at(spec, "catchAll");
    level.type = exempt ? "Exempt" : "Limited";
    if (exempt) {
      level.exempt = ExemptLevel{0, 0};
      for (const std::string_view name : {"assuredConcurrencyShares", "queues", "handSize", "queueLengthLimit"}) {
        if (const ConfigEntry* entry = spec.find_entry(name))
          fail(kKepWrongValue, entry->key, joined_path("spec", name),
               fmt::format("spec.{}: a RequestPriority that is exempt has none: nothing of it is counted or queued",
                           name));
      }
      return;
    }
    LimitedLevel limited;
    limited.lendable_percent = 0;
    limited.limit_response = "Queue";
    limited.nominal_concurrency_shares = integer_at(spec, "spec", "assuredConcurrencyShares", true);
    Queuing queuing;
    queuing.queues = integer_at(spec, "spec", "queues", true).value_or(1);
    queuing.queue_length_limit = integer_at(spec, "spec", "queueLengthLimit", true).value_or(1);
    const auto hand_size = integer_at(spec, "spec", "handSize", false);
    if (!hand_size && queuing.queues > 1 && spec.find_present("handSize") == nullptr) {
      Diagnostic& d = missing(spec, "spec", "handSize");
      d.notes.push_back({fmt::format("with {} queues a flow is dealt a hand of them", queuing.queues), {}});
    }
    queuing.hand_size = hand_size.value_or(1);
    limited.queuing = queuing;
    level.limited = limited;
  }

 private:
  // The KEP's text calls it matching precedence, its examples matchingPriority.
  std::int32_t precedence(const ConfigNode& spec) {
    const auto precedence = integer_at(spec, "spec", "matchingPrecedence", false);
    const auto priority = integer_at(spec, "spec", "matchingPriority", false);
    if (precedence && priority)
      fail(kKepWrongValue, spec.find_entry("matchingPriority")->key, "spec.matchingPriority",
           "spec.matchingPriority and spec.matchingPrecedence are two names of one field: leave one out");
    return precedence.value_or(priority.value_or(kDefaultPrecedence));
  }

  void flow_distinguisher(const ConfigNode& node, FlowSchema& schema, KepMatch& match) {
    const std::string path = "spec.flowDistinguisher";
    check_keys(node, path, {"source", "pattern"});
    const std::string source = text_at(node, path, "source", true);
    if (source == "user") schema.distinguisher_method = "ByUser";
    else if (source == "namespace") schema.distinguisher_method = "ByNamespace";
    else if (const ConfigNode* at = node.find_present("source"); at && at->is_string())
      fail(kKepWrongValue, *at, path + ".source",
           fmt::format("{}.source: \"{}\" is neither user nor namespace", path, source));
    if (const ConfigNode* pattern = node.find_present("pattern"))
      match.transformation = pattern_of(*pattern, path + ".pattern");
  }

  std::shared_ptr<const KepPattern> pattern_of(const ConfigNode& node, const std::string& path) {
    if (!node.is_string()) {
      wrong_type(node, path, "a string");
      return nullptr;
    }
    auto pattern = std::make_shared<const KepPattern>(node.text());
    if (!pattern->error().empty()) report(*pattern, node, path);
    return pattern;
  }

  // At the very characters, where these can be found in the file.
  void report(const KepPattern& pattern, const ConfigNode& node, const std::string& path) {
    const std::size_t begin = place_in_file(node, pattern.fault_begin());
    const std::size_t end = place_in_file(node, pattern.fault_end());
    const bool found = begin != std::string_view::npos && end != std::string_view::npos;
    std::size_t character = 1;
    for (std::size_t at = 0; at < pattern.fault_begin(); at += decode_utf8(pattern.text(), at).length) ++character;
    const std::string where = fmt::format("{} (character {} of the pattern)", pattern.error(), character);
    fail(kKepBrokenPattern, found ? begin : node.begin(), found ? std::max(begin, end) : node.end(), path,
         fmt::format("{}: this isn't a regular expression: {}", path, where));
  }

  void predicate(const ConfigNode& spec, KepMatch& match) {
    const ConfigNode* list = spec.find_present("match");
    if (!list) {
      if (!spec.find("match")) missing(spec, "spec", "match");
      return;
    }
    if (!list->is_sequence()) return wrong_type(*list, "spec.match", "a list of `and` lists");
    for (std::size_t i = 0; i < list->items().size(); ++i) {
      const ConfigNode& item = list->items()[i];
      const std::string path = fmt::format("spec.match[{}]", i);
      match.any_of.emplace_back();
      if (!item.is_mapping()) {
        wrong_type(item, path, "a mapping with `and`");
        continue;
      }
      check_keys(item, path, {"and"});
      const ConfigEntry* entry = item.find_entry("and");
      if (!entry) {
        missing(item, path, "and");
      } else if (entry->value.is_sequence()) {
        for (std::size_t t = 0; t < entry->value.items().size(); ++t)
          match.any_of.back().push_back(test(entry->value.items()[t], fmt::format("{}.and[{}]", path, t)));
      } else {
        wrong_type(entry->value, path + ".and", "a list of tests");
        if (entry->value.is_null())
          diagnostics_.back().notes.push_back({"the empty list, which matches everything, is written `and: []`", {}});
      }
    }
  }

  KepTest test(const ConfigNode& node, const std::string& path) {
    KepTest out;
    if (!node.is_mapping()) {
      wrong_type(node, path, "a test such as `equals`");
      return out;
    }
    const ConfigEntry* named = nullptr;
    for (const ConfigEntry& entry : node.entries()) {
      const auto known = std::find_if(std::begin(kKepTests), std::end(kKepTests),
                                      [&](const KepTestName& t) { return t.name == entry.key.text(); });
      if (known == std::end(kKepTests)) continue;
      if (named) {
        fail(kKepWrongValue, entry.key, path,
             fmt::format("{}: {} and {} are two tests: give each its own entry of the list", path, named->key.text(),
                         known->name));
        return out;
      }
      named = &entry;
      out.op = known->op;
      out.inverse = known->inverse;
    }
    if (!named) {
      report_no_test(node, path);
      return out;
    }
    members(node, *named, path, out);
    return out;
  }

  void report_no_test(const ConfigNode& node, const std::string& path) {
    std::vector<std::string_view> names;
    for (const KepTestName& test : kKepTests) names.push_back(test.name);
    constexpr std::string_view kMembers[] = {"field", "value", "set", "pattern"};
    for (const ConfigEntry& entry : node.entries()) {
      if (std::find(std::begin(kMembers), std::end(kMembers), entry.key.text()) != std::end(kMembers)) continue;
      Diagnostic& d = fail(kKepUnknownField, entry.key, joined_path(path, entry.key.text()),
                           fmt::format("{}: there is no test \"{}\"", path, entry.key.text()));
      const std::string_view near = closest(entry.key.text(), names);
      d.notes.push_back({near.empty() ? fmt::format("the tests are {}", listed(names)) : did_you_mean(near), {}});
      return;
    }
    Diagnostic& d = fail(kKepMissingField, node.entries().empty() ? node : node.entries().front().key, path,
                         fmt::format("{}: the name of the test is missing", path));
    d.notes.push_back({fmt::format("the tests are {}", listed(names)), {}});
  }

  // In the KEP's YAML as printed, the name is a key without a value next to the members; it should be above them.
  void members(const ConfigNode& node, const ConfigEntry& named, const std::string& path, KepTest& out) {
    const std::string_view member = kep_member(out.op);
    const ConfigNode* holder = &node;
    std::string holder_path = path;
    if (named.value.is_null()) {
      check_keys(node, path, {named.key.text(), "field", member});
    } else {
      out.nested = true;
      check_keys(node, path, {named.key.text()});
      holder = &named.value;
      holder_path = joined_path(path, named.key.text());
      if (!holder->is_mapping())
        return wrong_type(*holder, holder_path, fmt::format("a mapping with field and {}", member));
      check_keys(*holder, holder_path, {"field", member});
    }
    const bool field_known = field_of(*holder, holder_path, out);
    if (field_known && out.field == KepField::groups && out.op != KepOperator::super_set)
      fail(kKepWrongValue, *holder->find_present("field"), holder_path + ".field",
           fmt::format("{}.field: groups is a set, which {} cannot compare; use superSet or notSuperSet", holder_path,
                       named.key.text()));
    operand(*holder, holder_path, member, out);
  }

  bool field_of(const ConfigNode& holder, const std::string& path, KepTest& out) {
    const ConfigNode* node = holder.find_present("field");
    const std::string name = text_at(holder, path, "field", true);
    if (!node || !node->is_string()) return false;
    const auto known = std::find(std::begin(kKepFields), std::end(kKepFields), name);
    if (known != std::end(kKepFields)) {
      out.field = static_cast<KepField>(known - std::begin(kKepFields));
      return true;
    }
    Diagnostic& d = fail(kKepUnknownField, *node, path + ".field",
                         fmt::format("{}.field: a request has no field \"{}\"", path, name));
    const std::string_view near = name == "group" ? std::string_view("groups") : closest(name, kKepFields);
    d.notes.push_back({near.empty() ? fmt::format("the fields are {}", listed(kKepFields)) : did_you_mean(near), {}});
    return false;
  }

  void operand(const ConfigNode& holder, const std::string& path, std::string_view member, KepTest& out) {
    if (out.op == KepOperator::equals) {
      out.value = text_at(holder, path, member, true);
      return;
    }
    const ConfigNode* node = holder.find_present(member);
    if (!node) {
      missing(holder, path, member);
      return;
    }
    const std::string at = joined_path(path, member);
    if (out.op == KepOperator::pattern_match) {
      out.value = node->text();
      out.pattern = pattern_of(*node, at);
      return;
    }
    if (!node->is_sequence()) return wrong_type(*node, at, "a list of strings");
    for (std::size_t i = 0; i < node->items().size(); ++i) {
      const ConfigNode& item = node->items()[i];
      if (item.is_string()) out.set.emplace_back(item.text());
      else wrong_type(item, fmt::format("{}[{}]", at, i), "a string");
    }
  }
};

}  // namespace

std::string kep_precedence_field(const FlowSchema& schema) {
  const std::string field = "spec.matchingPriority";
  const bool used = schema.meta.source.tree && find_field(*schema.meta.source.tree, field).exact;
  return used ? field : "spec.matchingPrecedence";
}

std::string kep_test_path(const KepTest& test, std::size_t list, std::size_t index) {
  const std::string path = fmt::format("spec.match[{}].and[{}]", list, index);
  return test.nested ? joined_path(path, kep_test_name(test)) : path;
}

std::optional<FlowSchema> decode_kep_flow_schema(const ConfigNode& object, const ObjectLabel& label,
                                                 std::vector<Diagnostic>& diagnostics) {
  KepDecoder decoder(object, label, diagnostics);
  FlowSchema schema;
  auto match = std::make_shared<KepMatch>();
  if (const ConfigNode* spec = decoder.head(schema.meta)) decoder.flow_schema(*spec, schema, *match);
  if (!decoder.ok()) return std::nullopt;
  schema.kep = std::move(match);
  return schema;
}

std::optional<PriorityLevel> decode_kep_priority(const ConfigNode& object, const ObjectLabel& label,
                                                 std::vector<Diagnostic>& diagnostics) {
  KepDecoder decoder(object, label, diagnostics);
  PriorityLevel level;
  auto priority = std::make_shared<KepPriority>();
  if (const ConfigNode* spec = decoder.head(level.meta)) decoder.priority(*spec, level, *priority);
  if (!decoder.ok()) return std::nullopt;
  level.kep = std::move(priority);
  return level;
}

}  // namespace apf
