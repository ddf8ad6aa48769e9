// resourcequota*.jsonl: what the ResourceQuota plugin of kube-apiserver says to a course of requests, and what the
// quota controller would count in between.
#include "catch.h"
#include "support/vector_fields.h"

#include <algorithm>
#include <map>
#include <memory>

#include <simdjson.h>

#include "admission/quota_engine.h"
#include "config/reader.h"
#include "support/vectors.h"

using simdjson::dom::element;

using apf::test::text_of;

namespace {

constexpr const char* kNamespace = "ns";

bool flag_of(element at, const char* key) {
  bool value = false;
  return at[key].get(value) == simdjson::SUCCESS && value;
}

apf::UsageList amounts_of(simdjson::simdjson_result<element> at) {
  apf::UsageList out;
  simdjson::dom::object members;
  if (at.get(members) != simdjson::SUCCESS) return out;
  for (const auto [key, value] : members) {
    auto amount = apf::Quantity::parse(std::string_view(value));
    REQUIRE(amount);
    amount->round_up(-3);
    out.set(key, *amount);
  }
  return out;
}

apf::ScopeRequirement scope_of(element at) {
  apf::ScopeRequirement scope{text_of(at, "scopeName"), text_of(at, "operator"), {}, false};
  simdjson::dom::array values;
  if (at["values"].get(values) == simdjson::SUCCESS) {
    for (std::string_view value : values) scope.values.emplace_back(value);
  }
  return scope;
}

apf::QuotaState quota_of(element at) {
  apf::QuotaState quota;
  quota.name = text_of(at["metadata"], "name");
  quota.ns = kNamespace;
  quota.spec_hard = amounts_of(at["spec"]["hard"]);
  quota.hard = quota.spec_hard;
  simdjson::dom::array list;
  if (at["spec"]["scopes"].get(list) == simdjson::SUCCESS) {
    for (std::string_view name : list) quota.scopes.push_back({std::string(name), "Exists", {}, false});
  }
  if (at["spec"]["scopeSelector"]["matchExpressions"].get(list) == simdjson::SUCCESS) {
    for (element expression : list) quota.scopes.push_back(scope_of(expression));
  }
  element status;
  if (at["status"].get(status) == simdjson::SUCCESS) {
    quota.hard = amounts_of(status["hard"]);
    quota.used = amounts_of(status["used"]);
  }
  return quota;
}

std::vector<apf::LimitedResource> limited_of(element vector) {
  std::vector<apf::LimitedResource> out;
  simdjson::dom::array list;
  if (vector["limited"].get(list) != simdjson::SUCCESS) return out;
  for (element at : list) {
    apf::LimitedResource entry;
    entry.api_group = text_of(at, "apiGroup");
    entry.resource = text_of(at, "resource");
    simdjson::dom::array parts;
    if (at["matchContains"].get(parts) == simdjson::SUCCESS) {
      for (std::string_view part : parts) entry.match_contains.emplace_back(part);
    }
    if (at["matchScopes"].get(parts) == simdjson::SUCCESS) {
      for (element scope : parts) entry.match_scopes.push_back(scope_of(scope));
    }
    out.push_back(std::move(entry));
  }
  return out;
}

// One vector's server: the engine, and what is stored.
class Server {
 public:
  explicit Server(element vector) : engine_(quotas_of(vector), limited_of(vector)) {
    simdjson::dom::array list;
    if (vector["init"].get(list) == simdjson::SUCCESS) {
      for (element op : list) store(op, measure(op));
    }
    std::size_t number = 0;
    for (element quota : vector["quotas"]) {
      element status;
      if (quota["status"].get(status) != simdjson::SUCCESS) engine_.resync(number, recount(number));
      ++number;
    }
  }

  apf::QuotaVerdict run(element op) {
    const std::string kind = text_of(op, "op");
    apf::QuotaVerdict verdict;
    if (kind == "resync") {
      for (std::size_t i = 0; i < engine_.quotas().size(); ++i) engine_.resync(i, recount(i));
      return verdict;
    }
    if (kind == "delete") {
      stored_.erase(key_of(op, text_of(op, "name")));
      return verdict;
    }
    apf::QuotaSubject subject = measure(op);
    apf::QuotaRequest request;
    request.operation = kind == "create" ? apf::QuotaOperation::create : apf::QuotaOperation::update;
    const std::string name = text_of(op, "name");
    const std::string subresource = text_of(op, "subresource");
    request.name = name;
    request.subresource = subresource;
    request.dry_run = flag_of(op, "dry_run");
    if (!flag_of(op, "no_namespace")) request.ns = kNamespace;
    request.object = &subject;
    apf::QuotaSubject fresh = subject;
    fresh.has_resource_version = false;
    if (request.operation == apf::QuotaOperation::update) {
      const auto at = stored_.find(key_of(op, subject.name));
      if (at != stored_.end()) request.old = &at->second;
      if (flag_of(op, "create_on_update")) request.old = &fresh;
    }
    verdict = engine_.admit(request);
    const bool whole = subresource.empty() || (request.old && !flag_of(op, "create_on_update"));
    if (verdict.admitted() && !request.dry_run && whole && !request.ns.empty()) store(op, subject);
    return verdict;
  }

