// 100,000 pods against a quota, beyond parsing them. Bar: under a second of processor time.
#include <apf/time.h>

#include <time.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "admission/manifests.h"
#include "admission/quota_engine.h"
#include "config/reader.h"

namespace {

constexpr int kPods = 100'000;
constexpr double kBar = 1.0;

double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::string pods() {
  std::string out = "[";
  for (int i = 0; i < kPods; ++i) {
    if (i > 0) out += ',';
    out +=
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(i) +
        R"(","namespace":"shop"},"spec":{"initContainers":[{"name":"i","restartPolicy":"Always","resources":{"requests":)"
        R"({"cpu":"50m","memory":"64Mi"},"limits":{"cpu":"1","memory":"128Mi"}}}],"containers":[{"name":"c","resources":{"requests":)"
        R"({"cpu":"250m","memory":"1Gi","ephemeral-storage":"2Gi"},"limits":{"cpu":"1","memory":"1Gi"}}}]}})";
  }
  return "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":" + out + "]}";
}

}  // namespace

int main() {
  apf::QuotaState quota;
  quota.name = "compute";
  quota.ns = "shop";
  for (const char* key : {"count/pods", "limits.cpu", "limits.memory", "pods", "requests.cpu",
                          "requests.ephemeral-storage", "requests.memory"}) {
    quota.spec_hard.set(key, *apf::Quantity::parse("1000000000"));
  }
  for (const char* key : {"limits.memory", "requests.ephemeral-storage", "requests.memory"})
    quota.spec_hard.set(key, *apf::Quantity::parse("100000000Gi"));
  apf::QuotaEngine engine({quota});
  engine.resync(0, engine.recount(engine.quotas()[0], {}));

  const std::vector<apf::ConfigText> texts{{"pods.json", pods()}};
  const double began = now();
  const apf::ManifestSet set = apf::read_manifests(texts);
  const double parsed = now();
  std::uint64_t admitted = 0;
  std::vector<apf::ObjectFault> faults;
  for (const apf::Manifest& m : set.manifests) {
    const apf::QuotaSubject subject = apf::measure_object(m.resource, *m.object, {}, faults);
    apf::QuotaRequest request;
    request.ns = m.ns;
    request.object = &subject;
    admitted += engine.admit(request).admitted();
  }
  const double seconds = now() - parsed;
  const bool right =
      admitted == kPods && faults.empty() && *engine.quotas()[0].used.find("pods") == apf::Quantity(kPods);
  std::printf("  parse  %d pods: %.2f s\n", kPods, parsed - began);
  std::printf("  %s quota of %d pods: %.2f s (bar: under %g s)\n", right && seconds < kBar ? "ok    " : "MISSED", kPods,
              seconds, kBar);
  return right && seconds < kBar ? 0 : 1;
}
