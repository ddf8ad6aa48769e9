// Tests that pin down where requests go today: those of a log, one for each path through the configuration, or one for
// each rule that a request can reach.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include <fmt/core.h>

#include <apf/error.h>
#include <apf/output.h>
#include <apf/request_words.h>
#include <apf/test_file.h>

#include "base/identities.h"
#include "base/joined.h"
#include "base/text.h"
#include "classify/flow_schema.h"
#include "lint/project.h"
#include "lint/reach/reach.h"
#include "lint/reach/witness.h"
#include "test_file/coverage.h"

namespace apf {

namespace {

// As YAML in a flow mapping, quoted where it would be read as something else.
std::string scalar(const std::string& text) {
  constexpr std::array<std::string_view, 10> kWords = {"y",   "n",    "yes",   "no",   "on",
                                                       "off", "true", "false", "null", "~"};
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:-= ").find(c) != std::string_view::npos;
  };
  const bool starts = !text.empty() && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  const bool plain = starts && std::all_of(text.begin(), text.end(), is_plain) && !text.ends_with(':') &&
                     !text.ends_with(' ') && text.find(": ") == std::string::npos;
  const std::string lower = in_lower_case(text);
  if (plain && std::find(kWords.begin(), kWords.end(), lower) == kWords.end()) return text;
  std::string out;
  append_json_string(out, text);
  return out;
}

constexpr std::size_t kColumns = 80;

// A sentence as lines of comment.
std::string comment(const std::string& sentence) {
  std::string out = "#";
  std::size_t column = 1;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
    if (column > 1 && column + 1 + (end - at) > kColumns) {
      out += "\n#";
      column = 1;
    }
    out += ' ' + sentence.substr(at, end - at);
    column += 1 + (end - at);
    at = end + 1;
  }
  return out + "\n";
}

// The shortest way to say who it is: short names, and groups that nothing implies. One key and value after another.
std::vector<std::string> user_fields(const User& user) {
  const std::string name = user.name.empty() ? "system:anonymous" : user.name;
  std::string as = short_name_of(name);
  const auto groups_of = [](const std::string& text) -> std::optional<User> {
    try {
      User out = user_named(text);
      add_implied_groups(out);
      return out;
    } catch (const Error&) {
      return std::nullopt;
    }
  };
  const std::set<std::string_view> given(user.groups.begin(), user.groups.end());
  std::optional<User> known = groups_of(as);
  const auto fits = [&] {
    return known && known->name == name &&
           std::all_of(known->groups.begin(), known->groups.end(),
                       [&](const std::string& group) { return given.contains(group); });
  };
  if (!fits()) known = groups_of(as = name);
  if (!fits()) known = groups_of(as = "user:" + name);
  if (!fits()) return {};
  std::string groups;
  for (const std::string& group : user.groups) {
    if (std::find(known->groups.begin(), known->groups.end(), group) == known->groups.end())
      groups += (groups.empty() ? "" : ", ") + scalar(group);
  }
  std::vector<std::string> out = {"as: " + scalar(as)};
  if (!groups.empty()) out.push_back("groups: [" + groups + "]");
  return out;
}

bool same_request(const RequestInfo& a, const RequestInfo& b) {
  if (a.is_resource_request != b.is_resource_request || a.verb != b.verb) return false;
  if (!a.is_resource_request) return a.path == b.path;
  return a.api_group == b.api_group && a.resource == b.resource && a.subresource == b.subresource && a.ns == b.ns;
}

