// What clients do wrong, and what is none of it, from logs that are written here.
#include <algorithm>
#include <cmath>

#include <apf/log_summary.h>
#include <fmt/core.h>

#include "catch.h"
#include "summary/client_streams.h"
#include "support/written_log.h"

using namespace apf;

using test::codes;
using test::Line;
using test::Written;

TEST_CASE("each misuse is found where it is, and just below its threshold it is not", "[summary]") {
  struct Case {
    const char* code;
    Line line;
    int least;  // requests
    double gap, too_rare;
  };
  const Line forbidden{.uri = "/api/v1/namespaces/x/secrets/s", .code = 403, .status = R"("reason":"Forbidden",)"};
  const Case cases[] = {
      {"CLIENT-LIST-LOOP", {.verb = "list", .uri = "/api/v1/namespaces/x/pods"}, 60, 1, 60},
      {"CLIENT-RETRIES-FORBIDDEN", forbidden, 20, 1, 30},
      {"CLIENT-RETRIES-NOT-FOUND", {.code = 404, .status = R"("reason":"NotFound",)"}, 60, 1, 20},
      {"CLIENT-RETRIES-CONFLICT", {.verb = "update", .code = 409, .status = R"("reason":"Conflict",)"}, 20, 1, 30},
      {"CLIENT-RETRIES-INVALID", {.verb = "update", .code = 422, .status = R"("reason":"Invalid",)"}, 20, 1, 30},
      {"CLIENT-RETRIES-DENIED",
       {.verb = "create",
        .uri = "/api/v1/namespaces/x/pods",
        .code = 403,
        .status = R"("message":"pods \"a\" is forbidden: exceeded quota: q, requested: pods=1",)"},
       20,
       1,
       30},
      {"CLIENT-RETRIES-DENIED",
       {.verb = "create",
        .uri = "/api/v1/namespaces/x/pods",
        .code = 403,
        .status = R"("message":"pods \"a\" is forbidden: violates PodSecurity \"baseline:latest\"",)"},
       20,
       1,
       30},
      {"CLIENT-EXPIRED-VERSIONS",
       {.verb = "watch",
        .uri = "/api/v1/pods?watch=true&resourceVersion=5",
        .code = 410,
        .status = R"("reason":"Gone",)"},
       20,
       1,
       60},
      {"CLIENT-CREATES-EXISTING",
       {.verb = "create",
        .uri = "/api/v1/namespaces/x/configmaps",
        .code = 409,
        .status = R"("reason":"AlreadyExists",)"},
       20,
       1,
       30},
      {"CLIENT-CREATES-EXISTING",  // the reason is not in the log
       {.verb = "create", .uri = "/api/v1/namespaces/x/configmaps", .code = 409},
       20,
       1,
       30},
      {"CLIENT-REWRITES", {.verb = "update", .uri = "/api/v1/namespaces/x/configmaps/c"}, 60, 0.2, 5},
      {"CLIENT-POLLS-OBJECT", {.uri = "/api/v1/namespaces/x/configmaps/c"}, 60, 1, 20},
      {"CLIENT-UNPAGED-LISTS", {.verb = "list", .uri = "/api/v1/pods?resourceVersion=7", .takes = 2}, 10, 100, 0},
      {"CLIENT-REVIEWS",
       {.verb = "create", .uri = "/apis/authentication.k8s.io/v1/tokenreviews", .code = 201},
       300,
       0.1,
       1},
  };
  for (const Case& c : cases) {
    INFO(c.code);
    Written log, few, rare;
    log.repeat(c.line, c.least, c.gap);
    CHECK(codes(log.summary()) == std::vector<std::string>{c.code});
    CHECK(codes(log.summary([&](LogSummaryOptions& o) { o.ignored = {*find_client_fault(c.code)}; })) !=
          std::vector<std::string>{c.code});
    few.repeat(c.line, c.least - 1, c.gap);
    CHECK(codes(few.summary()).empty());
    if (c.too_rare == 0) continue;
    rare.repeat(c.line, c.least, c.too_rare);
    CHECK(codes(rare.summary()).empty());
  }
}

