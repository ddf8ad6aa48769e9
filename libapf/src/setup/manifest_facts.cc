// Manifests that hold kube-apiserver's command line, or what an installer or provider makes it of.
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "config/reader.h"
#include "setup/facts.h"

namespace apf {

namespace {

constexpr int kMostDepth = 40, kMostTexts = 3;

// Where the kind of an object says what its fields mean.
class ManifestFacts {
 public:
  ManifestFacts(FactBook& book, int texts) : book_(book), texts_(texts) {}

  void walk(const ConfigNode& node, int depth = 0) {
    if (depth > kMostDepth) return;
    for (const ConfigNode& item : node.items()) {
      if (item.is_string()) read_text(item.text());
      else walk(item, depth + 1);
    }
    const bool is_list = !node.items().empty() && node.items().front().is_scalar();
    if (is_list && !done_.contains(&node)) read_command(node, {});
    if (!node.is_mapping()) return;
    read(node);
    for (const ConfigEntry& entry : node.entries()) {
      if (entry.value.is_string()) read_text(entry.value.text());
      else walk(entry.value, depth + 1);
    }
  }

 private:
  void read(const ConfigNode& node) {
    const std::string kind = node.find_string("kind");
    if (kind == "HostedCluster") return read_hosted_cluster(node);
    if (kind == "ClusterVersion") {
      const ConfigNode* status = node.find_present("status");
      const ConfigNode* desired = status && status->is_mapping() ? status->find_present("desired") : nullptr;
      if (desired && desired->is_mapping())
        read_openshift_version(desired->find_string("version"), "OpenShift's version");
    }
    if (kind == "KubeadmControlPlane" || kind == "KThreesControlPlane" || kind == "RKE2ControlPlane") {
      if (const ConfigNode* spec = node.find_present("spec")) version(*spec, "version");
    }
    if (kind == "ClusterConfiguration" || node.find_present("clusterName")) version(node, "kubernetesVersion");
    if (kind == "ClusterConfiguration" && !node.find_present("apiServer")) book_.complete();
    if (const ConfigNode* server = node.find_present("serverVersion")) version(*server, "gitVersion");
    if (node.find_present("gitVersion") && node.find_present("major")) version(node, "gitVersion");  // /version
    if (const ConfigNode* containers = node.find_present("containers")) read_containers(*containers);
    for (const char* key : {"image", "Image"}) book_.image(node.find_string(key));
    if (const ConfigNode* words = node.find_present("Args")) read_command(*words, node.find_string("Path"));  // Docker
    read_installer(node);
    if (node.find_present("rkeConfig")) version(node, "kubernetesVersion");  // Rancher
    if (const ConfigNode* k3s = node.find_present("k3s"); k3s && k3s->is_mapping())
      if (const ConfigNode* args = k3s->find_present("extraArgs")) read_k3d(*args);
    if (const ConfigNode* spec = node.find_present("spec"); kind == "KubeAPIServer" && spec && spec->is_mapping())
      read_operator(*spec);
    if (const ConfigNode* flags = node.find_present("apiServerArguments"); flags && !done_.contains(flags)) {
      read_flags(*flags);
      book_.complete("3000", "1000", "3600");
    }
    // kubeadm, Cluster API, Talos.
    if (const ConfigNode* server = node.find_present("apiServer"); server && server->is_mapping()) {
      if (const ConfigNode* flags = server->find_present("extraArgs")) read_flags(*flags);
      if (kind == "ClusterConfiguration" || node.find_present("controllerManager")) book_.complete();
    }
    std::vector<std::string> words;
    for (const char* key : {"kube-apiserver-arg", "kube-apiserver-arg+", "kubeAPIServerArg"})  // k3s, RKE2
      if (const ConfigNode* flags = node.find_present(key)) append(words, words_of_flags(*flags));
    read_words(words);
    if (const ConfigNode* seats = node.find_present("apiRequestConcurrency")) {  // aws eks describe-cluster
      if (const auto number = seats->integer()) book_.sum(std::to_string(*number));
    }
    if (const ConfigNode* cluster = node.find_present("cluster"); cluster && cluster->find_present("platformVersion"))
      version(*cluster, "version");
  }

