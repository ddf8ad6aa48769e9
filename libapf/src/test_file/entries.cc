#include "test_file/entries.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include <apf/error.h>
#include <apf/request_words.h>
#include <fmt/core.h>

#include "lint/reach/witness.h"
#include "lint/select.h"
#include "test_file/limit_metrics.h"
#include "test_file/number_test.h"

namespace apf {

namespace {

constexpr std::array<std::string_view, 4> kKinds = {"request", "limits", "lint", "replay"};

}  // namespace

void EntryReader::add(std::string name, const ConfigNode& at,
                      std::variant<RequestTest, LimitTest, LintTest, ReplayTest> what) {
  file_.cases.push_back({std::move(name), at.span(), std::move(what)});
}

void EntryReader::read(const ConfigNode& node) {
  const Fields fields(
      faults_, "a test", node,
      {"name", "as", "groups", "users", "request", "requests", "expect", "expect-not", "limits", "lint", "replay"});
  if (!node.is_mapping()) return;
  std::string name;
  if (const ConfigNode* text = fields.get("name")) name = text_of(faults_, "name", *text, "a text").value_or("");
  const bool asks = fields.has("request") || fields.has("requests");
  const bool is[] = {asks, fields.has("limits"), fields.has("lint"), fields.has("replay")};
  const auto kinds = std::count(std::begin(is), std::end(is), true);
  if (kinds != 1) {
    if (kinds > 1 || !fields.has_unknown())
      faults_.add(node, kinds == 0 ? "a test without request, requests, limits, lint or replay: it tests nothing"
                                   : "a test has one of request, limits, lint and replay: write one test for each");
    return;
  }
  if (asks) return read_requests(fields, node, name);
  for (const char* key : {"as", "groups", "users", "expect", "expect-not"}) {
    if (!fields.has(key)) continue;
    const auto kind = static_cast<std::size_t>(std::find(std::begin(is), std::end(is), true) - std::begin(is));
    faults_.add(node.find_entry(key)->key,
                fmt::format("the key \"{}\" belongs to a test of a request, not of {}", key, kKinds[kind]));
    return;
  }
  if (const ConfigNode* limits = fields.get("limits")) return read_limits(*limits, name);
  if (const ConfigNode* lint = fields.get("lint")) return read_lint(*lint, name);
  read_replay(*fields.get("replay"), name);
}

// --- requests ----------------------------------------------------------------------------------------

std::optional<EntryReader::NamedUser> EntryReader::read_user(const ConfigNode* as, const ConfigNode* groups) {
  if (!as) return std::nullopt;
  const std::optional<std::string> text = text_of(faults_, "as", *as, "a user such as sa:NAMESPACE/NAME");
  if (!text) return std::nullopt;
  NamedUser out{*text, {}};
  try {
    out.user = *text == kAdministrator ? admin_(file_) : user_named(*text);
  } catch (const Error& error) {
    faults_.add(*as, fmt::format("as: {}", error.what()));
    return std::nullopt;
  }
  if (groups) {
    std::vector<std::string>& all = out.user.groups;
    std::set<std::string> known(all.begin(), all.end());
    for (const std::string& group : texts_of(faults_, "groups", *groups, "a group")) {
      if (known.insert(group).second) all.push_back(group);
      out.text += (out.text == *text ? " in " : ", ") + group;
    }
  }
  add_implied_groups(out.user);
  return out;
}

std::vector<EntryReader::NamedUser> EntryReader::read_users(const Fields& fields) {
  std::vector<NamedUser> out;
  const auto add = [&](std::optional<NamedUser> user) {
    if (user) out.push_back(std::move(*user));
  };
  const ConfigNode *as = fields.get("as"), *users = fields.get("users"), *groups = fields.get("groups");
  if (as && users) faults_.add(*users, "a test has either as or users");
  if (as) add(read_user(as, groups));
  if (!users) return out;
  if (groups) faults_.add(*groups, "groups: with users, write them into each user: {as: USER, groups: [GROUP]}");
  if (!users->is_sequence() || users->items().empty()) {
    faults_.add(*users, fmt::format("users: expected a list of users, found {}",
                                    users->is_sequence() ? "an empty one" : kind_of(*users)));
  }
  for (const ConfigNode& item : users->items()) {
    if (!item.is_mapping()) {
      add(read_user(&item, nullptr));
      continue;
    }
    const Fields user(faults_, "users", item, {"as", "groups"});
    if (!user.has("as")) faults_.add(item, "users: the key \"as\" is missing here");
    add(read_user(user.get("as"), user.get("groups")));
  }
  return out;
}

std::string words_of_request(const NamedRequest& named) {
  if (const std::string words = request_words(named.request.info); !words.empty()) return words;
  return named.method.empty() ? named.request.info.verb + " " + named.uri : named.method + " " + named.uri;
}

const std::vector<KeyOf<LongRequest>>& long_request_keys() {
  static const std::vector<KeyOf<LongRequest>> keys = [] {
    const auto text = [](std::string_view name, std::string_view says, std::string_view expected) -> Key {
      return {.name = name, .form = KeyForm::text, .text = says, .expected = expected, .also = "any scalar"};
    };
    std::vector<KeyOf<LongRequest>> out = {
        {{"as"}},
        {{"groups"}},
        {text("verb", "A verb, such as list.", "a verb"), into(&LongRequest::verb)},
        {text("resource", "RESOURCE[.GROUP][/SUBRESOURCE], or a path, such as /healthz.", "a resource or a path"),
         into(&LongRequest::resource)},
        {text("subresource", "The subresource, if the resource does not name it.", "a subresource"),
         into(&LongRequest::subresource)},
        {text("namespace",
              "The namespace of the object. Absent: it is cluster-scoped, or the request is for all namespaces.",
              "a namespace"),
         into(&LongRequest::ns)},
        {text("name", "The name of the object.", "a name"), into(&LongRequest::name)},
        {text("method", "The HTTP method, with uri. Absent: GET.", "a method such as GET"), into(&LongRequest::method)},
        {text("uri", "The URI of the request, such as /api/v1/pods?watch=1, instead of a verb and a resource.",
              "a URI"),
         into(&LongRequest::uri)},
    };
    static std::deque<std::string> texts;
    for (const std::string_view verb : {"get", "list", "watch", "create", "update", "patch", "delete",
                                        "deletecollection", "proxy", "head", "post", "put", "options"}) {
      texts.push_back(fmt::format("The resource or path of a request with the verb {}.", verb));
      out.push_back({text(verb, texts.back(), "a resource or a path"), [verb](const KeyValue& value, LongRequest& to) {
                       to.by_verb.emplace_back(verb, value.texts.front());
                     }});
    }
    return out;
  }();
  return keys;
}

std::optional<NamedRequest> EntryReader::long_form(const Fields& fields, const ConfigNode& node) {
  LongRequest is;
  if (!read_keys(faults_, fields, long_request_keys(), is)) return std::nullopt;
  for (auto& [verb, resource] : is.by_verb) {
    const ConfigNode& at = *fields.get(verb);
    if (!is.verb.empty()) {
      faults_.add(at, fmt::format("a request has one verb: {} or {}", is.verb, verb));
      return std::nullopt;
    }
    if (!is.resource.empty()) faults_.add(at, "the resource is given twice: here and with \"resource\"");
    is.verb = verb;
    is.resource = std::move(resource);
  }
  NamedRequest out;
  if (!is.method.empty() || !is.uri.empty()) {
    if (!is.verb.empty() || !is.resource.empty()) {
      faults_.add(node, "a request has either method and uri, or a verb and a resource");
      return std::nullopt;
    }
    if (is.uri.empty()) {
      faults_.add(node, "method: the key \"uri\" is missing here");
      return std::nullopt;
    }
    out = http_request(is.method.empty() ? "GET" : is.method, is.uri);
  } else if (is.verb.empty() || is.resource.empty()) {
    faults_.add(node, is.verb.empty() ? "a request without a verb: write \"list: pods\", or method and uri"
                                      : "a request without a resource: write \"list: pods\", or method and uri");
    return std::nullopt;
  } else {
    RequestWords words{{is.verb, is.resource}, is.ns, is.subresource};
    if (!is.name.empty()) words.plain.push_back(std::move(is.name));
    out = request_of_words(words);
  }
  const ParsedRequest& parsed = out.request;
  const std::string& error = parsed.error();
  if (!error.empty()) throw Error("'" + out.uri + "': " + error);
  return out;
}

std::optional<EntryReader::Request> EntryReader::read_long_request(const ConfigNode& node) {
  const Fields fields(faults_, "request", node, names_of(long_request_keys()));
  Request out;
  out.node = &node;
  std::optional<NamedRequest> named = long_form(fields, node);
  if (!named) return std::nullopt;
  out.named = std::move(*named);
  out.text = words_of_request(out.named);
  out.user = read_user(fields.get("as"), fields.get("groups"));
  if (fields.has("groups") && !fields.has("as"))
    faults_.add(*fields.get("groups"), "groups: the key \"as\" is missing");
  return out;
}

std::optional<EntryReader::Request> EntryReader::read_request(const ConfigNode& node) {
  try {
    if (node.is_mapping()) return read_long_request(node);
    const std::optional<std::string> text = text_of(faults_, "request", node, "a request such as \"list pods -n ci\"");
    if (!text) return std::nullopt;
    return Request{*text, request_named(*text), std::nullopt, &node};
  } catch (const Error& error) {
    faults_.add(node, fmt::format("request: {}", error.what()));
  }
  return std::nullopt;
}

const std::vector<KeyOf<ExpectedPlace>>& place_keys() {
  const auto name = [](std::string_view key, std::string_view says) -> Key {
    return {.name = key, .form = KeyForm::text, .text = says, .expected = "a name", .also = "any scalar"};
  };
  static const std::vector<KeyOf<ExpectedPlace>> keys = {
      {name("flowSchema", "The FlowSchema that takes it."), into(&ExpectedPlace::flow_schema)},
      {name("priorityLevel", "The priority level that serves it."), into(&ExpectedPlace::priority_level)},
      {{"distinguisher"}},
      {{"seats"}},
  };
  return keys;
}

std::optional<ExpectedPlace> EntryReader::read_place(std::string_view key, const ConfigNode& node) {
  ExpectedPlace out;
  if (!node.is_mapping()) {
    const std::optional<std::string> text = text_of(faults_, key, node, "FLOWSCHEMA/LEVEL, or a mapping");
    if (!text) return std::nullopt;
    const std::size_t slash = text->find('/');
    if (slash == std::string::npos) {
      out.either = *text;
      return out;
    }
    out.flow_schema = text->substr(0, slash);
    out.priority_level = text->substr(slash + 1);
    if (!out.flow_schema->empty() && !out.priority_level->empty() && out.priority_level->find('/') == std::string::npos)
      return out;
    faults_.add(node, fmt::format("{}: \"{}\" is not FLOWSCHEMA/LEVEL", key, *text));
    return std::nullopt;
  }
  const Fields fields(faults_, key, node, names_of(place_keys()));
  read_keys(faults_, fields, place_keys(), out);
  if (const ConfigNode* value = fields.get("distinguisher")) {  // an empty one is that of a FlowSchema with one flow
    if (value->is_scalar()) out.distinguisher = value->text();
    else faults_.add(*value, fmt::format("distinguisher: expected a text, found {}", kind_of(*value)));
  }
  if (const ConfigNode* value = fields.get("seats")) out.seats = number_tests_of(faults_, "seats", *value);
  if (node.entries().empty())
    faults_.add(node, fmt::format("{}: it is empty; name a flowSchema or a priorityLevel", key));
  return out;
}

void EntryReader::read_requests(const Fields& fields, const ConfigNode& node, const std::string& name) {
  RequestTest test;
  if (const ConfigNode* place = fields.get("expect")) test.expect = read_place("expect", *place);
  if (const ConfigNode* place = fields.get("expect-not")) test.expect_not = read_place("expect-not", *place);
  if (!fields.has("expect") && !fields.has("expect-not") && !fields.has_unknown())
    faults_.add(node, "a request without expect or expect-not: say where it is to go, as FLOWSCHEMA/LEVEL");
  const std::vector<NamedUser> users = read_users(fields);
  const ConfigNode *one = fields.get("request"), *many = fields.get("requests");
  if (one && many) faults_.add(*many, "a test has either request or requests");
  std::vector<Request> requests;
  const auto take = [&](const ConfigNode& at) {
    if (std::optional<Request> request = read_request(at)) requests.push_back(std::move(*request));
  };
  if (one) take(*one);
  if (many && (!many->is_sequence() || many->items().empty())) {
    faults_.add(*many, fmt::format("requests: expected a list of requests, found {}",
                                   many->is_sequence() ? "an empty one" : kind_of(*many)));
  }
  if (many) {
    for (const ConfigNode& item : many->items()) take(item);
  }
  const bool has_users = fields.has("as") || fields.has("users");
  const std::size_t cases = requests.size() * std::max<std::size_t>(users.size(), 1);
  if (file_.cases.size() + cases > kMostCases) {
    faults_.add(node, fmt::format("more than {} tests in one file: split it", kMostCases));
    return;
  }
  const auto add_case = [&](const Request& request, const NamedUser& user, const ConfigNode& at) {
    test.user = user.user;
    test.request = request.named.request;
    test.method = request.named.method;
    test.uri = request.named.uri;
    const std::string own = request.text + " as " + user.text;
    add(name.empty() ? own : cases == 1 ? name : name + ": " + own, at, test);
  };
  // A test that does not say what it expects is none.
  if (!test.expect && !test.expect_not) return;
  for (const Request& request : requests) {
    for (const Remark& note : request.named.notes) file_.notes.push_back({request.node->span(), note});
    if (request.user && has_users) {
      faults_.add(*request.node, "the user is given twice: in the request and outside of it");
    } else if (request.user) {
      add_case(request, *request.user, node);
    } else if (!has_users && !fields.has_unknown()) {
      faults_.add(*request.node, "whose request is it? The key \"as\" is missing, as in \"as: sa:NAMESPACE/NAME\"");
    }
  }
  for (const NamedUser& user : users) {
    for (const Request& request : requests) add_case(request, user, node);
  }
}

// --- limits, findings, replays ---------------------------------------------------------------------------

void EntryReader::read_limits(const ConfigNode& node, const std::string& name) {
  if (!node.is_mapping() || node.entries().empty()) {
    faults_.add(node, fmt::format("limits: expected a mapping of priority levels, found {}",
                                  node.is_mapping() ? "an empty one" : kind_of(node)));
    return;
  }
  std::vector<std::string_view> names;
  for (const LimitMetric& metric : limit_metrics()) names.push_back(metric.name);
  for (const ConfigEntry& level : node.entries()) {
    if (!level.value.is_mapping() || level.value.entries().empty()) {
      faults_.add(level.value,
                  fmt::format("{}: expected a mapping such as {{nominal: \">= 20\"}}, found {}", level.key.text(),
                              level.value.is_mapping() ? "an empty one" : kind_of(level.value)));
      continue;
    }
    for (const ConfigEntry& entry : level.value.entries()) {
      if (!find_limit_metric(entry.key.text())) {
        faults_.add(entry.key,
                    fmt::format("unknown key \"{}\"{}", entry.key.text(), suggested(entry.key.text(), names)));
        continue;
      }
      for (NumberTest& wanted : number_tests_of(faults_, entry.key.text(), entry.value)) {
        const std::string own = fmt::format("{}.{} {}", level.key.text(), entry.key.text(), wanted.text);
        add(name.empty() ? own : name + ": " + own, entry.key,
            LimitTest{std::string(level.key.text()), std::string(entry.key.text()), std::move(wanted)});
        if (file_.cases.size() > kMostCases) return;
      }
    }
  }
}

const std::vector<KeyOf<LintTest>>& lint_test_keys() {
  using enum KeyForm;
  constexpr std::string_view kText = "Codes (APF203), beginnings of codes (APF2) or names of rules.",
                             kPattern = "^(APF[0-9]{1,3}|[a-z][a-z0-9]*(-[a-z0-9]+)*)$";
  static const std::vector<KeyOf<LintTest>> keys = {
      {{"fail-on", word, "The least severity that fails. Absent: that of .apfctl.yaml, or warning.", "",
        severity_words()},
       into(&LintTest::fail_on)},
      {{"select", texts, kText, "a rule", {}, 0, 0, "", kPattern}, into(&LintTest::select)},
      {{"ignore", texts, kText, "a rule", {}, 0, 0, "", kPattern}, into(&LintTest::ignore)},
  };
  return keys;
}

void EntryReader::read_lint(const ConfigNode& node, const std::string& name) {
  const Fields fields(faults_, "lint", node, names_of(lint_test_keys()));
  LintTest test;
  read_keys(faults_, fields, lint_test_keys(), test);
  const auto check = [&](const char* key, const std::vector<std::string>& words) {
    for (const std::string& word : words)
      if (const std::string fault = fault_of_rule(word); !fault.empty())
        faults_.add(*fields.get(key), fmt::format("{}: {}", key, fault));
  };
  check("select", test.select);
  check("ignore", test.ignore);
  const std::string severity = test.fail_on ? fmt::format(" of severity {} or higher", to_string(*test.fail_on)) : "";
  add(name.empty() ? "lint: no findings" + severity : name, node, std::move(test));
}

const std::vector<KeyOf<ReplaySetup>>& replay_test_keys() {
  using enum KeyForm;
  static const std::vector<KeyOf<ReplaySetup>> keys = {
      {{"log", paths, "Logs of one server, relative to the folder of this file.", "a path"}, into(&ReplaySetup::logs)},
      {{"objects", path, "A file of object counts, relative to the folder of this file.", "a path"},
       into(&ReplaySetup::objects)},
      {{"recorded-config", text,
        "The configuration that the server ran when the log was written, relative to the folder of this file; same: "
        "this one.",
        "a path, or same"},
       into(&ReplaySetup::recorded_config)},
      {{"allow-empty", yes, "Whether expectations may be about no request at all. Absent: no."},
       into(&ReplaySetup::allow_empty)},
      {{"allow-disagreement", yes, "Whether expectations may be about a replay that the log contradicts. Absent: no."},
       into(&ReplaySetup::allow_disagreement)},
      {{"expect", texts, "Expectations, as of `apfctl replay --expect`: \"workload-low.p99wait < 1s\".",
        "an expectation such as \"workload-low.p99wait < 1s\""},
       into(&ReplaySetup::expect)},
  };
  return keys;
}

void EntryReader::read_replay(const ConfigNode& node, const std::string& name) {
  const Fields fields(faults_, "replay", node, names_of(replay_test_keys()));
  if (!node.is_mapping()) return;
  ReplaySetup setup;
  read_keys(faults_, fields, replay_test_keys(), setup);
  if (!setup.recorded_config.empty() && setup.recorded_config != "same")
    setup.recorded_config = path_beside(file_.name, setup.recorded_config);
  for (const char* needed : {"log", "expect"}) {
    if (!fields.has(needed) && !fields.has_unknown())
      faults_.add(node, fmt::format("replay: the key \"{}\" is missing here", needed));
  }
  const ConfigNode* expect = fields.get("expect");
  if (!expect) return;
  for (std::size_t i = 0; i < setup.expect.size(); ++i) {
    const ConfigNode& at = expect->is_sequence() && i < expect->items().size() ? expect->items()[i] : *expect;
    add(name.empty() ? setup.expect[i] : name + ": " + setup.expect[i], at, ReplayTest{file_.replays.size(), i});
  }
  file_.replays.push_back(std::move(setup));
}

}  // namespace apf