TEST_CASE("a client that is always refused is accused of what is certain", "[summary]") {
  const Line list{.verb = "list", .uri = "/api/v1/pods", .code = 429};
  const auto found = [](const auto& write) {
    Written log;
    write(log);
    return codes(log.summary());
  };
  using Codes = std::vector<std::string>;
  const Codes early{"CLIENT-EARLY-RETRY"}, loop{"CLIENT-LIST-LOOP"}, none;
  // One loop that does not wait.
  for (const double gap : {0.005, 0.05, 0.2, 0.5, 0.8})
    CHECK(found([&](Written& log) { log.repeat(list, 80, gap); }) == early);
  CHECK(found([&](Written& log) { log.repeat({.verb = "create", .code = 429}, 80, 0.2); }) == early);
  CHECK(found([&](Written& log) { log.repeat(list, 20, 0.2); }) == early);
  CHECK(found([&](Written& log) { log.repeat(list, 19, 0.2); }) == none);
  // As Retry-After says, or later; nothing says that more than one list was wanted.
  for (const double gap : {1.0, 5.0}) CHECK(found([&](Written& log) { log.repeat(list, 500, gap); }) == none);
  // Four workers, each a second after its own refusal.
  const auto workers = [&](std::initializer_list<double> begins, const std::function<Line(int)>& line) {
    return found([&](Written& log) {
      int i = 0;
      for (const double begin : begins) {
        Line at = line(i++);
        for (at.at = begin; at.at < 60; at.at += 1.003) log.add(at);
      }
    });
  };
  CHECK(workers({0, 0.1, 0.4, 0.75}, [&](int) { return list; }) == none);
  CHECK(workers({0, 0.42}, [&](int) { return list; }) == none);
  // Four machines, or four things to ask for.
  const auto machine = [&](int i) {
    Line line = list;
    line.address = fmt::format("10.2.0.{}", i);
    return line;
  };
  CHECK(workers({0, 0.25, 0.5, 0.75}, machine) == none);
  CHECK(workers({0, 0.25, 0.5, 0.75}, [&](int i) {
          Line line = list;
          line.uri += fmt::format("?labelSelector=app%3D{}", i);
          return line;
        }) == none);
  // Refused after a time in the queue: who lists again meanwhile does not retry.
  Line queued = list;
  queued.takes = 15;
  CHECK(found([&](Written& log) { log.repeat(queued, 200, 0.2); }) == loop);
  CHECK(found([&](Written& log) { log.repeat(queued, 200, 16); }) == none);
  // A list every minute, with ten retries each; so many lists on 60 machines, each once, with a retry.
  CHECK(found([&](Written& log) {
          for (int i = 0; i < 60; ++i)
            for (int k = 0; k < 11; ++k) {
              Line line = list;
              line.at = i * 60 + k * 1.01;
              if (k == 10) line.code = 200;
              log.add(line);
            }
        }) == none);
  CHECK(found([&](Written& log) {
          for (int i = 0; i < 60; ++i)
            for (int k = 0; k < 2; ++k) {
              Line line = machine(i);
              line.at = i * 3 + k * 1.01;
              if (k == 1) line.code = 200;
              log.add(line);
            }
        }) == none);
}

TEST_CASE("many instances of a client are not one that does a thing again and again", "[summary]") {
  const auto written = [](int machines, int each, double gap, Line line) {
    Written log;
    for (int k = 0; k < each; ++k)
      for (int i = 0; i < machines; ++i) {
        line.at = k * gap + i * 0.9;
        line.address = fmt::format("10.2.0.{}", i);
        log.add(line);
      }
    return codes(log.summary());
  };
  const Line list{.verb = "list", .uri = "/api/v1/pods"}, forbidden{.code = 403}, poll{};
  for (const Line& line : {list, forbidden, poll}) {
    INFO(line.verb << " " << line.code);
    CHECK(written(100, 1, 1, line).empty());  // at its start
    CHECK(written(4, 20, 4, line).size() == 1);
    CHECK(written(40, 20, 60, line).empty());
  }
}

