#include "logs/chunk_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "logs/formats/csv_table.h"
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/formats/text_scan.h"
#include "logs/inflate.h"
#include "logs/log_calendar.h"
#include "logs/log_order.h"
#include "logs/partial_lines.h"
#include "logs/sorted_events.h"

#include "base/text.h"

namespace apf {
namespace {

constexpr std::size_t kLineLimit = std::size_t{64} << 20;
constexpr std::size_t kDocumentLimit = std::size_t{256} << 20;
constexpr std::size_t kMostOthers = 32;  // that are looked into for the year
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kAccepted =
    "accepted are audit events of kube-apiserver (audit.k8s.io), its own log with the lines of its HTTP log (klog, "
    "text or JSON), and trace lines (apfctl-logs(5))";

// Checks that the path can be read, without opening what may only be opened once. Adds its size.
void check_path(const std::string& path, const LogTexts& texts, std::uint64_t& total, bool& all_known) {
  if (const auto text = texts.find(path); text != texts.end()) {
    total += text->second.text.size();
    all_known = all_known && text->second.goes_on_in < 0;
    return;
  }
  if (path == "-") {
    all_known = false;
    return;
  }
  if (path.empty()) throw Error("the name of a log is empty");
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw Error("cannot open " + path + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    throw Error(path + " is a directory: name the log files in it, in the order they were written");
  if (::access(path.c_str(), R_OK) != 0) throw Error("cannot read " + path + ": " + std::strerror(errno));
  if (S_ISREG(status.st_mode)) {
    total += static_cast<std::uint64_t>(status.st_size);
  } else {
    all_known = false;
  }
}

}  // namespace

struct ChunkSource::Impl {
  Impl(std::span<const std::string> paths, LogFormat only, const LogOptions& options, std::span<const LogFormat> table)
      : names(paths.begin(), paths.end()),
        all(all_of(names, options.logs)),
        order(options.order),
        texts(order->with_kept(texts_of(all, options.texts))),
        calendar(options.log_year, all, *order, texts),
        wanted(only),
        formats(table),
        needs_events(options.needs_events) {}

  static std::vector<std::string> all_of(const std::vector<std::string>& names, const std::vector<std::string>& more) {
    std::vector<std::string> all = names;
    const std::unordered_set<std::string_view> known(names.begin(), names.end());
    for (const std::string& path : more) {
      if (all.size() == names.size() + kMostOthers) break;
      if (!known.contains(path)) all.push_back(path);
    }
    return all;
  }
  static LogTexts texts_of(const std::vector<std::string>& paths, const LogTexts& texts) {
    LogTexts out;
    for (const std::string& path : paths)
      if (const auto at = texts.find(path); at != texts.end()) out.insert(*at);
    return out;
  }

  std::vector<std::string> names;
  std::vector<std::string> all;  // and a few other logs of the same server
  const std::shared_ptr<LogOrder> order;
  LogTexts texts;
  LogCalendar calendar;
  const LogFormat wanted;
  const std::span<const LogFormat> formats;
  const bool needs_events;
  ChunkSourceStats stats;
  std::vector<Remark> warnings;
  std::uint64_t too_long = 0;

  std::size_t file = 0;                                     // the one being read, or the next
  std::vector<std::shared_ptr<const SortedEvents>> sorted;  // by file
  std::optional<SortedEvents::Cursor> cursor;               // in those of the file that is being read
  std::unique_ptr<ByteSource> bytes;
  std::uint64_t input_before = 0;  // bytes of the files done
  std::string carry;               // read, not handed out yet
  std::uint64_t line = 1;          // the number of the line that carry begins with
  LogFormat format = kAnyFormat;
  const char* label = "";
  ForeignText foreign;   // what it looks like so far, without a line of the server
  std::string header;    // of a table
  bool at_begin = true;  // nothing of the file was looked at yet
  bool empty = true;     // the file had no text so far
  bool documents = false;
  PartialLines parts;
  std::string joined;       // memory
  bool skipping = false;    // in the middle of a line beyond the limit
  DocumentScanner scanner;  // of documents: has seen the first `scanned` bytes of carry
  std::size_t scanned = 0;

  void warn(RemarkKind kind, std::string detail = {}) {
    warnings.push_back({.kind = kind, .name = name_of_input(names[file]), .detail = std::move(detail)});
  }

