// find_logs(): what is a log of kube-apiserver in folders and archives.
#include <apf/error.h>
#include <apf/logs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/folder_walk.h"
#include "base/text.h"
#include "logs/archive.h"
#include "logs/chunk_source.h"
#include "logs/formats/format.h"
#include "logs/formats/text_scan.h"
#include "logs/inflate.h"
#include "logs/server_names.h"
#include "logs/text_spool.h"

namespace apf {
namespace {

constexpr std::size_t kMostFiles = 10'000;  // of a folder

constexpr std::size_t kMostMembers = 1'000'000;               // of all archives
constexpr std::uint64_t kMostKept = std::uint64_t{16} << 30;  // of an archive's logs, compressed
constexpr int kMostLayers = 4;                                // archives in archives

enum class FileKind : std::uint8_t {
  log,
  unreadable,  // it may be one
  undecided,   // what was looked at has nothing of a server
  no_log,
  of_other
};

struct Candidate {
  Candidate(std::string at, std::string below, FileKind of = FileKind::undecided)
      : path(std::move(at)), within(std::move(below)), kind(of) {}
  std::string path, within;  // within: below what the user named
  FileKind kind;
  Nanos first = kNoTime;
  std::string server;
  std::string damage;  // of what is unreadable
};

class FirstOfFile final : public LogEventSink {
 public:
  bool any = false;
  Nanos time = kNoTime;
  std::uint64_t unusable = 0;
  void on_event(const LogEvent& event, std::uint64_t) override {
    any = true;
    if (time == kNoTime) time = event.stage_time != kNoTime ? event.stage_time : event.received;
  }
  void on_note(const ServerNote& note, std::uint64_t) override {
    any = true;
    if (time == kNoTime) time = note.time;
  }
  void on_unusable(Unusable, std::uint64_t) override { ++unusable; }
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

bool is_named_log(const std::filesystem::path& path) {
  const std::string name = in_lower_case(path.filename().string());
  return holds(name, "log") || holds(name, "audit") || holds(name, "apiserver");
}

// An empty file may be a log that was just begun; what is compressed has a header at least.
bool is_cut_to_nothing(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  const std::string suffix = in_lower_case(entry.path().extension().string());
  constexpr std::string_view kPacked[] = {".gz",  ".zst", ".xz", ".bz2", ".lz4", ".tgz", ".tar",
                                          ".zip", ".7z",  ".z",  ".xar", ".rar", ".lz"};
  return entry.file_size(error) == 0 && is_one_of(kPacked, suffix);
}

// Reads logs until something of a server is there.
class Looker {
 public:
  // `to_end`: else the first chunk says it, or the file stays undecided.
  void look(Candidate& file, const LogTexts& texts, bool to_end) {
    LogOptions options;
    options.texts = texts;
    FirstOfFile first;
    file.kind = FileKind::undecided;
    try {
      ChunkSource source({&file.path, 1}, kAnyFormat, options);
      while (source.next(chunk_)) {
        parsers_.of(chunk_).parse(chunk_, first);
        if (first.any || !to_end) break;
      }
      if (first.any) {
        file.kind = FileKind::log;
        file.first = first.time;
      } else if (to_end) {
        decide(file, source, first);
      }
    } catch (const ForeignLog& error) {
      file.kind = error.is_no_log && !(is_named_log(file.path) && error.why.ends_with("a binary file"))
                      ? FileKind::no_log
                      : FileKind::unreadable;
      file.damage = error.why;
    } catch (const Error& error) {
      file.kind = FileKind::unreadable;
      file.damage = "cannot be read (" + std::string(error.what()) + ")";
    }
  }