TEST_CASE("what a client does on many paths is one finding", "[summary]") {
  // Each path alone has enough.
  Written log;
  for (int i = 0; i < 80; ++i)
    for (int k = 0; k < 3; ++k)
      log.add({.at = i * 2.0 + k * 0.1, .verb = "list", .uri = fmt::format("/api/v1/namespaces/n-{}/pods", k)});
  const LogSummary loops = log.summary();
  REQUIRE(codes(loops) == std::vector<std::string>{"CLIENT-LIST-LOOP"});
  CHECK(loops.clients[0].paths == 3);
  CHECK(loops.clients[0].requests == 240);
  CHECK(loops.clients[0].no_retries == 240);
  // None has.
  const auto spread = [](Line line, int paths, double gap, int instances = 1) {
    Written out;
    for (int i = 0; i < paths; ++i) {
      line.at = i * gap;
      line.uri = fmt::format("/api/v1/namespaces/n-{}/secrets/s", i);
      line.address = fmt::format("10.2.0.{}", i % instances);
      out.add(line);
    }
    return codes(out.summary());
  };
  const Line forbidden{.code = 403, .status = R"("reason":"Forbidden",)"};
  CHECK(spread(forbidden, 60, 1) == std::vector<std::string>{"CLIENT-RETRIES-FORBIDDEN"});
  CHECK(spread(forbidden, 59, 1).empty());
  CHECK(spread(forbidden, 60, 11).empty());
  CHECK(spread(forbidden, 60, 1, 10).empty());
  CHECK(spread({.code = 404, .status = R"("reason":"NotFound",)"}, 400, 0.1).empty());  // looks before it creates
  // What it may do counts as well, on whatever paths: ten of a hundred, fifteen, half.
  const auto mixed = [&](int allowed_of_100) {
    Written out;
    for (int i = 0; i < 100; ++i) {
      const bool allowed = i * allowed_of_100 / 100 != (i + 1) * allowed_of_100 / 100;
      Line line = allowed ? Line() : forbidden;
      line.at = i * 2;
      line.uri = fmt::format("/api/v1/namespaces/n-{}/secrets/s", i);
      out.add(line);
    }
    return out.summary();
  };
  const LogSummary tenth = mixed(10);
  REQUIRE(codes(tenth) == std::vector<std::string>{"CLIENT-RETRIES-FORBIDDEN"});
  CHECK(tenth.clients[0].requests == 100);
  CHECK(tenth.clients[0].hits == 90);
  CHECK(tenth.clients[0].paths == 100);
  REQUIRE(!tenth.clients[0].examples.empty());
  CHECK(tenth.clients[0].examples[0].ends_with(" 403"));
  for (const int allowed : {11, 15, 50, 97}) CHECK(codes(mixed(allowed)).empty());
  // Each object is asked for again and again until it comes, however long the pauses are.
  const auto insists = [](double pause, bool named, int workers = 0) {
    Written out;
    // Its other workers, which all ask at the same time, and are served.
    for (int i = 0; i < workers; ++i)
      out.repeat({.uri = fmt::format("/api/v1/namespaces/x/pods/q-{}", i), .takes = 0.2}, 30, 0.1);
    for (int i = 0; i < 20; ++i)
      for (int k = 0; k < 4; ++k)
        out.add({.at = i * 5 + k * pause + (k % 2) * 0.1,
                 .uri = fmt::format("/api/v1/namespaces/x/pods{}{}", named ? "/p-" : "?labelSelector=", i),
                 .code = k == 3 ? 200 : 429});
    return codes(out.summary());
  };
  CHECK(insists(0.3, true) == std::vector<std::string>{"CLIENT-EARLY-RETRY"});
  CHECK(insists(0.3, true, 4).empty());
  CHECK(insists(1.1, true).empty());
  CHECK(insists(0.3, false).empty());
  // Another worker asks for the object while the refused request still waits.
  Written others;
  for (int i = 0; i < 20; ++i)
    for (int k = 0; k < 22; ++k)
      others.add({.at = i * 60 + k * 2.5,
                  .uri = fmt::format("/api/v1/namespaces/x/pods/p-{}", i),
                  .code = k == 0 ? 429 : 200,
                  .takes = k == 0 ? 3. : 0.1});
  CHECK(codes(others.summary()).empty());
}