  // OpenShift's operator: of what it observed and of what overrides that, the latter counts, flag by flag.
  void read_operator(const ConfigNode& spec) {
    std::vector<std::string> words;
    bool any = false;
    for (const char* key : {"observedConfig", "unsupportedConfigOverrides"}) {
      const ConfigNode* part = spec.find_present(key);
      const ConfigNode* flags = part && part->is_mapping() ? part->find_present("apiServerArguments") : nullptr;
      if (!flags) continue;
      any = true;
      done_.insert(flags);
      const std::vector<std::string> over = words_of_flags(*flags);
      std::erase_if(words, [&](const std::string& word) {
        return std::any_of(over.begin(), over.end(), [flag = word.substr(0, word.find('=') + 1)](const auto& other) {
          return other.starts_with(flag);
        });
      });
      append(words, over);
    }
    if (!any) return;
    read_words(words);
    book_.complete("3000", "1000", "3600");
  }

  // Of kind, k0s, minikube and Kubespray.
  void read_small_installer(const ConfigNode& node) {
    const ConfigNode* const gates = node.find_present("featureGates");
    if (gates && node.find_string("apiVersion").starts_with("kind.x-k8s.io/")) read_parts("feature-gates", *gates);
    const ConfigNode* api = node.find_present("api");
    if (const ConfigNode* flags = api && api->is_mapping() ? api->find_present("extraArgs") : nullptr) {
      read_flags(*flags);
      book_.complete();
    }
    if (const ConfigNode* flags = node.find_present("kube_kubeadm_apiserver_extra_args")) read_flags(*flags);
    version(node, "kube_version");
    version(node, "KubernetesVersion");
    if (const ConfigNode* options = node.find_present("ExtraOptions"))
      for (const ConfigNode& option : options->items())
        if (option.is_mapping() && option.find_string("Component") == "apiserver")
          read_words({"--" + option.find_string("Key") + "=" + option.find_string("Value")});
  }

  static const ConfigNode* mapping_in(const ConfigNode& node, const char* key) {
    const ConfigNode* const found = node.is_mapping() ? node.find_present(key) : nullptr;
    return found && found->is_mapping() ? found : nullptr;
  }

  // Of cluster.yml, and of Rancher's objects.
  static const ConfigNode* server_of_rke(const ConfigNode& node) {
    const ConfigNode* const services = mapping_in(node, "services");
    const ConfigNode* const server = services ? mapping_in(*services, "kube-api") : nullptr;
    return server || !services ? server : mapping_in(*services, "kubeApi");
  }

  // Where kops, Gardener and RKE1 are told nothing of the server, it has its defaults.
  void read_release_alone(const ConfigNode& node) {
    const auto read = [&](const ConfigNode* of, const char* key) {
      if (!of || mapping_in(*of, "kubeAPIServer") || server_of_rke(*of) || !version(*of, key)) return;
      book_.complete();
    };
    const ConfigNode* const spec = mapping_in(node, "spec");
    const std::string api = node.find_string("apiVersion"), kind = node.find_string("kind");
    if (api.starts_with("kops.k8s.io/") && kind == "Cluster") read(spec, "kubernetesVersion");
    if (api.starts_with("core.gardener.cloud/") && kind == "Shoot" && spec)
      read(mapping_in(*spec, "kubernetes"), "version");
    if (node.find_present("nodes")) read(&node, "kubernetes_version");
    read(mapping_in(node, "rancher_kubernetes_engine_config"), "kubernetes_version");
    read(mapping_in(node, "rancherKubernetesEngineConfig"), "kubernetesVersion");
  }

  // Of kops, Gardener and RKE1.
  void read_installer(const ConfigNode& node) {
    read_small_installer(node);
    if (const ConfigNode* server = node.find_present("kubeAPIServer"); server && server->is_mapping()) {
      version(node, "kubernetesVersion");
      version(node, "version");
      read_fields(*server);
      if (const ConfigNode* flags = server->find_present("extraArgs")) read_flags(*flags);  // RKE2
      if (const ConfigNode* requests = server->find_present("requests")) {
        read_field("max-requests-inflight", *requests, "maxNonMutatingInflight");
        read_field("max-mutating-requests-inflight", *requests, "maxMutatingInflight");
      }
      book_.complete();
    }
    read_release_alone(node);
    const ConfigNode* server = server_of_rke(node);
    if (!server) return;
    version(node, "kubernetes_version");
    version(node, "kubernetesVersion");
    for (const char* key : {"extra_args", "extra_args_array", "extraArgs", "extraArgsArray"})
      if (const ConfigNode* flags = server->find_present(key)) read_flags(*flags);
    book_.complete();
  }