  bool format_unknown() const { return at_begin || format == kAnyFormat; }
  void open_next();
  void close();
  bool is_sorted() const { return file < sorted.size() && sorted[file]; }
  bool next_sorted(LogChunk& chunk);
  enum class Filled { full, to_end, interrupted };
  std::size_t begin(LogChunk& chunk, std::size_t capacity);
  static void reserve(LogChunk& chunk, std::size_t capacity);
  Filled fill(LogChunk& chunk, std::size_t& size, std::size_t capacity);
  void look(LogChunk& chunk, std::size_t& size, bool is_end);
  void refuse_foreign() const;
  Filled skip_line(LogChunk& chunk, std::size_t& size);
  std::size_t whole_records(std::string_view text, std::size_t searched) const;
  bool next_lines(LogChunk& chunk);
  bool next_documents(LogChunk& chunk);
  void hand_out(LogChunk& chunk, std::size_t cut, std::size_t size, bool last);
};

ChunkSource::ChunkSource(std::span<const std::string> paths, LogFormat format, const LogOptions& options,
                         std::span<const LogFormat> formats)
    : impl_(std::make_unique<Impl>(paths, format, options, formats)) {
  bool all_known = true;
  for (const std::string& path : paths) check_path(path, impl_->texts, impl_->stats.total_input_bytes, all_known);
  if (!all_known) impl_->stats.total_input_bytes = 0;
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    throw Error("- is given more than once: standard input can be read once; give files");
}

ChunkSource::~ChunkSource() = default;

void ChunkSource::Impl::open_next() {
  bytes = std::make_unique<ByteSource>(names[file], texts);
  if (!can_be_read_again(names[file], texts)) bytes->keep_in(order->pipe(names[file]));
  carry.clear();
  line = 1;
  format = wanted;
  label = "";
  foreign = {};
  header.clear();
  at_begin = empty = true;
  documents = skipping = false;
  parts = PartialLines();
  scanner = DocumentScanner();
  scanned = 0;
  calendar.begin_file(names[file]);
}

void ChunkSource::Impl::refuse_foreign() const {
  if (!foreign.words.empty())
    throw ForeignLog(name_of_input(names[file]), "looks like " + foreign.words, kAccepted, foreign.is_no_log);
}

void ChunkSource::Impl::close() {
  if (format == kAnyFormat) refuse_foreign();
  if (!bytes->damage().empty()) warn(RemarkKind::log_damaged, bytes->damage());
  if (empty && bytes->damage().empty()) warn(RemarkKind::log_empty);
  input_before += bytes->input_bytes();
  bytes.reset();
  ++file;
}

// Puts what is left over at the front of the buffer and makes room for `capacity` bytes in all.
std::size_t ChunkSource::Impl::begin(LogChunk& chunk, std::size_t capacity) {
  if (chunk.buffer.size() > 4 * capacity) std::string().swap(chunk.buffer);  // it held a giant
  reserve(chunk, capacity);
  const std::size_t size = carry.size();
  std::memcpy(chunk.buffer.data(), carry.data(), size);
  carry.clear();
  if (carry.capacity() > 4 * capacity) carry.shrink_to_fit();
  return size;
}

void ChunkSource::Impl::reserve(LogChunk& chunk, std::size_t capacity) {
  if (chunk.buffer.size() < capacity + 1 + kChunkPadding) chunk.buffer.resize(capacity + 1 + kChunkPadding);
}

// Reads until `capacity` bytes are in the buffer, the file ends, or a signal arrives; in the first case one byte
// more, so that the file's last chunk is known as such.
ChunkSource::Impl::Filled ChunkSource::Impl::fill(LogChunk& chunk, std::size_t& size, std::size_t capacity) {
  reserve(chunk, capacity);
  while (size <= capacity && !bytes->at_end()) {
    const std::size_t got = bytes->read(chunk.buffer.data() + size, capacity + 1 - size);
    if (got == 0 && !bytes->at_end()) break;
    size += got;
  }
  stats.input_bytes = input_before + bytes->input_bytes();
  if (size > 0) empty = false;
  return bytes->at_end() ? Filled::to_end : size > capacity ? Filled::full : Filled::interrupted;
}

// The file's first bytes: whether they are to be read here, and how.
void ChunkSource::Impl::look(LogChunk& chunk, std::size_t& size, bool is_end) {
  std::string_view head(chunk.buffer.data(), size);
  if (at_begin) {
    at_begin = false;
    if (head.starts_with(kByteOrderMark)) {
      size -= kByteOrderMark.size();
      std::memmove(chunk.buffer.data(), head.data() + kByteOrderMark.size(), size);
      head = {chunk.buffer.data(), size};
    }
    documents = is_multi_line_json(head);
    parts = documents ? PartialLines() : PartialLines::of(head);
    header = table_header(head);
  }
  if (format == kAnyFormat) format = recognise_log(head, documents, formats);
  label = label_of_log(head, format, documents);
  if (format != kAnyFormat) return;
  // Logs of controllers, in whatever form, have lines of client-go's rate limiter for who wants more than events.
  if (!needs_events && head.find("client-side throttling") != head.npos) return;
  if (foreign.words.empty()) foreign = describe_foreign(head);
  if (is_end || documents || !foreign.may_turn) refuse_foreign();
}

// Gives the chunk its first `cut` bytes and keeps the others.
void ChunkSource::Impl::hand_out(LogChunk& chunk, std::size_t cut, std::size_t size, bool last) {
  char* text = chunk.buffer.data();
  carry.assign(text + cut, size - cut);
  std::memset(text + cut, 0, kChunkPadding);
  const std::uint64_t newlines = count_newlines(text, cut);
  chunk.size = cut;
  chunk.file = static_cast<std::uint32_t>(file);
  chunk.first_line = line;
  chunk.lines = newlines + (last && cut > 0 && text[cut - 1] != '\n' ? 1 : 0);
  chunk.last_of_file = last;
  chunk.format = format == kAnyFormat ? &kAuditFormat : format;
  chunk.label = label;
  chunk.header = header;
  chunk.forced = wanted != kAnyFormat;
  chunk.whole_documents = documents;
  chunk.sorted = false;
  if (format == &kHttplogFormat) {
    chunk.calendar = calendar.before_klog({text, cut});
  } else if (format != &kTraceFormat) {
    chunk.calendar = calendar.before_other({text, cut});
  }
  if (const auto year = calendar.take_assumed()) warn(RemarkKind::log_year_unknown, std::to_string(*year));
  if (parts.join({text, cut}, last, joined)) {
    chunk.size = joined.size();
    joined.append(kChunkPadding + 1, '\0');
    chunk.buffer.swap(joined);
  }
  line += newlines;
  scanned -= std::min(scanned, cut);
  stats.bytes += cut;
  stats.lines += chunk.lines;
}

// Drops bytes up to the end of a line beyond the limit; `size` is then what follows it in the buffer.
ChunkSource::Impl::Filled ChunkSource::Impl::skip_line(LogChunk& chunk, std::size_t& size) {
  for (;;) {
    const Filled filled = fill(chunk, size, kChunkSize);
    char* text = chunk.buffer.data();
    if (const auto* newline = static_cast<const char*>(std::memchr(text, '\n', size))) {
      const auto cut = static_cast<std::size_t>(newline - text) + 1;
      size -= cut;
      std::memmove(text, text + cut, size);
      skipping = false;
      ++line;
      return fill(chunk, size, kChunkSize);
    }
    size = 0;
    if (filled != Filled::full) return filled;
  }
}

// How much of the text is whole lines, or whole entries of several lines. No line ends before `searched`.
std::size_t ChunkSource::Impl::whole_records(std::string_view text, std::size_t searched) const {
  if (format && format->whole_records) return format->whole_records(text);
  const std::size_t newline = text.substr(searched).rfind('\n');
  return newline == std::string_view::npos ? 0 : searched + newline + 1;
}

// False: the file has no more chunks.
bool ChunkSource::Impl::next_lines(LogChunk& chunk) {
  std::size_t capacity = std::max(kChunkSize, carry.size());
  std::size_t size = begin(chunk, capacity);
  std::size_t searched = 0;  // no newline before this
  for (;;) {
    const Filled filled = skipping ? skip_line(chunk, size) : fill(chunk, size, capacity);
    if (filled == Filled::interrupted && (at_begin || skipping)) {  // too little to look at yet
      hand_out(chunk, 0, size, false);
      return true;
    }
    if (size > 0 && format_unknown()) {
      look(chunk, size, filled == Filled::to_end);
      if (documents) {
        carry.assign(chunk.buffer.data(), size);
        return next_documents(chunk);
      }
    }
    if (filled == Filled::to_end) {
      if (size == 0) return false;
      hand_out(chunk, size, size, true);
      return true;
    }
    // The byte of looking ahead stays behind: a chunk after this one is not empty.
    const std::size_t end = filled == Filled::full ? size - 1 : size;
    if (const std::size_t cut = whole_records({chunk.buffer.data(), end}, searched); cut > 0) {
      hand_out(chunk, cut, size, false);
      return true;
    }
    if (filled == Filled::interrupted) {
      hand_out(chunk, 0, size, false);
      return true;
    }
    searched = end;
    if (end > kLineLimit) {
      skipping = true;
      ++too_long;
      ++stats.lines;
      capacity = kChunkSize;
      chunk.buffer[0] = chunk.buffer[end];
      size = 1;
      searched = 0;
    } else {
      capacity = std::min(2 * capacity, kLineLimit + 1);
    }
  }
}

// JSON documents over many lines: whole ones, as many as end within the chunk.
bool ChunkSource::Impl::next_documents(LogChunk& chunk) {
  std::size_t capacity = std::max(kChunkSize, carry.size());
  std::size_t size = begin(chunk, capacity);
  for (;;) {
    const Filled filled = fill(chunk, size, capacity);
    const std::size_t seen = filled == Filled::full ? size - 1 : size;  // as with lines
    const std::size_t end = scanner.scan_all({chunk.buffer.data() + scanned, seen - scanned});
    const std::size_t cut = end > 0 ? scanned + end : 0;
    scanned = seen;
    if (filled == Filled::to_end) {
      scanned = 0;
      if (size == 0) return false;
      hand_out(chunk, size, size, true);
      return true;
    }
    if (cut > 0 || filled == Filled::interrupted) {
      hand_out(chunk, cut, size, false);
      return true;
    }
    if (size > kDocumentLimit) {
      ++too_long;
      warn(RemarkKind::document_too_large);
      return false;
    }
    capacity = std::min(2 * capacity, kDocumentLimit);
  }
}

// False: the file has no more chunks. What it said while it was sorted is said again.
bool ChunkSource::Impl::next_sorted(LogChunk& chunk) {
  const SortedEvents& of = *sorted[file];
  const bool is_first = !cursor;
  if (is_first) {
    cursor.emplace(of);
    warnings.insert(warnings.end(), of.warnings.begin(), of.warnings.end());
    too_long += of.too_long_lines;
    stats.bytes += of.counts.source.bytes;
    stats.lines += of.counts.source.lines;
    stats.input_bytes = input_before += of.counts.source.input_bytes;
  }
  const TrackCounts::File& was = of.counts.files.front();
  if (cursor->next(chunk)) {
    chunk.file = static_cast<std::uint32_t>(file);
    chunk.format = was.format;
    chunk.label = was.label;
    chunk.lines = is_first ? of.counts.lines : 0;
    chunk.whole_documents = chunk.forced = false;
    return true;
  }
  cursor.reset();
  ++file;
  return false;
}

bool ChunkSource::keep_rest(const std::atomic<bool>* interrupted) {
  if (impl_->bytes) impl_->bytes->keep_rest(interrupted);
  return std::all_of(impl_->names.begin(), impl_->names.end(), [&](const std::string& name) {
    return can_be_read_again(name, impl_->texts) || impl_->order->pipe(name)->is_whole();
  });
}

void ChunkSource::read_sorted(std::vector<std::shared_ptr<const SortedEvents>> sorted) {
  impl_->sorted = std::move(sorted);
}

bool ChunkSource::next(LogChunk& chunk) {
  Impl& impl = *impl_;
  for (;;) {
    if (impl.is_sorted()) {
      if (impl.next_sorted(chunk)) return true;
      continue;
    }
    if (!impl.bytes) {
      if (impl.file == impl.names.size()) return false;
      impl.open_next();
    }
    if (impl.documents ? impl.next_documents(chunk) : impl.next_lines(chunk)) return true;
    impl.close();
  }
}

std::uint64_t ChunkSource::too_long_lines() const { return impl_->too_long; }
const std::vector<std::string>& ChunkSource::names() const { return impl_->names; }
const ChunkSourceStats& ChunkSource::stats() const { return impl_->stats; }
const std::vector<Remark>& ChunkSource::warnings() const { return impl_->warnings; }

}  // namespace apf