// Nothing: no test file can say it.
std::optional<std::string> request_text(const RequestInfo& info) {
  RequestInfo shown = info;
  for (const bool with_name : {true, false}) {
    if (!with_name) shown.name.clear();
    const std::string words = request_words(shown);
    if (words.empty()) continue;
    try {
      if (same_request(request_named(words).request.info, info)) return words;
    } catch (const Error&) {
    }
  }
  return std::nullopt;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

// Whether the test file says what it is meant to, whatever the names in it are.
bool reads_back(const std::string& line, const Classifier& classifier, std::uint32_t schema) {
  const TestFile file = read_test_file({"generated", "tests:\n" + line});
  if (!file.faults.empty() || file.cases.size() != 1) return false;
  const auto& test = std::get<RequestTest>(file.cases.front().what);
  return classifier.match(test.request.info, test.user).schema == schema;
}

std::optional<std::string> test_line(const Classifier& classifier, std::uint32_t schema, const User& user,
                                     const RequestInfo& info) {
  const std::optional<std::string> request = request_text(info);
  std::vector<std::string> fields = user_fields(user);
  if (!request || fields.empty()) return std::nullopt;
  const Classifier::Schema& of = classifier.schemas()[schema];
  fields.push_back("request: " + scalar(*request));
  fields.push_back("expect: " + scalar(of.name + "/" + classifier.levels()[of.level].name));
  std::string line = fmt::format("- {{{}}}\n", joined(fields, ", "));
  if (line.size() > kColumns) line = fmt::format("- {}\n", joined(fields, "\n  "));
  if (!reads_back(line, classifier, schema)) return std::nullopt;
  return line;
}

// --- of logs -------------------------------------------------------------------------------------------

// Through a FlowSchema: which rule, subject and part matched first.
struct Path {
  std::uint32_t schema = 0;
  std::size_t rule = 0, subject = 0, part = 0;
  bool fallback = false, is_url = false;
  auto operator<=>(const Path&) const = default;
};

template <class Parts>
std::optional<std::size_t> first_part(const Parts& parts, const RequestInfo& info) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (match_fields(parts[i], info).all()) return i;
  }
  return std::nullopt;
}

Path path_of(const Classifier& classifier, const Classifier::Match& match, const RequestInfo& info, const User& user) {
  Path out{match.schema, 0, 0, 0, match.fallback, !info.is_resource_request};
  const std::vector<PolicyRule>& rules = classifier.schemas()[match.schema].object.rules;
  for (std::size_t r = 0; r < rules.size() && !match.fallback; ++r) {
    const auto subject = std::find_if(rules[r].subjects.begin(), rules[r].subjects.end(),
                                      [&](const Subject& s) { return subject_matches(s, user); });
    if (subject == rules[r].subjects.end()) continue;
    const std::optional<std::size_t> part = info.is_resource_request ? first_part(rules[r].resource_rules, info)
                                                                     : first_part(rules[r].non_resource_rules, info);
    if (!part) continue;
    out.rule = r;
    out.subject = static_cast<std::size_t>(subject - rules[r].subjects.begin());
    out.part = *part;
    return out;
  }
  return out;
}

std::string path_words(const Classifier& classifier, const Path& path) {
  const Classifier::Schema& schema = classifier.schemas()[path.schema];
  if (path.fallback) return schema.name + ", because nothing else matches";
  const Subject& subject = schema.object.rules[path.rule].subjects[path.subject];
  return fmt::format("{} rules[{}]: {}, {}[{}]", schema.name, path.rule, subject_words(subject),
                     path.is_url ? "nonResourceRules" : "resourceRules", path.part);
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.1 ? "less than 0.1 %" : fmt::format("{:.1f} %", percent);
}

