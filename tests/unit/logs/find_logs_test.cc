// Logs behind folders and archives, which server they are of, and what it wrote of itself.
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include <apf/report.h>

#include "catch.h"
#include "logs/formats/server_notes.h"
#include "logs/server_names.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

class LogFolder {
 public:
  LogFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "apf-find-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~LogFolder() { std::filesystem::remove_all(path_); }
  std::string add(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  std::string str() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string at_second(const char* second) {
  return with(audit_line(second), "12:00:01.5Z", std::string("12:00:") + second + "Z") + "\n";
}

// One file of a tar archive.
std::string tar_of(const std::string& name, const std::string& text) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char size[12];
  std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(text.size()));
  header.replace(124, 11, size);
  header[156] = '0';
  header.replace(257, 5, "ustar");
  return header + text + std::string((512 - text.size() % 512) % 512, '\0');
}

}  // namespace

TEST_CASE("A folder stands for the logs in it", "[logs][find]") {
  const LogFolder folder;
  const std::string late = folder.add("kube-apiserver/a/audit.log", at_second("30")),
                    early = folder.add("kube-apiserver/a/audit.log.1", at_second("10")),
                    other = folder.add("openshift-apiserver/a/audit.log", at_second("20")),
                    text = folder.add("kube-apiserver.listing", "24K audit.log\n");
  folder.add("etcd/current.log", at_second("20"));
  const FoundLogs found = find_logs({folder.str()});
  CHECK(found.logs == std::vector<std::string>{early, late});
  REQUIRE(found.warnings.size() == 2);
  CHECK(found.warnings[0].count == 2);
  CHECK(found.warnings[1].name == text);
  // Whoever names the other server's folder has its logs; files are as they are given.
  CHECK(find_logs({folder.str() + "/openshift-apiserver"}).logs == std::vector<std::string>{other});
  CHECK(find_logs({text, "-", "no such file"}).logs == std::vector<std::string>{text, "-", "no such file"});
  const LogFolder empty;
  CHECK(contains(error_of([&] { find_logs({empty.str()}); }), "holds no log of kube-apiserver"));
}

TEST_CASE("An archive stands for the logs in it", "[logs][find]") {
  const LogFolder folder;
  const std::string path =
      folder.add("logs.tar", tar_of("x/audit.log", at_second("10")) + tar_of("x/readme", std::string(700, 'a')) +
                                 tar_of("x/oauth-apiserver/audit.log", at_second("20")) + std::string(1024, '\0'));
  const FoundLogs found = find_logs({path});
  CHECK(found.logs == std::vector<std::string>{path + "/x/audit.log"});
  LogOptions options;
  options.logs = found.logs;
  options.texts = found.texts;
  CHECK(trace_logs(options, [](const TraceRequest&) {}).requests == 1);
  // What its headers say of sizes is not taken for granted.
  std::string large = tar_of("b.log", {});
  large.replace(124, 11, "15000000000");  // 1.6 GiB
  const std::string claim = folder.add("claim.tar", tar_of("audit.log", at_second("10")) + large);
  const FoundLogs claimed = find_logs({claim});
  CHECK(claimed.logs == std::vector<std::string>{claim + "/audit.log"});
  for (const auto& text : claimed.held) CHECK(text->capacity() < 4'000'000);
  CHECK(contains(render_text(claimed.warnings.at(0)), "is cut off within b.log"));
  // One that is cut off holds what it holds.
  const std::string cut =
      folder.add("cut.tar", tar_of("audit.log", at_second("10")) + tar_of("b.log", at_second("20")).substr(0, 700));
  CHECK(find_logs({cut}).logs == std::vector<std::string>{cut + "/audit.log"});
}

TEST_CASE("Which server a log is of", "[logs][find]") {
  CHECK(server_of_log("a/master-0.example-audit.log") == "master-0");
  CHECK(server_of_log("master-0.example-audit-2026-09-08T14-15-08.123.log.gz") == "master-0");
  CHECK(server_of_log("kube-apiserver-cp-1_kube-system_kube-apiserver-0a.log") == "cp-1");
  CHECK(server_of_log("cp-2/audit.log") == "cp-2");
  CHECK(server_of_log("10.0.0.1/kube-apiserver/audit.log.1") == "10.0.0.1");
  for (const char* none : {"audit.log", "kube-apiserver-audit.log", "/var/log/kubernetes/audit/audit.log", "x.log",
                           "kube-apiserver/audit-2026-09-08T14-15-08.123.log", "-"})
    CHECK(server_of_log(none).empty());
}