 private:
  // Read to its end, it has nothing of a server.
  void decide(Candidate& file, const ChunkSource& source, const FirstOfFile& first) const {
    file.kind = FileKind::no_log;
    for (const Remark& remark : source.warnings()) {
      if (remark.kind != RemarkKind::log_damaged) continue;
      file.kind = FileKind::unreadable;
      file.damage = remark.detail;
    }
    const bool is_klog = chunk_.format == &kHttplogFormat || chunk_.format == &kHttplogJsonFormat;
    if (first.unusable == 0 || is_klog || chunk_.format == kAnyFormat || file.kind == FileKind::unreadable) return;
    file.kind = FileKind::unreadable;
    file.damage = "has no request that can be read: " + std::to_string(first.unusable) +
                  (first.unusable == 1 ? " line" : " lines") + " cannot be used";
  }

  LogChunk chunk_;
  LogParsers parsers_;
};

// Folders and archives by what is in them. What an archive holds is read once, as a stream; its logs are kept in a
// spool.
class Finder {
 public:
  void add(const std::string& path) {
    const bool known = path != "-" && !path.empty();
    std::vector<Candidate> files;
    if (known && std::filesystem::is_directory(std::filesystem::status(path))) {
      add_folder(path, files);
    } else if (is_pipe(path) ? keeps_archive(path) : known && can_be_read_again(path, {}) && is_archive(path)) {
      add_archives({{path, {}}}, 1, files);
    } else {
      out_.logs.push_back(path);
      return;
    }
    sort_out(path, std::move(files));
  }
  FoundLogs take() { return std::move(out_); }

 private:
  void add_folder(const std::string& folder, std::vector<Candidate>& out) {
    const auto holds_something = [](const std::filesystem::directory_entry& entry) {
      std::error_code error;
      return entry.is_directory(error) || entry.file_size(error) > 0 || is_cut_to_nothing(entry);
    };
    const auto within = [&](const std::string& path) { return path.substr(std::min(folder.size() + 1, path.size())); };
    std::vector<std::string> closed;
    std::vector<Candidate> archives;
    for (const std::string& path : files_below(folder, kMostFiles, "the logs", holds_something, &closed))
      add_file({path, within(path)}, archives, out);
    add_archives(std::move(archives), 1, out);
    for (const std::string& path : closed) {
      if (is_of_other(within(path))) continue;
      out.push_back({path, within(path), FileKind::unreadable});
      out.back().damage =
          std::string("cannot be opened: ") + std::strerror(::access(path.c_str(), R_OK | X_OK) == 0 ? EACCES : errno);
    }
  }

  void add_file(Candidate file, std::vector<Candidate>& archives, std::vector<Candidate>& out) {
    if (is_of_other(file.within)) {
      file.kind = FileKind::of_other;
    } else if (::access(file.path.c_str(), R_OK) != 0) {
      file.kind = FileKind::unreadable;
      file.damage = std::string("cannot be opened: ") + std::strerror(errno);
    } else if (std::filesystem::file_size(file.path) == 0) {
      file.kind = FileKind::unreadable;
      file.damage = "is empty, without the header of a compressed file";
    } else if (is_archive(file.path)) {
      return archives.push_back(std::move(file));
    } else {
      looker_.look(file, {}, true);
    }
    out.push_back(std::move(file));
  }

  static bool is_archive(const std::string& path) {
    try {
      ByteSource bytes(path);
      return begins_archive(bytes);
    } catch (const Error&) {
      return false;  // its own turn comes, and the error with it
    }
  }
  static bool begins_archive(ByteSource& bytes) {
    char head[kPackingHead];
    std::size_t size = 0;
    // No archive begins with a line; more may not have come yet.
    while (size < sizeof head && !bytes.at_end() && !std::memchr(head, '\n', size))
      size += bytes.read(head + size, sizeof head - size);
    return packing_of({head, size}) == Packing::archive;
  }

  static bool is_pipe(const std::string& path) {
    std::error_code error;
    return path == "-" || std::filesystem::is_fifo(path, error);
  }