  // maxRequestsInflight: 800 is --max-requests-inflight=800.
  void read_fields(const ConfigNode& fields) {
    for (const ConfigEntry& entry : fields.entries()) {
      std::string flag;
      for (const char c : entry.key.text()) {
        if (c >= 'A' && c <= 'Z') flag += {'-', static_cast<char>(c - 'A' + 'a')};
        else flag += c;
      }
      read_parts(flag, entry.value);
    }
  }

  // {A: true, B: false} is --FLAG=A=true,B=false.
  void read_parts(const std::string& flag, const ConfigNode& node) {
    std::string value(node.is_scalar() ? node.text() : std::string_view());
    const auto add = [&](const std::string& part) { value += (value.empty() ? "" : ",") + part; };
    for (const ConfigNode& item : node.items())
      if (item.is_scalar()) add(std::string(item.text()));
    for (const ConfigEntry& gate : node.entries())
      if (gate.value.is_scalar()) add(std::string(gate.key.text()) + "=" + std::string(gate.value.text()));
    if (!value.empty()) read_words({"--" + flag + "=" + value});
  }

  void read_field(const char* flag, const ConfigNode& node, const char* key) {
    const ConfigNode* value = node.is_mapping() ? node.find_present(key) : nullptr;
    if (value && value->is_scalar()) book_.flag(flag, value->text());
  }

  // A list of words with kube-apiserver among them, or before them.
  void read_command(const ConfigNode& list, std::string_view program) {
    std::vector<std::string> words;
    for (const ConfigNode& word : list.items()) words.emplace_back(word.is_scalar() ? word.text() : "");
    const auto at = is_apiserver(program)
                        ? words.begin()
                        : std::find_if(words.begin(), words.end(), [](const auto& word) { return is_apiserver(word); });
    if (at == words.end() || std::none_of(at, words.end(), [](const auto& word) { return word.starts_with("--"); }))
      return;
    read_words({at, words.end()});
    book_.complete();
  }

  // False: there is none.
  bool version(const ConfigNode& node, const char* key) {
    const ConfigNode* value = node.find_present(key);
    const bool is_there = value && value->is_scalar() && KubeVersion::parse(value->text());
    if (is_there) book_.version(value->text());
    return is_there;
  }

  // A map of names and values, a list of {name, value}, or a list of NAME=VALUE; in OpenShift a value is a list.
  static std::vector<std::string> words_of_flags(const ConfigNode& flags) {
    std::vector<std::string> words;
    const auto add = [&words](std::string_view text) {
      text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
      words.push_back("--" + std::string(text));
    };
    const auto take = [&](std::string_view name, const ConfigNode& value) {
      if (value.is_scalar()) add(std::string(name) + "=" + std::string(value.text()));
      for (const ConfigNode& item : value.items())
        if (item.is_scalar()) add(std::string(name) + "=" + std::string(item.text()));
    };
    for (const ConfigEntry& entry : flags.entries()) take(entry.key.text(), entry.value);
    for (const ConfigNode& item : flags.items()) {
      if (item.is_scalar()) add(item.text());
      else if (const ConfigNode* value = item.find_present("value")) take(item.find_string("name"), *value);
    }
    if (flags.is_string()) add(flags.text());
    return words;
  }
  void read_flags(const ConfigNode& flags) { read_words(words_of_flags(flags)); }

  static void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  }

  // A list of {arg}: --kube-apiserver-arg=FLAG=VALUE.
  void read_k3d(const ConfigNode& args) {
    std::vector<std::string> words;
    for (const ConfigNode& item : args.items()) words.push_back(item.find_string("arg"));
    const std::size_t before = book_.count();
    read_words(words);
    if (book_.count() > before) book_.complete();
  }

  using Variables = std::map<std::string, std::string, std::less<>>;

  static Variables variables_of(const ConfigNode& container) {
    Variables out;
    if (const ConfigNode* env = container.find_present("env"))
      for (const ConfigNode& item : env->items()) {
        const ConfigNode* value = item.is_mapping() ? item.find_present("value") : nullptr;
        if (value && value->is_scalar()) out.insert_or_assign(item.find_string("name"), value->text());
      }
    return out;
  }

