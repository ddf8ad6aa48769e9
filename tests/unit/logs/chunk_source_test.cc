// Log files as chunks: cutting at lines and documents, compressed and damaged files, what is recognised and what
// refused.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <zlib.h>
#include <zstd.h>

#include <apf/error.h>
#include <apf/logs.h>

#include "base/text_digest.h"
#include "catch.h"
#include "logs/formats/format.h"
#include "logs/formats/sniff.h"
#include "logs/tracks.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

namespace {

constexpr std::size_t kMiB = 1 << 20;

class Files {
 public:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "apf-logs-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    dir_ = pattern;
  }
  ~Files() { std::filesystem::remove_all(dir_); }
  std::string add(const std::string& text) {
    const std::string path = dir_ + "/" + std::to_string(count_++) + ".log";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  const std::string& dir() const { return dir_; }

 private:
  std::string dir_;
  int count_ = 0;
};

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1);
  REQUIRE_FALSE(ZSTD_isError(size));
  out.resize(size);
  return out;
}

struct Read {
  std::string text;  // of all chunks
  KeepingSink sink;
  std::vector<std::uint32_t> files;  // of each chunk
  std::vector<Remark> warnings;
  std::uint64_t too_long = 0;
  ChunkSourceStats stats;
  bool documents = false, trace = false;
  std::size_t largest = 0;
};

Read read(const std::vector<std::string>& paths, LogFormat format = kAnyFormat, bool parse = true) {
  ChunkSource source(paths, format);
  const auto audit = make_audit_parser(), trace = make_trace_parser();
  Read out;
  LogChunk chunk;
  std::uint64_t line = 1, file = 0;
  bool last = true;
  while (source.next(chunk)) {
    REQUIRE(chunk.buffer.size() >= chunk.size + 64);
    CHECK(chunk.buffer[chunk.size] == '\0');
    if (chunk.file != file || last) line = 1;
    if (out.too_long == source.too_long_lines()) CHECK(chunk.first_line == line);
    line = chunk.first_line + chunk.lines;
    out.too_long = source.too_long_lines();
    file = chunk.file;
    last = chunk.last_of_file;
    out.text.append(chunk.buffer, 0, chunk.size);
    out.files.push_back(chunk.file);
    out.documents |= chunk.whole_documents;
    out.trace |= chunk.format == &kTraceFormat;
    out.largest = std::max(out.largest, chunk.size);
    if (parse) (chunk.format == &kTraceFormat ? trace : audit)->parse(chunk, out.sink);
  }
  CHECK(last);
  CHECK_FALSE(source.next(chunk));
  out.warnings = source.warnings();
  out.too_long = source.too_long_lines();
  out.stats = source.stats();
  return out;
}