  // An archive that comes through a pipe is kept; of what is none, what was looked at is handed on.
  bool keeps_archive(const std::string& path) {
    ByteSource bytes(path);
    bytes.keep_in(std::make_shared<KeptPipe>());
    const bool is_one = begins_archive(bytes);
    LogText& text = out_.texts[path] = bytes.hand_on(out_.held.emplace_back());
    if (!is_one) return false;
    ByteSource packed(path, out_.texts);
    const auto spool = std::make_shared<TextSpool>();
    spool->begin(true);
    head_.resize(kHead);
    while (!packed.packed_end()) {
      spool->add({head_.data(), packed.read_packed(head_.data(), head_.size())});
      if (spool->size() > kMostKept) throw Error(name_of_input(path) + " is larger than 16 GiB: give the file");
    }
    const TextSpool::Place place = spool->end();
    text = spool->map().substr(place.begin, place.end - place.begin);
    out_.held.push_back(spool);
    return true;
  }

  std::unique_ptr<Unpacker> open_archive(const std::string& path) const {
    const auto bytes = std::make_shared<ByteSource>(path, out_.texts);
    if (!bytes->is_inflated()) return Unpacker::of_archive(path, out_.texts);
    const auto read = [bytes](char* to, std::size_t size) {
      std::size_t got = 0;
      while (got == 0 && !bytes->at_end()) got = bytes->read(to, size);
      return got;
    };
    return Unpacker::of_archive(path, read, [bytes] { return bytes->damage(); });
  }

  struct Kept {
    std::size_t file;  // of the list
    TextSpool::Place place;
    std::string damage;
    bool is_archive = false;
  };
  // What archives hold, all together: a spool for each would be too much for many small ones.
  struct Unpacked {
    std::shared_ptr<TextSpool> spool = std::make_shared<TextSpool>();
    std::vector<Candidate> files;
    std::vector<Kept> kept;
  };

  void add_archives(std::vector<Candidate> archives, int layer, std::vector<Candidate>& out) {
    if (archives.empty()) return;
    Unpacked in;
    for (Candidate& archive : archives) {
      unpack(archive, layer, in);
      if (archive.kind == FileKind::unreadable) out.push_back(std::move(archive));
    }
    const std::string_view text = in.spool->map();
    if (!in.kept.empty()) out_.held.push_back(in.spool);
    for (Kept& member : in.kept) {
      LogText& of = out_.texts[in.files[member.file].path];
      of.text = text.substr(member.place.begin, member.place.end - member.place.begin);
      of.damage = std::move(member.damage);
    }
    std::vector<Candidate> inner;
    for (const Kept& member : in.kept) {
      Candidate& file = in.files[member.file];
      if (member.is_archive) {
        inner.push_back(file);
        file.path.clear();  // its members stand for it
      } else if (file.kind == FileKind::undecided) {
        looker_.look(file, {*out_.texts.find(file.path)}, true);
      }
    }
    add_archives(std::move(inner), layer + 1, out);
    for (Candidate& file : in.files)
      if (!file.path.empty()) out.push_back(std::move(file));
  }

  // Unreadable afterwards, if not all of it could be read.
  void unpack(Candidate& archive, int layer, Unpacked& in) {
    std::unique_ptr<Unpacker> members;
    try {
      members = open_archive(archive.path);
    } catch (const Error& error) {
      if (archive.within.empty()) throw;
      archive.kind = FileKind::unreadable;
      archive.damage = "cannot be read (" + std::string(error.what()) + ")";
      return;
    }
    std::unordered_map<std::string, int> times;
    std::unordered_set<std::string> taken;
    const std::uint64_t before = in.spool->size();
    for (std::string name; members->next(name);) {
      if (++members_ > kMostMembers)
        throw Error(name_of_input(archive.path) + " holds more than a million files: unpack it first");
      std::string own = name;  // of several members of one name each is read
      for (int& of = times[name]; !taken.insert(own).second;) own = name + "#" + std::to_string(++of + 1);
      in.files.push_back(
          {name_of_input(archive.path) + "/" + own, archive.within.empty() ? own : archive.within + "/" + own});
      if (is_of_other(in.files.back().within)) in.files.back().kind = FileKind::of_other;
      else take_member(*members, in.files, layer, *in.spool, in.kept);
      if (in.spool->size() - before > kMostKept)
        throw Error(name_of_input(archive.path) +
                    " holds more than 16 GiB of logs, compressed: unpack it, and give the folder");
    }
    archive.damage = members->damage_of_archive();
    if (!archive.damage.empty()) archive.kind = FileKind::unreadable;
  }

