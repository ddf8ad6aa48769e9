// What the stages inside the handler see of a request: events and their keys, dry runs, objects.
#include "replay/prepare/attributes.h"
#include "catch.h"

using namespace apf;

namespace {

struct Read {
  bool wanted = false;
  AdmissionAttributes attributes;
};

Read read(const LogEvent& event, AttributesWanted wanted = {true, false}) {
  Read out;
  RequestView view;
  parse_audited_view(event.verb, event.uri, view);
  out.wanted = has_attributes(view, wanted);
  const std::string user = "jane";
  if (out.wanted) AttributesReader().read(event, view, &user, wanted, out.attributes);
  return out;
}

LogEvent request(std::string_view verb, std::string_view uri, std::string_view object = {}) {
  LogEvent event;
  event.verb = verb;
  event.uri = uri;
  event.object = object;
  event.code = 201;
  return event;
}

constexpr std::string_view kEvents = "/api/v1/namespaces/shop/events";

}  // namespace

TEST_CASE("events of the core group alone have attributes for EventRateLimit", "[replay][stages]") {
  CHECK(read(request("create", kEvents)).wanted);
  CHECK(read(request("update", "/api/v1/namespaces/shop/events/a.1")).wanted);
  CHECK(read(request("patch", "/api/v1/namespaces/shop/events/a.1")).wanted);
  CHECK_FALSE(read(request("delete", "/api/v1/namespaces/shop/events/a.1")).wanted);
  CHECK_FALSE(read(request("list", kEvents)).wanted);
  CHECK_FALSE(read(request("create", "/apis/events.k8s.io/v1/namespaces/shop/events")).wanted);
  CHECK_FALSE(read(request("create", "/api/v1/namespaces/shop/pods")).wanted);
  CHECK(read(request("create", "/api/v1/namespaces/shop/pods"), {true, true}).wanted);
  CHECK(read(request("delete", "/api/v1/namespaces/shop/pods/a"), {false, true}).wanted);
  CHECK_FALSE(read(request("create", "/healthz"), {true, true}).wanted);
}

TEST_CASE("the key of an event is read out of its object as the server has it", "[replay][stages]") {
  const auto key = [](std::string_view object) {
    return read(request("create", kEvents, object)).attributes.source_and_object;
  };
  CHECK(
      key(R"({"source":{"component":"kubelet","host":"n1"},"involvedObject":{"kind":"Pod","namespace":"shop","name":"web","uid":"7","apiVersion":"v1","resourceVersion":"9"}})") ==
      "kubeletn1Podshopweb7v1");
  CHECK(key(R"({"involvedObject":{"name":"caf\u00e9 \"x\""},"source":null})") == "caf\xc3\xa9 \"x\"");
  CHECK(key(R"({"reason":"BackOff"})") == "");  // an event without either
  CHECK(key("{}") == "");
  // No event, or no object at all: not known.
  CHECK_FALSE(key("").has_value());
  CHECK_FALSE(key("null").has_value());
  CHECK_FALSE(key(R"({"source":{"component":7}})").has_value());
  CHECK_FALSE(key(R"({"source":{"component":"a")").has_value());
}

TEST_CASE("a patch does not tell what its event is about", "[replay][stages]") {
  LogEvent patch = request("patch", "/api/v1/namespaces/shop/events/a.1", R"({"count":2})");
  patch.code = 200;
  CHECK_FALSE(read(patch).attributes.source_and_object.has_value());
  patch.response_object = R"({"source":{"component":"c"}})";
  CHECK(read(patch).attributes.source_and_object == "c");
  patch.code = 409;  // the response is a Status
  CHECK_FALSE(read(patch).attributes.source_and_object.has_value());
  patch.trace = true;
  patch.object = R"({"source":{"component":"t"}})";
  CHECK(read(patch).attributes.source_and_object == "t");
}

TEST_CASE("a dry run is one whatever its key looks like", "[replay][stages]") {
  const auto dry = [](const std::string& query) {
    const std::string uri = std::string(kEvents) + query;
    return read(request("create", uri)).attributes.dry_run;
  };
  CHECK(dry("?dryRun=All"));
  CHECK(dry("?fieldManager=a&dryRun=All"));
  CHECK(dry("?dry%52un=All&a=b"));
  CHECK(dry("?dryRun&a=b"));
  CHECK(dry("?dryRun"));
  CHECK_FALSE(dry(""));
  CHECK_FALSE(dry("?dryRunning=1&a=dryRun"));
}

TEST_CASE("objects are copied only where they are wanted", "[replay][stages]") {
  CHECK_FALSE(read(request("create", kEvents, "{}"), {true, false}).attributes.has_object());
  const Read pods = read(request("create", "/api/v1/namespaces/shop/pods", R"({"kind":"Pod"})"), {false, true});
  CHECK(pods.attributes.object == R"({"kind":"Pod"})");
  CHECK_FALSE(pods.attributes.source_and_object.has_value());
  CHECK(pods.attributes.user == "jane");
}