  void read_containers(const ConfigNode& containers) {
    for (const ConfigNode& container : containers.items()) {
      std::vector<std::string> words;
      const Variables variables = variables_of(container);
      const auto value_of = [&](std::string_view name) {
        const auto at = variables.find(name);
        return at == variables.end() ? nullptr : &at->second;
      };
      for (const char* key : {"command", "args"})
        if (const ConfigNode* list = container.find_present(key)) {
          done_.insert(list);
          for (const ConfigNode& word : list->items()) words.push_back(expanded(word.text(), value_of));
        }
      const bool named = container.find_string("name") == "kube-apiserver";
      const bool carries =
          std::any_of(words.begin(), words.end(), [](const auto& w) { return w.ends_with("hyperkube"); });
      const bool runs = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return is_apiserver(word) || (carries && word == "apiserver");
      });
      if (!runs && !(named && !words.empty())) continue;
      read_words(words);
      // A shell script may set flags that do not show.
      const bool script = std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return !word.starts_with("-") && word.find_first_of(" \n") != std::string::npos;
      });
      const bool open = std::any_of(words.begin(), words.end(), [](const auto& word) { return word.starts_with('$'); });
      if (open) book_.open();
      else if (!script) book_.complete();
      for (const std::string& word : words) {
        if (word.find('\n') == std::string::npos) continue;
        read_variables(word, false, book_);
        read_command_lines(word, book_);
      }
    }
  }

  // https://hypershift.openshift.io: annotations, beside the defaults of its operator.
  void read_hosted_cluster(const ConfigNode& node) {
    const ConfigNode* meta = node.find_present("metadata");
    const ConfigNode* annotations = meta ? meta->find_present("annotations") : nullptr;
    for (const char* flag : {"max-requests-inflight", "max-mutating-requests-inflight"}) {
      const std::string key = std::string("hypershift.openshift.io/kube-apiserver-") + flag;
      const ConfigNode* value = annotations ? annotations->find_present(key) : nullptr;
      if (value) book_.flag(flag, value->text());
    }
    book_.complete("3000", "1000", "3600");
    const ConfigNode* spec = node.find_present("spec");
    const ConfigNode* release = spec && spec->is_mapping() ? spec->find_present("release") : nullptr;
    if (!release || !release->is_mapping()) return;
    const std::string image = release->find_string("image");
    read_openshift_version(std::string_view(image).substr(image.rfind(':') + 1), "image " + image);
  }

  // OpenShift 4.7 is Kubernetes 1.20, and so on.
  void read_openshift_version(std::string_view text, const std::string& by) {
    constexpr int kAhead = 13;
    int number = 0;
    if (!text.starts_with("4.")) return;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number);
    const std::string release = "1." + std::to_string(number + kAhead);
    if (error == std::errc() && number < 1'000 && KubeVersion::parse(release)) book_.version(release, by);
  }

  void read_words(const std::vector<std::string>& words) {
    read_command_words(std::vector<std::string_view>(words.begin(), words.end()), book_);
  }

  // A ConfigMap holds such a text under a key. A command may be one text, of a shell or of a composer.
  void read_text(std::string_view text) {
    if (text.find("kube-apiserver --") != text.npos && text.find('\n') == text.npos) read_command_lines(text, book_);
    if (texts_ >= kMostTexts || text.size() > (1u << 20)) return;
    if (text.find("apiServerArguments") == std::string_view::npos &&
        text.find("apiServer:") == std::string_view::npos && text.find("kube-apiserver\n") == std::string_view::npos &&
        text.find("kubernetesVersion:") == std::string_view::npos)
      return;
    read_manifest_facts({"", std::string(text)}, book_, texts_ + 1);
  }

  FactBook& book_;
  int texts_;
  std::set<const ConfigNode*> done_;  // lists that walk() need not read
};

}  // namespace

void read_manifest_facts(const ConfigText& text, FactBook& book, int depth) {
  std::vector<Diagnostic> faults;
  const std::shared_ptr<ConfigTree> tree = read_tree(text, faults);
  for (const ConfigDocument& document : tree->documents()) ManifestFacts(book, depth).walk(*document.root);
}

}  // namespace apf