std::string counted(std::uint64_t n, const char* one) { return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"); }

// The user of a log line, as often as he comes.
class Users {
 public:
  explicit Users(const Classifier& classifier) : classifier_(classifier) {}

  struct Known {
    User user;
    std::shared_ptr<const Classifier::Candidates> candidates;
  };
  const Known& find(const User& user) {
    std::string key = user.name;
    for (const std::string& group : user.groups) (key += '\n') += group;
    const auto at = known_.find(key);
    if (at != known_.end()) return at->second;
    if (known_.size() >= kMost) known_.clear();
    Known& out = known_[std::move(key)];
    out.user = user;
    add_implied_groups(out.user);
    out.candidates = classifier_.candidates(out.user);
    return out;
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  const Classifier& classifier_;
  std::unordered_map<std::string, Known> known_;
};

GeneratedTests of_logs(const Classifier& classifier, const GenerateOptions& options) {
  struct Seen {
    std::uint64_t requests = 0;
    std::optional<std::string> line;  // of the first request that a file can say
  };
  std::map<Path, Seen> seen;
  GeneratedTests out;
  Users users(classifier);
  const auto traffic = make_traffic_reader(options.traffic_reader, options.logs.front());
  const auto take = [&](const RequestInfo* info, const User& logged) {
    if (!info) return;
    const Users::Known& user = users.find(logged);
    const Classifier::Match match = classifier.match(*info, *user.candidates);
    Seen& of = seen[path_of(classifier, match, *info, user.user)];
    ++of.requests;
    constexpr std::uint64_t kTries = 100;
    if (!of.line && of.requests <= kTries) of.line = test_line(classifier, match.schema, user.user, *info);
  };
  for (const std::string& log : options.logs) {
    const TrafficReader::Counts counts = traffic->read(log, take);
    out.requests += counts.requests;
    out.unusable += counts.unusable;
    out.damaged_logs.insert(out.damaged_logs.end(), counts.damaged.begin(), counts.damaged.end());
  }
  if (out.requests == out.unusable) {
    std::string names;
    for (const std::string& log : options.logs) names += (names.empty() ? "" : ", ") + log;
    throw Error(names + ": no requests found");
  }
  const std::uint64_t usable = out.requests - out.unusable;
  for (const auto& [path, of] : seen) {
    out.text += comment(fmt::format("{} ({}): {}", counted(of.requests, "request"), percent_of(of.requests, usable),
                                    one_line(path_words(classifier, path))));
    if (of.line) {
      out.text += *of.line;
      ++out.tests;
    } else {
      out.text += "# none of them can be written as a test\n";
    }
  }
  return out;
}

// --- of rules ----------------------------------------------------------------------------------------

class RuleWitnesses {
 public:
  explicit RuleWitnesses(const Classifier& classifier) : classifier_(classifier), reach_(consulted_by(classifier)) {}

  // A test of a request that reaches the rule, if there is one that no rule before it matches; nothing: none does, or
  // none can be written.
  struct Found {
    bool reached = false;
    std::optional<std::string> line;
  };
  Found find(std::uint32_t schema, std::uint32_t rule) const {
    Found out;
    out.reached = reach_.of(schema).rules[rule].reached;
    if (!out.reached) return out;
    std::size_t tried = 0;
    reach_.examples(schema, rule, [&](const Witness& witness) {
      if (classifier_.match(witness.request, witness.user).schema == schema)
        out.line = test_line(classifier_, schema, witness.user, witness.request);
      return out.line || ++tried >= kMostTries;
    });
    return out;
  }

 private:
  static constexpr std::size_t kMostTries = 64;

  static std::vector<const FlowSchema*> consulted_by(const Classifier& classifier) {
    std::vector<const FlowSchema*> out;
    for (const Classifier::Schema& schema : classifier.schemas()) out.push_back(&schema.object);
    return out;
  }

  const Classifier& classifier_;
  Reach reach_;
};

GeneratedTests of_rules(const Classifier& classifier) {
  GeneratedTests out;
  const RuleWitnesses witnesses(classifier);
  for (std::uint32_t i = 0; i < classifier.schemas().size(); ++i) {
    const Classifier::Schema& schema = classifier.schemas()[i];
    for (std::uint32_t rule = 0; rule < schema.object.rules.size(); ++rule) {
      const RuleWitnesses::Found found = witnesses.find(i, rule);
      out.text += one_line(fmt::format("# {} rules[{}]", schema.name, rule));
      if (found.line) {
        out.text += "\n" + *found.line;
        ++out.tests;
      } else {
        out.text += found.reached ? ": none of its requests can be written as a test\n" : ": no request reaches it\n";
      }
    }
  }
  return out;
}

}  // namespace

GeneratedTests generate_tests(const Config& config, const GenerateOptions& options) {
  const Classifier classifier(config);
  GeneratedTests out = options.logs.empty() ? of_rules(classifier) : of_logs(classifier, options);
  std::string names;
  for (const std::string& log : options.logs) names += (names.empty() ? "" : ", ") + log;
  const std::string what =
      options.logs.empty()
          ? fmt::format("{}, one for each rule that a request can reach", counted(out.tests, "test"))
          : fmt::format("{} of {} in {}, one for each path through the configuration", counted(out.tests, "test"),
                        counted(out.requests - out.unusable, "request"), names);
  out.text =
      comment("Written by apfctl test --generate: " + one_line(what) + ".") + options.head + "tests:\n" + out.text;
  return out;
}

}  // namespace apf
