// What files say of a server: every kind of file, and files that do not agree.
#include <apf/error.h>
#include <apf/setup.h>

#include <fmt/format.h>

#include "catch.h"

using namespace apf;

namespace {

KnownServer known(const std::vector<ConfigText>& texts) { return read_known_server({}, texts); }

std::string value(const KnownServer& server, const std::string& flag) {
  const KnownServer::Fact* fact = server.flag(flag);
  return fact ? fact->value : "";
}

std::string message_of(const std::vector<ConfigText>& texts) {
  try {
    known(texts);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string pod(const std::string& words) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: kube-apiserver-a}\nspec:\n  containers:\n  - name: "
         "kube-apiserver\n"
         "    command: [" +
         words + "]\n";
}

std::string scrape(const KnownServer::Limits& limits) {
  std::string out;
  for (const auto& [level, seats] : limits.nominal)
    out += fmt::format("apiserver_flowcontrol_nominal_limit_seats{{priority_level=\"{}\"}} {}\n", level, seats);
  return out;
}

}  // namespace

TEST_CASE("Command lines say which limits a server has", "[setup]") {
  for (const std::string& text : {
           pod("kube-apiserver, --max-requests-inflight=800, --max-mutating-requests-inflight=300"),
           pod("/usr/local/bin/kube-apiserver, --max-requests-inflight, \"800\", --max-mutating-requests-inflight=300"),
           std::string(
               "root 1 0 kube-apiserver --v=2 --max-requests-inflight=800 --max-mutating-requests-inflight 300\n"),
           std::string("ExecStart=/usr/bin/kube-apiserver \\\n  --max-requests-inflight=800 \\\n  "
                       "--max-mutating-requests-inflight=300\n"),
           std::string("apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nspec:\n  "
                       "kubeadmConfigSpec:\n    clusterConfiguration:\n      apiServer:\n        extraArgs:\n"
                       "          max-requests-inflight: \"800\"\n          max-mutating-requests-inflight: \"300\"\n"),
           std::string("kind: ClusterConfiguration\napiServer:\n  extraArgs:\n  - {name: max-requests-inflight, value: "
                       "\"800\"}\n  - {name: max-mutating-requests-inflight, value: \"300\"}\n"),
           std::string("apiVersion: v1\nkind: ConfigMap\ndata:\n  ClusterConfiguration: |\n    kind: "
                       "ClusterConfiguration\n    apiServer:\n      extraArgs: {max-requests-inflight: \"800\", "
                       "max-mutating-requests-inflight: \"300\"}\n"),
           std::string("kind: KubeAPIServer\nspec:\n  observedConfig:\n    apiServerArguments:\n      "
                       "max-requests-inflight: [\"800\"]\n      max-mutating-requests-inflight: [\"300\"]\n"),
           std::string("kind: HostedCluster\nmetadata:\n  annotations:\n    "
                       "hypershift.openshift.io/kube-apiserver-max-requests-inflight: \"800\"\n    "
                       "hypershift.openshift.io/kube-apiserver-max-mutating-requests-inflight: \"300\"\n"),
           std::string("kube-apiserver-arg:\n- max-requests-inflight=800\n- max-mutating-requests-inflight=300\n"),
           std::string("cluster:\n  controllerManager: {}\n  apiServer:\n    extraArgs:\n      max-requests-inflight: "
                       "800\n      max-mutating-requests-inflight: 300\n"),
           std::string("{\"kind\":\"Pod\",\"spec\":{\"containers\":[{\"name\":\"x\",\"command\":[\"kube-apiserver\"],"
                       "\"args\":[\"--max-requests-inflight=800\",\"--max-mutating-requests-inflight=300\"]}]}}"),
       }) {
    INFO(text);
    const KnownServer server = known({{"file", text}});
    CHECK(value(server, "max-requests-inflight") == "800");
    CHECK(value(server, "max-mutating-requests-inflight") == "300");
    CHECK(server.seats({})->number == 1100);
    CHECK(server.seats({})->from == "file");
  }
}

TEST_CASE("A whole command line also says what it leaves at its default", "[setup]") {
  const KnownServer usual = known({{"pod.yaml", pod("kube-apiserver, --v=2")}});
  CHECK(usual.seats({})->number == 600);
  CHECK(usual.flag("request-timeout")->from == "pod.yaml by default");
  CHECK(usual.duration("request-timeout") == 60 * kSecond);
  CHECK(known({{"hosted", "kind: HostedCluster\nmetadata: {name: a}\n"}}).seats({})->number == 4000);
  // A list of flags of k3s is no whole command line.
  CHECK_FALSE(known({{"k3s", "kube-apiserver-arg: [max-requests-inflight=800]\n"}}).seats({}));
  // Another server's flags of the same names are not of kube-apiserver.
  CHECK(known({{"other",
                "kind: Pod\nspec:\n  containers:\n  - name: kube-apiserver-proxy\n    command: [metrics-server, "
                "--max-requests-inflight=9]\n"}})
            .empty());
}

