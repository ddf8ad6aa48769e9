// Logs behind folders and archives, which server they are of, and what it wrote of itself.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <apf/report.h>
#ifdef APF_WITH_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

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

using Members = std::vector<std::pair<std::string, std::string>>;

#ifdef APF_WITH_ARCHIVE
std::string packed(const Members& members, int format, int filter = ARCHIVE_FILTER_NONE) {
  archive* const out = archive_write_new();
  archive_write_set_format(out, format);
  archive_write_add_filter(out, filter);
  archive_write_set_bytes_per_block(out, 0);
  std::string bytes(std::size_t{1} << 20, '\0');
  std::size_t used = 0;
  REQUIRE(archive_write_open_memory(out, bytes.data(), bytes.size(), &used) == ARCHIVE_OK);
  for (const auto& [name, text] : members) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    REQUIRE(archive_write_header(out, entry) == ARCHIVE_OK);
    REQUIRE(archive_write_data(out, text.data(), text.size()) == static_cast<la_ssize_t>(text.size()));
    archive_entry_free(entry);
  }
  archive_write_close(out);
  archive_write_free(out);
  return bytes.substr(0, used);
}

std::string gzipped(const std::string& text) { return packed({{"x", text}}, ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP); }

std::uint64_t requests_in(const FoundLogs& found) {
  LogOptions options;
  options.logs = found.logs;
  options.texts = found.texts;
  return trace_logs(options, [](const TraceRequest&) {}).requests;
}

std::string damage_of(const FoundLogs& found, const std::string& log) {
  const auto at = found.texts.find(log);
  return at == found.texts.end() ? std::string() : at->second.damage;
}
#endif

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

TEST_CASE("A log whose lines of requests come late is one", "[logs][find]") {
  const LogFolder folder;
  std::string text;
  while (text.size() < (std::size_t{3} << 20)) text += "I1120 12:00:00.000100       1 controller.go:64] synced\n";
  folder.add("kube-controllers.log", text);
  const std::string late = folder.add(
      "late.log", text +
                      R"(I1120 12:00:01.000100       1 httplog.go:132] "HTTP" verb="GET" URI="/healthz" latency="1ms")"
                      R"( userAgent="a" audit-ID="x" srcIP="10.0.0.1:1" resp=200)"
                      "\n");
  const FoundLogs found = find_logs({folder.str()});
  CHECK(found.logs == std::vector<std::string>{late});
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0].detail == "no logs of requests");
}

#ifdef APF_WITH_ARCHIVE

TEST_CASE("What cannot be decoded in a folder is a damaged log", "[logs][find]") {
  const LogFolder folder;
  const std::string good = folder.add("audit.log", at_second("10")),
                    cut = folder.add("audit-2.log.gz", gzipped(at_second("20")).substr(0, 30)),
                    wide = folder.add("audit-3.log", std::string("\xFF\xFE{\0\"\0", 6)),
                    other = folder.add("audit-4.log", R"({"kind":"Event","apiVersion":"audit.k8s.io/v1"})");
  const FoundLogs found = find_logs({folder.str()});
  CHECK(found.logs.size() == 4);
  CHECK(found.texts.at(cut).damage == "ends in the middle of its compressed data: what is missing is lost");
  CHECK(contains(found.texts.at(wide).damage, "looks like UTF-16 text"));
  CHECK(contains(found.texts.at(other).damage, "1 line cannot be used"));
  CHECK(found.warnings.empty());
}

