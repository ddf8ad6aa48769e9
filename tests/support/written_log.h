// Audit logs that tests write, request by request.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <apf/config.h>
#include <apf/log_summary.h>
#include <fmt/core.h>

namespace apf::test {

struct Line {
  double at = 0;  // seconds
  std::string user = "system:serviceaccount:a:app";
  std::string verb = "get", uri = "/api/v1/namespaces/x/pods/p";
  int code = 200;
  double takes = 0.001;          // seconds
  std::string status = {};       // further members of responseStatus, ending with a comma
  std::string annotations = {};  // whole members
  std::string agent = "app/v1";
  std::string address = "10.0.0.1";
  std::string acts_for = {};  // the user it impersonates
};

class Written {
 public:
  void add(const Line& line) {
    const Nanos begin = kBegin + std::llround(line.at * 1e9), end = begin + std::llround(line.takes * 1e9);
    const bool account = line.user.starts_with("system:serviceaccount:");
    text_ += fmt::format(
        R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-{}","stage":"ResponseComplete",)"
        R"("requestURI":"{}","verb":"{}","user":{{"username":"{}","groups":[{}"system:authenticated"]}},{}"sourceIPs":["{}"],)"
        R"("userAgent":"{}","responseStatus":{{{}"code":{}}},"requestReceivedTimestamp":"{}","stageTimestamp":"{}",)"
        R"("annotations":{{{}}}}})"
        "\n",
        ++id_, line.uri, line.verb, line.user, account ? R"("system:serviceaccounts",)" : "",
        line.acts_for.empty() ? std::string()
                              : fmt::format(R"("impersonatedUser":{{"username":"{}"}},)", line.acts_for),
        line.address, line.agent, line.status, line.code, format_rfc3339(begin), format_rfc3339(end), line.annotations);
  }
  // `count` times the line, every `gap` seconds.
  void repeat(Line line, int count, double gap) {
    for (int i = 0; i < count; ++i, line.at += gap) add(line);
  }

  LogSummary summary(const std::function<void(LogSummaryOptions&)>& change = {}) const {
    LogSummaryOptions options;
    options.log.logs = {"audit.log"};
    options.log.texts["audit.log"] = text_;
    static const Config config = bootstrap_config(kNewestKubeVersion);
    options.config = &config;
    if (change) change(options);
    return summarize_logs(options);
  }

 private:
  static constexpr Nanos kBegin = 1'800'000'000 * kSecond;
  std::string text_;
  int id_ = 0;
};

inline std::vector<std::string> codes(const LogSummary& summary) {
  std::vector<std::string> out;
  for (const ClientFinding& f : summary.clients) out.push_back(row_of(f.fault).code);
  return out;
}

}  // namespace apf::test