TEST_CASE("Releases are found", "[setup]") {
  CHECK(
      known({{"a", "{\"clientVersion\":{\"gitVersion\":\"v1.30.1\"},\"serverVersion\":{\"gitVersion\":\"v1.34.2\"}}"}})
          .release()
          ->str() == "1.34.2");
  CHECK(known({{"a", "Client Version: v1.30.1\nKustomize Version: v5\nServer Version: v1.34.2-eks-1\n"}})
            .release()
            ->minor == 34);
  CHECK(known({{"a",
                "kubernetes_build_info{git_version=\"v1.33.1\"} 1\napiserver_flowcontrol_current_r{priority_level="
                "\"a\"} 1\n"}})
            .release()
            ->minor == 33);
  CHECK(known({{"a",
                "{\"cluster\":{\"name\":\"x\",\"version\":\"1.32\",\"platformVersion\":\"eks.3\","
                "\"apiRequestConcurrency\":3400}}"}})
            .seats({})
            ->number == 3400);
  CHECK(message_of({{"a", "Server Version: v1.34.2\n"}, {"b", "Server Version: v1.33.1\n"}}) ==
        "a says Kubernetes v1.34.2, and b says v1.33.1: they are of different servers");
  CHECK(message_of({{"a", "Server Version: v1.34.2\n"},
                    {"b",
                     "{\"cluster\":{\"platformVersion\":\"eks.1\",\"version\":"
                     "\"1.34\"}}"}})
            .empty());
}

TEST_CASE("Nominal limits leave the sum open by the number of levels", "[setup]") {
  // Of all sums the limits of the built-in levels give back the sum, or one that gives the same limits.
  for (const int seats : {1, 7, 30, 37, 50, 150, 600, 611, 4000, 13600}) {
    INFO(seats);
    const Config config = bootstrap_config(kNewestKubeVersion);
    KnownServer::Limits limits;
    for (const LevelLimits& level : compute_limits(config, seats).levels) limits.nominal[level.name] = level.nominal_cl;
    const KnownServer server = known({{"metrics.txt", scrape(limits)}});
    const auto found = server.seats(config);
    REQUIRE(found);
    CHECK(found->least <= seats);
    CHECK(found->most >= seats);
    for (const LevelLimits& level : compute_limits(config, found->number).levels)
      CHECK(level.nominal_cl == limits.nominal[level.name]);
    // Without the shares the interval is wider, and holds it as well.
    const auto without = server.seats({});
    CHECK(without->least <= seats);
    CHECK(without->most >= seats);
  }
  const std::string one = scrape({{{"a", 100}, {"b", 100}}, ""});
  CHECK(known({{"m", one}}).seats({})->number == 200);
  CHECK(message_of({{"m", one}, {"pod.yaml", pod("kube-apiserver")}}) ==
        "pod.yaml by default says 600 seats, but by m, whose nominal limits add up to 200 seats: "
        "198 to 200 shared: they are of different servers, or of different times");
  CHECK(message_of(
            {{"m", one},
             {"pod.yaml", pod("kube-apiserver, --max-requests-inflight=150, --max-mutating-requests-inflight=49")}})
            .empty());
}

TEST_CASE("Files that contradict each other are named", "[setup]") {
  CHECK(message_of({{"a.yaml", pod("kube-apiserver, --max-requests-inflight=800")},
                    {"b.yaml", pod("kube-apiserver, --max-requests-inflight=900")}}) ==
        "a.yaml says --max-requests-inflight 800, and b.yaml says 900: they are of different servers");
  // The same duration in other words is the same.
  CHECK(message_of({{"a", pod("kube-apiserver, --request-timeout=60s")}, {"b", pod("kube-apiserver")}}).empty());
  CHECK_THROWS_WITH(read_known_server({"/dev/null"}), Catch::Contains("says nothing of a server"));
  CHECK_THROWS_WITH(known({{"a", pod("kube-apiserver, --max-requests-inflight=many")}}).number("max-requests-inflight"),
                    "a: --max-requests-inflight=many is not a whole number of 0 to 10,000,000");
}