TEST_CASE("what is no longer kept of a client counts for it", "[summary]") {
  Written log;
  const auto secret = [](int i, int code) {
    return Line{.at = i * 0.001, .uri = fmt::format("/api/v1/namespaces/x/secrets/s-{}", i), .code = code};
  };
  for (int i = 0; i < 60; ++i)
    for (int k = 0; k < 3; ++k) log.add(secret(i, 403));
  for (int i = 60; i < (1 << 17) + 5; ++i) log.add(secret(i, 200));  // more paths than are kept
  CHECK(codes(log.summary()).empty());
}

TEST_CASE("what is no misuse is not accused", "[summary]") {
  const auto found = [](const Line& line, int count, double gap) {
    Written log;
    log.repeat(line, count, gap);
    return codes(log.summary());
  };
  // Adapters of metrics have no watches.
  for (const char* group :
       {"metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2", "external.metrics.k8s.io/v1beta1"})
    CHECK(found({.verb = "list", .uri = fmt::format("/apis/{}/namespaces/x/pods", group)}, 200, 5).empty());
  CHECK(found({.verb = "list", .uri = "/apis/metrics.k8s.io/v1beta1/pods", .takes = 1}, 200, 5).empty());
  CHECK(found({.uri = "/apis/metrics.k8s.io/v1beta1/namespaces/x/pods/p"}, 200, 2).empty());
  CHECK(found({.verb = "list", .uri = "/apis/mymetrics.example.com/v1/pods"}, 200, 5).size() == 1);
  // Locks of leader election before there were Leases: who does not lead only reads.
  for (const char* lock : {"endpoints/kube-scheduler", "configmaps/ingress-controller-leader", "configmaps/my-op-lock"})
    CHECK(found({.uri = fmt::format("/api/v1/namespaces/kube-system/{}", lock)}, 200, 2).empty());
  // The server itself, and its controllers, which write a status whenever it changes.
  CHECK(found({.user = "system:apiserver", .uri = "/api/v1/namespaces/default"}, 200, 2).empty());
  CHECK(found({.user = "system:serviceaccount:kube-system:replicaset-controller",
               .verb = "update",
               .uri = "/apis/apps/v1/namespaces/x/replicasets/r/status",
               .agent = "kube-controller-manager/v1.34.2 (linux/amd64)"},
              200, 0.2)
            .empty());
  // A binding of a Pod that has a node conflicts; it does not exist already.
  CHECK(found({.verb = "create",
               .uri = "/api/v1/namespaces/x/pods/p/binding",
               .code = 409,
               .status = R"("reason":"Conflict",)"},
              100, 1)
            .empty());
  // A kubelet watches what Pods mount that live for seconds.
  CHECK(found({.user = "system:node:n",
               .verb = "watch",
               .uri = "/api/v1/namespaces/ci/configmaps?fieldSelector=metadata.name%3Dc&watch=true",
               .takes = 3,
               .agent = "kubelet/v1.34.2 (linux/amd64)"},
              200, 5)
            .empty());
}