  apf::UsageList recount(std::size_t number) const {
    std::vector<const apf::QuotaSubject*> objects;
    for (const auto& [key, subject] : stored_) objects.push_back(&subject);
    std::stable_sort(objects.begin(), objects.end(), [](const auto* a, const auto* b) {
      return a->name.size() != b->name.size() ? a->name.size() < b->name.size() : a->name < b->name;
    });
    return engine_.recount(engine_.quotas()[number], objects);
  }
  const apf::QuotaEngine& engine() const { return engine_; }

 private:
  static std::vector<apf::QuotaState> quotas_of(element vector) {
    std::vector<apf::QuotaState> out;
    for (element quota : vector["quotas"]) out.push_back(quota_of(quota));
    return out;
  }
  static std::string key_of(element op, const std::string& name) {
    return text_of(op, "group") + "/" + text_of(op, "resource") + "/" + name;
  }
  apf::QuotaSubject measure(element op) {
    std::vector<apf::Diagnostic> diagnostics;
    const auto tree = apf::read_tree({"object.json", simdjson::minify(op["object"])}, diagnostics);
    REQUIRE(diagnostics.empty());
    std::vector<apf::ObjectFault> faults;
    apf::QuotaSubject subject =
        apf::measure_object({text_of(op, "group"), text_of(op, "resource")}, *tree->documents().at(0).root, {}, faults);
    for (const apf::ObjectFault& fault : faults) CHECK(fault.decodes);
    return subject;
  }
  void store(element op, apf::QuotaSubject subject) {
    subject.has_resource_version = true;
    const std::string key = key_of(op, subject.name);
    stored_.insert_or_assign(key, std::move(subject));
  }

  apf::QuotaEngine engine_;
  std::map<std::string, apf::QuotaSubject> stored_;
};

std::map<std::string, std::string> texts_of(const apf::UsageList& list) {
  std::map<std::string, std::string> out;
  for (const auto& [name, amount] : list) out[name] = amount.str();
  return out;
}

std::map<std::string, std::string> texts_of(element object) {
  std::map<std::string, std::string> out;
  for (const auto [name, amount] : simdjson::dom::object(object)) out[std::string(name)] = std::string_view(amount);
  return out;
}

void check_used(const Server& server, element expected) {
  for (const apf::QuotaState& quota : server.engine().quotas()) {
    CHECK(texts_of(quota.used) == texts_of(expected[quota.name]));
  }
}

void run_vectors(const char* file) {
  simdjson::dom::parser parser;
  int run = 0;
  for (const std::string& text : apf::test::read_vectors(file)) {
    const element vector = parser.parse(text);
    INFO(text_of(vector, "id"));
    REQUIRE(text_of(vector, "mode") == "quota");
    Server server(vector);
    check_used(server, vector["initial_used"]);
    std::size_t i = 0;
    for (element op : vector["ops"]) {
      const element expected = vector["results"].at(i++);
      INFO("operation " << i - 1 << ": " << simdjson::minify(op));
      const apf::QuotaVerdict verdict = server.run(op);
      element admitted;
      if (expected["admitted"].get(admitted) == simdjson::SUCCESS) {
        CHECK(verdict.admitted() == bool(admitted));
        bool evaluated = true;
        if (expected["evaluated"].get(evaluated) != simdjson::SUCCESS) evaluated = true;
        CHECK(verdict.evaluated == evaluated);
      }
      CHECK(verdict.message == text_of(expected, "error"));
      std::int64_t code = 0;
      if (expected["code"].get(code) != simdjson::SUCCESS) code = 0;
      CHECK(verdict.code == code);
      CHECK(text_of(expected, "reason") == (code == 403 ? "Forbidden" : ""));
      check_used(server, expected["used"]);
      for (std::size_t q = 0; q < server.engine().quotas().size(); ++q) {
        const std::string& name = server.engine().quotas()[q].name;
        CHECK(texts_of(server.recount(q)) == texts_of(expected["recomputed_used"][name]));
      }
    }
    ++run;
  }
  CHECK(run > 0);
}

}  // namespace

TEST_CASE("resource quota vectors", "[conformance][admission][quota]") { run_vectors("resourcequota.jsonl"); }

TEST_CASE("resource quota random vectors", "[conformance][admission][quota]") {
  run_vectors("resourcequota-random.jsonl");
}