std::string refusal(const std::vector<std::string>& paths) {
  try {
    read(paths);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string lines(int count, const std::string& prefix = "e") {
  std::string text;
  for (int i = 0; i < count; ++i) text += audit_line(prefix + std::to_string(i)) + "\n";
  return text;
}

}  // namespace

TEST_CASE("chunks hold whole lines and all of them", "[logs][chunks]") {
  Files files;
  const std::string text = lines(5000);
  REQUIRE(text.size() > 3 * kMiB);
  const std::string whole = files.add(text), open = files.add(text.substr(0, text.size() - 1));
  for (const std::string& path : {whole, open}) {
    const Read r = read({path});
    CHECK(r.sink.events.size() == 5000);
    CHECK(r.sink.events.back().line == 5000);
    CHECK(r.sink.unusable.empty());
    CHECK(r.files.size() > 3);
    CHECK(r.stats.lines == 5000);
    CHECK(r.stats.bytes == r.text.size());
    CHECK(r.stats.input_bytes == std::filesystem::file_size(path));
    CHECK(r.stats.total_input_bytes == r.stats.input_bytes);
    CHECK(r.warnings.empty());
  }
  CHECK(read({whole}).text == text);
}

TEST_CASE("a file that ends where a chunk does", "[logs][chunks]") {
  Files files;
  const std::string line = audit_line("x") + "\n";
  std::string text;
  while (text.size() + line.size() <= kChunkSize) text += line;
  text.insert(text.size() - 1, kChunkSize - text.size(), ' ');
  for (const std::size_t more : {0, 1, 2}) {
    const Read r = read({files.add(text + std::string(more, '\n'))});
    CHECK(r.text.size() == kChunkSize + more);
    CHECK(r.sink.unusable.empty());
    CHECK(r.files.size() == (more == 0 ? 1 : 2));
  }
}

TEST_CASE("several files in the order given", "[logs][chunks]") {
  Files files;
  const std::string a = files.add(lines(3, "a")), b = files.add(gzip(lines(2, "b"))),
                    c = files.add(zstd(lines(2, "c")).substr(0));
  const Read r = read({b, c, a});
  std::string ids;
  for (const KeptEvent& e : r.sink.events) ids += e.id + " ";
  CHECK(ids == "b0 b1 c0 c1 a0 a1 a2 ");
  CHECK(r.files == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(r.sink.events[2].line == 1);
  // The last line of a file that another one follows.
  const Read cut = read({files.add(lines(1) + audit_line("cut").substr(0, 100)), a});
  CHECK(cut.sink.events.size() == 4);
  CHECK(cut.sink.unusable == Lost{{Unusable::truncated, 2}});
}

TEST_CASE("compressed files", "[logs][chunks]") {
  Files files;
  const std::string text = lines(4000);
  SECTION("whole, in one piece or several") {
    const std::size_t half = text.size() / 2 + 17;  // within a line
    const std::string front = text.substr(0, half), back = text.substr(half);
    for (const std::string& packed : {gzip(text), zstd(text), gzip(front) + gzip(back), zstd(front) + zstd(back),
                                      gzip(text) + std::string(1000, '\0')}) {
      const Read r = read({files.add(packed)});
      CHECK(r.text == text);
      CHECK(r.sink.events.size() == 4000);
      CHECK(r.warnings.empty());
      CHECK(r.stats.input_bytes == packed.size());
    }
  }
  SECTION("cut off") {
    for (std::string packed : {gzip(text), zstd(text)}) {
      packed.resize(packed.size() * 2 / 3);
      const Read r = read({files.add(packed), files.add(lines(1))});
      CHECK(r.sink.events.size() > 1);
      CHECK(r.sink.events.size() < 4001);
      CHECK(r.sink.events.back().id == "e0");
      REQUIRE(r.warnings.size() == 1);
      CHECK(contains(r.warnings[0].detail, "ends in the middle of its compressed data"));
      CHECK(text.substr(0, r.text.size() - lines(1).size()) == r.text.substr(0, r.text.size() - lines(1).size()));
    }
  }
  SECTION("damaged") {
    std::string packed = gzip(text);
    for (std::size_t i = 0; i < 50; ++i) packed[packed.size() / 2 + i] = '\x5a';
    const Read r = read({files.add(packed)});
    CHECK(r.sink.events.size() < 4000);
    REQUIRE(r.warnings.size() == 1);
    CHECK(contains(r.warnings[0].detail, "is damaged"));
  }
  SECTION("with something else behind") {
    for (const std::string& packed : {gzip(text), zstd(text)}) {
      const Read r = read({files.add(packed + "something else")});
      CHECK(r.text == text);
      REQUIRE(r.warnings.size() == 1);
      CHECK(contains(r.warnings[0].detail, "other data behind"));
    }
  }
  SECTION("empty inside") {
    const Read r = read({files.add(gzip("")), files.add(zstd("")), files.add("")});
    CHECK(r.text.empty());
    CHECK(r.warnings.size() == 3);
    CHECK(r.warnings[2].kind == RemarkKind::log_empty);
  }
}

TEST_CASE("long lines", "[logs][chunks]") {
  Files files;
  std::string line = audit_line("long");
  line.insert(line.size() - 1, R"(,"responseObject":")" + std::string(5 * kMiB, 'x') + "\"");
  SECTION("within the limit") {
    const Read r = read({files.add(lines(2) + line + "\n" + lines(2000))});
    CHECK(r.sink.events.size() == 2003);
    CHECK(r.sink.events[2].id == "long");
    CHECK(r.sink.events[2].line == 3);
    CHECK(r.sink.unusable.empty());
    CHECK(r.too_long == 0);
  }
  SECTION("beyond the limit") {
    const std::string giant(70 * kMiB, 'x');
    const Read middle = read({files.add(lines(2) + giant + "\n" + lines(3))});
    CHECK(middle.too_long == 1);
    REQUIRE(middle.sink.events.size() == 5);
    CHECK(middle.sink.events[2].line == 4);
    CHECK(middle.stats.lines == 6);
    CHECK(middle.largest < 2 * kMiB);
    const Read before_many = read({files.add(lines(1) + giant + "\n" + lines(20'000))});
    CHECK(before_many.files.size() > 2);
    CHECK(before_many.sink.events.size() == 20'001);
    const Read end = read({files.add(lines(2) + giant), files.add(lines(1))});
    CHECK(end.too_long == 1);
    CHECK(end.sink.events.size() == 3);
  }
  SECTION("at the limit") {
    std::string exact = audit_line("exact");
    exact.insert(exact.size() - 1, R"(,"x":")" + std::string(64 * kMiB - exact.size() - 7, 'x') + "\"");
    REQUIRE(exact.size() == 64 * kMiB);
    CHECK(read({files.add(exact + "\n" + lines(1))}).sink.events.size() == 2);
    exact.insert(exact.size() - 2, "x");
    const Read over = read({files.add(exact + "\n" + lines(1))}, &kAuditFormat);
    CHECK(over.sink.events.size() == 1);
    CHECK(over.too_long == 1);
  }
}

TEST_CASE("documents over many lines are cut at documents", "[logs][chunks]") {
  Files files;
  const auto pretty = [](const std::string& id) {
    std::string text;
    for (const char c : audit_line(id)) {
      text += c;
      if (c == ',' || c == '{') text += "\n    ";
    }
    return text;
  };
  SECTION("events one after the other, more than a chunk") {
    std::string text = "\xEF\xBB\xBF";
    for (int i = 0; i < 4500; ++i) text += pretty("p" + std::to_string(i)) + "\n";
    REQUIRE(text.size() > 3 * kMiB);
    const Read r = read({files.add(text), files.add(gzip(text))});
    CHECK(r.documents);
    CHECK(r.sink.unusable.empty());
    REQUIRE(r.sink.events.size() == 9000);
    const std::uint64_t each = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) / 4500;
    CHECK(r.sink.events[4499].line == 4499 * each + 1);
    CHECK(r.sink.events[8999].line == 4499 * each + 1);
    CHECK(r.largest < 2 * kMiB);
  }
  SECTION("one list") {
    std::string text = "{\n\"kind\": \"EventList\",\n\"apiVersion\": \"audit.k8s.io/v1\",\n\"items\": [\n";
    for (int i = 0; i < 3000; ++i) text += pretty("p" + std::to_string(i)) + (i < 2999 ? ",\n" : "\n]}\n");
    const Read r = read({files.add(text)});
    CHECK(r.documents);
    CHECK(r.sink.unusable.empty());
    CHECK(r.sink.events.size() == 3000);
  }
  SECTION("an array, a line for each event") {
    const Read r = read({files.add("[\n" + audit_line("a") + ",\n" + audit_line("b") + "\n]\n")});
    CHECK(r.documents);
    CHECK(r.sink.events.size() == 2);
  }
  SECTION("cut off at the end") {
    const Read r = read({files.add(pretty("a") + "\n" + pretty("b").substr(0, 200))});
    CHECK(r.sink.events.size() == 1);
    REQUIRE(r.sink.unusable.size() == 1);
    CHECK(r.sink.unusable[0].first == Unusable::truncated);
  }
  SECTION("a first line that is cut off does not make documents of the lines") {
    const std::string line = audit_line("x");
    for (const std::size_t at : {line.find("pods"), line.find(",\"stage\"") + 1, line.find("{\"metadata\"") + 1}) {
      const Read r = read({files.add(line.substr(0, at) + "\n" + lines(3))});
      CHECK_FALSE(r.documents);
      CHECK(r.sink.events.size() == 3);
      CHECK(r.sink.unusable == Lost{{Unusable::truncated, 1}});
    }
  }
}

TEST_CASE("sniffing", "[logs][chunks]") {
  Files files;
  const std::string trace = R"({"time":1,"user":"u","groups":[],"verb":"get","uri":"/"})";
  CHECK(read({files.add(trace + "\n")}).trace);
  CHECK_FALSE(read({files.add(lines(1))}).trace);
  const Read both = read({files.add(trace), files.add(lines(1))});
  CHECK(both.sink.events.size() == 2);
  // Damage at the beginning, or other lines before the first event.
  CHECK(read({files.add(std::string(3 * kMiB, '\0') + "\n" + lines(2))}).sink.events.size() == 2);
  CHECK(read({files.add("garbage\n{\"log\":\"x\"}\n" + lines(2))}).sink.events.size() == 2);
  CHECK(read({files.add("\n\n" + trace)}).trace);
  const Read nothing = read({files.add(" \n\n")});
  CHECK(nothing.sink.events.empty());
  CHECK(read({files.add(audit_line("x").substr(0, 60))}).sink.unusable == Lost{{Unusable::truncated, 1}});
  // Forced: no question asked.
  CHECK(read({files.add("I am text\n")}, &kAuditFormat).sink.unusable.size() == 1);
  CHECK(read({files.add(lines(2))}, &kTraceFormat).sink.unusable.size() == 2);
}

TEST_CASE("what is refused is named", "[logs][chunks]") {
  struct Case {
    std::string text;
    const char* names;
  };
  const Case cases[] = {
      {"\"HTTP\" verb=\"GET\" URI=\"/\"\n", "HTTP log without the times"},
      {"2025-02-03T15:52:04.262176345Z stderr F I0203 x\n", "another container"},
      {"Nov 20 12:00:00 host kube-apiserver[7]: I1120\n", "journal"},
      {"requestInfo=&request.RequestInfo{IsResourceRequest:true}\n", "no times"},
      {R"({"log":"hello\n","stream":"stdout","time":"2026-11-20T12:00:00Z"})", "Fluent Bit"},
      {R"({"@timestamp":"2026-11-20T12:00:00Z","event":{"kind":"metric"}})", "Elastic"},
      {"# comment\napiVersion: v1\nkind: Pod\n", "in YAML"},
      {"---\na: 1\n", "YAML"},
      {R"({"apiVersion":"v1","kind":"Pod"})", "Kubernetes object in JSON"},
      {"{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": []\n}\n", "Kubernetes object in JSON"},
      {"# HELP apiserver_x y\n# TYPE apiserver_x counter\n", "/metrics"},
      {"PriorityLevelName, ActiveQueues\nexempt, 0\n", "/debug/api_priority_and_fairness"},
      {"<!DOCTYPE html>\n<html>", "HTML"},
      {"<?xml version=\"1.0\"?>", "XML"},
      {"time,verb,uri\n1,get,/\n", "CSV"},
      {"\x7f"
       "ELF\x02\x01\x01\x01\x03\x04\x05\x06\x07\x08",
       "a program"},
      {"PK\x03\x04xxxx", "an archive"},
      {std::string("\xFF\xFE{\0\"\0", 6), "UTF-16"},
      {"{\"a\":1}\n", "JSON of another kind"},
      {"[1,2]\n", "JSON of another kind"},
      {"AUDIT: id=\"x\" ip=\"10.0.0.1\"\n", "legacy"},
      {"just some words\n", "plain text"},
  };
  Files files;
  for (const Case& c : cases) {
    INFO(c.text);
    const std::string message = refusal({files.add(c.text)});
    CHECK(contains(message, c.names));
    CHECK(contains(message, files.dir()));
    CHECK(contains(message, "accepted are audit events"));
    CHECK_FALSE(contains(message, "\n"));
    CHECK(contains(refusal({files.add(gzip(c.text))}), c.names));
  }
}

TEST_CASE("paths are checked at once", "[logs][chunks]") {
  Files files;
  const std::string good = files.add(lines(1));
  const auto failure = [](std::vector<std::string> paths) -> std::string {
    try {
      ChunkSource source(paths, kAnyFormat);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(contains(failure({good, files.dir() + "/absent"}), "absent: No such file"));
  CHECK(contains(failure({files.dir()}), "is a directory"));
  CHECK(contains(failure({"-", good, "-"}), "more than once"));
  CHECK(failure({good, "-"}).empty());
  ChunkSource unknown(std::vector<std::string>{good, "-"}, kAnyFormat);
  CHECK(unknown.stats().total_input_bytes == 0);
  CHECK(unknown.names() == std::vector<std::string>{good, "-"});
}

TEST_CASE("a pipe may hand out its bytes one by one", "[logs][chunks]") {
  Files files;
  const std::string path = files.dir() + "/fifo";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  for (const std::string& bytes : {lines(3), gzip(lines(3))}) {
    std::thread writer([&] {
      const int fd = ::open(path.c_str(), O_WRONLY);
      for (const char c : bytes) {
        if (::write(fd, &c, 1) != 1) break;
      }
      ::close(fd);
    });
    const Read r = read({path});
    writer.join();
    CHECK(r.text == lines(3));
    CHECK(r.sink.events.size() == 3);
    CHECK(r.stats.total_input_bytes == 0);
  }
}

namespace {

// A format as a file of formats/ would add it: lines "GET /api/v1/pods 200".
class ToyParser final : public LogParser {
 public:
  void parse(const LogChunk& chunk, LogEventSink& sink) override {
    std::string_view text(chunk.buffer.data(), chunk.size);
    for (std::uint64_t line = chunk.first_line; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::size_t uri = text.find(' ') + 1, code = text.find(' ', uri) + 1;
      LogEvent event;
      event.method = text.substr(0, uri - 1);
      event.uri = text.substr(uri, code - 1 - uri);
      event.code = std::stoi(std::string(text.substr(code, end - code)));
      sink.on_event(event, line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
};

constexpr FormatRow kToyFormat{"toy",
                               [](std::string_view line, const JsonOutline&) { return line.starts_with("GET "); },
                               []() -> std::unique_ptr<LogParser> { return std::make_unique<ToyParser>(); }};

}  // namespace

TEST_CASE("a log format is its row in the table", "[logs][chunks]") {
  std::vector<std::string> names{"auto"};
  for (const FormatRow* row : log_formats()) {
    INFO(row->name);
    KeepingSink sink;
    LogParsers().of(row).parse(make_chunk(""), sink);
    CHECK(sink.events.empty());
    names.emplace_back(row->name);
  }
  CHECK(log_format_names() == names);

  std::vector<LogFormat> table(log_formats().begin(), log_formats().end());
  table.push_back(&kToyFormat);
  LogOptions options;
  options.texts["toy.log"] = std::string_view("GET /api/v1/pods 200\nGET /healthz 429\n");
  const std::string audit = lines(1);
  options.texts["audit.log"] = audit;
  const std::vector<std::string> logs = {"toy.log", "audit.log"};
  ChunkSource source(logs, kAnyFormat, options, table);
  LogParsers parsers;
  KeepingSink sink;
  std::vector<LogFormat> formats;
  for (LogChunk chunk; source.next(chunk);) {
    formats.push_back(chunk.format);
    parsers.of(chunk.format).parse(chunk, sink);
  }
  CHECK(formats == std::vector<LogFormat>{&kToyFormat, &kAuditFormat});
  REQUIRE(sink.events.size() == 3);
  CHECK(sink.events[0].uri == "/api/v1/pods");
  CHECK(sink.events[1].event.code == 429);
  CHECK_THROWS_AS(ChunkSource(logs, kAnyFormat), Error);  // they are no files
}

TEST_CASE("the digest of logs is that of their lines, whatever the threads and the compression", "[logs][chunks]") {
  const std::string text = lines(20'000), other = lines(3000, "b"), packed = gzip(text);
  REQUIRE(text.size() > 2 * kChunkSize);
  TextDigest wanted;
  wanted.add(text);
  wanted.add(other);
  LogOptions options;
  options.texts = {{"a.log", text}, {"a.log.gz", packed}, {"b.log", other}};
  const auto digest_with = [&](std::vector<std::string> logs, int threads) {
    options.logs = std::move(logs);
    options.threads = threads;
    return trace_logs(options, [](const TraceRequest&) {}).digest;
  };
  CHECK(digest_with({"a.log", "b.log"}, 1) == 0);  // nobody wants it
  options.digest = true;
  for (const int threads : {1, 2, 5}) {
    CHECK(digest_with({"a.log", "b.log"}, threads) == wanted.value());
    CHECK(digest_with({"a.log.gz", "b.log"}, threads) == wanted.value());
    CHECK(digest_with({"b.log", "a.log"}, threads) != wanted.value());
  }
}

TEST_CASE("logs in memory are inflated and read again as files are", "[logs][chunks]") {
  const std::string text = lines(3000);
  LogOptions options;
  options.logs = {"a.log", "b.log.gz"};
  const std::string packed = gzip(text);
  options.texts = {{"a.log", text}, {"b.log.gz", packed}};
  const std::vector<LogTrack> tracks = sort_into_tracks(options);
  REQUIRE(tracks.size() == 1);
  CHECK(tracks[0].regular);
  CHECK(stat_logs(options).events == 6000);
}