TEST_CASE("Logs of several nodes that overlap are of several servers", "[logs][find]") {
  const auto remarks = [](std::vector<LogSpan> logs) { return servers_in_files(logs); };
  const std::vector<Remark> found =
      remarks({{"a-audit.log", 0, 100}, {"b-audit.log", 10, 90}, {"b-audit.log.1", 0, 10}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 2);
  CHECK(found[0].detail == "--server a=a-audit.log --server b=b-audit.log --server b=b-audit.log.1");
  CHECK(found[0].name.empty());
  // What is in an archive has to be unpacked before it can be named.
  const std::vector<Remark> packed =
      remarks({{"x/must-gather.tar.gz/m/a-audit.log", 0, 100}, {"x/must-gather.tar.gz/m/b-audit.log", 10, 90}});
  REQUIRE(packed.size() == 1);
  CHECK(packed[0].name == "x/must-gather.tar.gz");
  CHECK(packed[0].detail == "--server a=m/a-audit.log --server b=m/b-audit.log");
  const std::vector<Remark> two =
      remarks({{"a.tar/a-audit.log", 0, 100}, {"b.tar/b-audit.log", 10, 90}, {"a.tar/a-audit.log.1", 90, 99}});
  REQUIRE(two.size() == 1);
  CHECK(two[0].name == "a.tar and b.tar");
  // A command has each as one word.
  const std::vector<Remark> blanks = remarks({{"must gather/a-audit.log", 0, 100}, {"it's/b-audit.log", 10, 90}});
  REQUIRE(blanks.size() == 1);
  CHECK(blanks[0].detail == R"(--server 'a=must gather/a-audit.log' --server 'b=it'\''s/b-audit.log')");
  // Parts of one, one after the other, or whose names say nothing.
  CHECK(remarks({{"a-audit.log", 0, 100}, {"a-audit.log.1", 0, 100}}).empty());
  CHECK(remarks({{"a-audit.log", 0, 100}, {"b-audit.log", 95, 200}}).empty());
  CHECK(remarks({{"audit.log", 0, 100}, {"server.log", 0, 100}}).empty());
  CHECK(remarks({{"a-audit.log", 0, 100}, {"b-audit.log"}}).empty());
  // The two logs of a server, and names that do not compare.
  CHECK(remarks({{"a-audit.log", 0, 100}, {"b-kube-apiserver.log", 0, 100, true}}).empty());
  CHECK(remarks({{"a-audit.log", 0, 100}, {"b/audit.log", 0, 100}}).empty());
  CHECK(remarks({{"a/audit.log", 0, 100}, {"b/audit.log", 0, 100}}).size() == 1);
}

TEST_CASE("What a server wrote of itself when it started", "[logs][find]") {
  const LogFolder folder;
  LogOptions options;
  options.logs = {folder.add("audit.log", at_second("10")),
                  folder.add("kube.log",
                             "I1120 12:00:00.000100       1 flags.go:64] FLAG: --max-requests-inflight=\"30\"\n"
                             "I1120 12:00:00.000100       1 flags.go:64] FLAG: --secure-port=\"6443\"\n"
                             "I1120 12:00:00.000100       1 flags.go:64] FLAG: --request-timeout=\"30s\"\n"
                             "I1120 12:00:00.000100       1 server.go:147] Version: v1.34.2\n")};
  const ServerFlags flags = read_server_flags(options);
  CHECK(flags.log == options.logs[1]);
  CHECK(flags.flags == std::map<std::string, std::string>{{"max-requests-inflight", "30"}, {"request-timeout", "30s"}});
  CHECK(number_of_flag(flags, "max-requests-inflight") == 30);
  CHECK_FALSE(number_of_flag(flags, "request-timeout"));
  CHECK_FALSE(number_of_flag(flags, "max-mutating-requests-inflight"));
  REQUIRE(flags.version);
  CHECK(flags.version->minor == 34);
  CHECK(flags.version->patch == 2);
  options.logs.pop_back();
  CHECK(read_server_flags(options).log.empty());
}
