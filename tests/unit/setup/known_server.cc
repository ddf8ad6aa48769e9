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

using Numbers = std::map<std::string, int>;

std::string scrape(const Numbers& nominal, const Numbers& upper = {}) {
  std::string out;
  for (const auto& [name, limits] : {std::pair("nominal", nominal), std::pair("upper", upper)})
    for (const auto& [level, seats] : limits)
      out += fmt::format("apiserver_flowcontrol_{}_limit_seats{{priority_level=\"{}\"}} {}\n", name, level, seats);
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
  // A list of flags of k3s is no whole command line, but of the two limits the other one has its default, unless the
  // limits of levels say otherwise.
  const KnownServer k3s = known({{"k3s", "kube-apiserver-arg: [max-requests-inflight=800]\n"}});
  CHECK(k3s.seats({})->number == 1000);
  CHECK(k3s.flag("max-mutating-requests-inflight")->from == "k3s by default");
  CHECK_FALSE(k3s.flag("request-timeout"));
  CHECK_FALSE(known({{"k3s", "kube-apiserver-arg: [request-timeout=30s]\n"}}).seats({}));
  // What a variable adds is not there.
  CHECK_FALSE(known({{"unit", "ExecStart=/usr/bin/kube-apiserver --secure-port=1 $KUBE_API_ARGS\n"}}).seats({}));
  // Another server's flags of the same names are not of kube-apiserver.
  CHECK(known({{"other",
                "kind: Pod\nspec:\n  containers:\n  - name: kube-apiserver-proxy\n    command: [metrics-server, "
                "--max-requests-inflight=9]\n"}})
            .empty());
}

TEST_CASE("Variables of a command line are what the unit or other files set", "[setup]") {
  const auto seats = [](const std::vector<ConfigText>& texts) {
    const auto found = known(texts).seats({});
    return found ? found->number : 0;
  };
  const std::string line = "ExecStart=/usr/bin/kube-apiserver --max-mutating-requests-inflight=300 $LIMIT\n";
  const std::string set = "Environment=A=b \"LIMIT=--v=2 --max-requests-inflight=800\"\n";
  CHECK(seats({{"unit", "[Service]\n" + set + line}}) == 1100);
  CHECK(seats({{"unit", set + "Environment=\n" + line}}) == 0);
  CHECK(seats({{"unit", line}}) == 0);
  // Before or after the unit; over what the unit sets.
  const ConfigText env{"env", "# for the server\nLIMIT='--max-requests-inflight=900'\n"};
  CHECK(seats({{"unit", line}, env}) == 1200);
  CHECK(seats({env, {"unit", set + line}}) == 1200);
  // Another server's unit sets its own alone.
  CHECK(message_of({{"a", set + line}, {"b", "Environment=LIMIT=--max-requests-inflight=900\n" + line}}) ==
        "a says --max-requests-inflight 800, and b says 900: they are of different servers");
  CHECK(message_of({{"unit", line}, env, {"env2", "LIMIT=--max-requests-inflight=901\n"}}) ==
        "env says LIMIT is ' --max-requests-inflight=900 ', and env2 says '--max-requests-inflight=901': they are of "
        "different servers");
  // As a part of a word, in a script, and of a variable itself; a value that stays open takes no flag's default away.
  CHECK(seats({{"unit", "Environment=N=800\nExecStart=/kube-apiserver --max-requests-inflight=${N}\n"}}) == 1000);
  CHECK(
      seats({{"sh", "ARGS=--max-requests-inflight=800\nexport ARGS=\"$ARGS --v=2\"\nexec kube-apiserver ${ARGS}\n"}}) ==
      1000);
  CHECK(seats({{"unit", "ExecStart=/kube-apiserver --bind-address=${IP} --max-requests-inflight=800\n"}}) == 1000);
  const auto container = [](const std::string& value) {
    return ConfigText{"pod",
                      "kind: Pod\nspec:\n  containers:\n  - name: kube-apiserver\n    command: [kube-apiserver, "
                      "\"--max-requests-inflight=800\", $(ARG)]\n    env: [{name: ARG, value: \"" +
                          value + "\"}]\n"};
  };
  CHECK(seats({container("--max-mutating-requests-inflight=300")}) == 1100);
  CHECK(seats({container("$(OTHER)")}) == 0);
}

TEST_CASE("Of what replaces itself the last counts", "[setup]") {
  const std::string first = "[Service]\nExecStart=/usr/bin/kube-apiserver --max-requests-inflight=100\n",
                    last = "[Service]\nExecStart=\nExecStart=/usr/bin/kube-apiserver --max-requests-inflight=800\n";
  CHECK(known({{"unit", first + last}}).seats({})->number == 1000);
  CHECK(known({{"/lib/apiserver.service", first}, {"/etc/apiserver.service.d/1.conf", last}}).seats({})->number ==
        1000);
  CHECK(message_of({{"a", first}, {"b", last}}) ==
        "a says --max-requests-inflight 100, and b says 800: they are of different servers");
  const KnownServer openshift = known(
      {{"a",
        "kind: KubeAPIServer\nspec:\n  observedConfig:\n    apiServerArguments: {max-requests-inflight: [\"100\"], "
        "feature-gates: [A=true]}\n  unsupportedConfigOverrides:\n    apiServerArguments: {max-requests-inflight: "
        "[\"800\"]}\n"}});
  CHECK(openshift.seats({})->number == 1800);
  CHECK(value(openshift, "feature-gates") == "A=true");
}