  // The last of the files: by its beginning it is no log, or it is kept.
  void take_member(Unpacker& members, std::vector<Candidate>& files, int layer, TextSpool& spool,
                   std::vector<Kept>& kept) {
    Candidate& file = files.back();
    head_.resize(kHead);
    const std::string_view head(head_.data(), members.read(head_.data(), kHead));
    const bool is_whole = head.size() < kHead;
    const auto damage = [&] { return members.damage_of_archive().empty() ? members.damage() : std::string(); };
    if (is_whole && !damage().empty()) {
      file.kind = FileKind::unreadable;
      file.damage = damage();
      if (head.empty()) return;
    }
    Kept member{files.size() - 1, {}, {}};
    ByteSource bytes(file.path, {{file.path, head}});
    member.is_archive = begins_archive(bytes);
    if (member.is_archive && layer == kMostLayers) {
      file.kind = FileKind::unreadable;
      file.damage = "is an archive in several others: unpack it first";
      return;
    }
    if (!member.is_archive) {
      looker_.look(file, {{file.path, head}}, is_whole);
      const bool is_cut = file.kind == FileKind::unreadable && !is_whole && bytes.is_inflated();
      if (is_cut) file.kind = FileKind::undecided;
      if (file.kind == FileKind::no_log || file.kind == FileKind::unreadable) return;
    }
    const bool has_parts = head.starts_with("PK") || head.starts_with("7z");  // which are looked for here and there
    spool.begin(bytes.is_inflated() || (member.is_archive && has_parts));
    std::string_view block = head;
    while (!block.empty()) {
      spool.add(block);
      block = is_whole ? std::string_view() : std::string_view(head_.data(), members.read(head_.data(), kHead));
    }
    member.place = spool.end();
    member.damage = damage();
    kept.push_back(std::move(member));
  }

  void sort_out(const std::string& path, std::vector<Candidate> files) {
    std::sort(files.begin(), files.end(), [](const Candidate& a, const Candidate& b) { return a.path < b.path; });
    std::vector<Candidate> logs;
    Remark others{.kind = RemarkKind::logs_left_out, .count = 0, .detail = "of other servers"};
    Remark rest{.kind = RemarkKind::logs_left_out, .count = 0, .detail = "no logs of requests"};
    for (Candidate& file : files) {
      if (file.kind == FileKind::log || file.kind == FileKind::unreadable) {
        file.server = server_of_log(file.path);
        logs.push_back(std::move(file));
        continue;
      }
      Remark& remark = file.kind == FileKind::of_other ? others : rest;
      if ((*remark.count)++ == 0) remark.name = file.path;
    }
    if (logs.empty())
      throw Error(name_of_input(path) + " holds no log of kube-apiserver (" + std::to_string(files.size()) +
                  (files.size() == 1 ? " file was" : " files were") +
                  " looked at); give the folder or the files that do");
    std::stable_sort(logs.begin(), logs.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.server, a.first) < std::tie(b.server, b.first);
    });
    for (Candidate& log : logs) {
      if (log.kind == FileKind::unreadable) {
        LogText& text = out_.texts[log.path];
        text.text = {};
        text.damage = std::move(log.damage);
      }
      out_.logs.push_back(std::move(log.path));
    }
    for (Remark* remark : {&others, &rest})
      if (*remark->count > 0) out_.warnings.push_back(std::move(*remark));
  }

  static constexpr std::size_t kHead = kChunkSize + 1;  // of a member
  FoundLogs out_;
  Looker looker_;
  std::string head_;
  std::size_t members_ = 0;
};

}  // namespace

FoundLogs find_logs(const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) finder.add(path);
  return finder.take();
}

}  // namespace apf
