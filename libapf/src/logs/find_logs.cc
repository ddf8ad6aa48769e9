// find_logs(): what is a log of kube-apiserver in folders and archives.
#include <apf/error.h>
#include <apf/logs.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

#include "base/folder_walk.h"
#include "base/text.h"
#include "logs/chunk_source.h"
#include "logs/inflate.h"
#include "logs/server_names.h"

namespace apf {
namespace {

constexpr std::size_t kMostFiles = 10'000;  // of a folder

constexpr std::size_t kTarBlock = 512;                       // of a tar archive
constexpr std::uint64_t kMostHeld = std::uint64_t{1} << 31;  // of its files

struct Candidate {
  std::string path, within;  // within: below what the user named
  std::string server;
  Nanos first = kNoTime;
};

class FirstOfFile final : public LogEventSink {
 public:
  bool any = false;
  Nanos time = kNoTime;
  void on_event(const LogEvent& event, std::uint64_t) override {
    any = true;
    if (time == kNoTime) time = event.stage_time != kNoTime ? event.stage_time : event.received;
  }
  void on_note(const ServerNote& note, std::uint64_t) override {
    any = true;
    if (time == kNoTime) time = note.time;
  }
  void on_unusable(Unusable, std::uint64_t) override {}
};

// Components of a path that are another server's or another program's.
bool is_of_other(std::string_view within) {
  constexpr std::string_view kOthers[] = {"kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "etcd"};
  while (!within.empty()) {
    const std::string_view part = within.substr(0, within.find('/'));
    within.remove_prefix(std::min(part.size() + 1, within.size()));
    if (part.find("kube-apiserver") != std::string_view::npos) continue;
    if (part.find("-apiserver") != std::string_view::npos || part.find("oauth-server") != std::string_view::npos)
      return true;
    if (std::any_of(std::begin(kOthers), std::end(kOthers),
                    [&](std::string_view other) { return part.find(other) != std::string_view::npos; }))
      return true;
  }
  return false;
}

// Whether the beginning of a file holds anything of a server, and when that was.
bool look_at_beginning(Candidate& file, const LogTexts& texts) {
  LogOptions options;
  options.texts = texts;
  LogChunk chunk;
  FirstOfFile first;
  try {
    ChunkSource source({&file.path, 1}, kAnyFormat, options);
    if (source.next(chunk)) LogParsers().of(chunk.format).parse(chunk, first);
  } catch (const Error&) {
    return false;
  }
  file.first = first.time;
  file.server = server_of_log(file.path);
  return first.any;
}

class Finder {
 public:
  void add(const std::string& path) {
    const bool known = path != "-" && !path.empty();
    if (known && std::filesystem::is_directory(std::filesystem::status(path))) return add_folder(path);
    if (known && can_be_read_again(path, {}) && is_archive(path)) return add_archive(path);
    out_.logs.push_back(path);
  }
  FoundLogs take() { return std::move(out_); }

 private:
  void add_folder(const std::string& folder) {
    std::vector<Candidate> files;
    const auto holds_something = [](const std::filesystem::directory_entry& entry) {
      std::error_code error;
      return entry.is_directory(error) || entry.file_size(error) > 0;
    };
    for (std::string& path : files_below(folder, kMostFiles, "the logs", holds_something))
      files.push_back({path, path.substr(std::min(folder.size() + 1, path.size())), {}, kNoTime});
    sort_out(folder, std::move(files));
  }

  static bool is_archive(const std::string& path) {
    try {
      ByteSource bytes(path);
      char head[kTarBlock];
      std::size_t size = 0;
      while (size < kTarBlock && !bytes.at_end()) size += bytes.read(head + size, kTarBlock - size);
      return size == kTarBlock && std::string_view(head + 257, 5) == "ustar";
    } catch (const Error&) {
      return false;  // its own turn comes, and the error with it
    }
  }

  void add_archive(const std::string& path) {
    std::vector<Candidate> files;
    ByteSource bytes(path);
    std::string header, long_name;
    std::uint64_t held = 0;
    while (read(bytes, header, kTarBlock) && header[0] != '\0') {
      const std::uint64_t size = number_at(header, 124, 12);
      const std::uint64_t padded = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
      const char type = header[156];
      std::string name = std::exchange(long_name, {});
      if (name.empty()) {
        const std::string folder = text_at(header, 345, 155);
        name = (folder.empty() ? "" : folder + "/") + text_at(header, 0, 100);
      }
      held += size;
      if (held > kMostHeld)
        throw Error(path + " holds more than 2 GiB: unpack the logs (mkdir logs && tar -xf " + path +
                    " -C logs --wildcards '*kube-apiserver*'), and give the folder");
      auto content = std::make_shared<std::string>();
      const bool whole = read(bytes, *content, padded);
      content->resize(std::min<std::uint64_t>(size, content->size()));
      if (type == 'L') {
        long_name = content->substr(0, content->find('\0'));
      } else if (type == 'x') {
        long_name = path_in_pax(*content);
      } else if (type == '0' || type == '\0') {
        const std::string log = path + "/" + name;
        out_.texts[log] = *content;
        out_.held.push_back(std::move(content));
        files.push_back({log, name, {}, kNoTime});
      }
      if (whole) continue;
      if (bytes.damage().empty())
        out_.warnings.push_back({.kind = RemarkKind::log_damaged, .name = path, .detail = "is cut off within " + name});
      break;
    }
    if (!bytes.damage().empty())
      out_.warnings.push_back({.kind = RemarkKind::log_damaged, .name = path, .detail = bytes.damage()});
    sort_out(path, std::move(files));
  }

  static bool read(ByteSource& bytes, std::string& out, std::uint64_t size) {
    constexpr std::uint64_t kStep = 1u << 20;  // what an archive says of a size is not taken for granted
    out.clear();
    while (out.size() < size && !bytes.at_end()) {
      const std::size_t had = out.size();
      out.resize(std::min(size, had + kStep));
      out.resize(had + bytes.read(out.data() + had, out.size() - had));
    }
    return out.size() == size;
  }
  static std::string text_at(const std::string& header, std::size_t at, std::size_t size) {
    const std::string field = header.substr(at, size);
    return field.substr(0, field.find('\0'));
  }
  static std::uint64_t number_at(const std::string& header, std::size_t at, std::size_t size) {
    std::uint64_t out = 0;
    for (const char c : text_at(header, at, size))
      if (c >= '0' && c <= '7') out = out * 8 + static_cast<std::uint64_t>(c - '0');
    return out;
  }
  // "LENGTH path=…\n" among such lines.
  static std::string path_in_pax(const std::string& lines) {
    const std::size_t at = lines.find(" path=");
    return at == std::string::npos ? std::string() : lines.substr(at + 6, lines.find('\n', at) - at - 6);
  }

  void sort_out(const std::string& path, std::vector<Candidate> files) {
    std::sort(files.begin(), files.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
    std::vector<Candidate> logs;
    Remark others{.kind = RemarkKind::logs_left_out, .count = 0, .detail = "of other servers"};
    Remark rest{.kind = RemarkKind::logs_left_out, .count = 0, .detail = "no logs of requests"};
    for (Candidate& file : files) {
      const bool other = is_of_other(file.within);
      if (!other && look_at_beginning(file, out_.texts)) {
        logs.push_back(std::move(file));
        continue;
      }
      Remark& remark = other ? others : rest;
      if ((*remark.count)++ == 0) remark.name = file.path;
    }
    if (logs.empty())
      throw Error(path + " holds no log of kube-apiserver (" + std::to_string(files.size()) +
                  " files were looked at); give the folder or the files that do");
    std::stable_sort(logs.begin(), logs.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.server, a.first) < std::tie(b.server, b.first);
    });
    for (Candidate& log : logs) out_.logs.push_back(std::move(log.path));
    for (Remark* remark : {&others, &rest})
      if (*remark->count > 0) out_.warnings.push_back(std::move(*remark));
  }

  FoundLogs out_;
};

}  // namespace

FoundLogs find_logs(const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) finder.add(path);
  return finder.take();
}

}  // namespace apf