TEST_CASE("clients that behave are not accused", "[summary]") {
  Written log;
  // Leader election, heartbeats, pages, lists from the watch cache, rare lists, several clients that share what one
  // alone would do too often, reads of an object that the client writes.
  log.repeat({.verb = "update", .uri = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler"}, 100, 2);
  log.repeat({.verb = "get", .uri = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler"}, 100, 2);
  log.repeat({.verb = "list", .uri = "/api/v1/nodes?limit=500"}, 100, 1);
  log.repeat({.verb = "list", .uri = "/api/v1/services?resourceVersion=0"}, 100, 1);
  log.repeat({.verb = "list", .uri = "/api/v1/endpoints"}, 100, 60);
  log.repeat({.verb = "get", .uri = "/api/v1/namespaces/x/configmaps/own"}, 100, 2);
  log.repeat({.verb = "patch", .uri = "/api/v1/namespaces/x/configmaps/own"}, 50, 4);
  for (int i = 0; i < 40; ++i)
    log.repeat({.user = fmt::format("user-{}", i), .verb = "list", .uri = "/api/v1/namespaces/y/pods"}, 2, 5);
  CHECK(codes(log.summary()).empty());
}

TEST_CASE("an identity is shared where several programs have it, each at its own place", "[summary]") {
  const auto written = [](int programs, int requests, bool apart, const char* user) {
    Written log;
    for (int i = 0; i < programs; ++i)
      for (int k = 0; k < requests; ++k)
        log.add({.at = k * 10.0 + i,
                 .user = user,
                 .uri = fmt::format("/api/v1/namespaces/x/pods/p{}", k),
                 .agent = fmt::format("program-{}/v{}", i, k % 2),  // two releases of one program
                 .address = apart ? fmt::format("10.1.0.{}", i) : "10.1.0.1"});
    return codes(log.summary());
  };
  const char* const account = "system:serviceaccount:ops:shared";
  CHECK(written(3, 60, true, account) == std::vector<std::string>{"CLIENT-SHARED-IDENTITY"});
  CHECK(written(2, 60, true, account).empty());
  CHECK(written(3, 59, true, account).empty());
  CHECK(written(3, 60, false, account).empty());  // one Pod that runs kubectl and helm
  CHECK(written(3, 60, true, "jane").empty());    // people have several programs
}

TEST_CASE("a watch overlaps with those that came before its end, which may be known later", "[summary]") {
  const LogNames names;
  ClientStreams streams(names);
  RequestFacts facts;
  facts.watch = true;
  const auto watch = [&](Nanos at) -> RequestFacts& {
    facts.arrival = at * kSecond;
    return facts;
  };
  for (const Nanos at : {0, 1, 2}) streams.add(watch(at), {}, "/api/v1/pods?watch=true");
  const ClientStream& stream = streams.all().front();
  CHECK(stream.overlapping == 0);
  streams.end_watch(watch(0), 2 * kSecond);
  CHECK(stream.overlapping == 1);
  CHECK(stream.short_lives == 1);
  streams.end_watch(watch(1), 50 * kSecond);
  CHECK(stream.overlapping == 2);
  streams.add(watch(40), {}, "/api/v1/pods?watch=true");
  CHECK(streams.all().front().overlapping == 3);
  CHECK(streams.all().front().timed == 2);
}

TEST_CASE("half of a client's requests take what its finding says", "[summary]") {
  // All alike: exactly that long. Else a bound that holds.
  struct Case {
    const char* verb;
    const char* uri;
    std::vector<double> take;  // seconds
  };
  const Case cases[] = {{"list", "/api/v1/pods?resourceVersion=7", {4.8}},
                        {"list", "/api/v1/pods?resourceVersion=7", {1.1, 1.3, 9, 0.6, 2.5}},
                        {"watch", "/api/v1/pods?watch=true&resourceVersion=5", {0.9}},
                        {"watch", "/api/v1/pods?watch=true&resourceVersion=5", {0.9, 0.1, 3.9, 0.00001, 1.2}}};
  for (const Case& c : cases) {
    Written log;
    std::vector<Nanos> took;
    for (int i = 0; i < 40; ++i) {
      const double takes = c.take[static_cast<std::size_t>(i) % c.take.size()];
      took.push_back(std::llround(takes * 1e9));
      log.add({.at = i * 10.0, .verb = c.verb, .uri = c.uri, .takes = takes});
    }
    const LogSummary s = log.summary();
    REQUIRE(s.clients.size() == 1);
    REQUIRE(s.clients[0].median);
    const Nanos said = *s.clients[0].median;
    if (c.take.size() == 1) CHECK(said == took.front());
    const bool watch = std::string_view(c.verb) == "watch";
    const auto hold = std::count_if(took.begin(), took.end(), [&](Nanos t) { return watch ? t <= said : t >= said; });
    CHECK(hold * 2 >= static_cast<std::ptrdiff_t>(took.size()));
  }
}