TEST_CASE("Flags are found without the program's name", "[setup]") {
  const std::string flags = "--max-requests-inflight=800\n--max-mutating-requests-inflight 300\n";
  CHECK(known({{"args", "--cert-dir=${DIR}/certs\n" + flags + "#--max-requests-inflight=5\n"}}).seats({})->number ==
        1100);
  CHECK(known({{"env",
                "export KUBE_APISERVER_OPTS='--max-requests-inflight=800'\n#KUBE_APISERVER_OPTS='--max-requests-"
                "inflight=1'\n"}})
            .seats({})
            ->number == 1000);
  CHECK(known({{"k3s",
                "kube-apiserver-arg: [max-requests-inflight=1]\nkube-apiserver-arg+: [max-requests-inflight=800]\n"}})
            .seats({})
            ->number == 1000);
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

TEST_CASE("The image of a server is its release, with its source", "[setup]") {
  const auto of_image = [](const std::string& image) {
    return known({{"a", "kind: Pod\nspec:\n  containers:\n  - name: kube-apiserver\n    image: \"" + image +
                            "\"\n    command: [kube-apiserver]\n"}});
  };
  CHECK(of_image("registry.k8s.io/kube-apiserver:v1.31.4").release()->str() == "1.31.4");
  CHECK(of_image("registry.k8s.io/kube-apiserver:v1.31.4").version->from ==
        "a, image registry.k8s.io/kube-apiserver:v1.31.4");
  CHECK(of_image("r:5000/x/kube-apiserver-amd64:v1.24.1@sha256:01").release()->str() == "1.24.1");
  CHECK(of_image("rancher/hardened-kubernetes:v1.30.2-rke2r1-build1").release()->str() == "1.30.2");
  CHECK_FALSE(of_image("r:5000/kube-apiserver@sha256:01").release());
  CHECK_FALSE(of_image("example.org/other:v1.31.4").release());
  const auto hosted = [](const std::string& tag) {
    return known({{"h", "kind: HostedCluster\nspec: {release: {image: \"q/ocp-release:" + tag + "\"}}\n"}});
  };
  CHECK(hosted("4.15.0-x86_64").release()->str() == "1.28");
  CHECK_FALSE(hosted("5.0.0").release());
}

TEST_CASE("Whether API Priority and Fairness is on", "[setup]") {
  const auto on = [](const std::vector<ConfigText>& texts) {
    const auto fact = known(texts).priority_and_fairness();
    return fact ? fact->value : "";
  };
  const std::string off =
      "# TYPE a counter\n# TYPE b counter\n# TYPE apiserver_current_inflight_requests gauge\n"
      "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 5\n";
  CHECK(on({{"m", off}}) == "false");
  CHECK(on({{"m", off.substr(off.find("# TYPE apiserver"))}}).empty());  // picked out
  CHECK(on({{"m", scrape({{"catch-all", 13}})}}) == "true");
  CHECK(on({{"a", pod("kube-apiserver, --enable-priority-and-fairness=false")}}) == "false");
  CHECK(on({{"a", pod("kube-apiserver, --feature-gates=APIPriorityAndFairness=false")}}) == "false");
  CHECK(on({{"a", pod("kube-apiserver, --feature-gates=APIPriorityAndFairness=false")},
            {"b", "Server Version: v1.34.2\n"}})
            .empty());
  CHECK(on({{"a", pod("kube-apiserver, --v=2")}}).empty());
  CHECK(on({{"a", pod("kube-apiserver, --enable-priority-and-fairness=true")}, {"m", off}}) == "false");
  CHECK(message_of({{"m", off}, {"n", scrape({{"catch-all", 13}})}}) ==
        "m says that API Priority and Fairness is on: false, and n says true: they are of different servers");
}

TEST_CASE("Nominal limits leave the sum open by the number of levels", "[setup]") {
  // Of all sums the limits of the built-in levels give back the sum, or one that gives the same limits.
  for (const int seats : {1, 7, 30, 37, 50, 150, 600, 611, 4000, 13600}) {
    INFO(seats);
    const Config config = bootstrap_config(kNewestKubeVersion);
    Numbers nominal, upper;
    for (const LevelLimits& level : compute_limits(config, seats).levels) {
      nominal[level.name] = level.nominal_cl;
      upper[level.name] = level.max_cl;
    }
    // What a level may borrow without bound is the sum.
    CHECK(known({{"metrics.txt", scrape(nominal, upper)}}).seats({})->number == seats);
    CHECK_FALSE(known({{"metrics.txt", scrape(nominal, upper)}}).seats({})->is_guess());
    const KnownServer server = known({{"metrics.txt", scrape(nominal)}});
    const auto found = server.seats(config);
    REQUIRE(found);
    CHECK(found->least <= seats);
    CHECK(found->most >= seats);
    for (const LevelLimits& level : compute_limits(config, found->number).levels)
      CHECK(level.nominal_cl == nominal[level.name]);
    // Without the shares the interval is wider, and holds it as well.
    const auto without = server.seats({});
    CHECK(without->least <= seats);
    CHECK(without->most >= seats);
  }
  const std::string one = scrape({{"a", 100}, {"catch-all", 100}});
  CHECK(known({{"m", one}}).seats({})->number == 200);
  CHECK(known({{"m", one}}).seats({})->is_guess());
  CHECK(message_of({{"m", one}, {"pod.yaml", pod("kube-apiserver")}}) ==
        "pod.yaml by default says 600 seats, but by m levels share 199 to 200: they are of different servers, or of "
        "different times");
  // A part of the levels says nothing of the sum; a bound of borrowing is no sum.
  CHECK_FALSE(known({{"m", scrape({{"a", 100}, {"b", 100}})}}).seats({}));
  CHECK(known({{"m", scrape({{"a", 100}, {"catch-all", 100}}, {{"a", 120}, {"catch-all", 299}})}}).seats({})->number ==
        199);
  CHECK(known({{"m", scrape({{"a", 100}, {"b", 100}}, {{"a", 120}, {"b", 400}})}}).seats({})->number == 300);
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
