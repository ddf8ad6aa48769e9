#include "logs/server_names.h"

#include <algorithm>
#include <map>
#include <set>

#include <apf/output.h>

#include "base/joined.h"
#include "base/text.h"

namespace apf {
namespace {

constexpr std::string_view kKinds[] = {"kube-apiserver", "audit", "apiserver"};
constexpr std::string_view kPlain[] = {
    "kube-apiserver", "audit", "audit_logs", "audit-logs", "apiserver", "logs", "log",
    "kubernetes",     "var",   "pods",       "containers", ".",         "..",   ""};
constexpr std::string_view kBetween = "-_.";

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view without(std::string_view text, std::string_view what) {
  while (!text.empty() && what.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

// Up to the first dot, as nodes are called: master-0 of master-0.example.
std::string short_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  return std::string(dot == std::string_view::npos || is_digit(name.front()) ? name : name.substr(0, dot));
}

std::string server_in_file_name(std::string_view file) {
  for (const std::string_view kind : kKinds) {
    const std::size_t at = file.find(kind);
    if (at == std::string_view::npos) continue;
    const std::string_view before = without(file.substr(0, at), kBetween);
    if (!before.empty()) return short_name(before);
    std::string_view behind = file.substr(kind.size());
    behind = behind.substr(0, behind.find_first_of("_."));
    if (behind.starts_with('-') && behind.size() > 1 && !is_digit(behind[1]) && !behind.starts_with("-audit"))
      return short_name(behind.substr(1));
    return {};
  }
  return {};
}

std::string server_in_folder_names(std::string_view path) {
  for (std::size_t slash; (slash = path.rfind('/')) != std::string_view::npos;) {
    path = path.substr(0, slash);
    if (!is_one_of(kPlain, file_of(path))) return short_name(file_of(path));
  }
  return {};
}

// At least half of the shorter one.
bool overlap(const LogSpan& a, const LogSpan& b) {
  const Nanos shared = std::min(a.last, b.last) - std::max(a.first, b.first);
  return shared >= 0 && shared >= std::min(a.last - a.first, b.last - b.first) / 2;
}

// Of "must-gather.tar.gz/a/b.log", what has to be unpacked before others can read it; empty: it is a file of its own.
std::string_view archive_of(std::string_view path) {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    const std::string_view file = file_of(path.substr(0, slash));
    const std::size_t tar = file.rfind(".tar");
    if (tar != file.npos && (tar + 4 == file.size() || file[tar + 4] == '.')) return path.substr(0, slash);
    for (const char* end : {".tgz", ".txz", ".tbz2", ".zip", ".7z", ".cpio", ".cpio.gz"})
      if (file.ends_with(end)) return path.substr(0, slash);
  }
  return {};
}

// The servers of whose logs one overlaps with another's. Most logs come one after the other, so each is held against
// those that begin before it ends.
template <class ServerOf>
std::set<std::string> overlapping(const std::vector<LogSpan>& logs, const ServerOf& server_of) {
  struct Named {
    const LogSpan* span;
    std::string server;
  };
  std::vector<Named> named;
  std::set<std::string> servers, out;
  for (const LogSpan& log : logs) {
    std::string server = log.first > log.last ? std::string() : server_of(log.log);
    if (!server.empty()) named.push_back({&log, *servers.insert(std::move(server)).first});
  }
  std::sort(named.begin(), named.end(), [](const Named& a, const Named& b) { return a.span->first < b.span->first; });
  for (std::size_t i = 0; i < named.size() && out.size() < servers.size(); ++i) {
    const Named& a = named[i];
    for (std::size_t k = i + 1; k < named.size() && named[k].span->first <= a.span->last; ++k) {
      const Named& b = named[k];
      if (a.span->http != b.span->http || !overlap(*a.span, *b.span) || a.server == b.server) continue;
      out.insert(a.server);
      out.insert(b.server);
    }
  }
  return out;
}

}  // namespace

std::string server_of_log(std::string_view path) {
  std::string server = server_in_file_name(file_of(path));
  return server.empty() ? server_in_folder_names(path) : server;
}

std::vector<Remark> servers_in_files(const std::vector<LogSpan>& logs) {
  std::set<std::string> several;
  // An audit log and the server's own log overlap as they should; names of files and of folders do not compare.
  for (const auto& server_of :
       {+[](std::string_view path) { return server_in_file_name(file_of(path)); }, &server_in_folder_names}) {
    several = overlapping(logs, server_of);
    if (!several.empty()) break;
  }
  if (several.empty()) return {};
  Remark remark{.kind = RemarkKind::servers_in_files, .count = several.size()};
  std::map<std::string, std::string> flags;
  std::vector<std::string> archives;
  for (const LogSpan& log : logs) {
    std::string server = server_of_log(log.log);
    if (!several.contains(server)) server = server_in_folder_names(log.log);
    const std::string_view archive = archive_of(log.log);
    const std::string path = archive.empty() ? log.log : log.log.substr(archive.size() + 1);
    if (!several.contains(server)) continue;
    flags[server] += " --server " + shell_word(server + "=" + path);
    if (!archive.empty() && !is_one_of(archives, archive)) archives.emplace_back(archive);
  }
  remark.name = joined(archives, " and ");
  for (const auto& [server, text] : flags) remark.detail += text;
  remark.detail.erase(0, 1);
  return {remark};
}

}  // namespace apf