TEST_CASE("An archive stands for the logs in it", "[logs][find]") {
  const LogFolder folder;
  const Members members = {{"x/audit.log", at_second("10")},
                           {"x/readme", std::string(700, 'a')},
                           {"x/oauth-apiserver/audit.log", at_second("20")}};
  const auto check = [&](int format, int filter) {
    INFO(format << ' ' << filter);
    const std::string path = folder.add("logs", packed(members, format, filter));
    const FoundLogs found = find_logs({path});
    CHECK(found.logs == std::vector<std::string>{path + "/x/audit.log"});
    CHECK(damage_of(found, found.logs.at(0)).empty());
    CHECK(requests_in(found) == 1);
    REQUIRE(found.warnings.size() == 2);
    CHECK(found.warnings[0].name == path + "/x/oauth-apiserver/audit.log");
    CHECK(found.warnings[1].name == path + "/x/readme");
  };
  for (const int format : {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE,
                           ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FORMAT_CPIO_POSIX,
                           ARCHIVE_FORMAT_ZIP, ARCHIVE_FORMAT_7ZIP})
    check(format, ARCHIVE_FILTER_NONE);
  for (const int filter :
       {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4})
    check(ARCHIVE_FORMAT_TAR_USTAR, filter);
}

TEST_CASE("Each member of an archive is read, whatever its name and its layer", "[logs][find]") {
  const LogFolder folder;
  const std::string inner = packed({{"c.log", at_second("30")}}, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ),
                    zip = packed({{"d.log", at_second("40")}}, ARCHIVE_FORMAT_ZIP);
  const std::string path = folder.add("logs", packed({{"a.log", at_second("10")},
                                                      {"a.log", at_second("20")},
                                                      {"a.log", gzipped(at_second("25"))},
                                                      {"inner.txz", inner},
                                                      {"inner.zip", zip}},
                                                     ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_GZIP));
  const FoundLogs found = find_logs({path});
  CHECK(found.logs == std::vector<std::string>{path + "/a.log", path + "/a.log#2", path + "/a.log#3",
                                               path + "/inner.txz/c.log", path + "/inner.zip/d.log"});
  CHECK(requests_in(found) == 5);
  CHECK(found.warnings.empty());
  // The same archive in a folder, and two of them one after the other in one file.
  CHECK(find_logs({folder.str()}).logs == found.logs);
  const std::string tar = packed({{"a.log", at_second("10")}}, ARCHIVE_FORMAT_TAR_USTAR);
  CHECK(find_logs({folder.add("two.tar", tar + tar)}).logs.size() == 2);
}

TEST_CASE("An archive that is cut off is a damaged log", "[logs][find]") {
  const LogFolder folder;
  const Members members = {{"a.log", at_second("10")}, {"b.log", at_second("20")}};
  const std::string tar = packed(members, ARCHIVE_FORMAT_TAR_USTAR), header = tar.substr(0, 512);
  std::size_t cut = 0;
  const auto check = [&](const std::string& text, std::uint64_t requests) {
    const std::string path = folder.add("cut" + std::to_string(++cut), text);
    const FoundLogs found = find_logs({path});
    INFO(path << ": " << damage_of(found, path));
    CHECK_FALSE(damage_of(found, path).empty());
    LogOptions options;
    options.logs = found.logs;
    options.texts = found.texts;
    const LogReport report = trace_logs(options, [](const TraceRequest&) {});
    CHECK(report.requests == requests);
    std::vector<std::string> damaged;
    for (const Remark& warning : report.warnings)
      if (warning.kind == RemarkKind::log_damaged) damaged.push_back(warning.name);
    CHECK(std::count(damaged.begin(), damaged.end(), path) == 1);
  };
  const std::size_t second = 512 + (members[0].second.size() + 511) / 512 * 512;
  check(tar.substr(0, second + 700), 1);
  check(tar.substr(0, second), 1);  // its end is missing, and what else is, nobody knows
  // What its headers say of sizes is not taken for granted.
  std::string claim = packed({{"b.log", std::string(1, ' ')}}, ARCHIVE_FORMAT_TAR_USTAR).substr(0, 512);
  claim.replace(124, 11, "15000000000").replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : claim) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  check(tar.substr(0, second) + claim.replace(148, 7, std::string(digits, 7)), 1);
}

#endif

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
  CHECK_FALSE(flags.shared_seats());  // only one of two
  REQUIRE(flags.version);
  CHECK(flags.version->minor == 34);
  CHECK(flags.version->patch == 2);
  options.logs.pop_back();
  CHECK(read_server_flags(options).log.empty());
}
