// read_requests(): the requests of a file, one by one, to be classified.
#include <apf/error.h>
#include <apf/logs.h>
#include <fcntl.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "logs/chunk_source.h"
#include "logs/event_view.h"
#include "logs/formats/audit.h"
#include "logs/formats/request_info_dump.h"
#include "logs/formats/sniff.h"

namespace apf {

namespace {

using Sink = std::function<void(const LoggedRequest&)>;

constexpr std::size_t kBlock = 1u << 16;
constexpr std::size_t kPadding = 64;

// A file or standard input, block by block.
class Blocks {
 public:
  explicit Blocks(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    fd_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) throw Error("cannot open " + name_ + ": " + std::strerror(errno));
  }
  ~Blocks() {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Appends what can be had at once; false at the end.
  bool read(std::string& text) {
    const std::size_t used = text.size();
    text.resize(used + kBlock);
    ssize_t n = 0;
    do {
      n = ::read(fd_, text.data() + used, kBlock);
    } while (n < 0 && errno == EINTR);
    text.resize(used + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0) throw Error("cannot read " + name_ + ": " + std::strerror(errno));
    return n > 0;
  }
  const std::string& name() const { return name_; }
  bool can_be_read_again() const {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) && fd_ != STDIN_FILENO;
  }

 private:
  std::string name_;
  int fd_ = -1;
};

// A trace line, more loosely than a replay takes one: without `time`, which plays no part in classifying, and with an
// empty method or URI, which the server would have to make something of, too.
bool parse_line(std::string_view line, TraceRequest& out, std::string& error) {
  std::optional<TraceRequest> parsed = parse_trace_line(line, error);
  if (!parsed) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS || object.size() == 0) return false;
    std::string missing;
    if (object["time"].error() == simdjson::NO_SUCH_FIELD) missing += "\"time\":0,";
    std::string_view method, uri;
    const bool has_both = object["method"].get(method) == simdjson::SUCCESS &&
                          object["uri"].get(uri) == simdjson::SUCCESS && (method.empty() || uri.empty());
    if (has_both) missing += "\"requestInfo\":{},";
    if (missing.empty()) return false;
    std::string completed(line);
    completed.insert(completed.find('{') + 1, missing);
    parsed = parse_trace_line(completed, error);
    if (!parsed) return false;
    if (has_both) {
      parsed->request_info.reset();
      parsed->method = method;
      parsed->uri = uri;
    }
  }
  out = std::move(*parsed);
  return true;
}

// Is any line of the text's beginning one? (The first may be broken.)
bool begins_with_trace_lines(std::string_view head) {
  simdjson::dom::parser parser;
  for (int n = 0; n < 100 && !head.empty(); ++n) {
    const std::string_view line = head.substr(0, head.find('\n'));
    simdjson::dom::object object;
    if (parser.parse(line.data(), line.size()).get(object) == simdjson::SUCCESS &&
        (object["requestInfo"].error() == simdjson::SUCCESS || object["uri"].error() == simdjson::SUCCESS)) {
      return true;
    }
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return false;
}

bool begins_as_json(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (head[at] == '{' || head[at] == '[');
}

void parse_parts(std::string_view verb, std::string_view method, std::string_view uri, LoggedRequest& out) {
  if (verb.empty() || !method.empty()) parse_request(method, uri, out.request);
  else parse_audited_request(verb, uri, out.request);
}

void give(LoggedRequest& out, const Sink& sink) {
  if (out.error.empty() && !out.request.url_error.empty()) out.error = out.request.url_error;
  if (out.error.empty() && !out.request.info_error.empty()) out.error = out.request.info_error;
  sink(out);
}

void give_trace(const TraceRequest& trace, LoggedRequest& out, const Sink& sink) {
  out.id = trace.id;
  out.user = trace.user;
  out.seats = trace.seats;
  if (trace.request_info) {
    out.request.info = *trace.request_info;
    out.request.query.has_selector =
        !trace.request_info->field_selector.empty() || !trace.request_info->label_selector.empty();
  } else {
    parse_parts(trace.verb, trace.method, trace.uri, out);
  }
  give(out, sink);
}

// Lines of a file or of standard input, whole as they come.
class TraceLines {
 public:
  explicit TraceLines(const Sink& sink) : sink_(sink) {}
  void feed(std::string_view text) {
    rest_ += text;
    std::size_t begin = 0;
    for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      line(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
  }
  void finish() {
    if (!rest_.empty()) line(rest_);
    rest_.clear();
  }

 private:
  void line(std::string_view text) {
    ++number_;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
    LoggedRequest out;
    out.line = number_;
    TraceRequest trace;
    if (parse_line(text, trace, out.error)) {
      out.error.clear();
      give_trace(trace, out, sink_);
    } else {
      sink_(out);
    }
  }
  const Sink& sink_;
  std::string rest_;
  std::uint64_t number_ = 0;
};

// The events of an audit log, those of one audit ID as one request. The user after impersonation is not yet in
// RequestReceived, so that stage speaks only where no later one does.
class AuditEvents final : public LogEventSink {
 public:
  explicit AuditEvents(const Sink& sink) : sink_(sink) {}

  void on_event(const LogEvent& event, std::uint64_t line) override {
    if (event.stage == Stage::received && !event.id.empty()) {
      auto [place, is_new] = waiting_.try_emplace(std::string(event.id));
      if (is_new) place->second = request_of(event, line);
      return;
    }
    if (!event.id.empty()) {
      waiting_.erase(std::string(event.id));
      const bool last = event.stage == Stage::response_complete || event.stage == Stage::panic;
      const auto begun = begun_.find(std::string(event.id));
      if (begun != begun_.end()) {
        if (last) begun_.erase(begun);
        return;
      }
      if (!last) begun_.emplace(event.id, true);
    }
    LoggedRequest out = request_of(event, line);
    give(out, sink_);
  }

  void on_unusable(Unusable reason, std::uint64_t line) override {
    LoggedRequest out;
    out.line = line;
    out.error = to_string(reason);
    sink_(out);
  }

  void finish() {
    std::vector<LoggedRequest*> rest;
    for (auto& [id, request] : waiting_) rest.push_back(&request);
    std::sort(rest.begin(), rest.end(),
              [](const LoggedRequest* a, const LoggedRequest* b) { return a->line < b->line; });
    for (LoggedRequest* request : rest) give(*request, sink_);
  }

 private:
  static LoggedRequest request_of(const LogEvent& event, std::uint64_t line) {
    LoggedRequest out;
    out.line = line;
    out.id = event.id;
    out.user = parse_user_json(event.user_json);
    if (event.http) {
      out.error = "a line of the HTTP log does not tell the user: it cannot be classified";
      parse_request(method_of_logged_verb(event.method), event.uri, out.request);
    } else {
      parse_parts(event.verb, event.method, event.uri, out);
    }
    return out;
  }
  const Sink& sink_;
  std::unordered_map<std::string, LoggedRequest> waiting_;  // only RequestReceived seen
  std::unordered_map<std::string, bool> begun_;             // told at ResponseStarted
};

// The text as one chunk of an audit log.
void parse_text(std::string text, const std::string& name, AuditEvents& events) {
  LogChunk chunk;
  chunk.whole_documents = is_multi_line_json(text);
  chunk.format = recognise_log(text, chunk.whole_documents);
  if (chunk.format == LogFormat::automatic) {
    const std::string looks = describe_foreign(text);
    if (looks.empty()) return;  // nothing in it
    throw Error(name + " looks like " + looks +
                "; requests are read from trace lines, audit events and RequestInfo dumps");
  }
  chunk.size = text.size();
  chunk.buffer = std::move(text);
  chunk.buffer.append(kPadding, '\0');
  chunk.lines = static_cast<std::uint64_t>(std::count(chunk.buffer.begin(), chunk.buffer.end(), '\n'));
  chunk.last_of_file = true;
  LogParsers().of(chunk.format).parse(chunk, events);
}

void parse_file(const std::string& path, AuditEvents& events) {
  ChunkSource source(std::span<const std::string>(&path, 1), LogFormat::automatic);
  LogParsers parsers;
  for (LogChunk chunk; source.next(chunk);) parsers.of(chunk.format).parse(chunk, events);
}

}  // namespace

void read_requests(const std::string& path, const std::function<void(const LoggedRequest&)>& sink) {
  Blocks blocks(path);
  std::string text;
  bool more = true;
  while (more && text.find('\n') == std::string::npos) more = blocks.read(text);
  if (begins_with_trace_lines(text)) {
    TraceLines lines(sink);
    for (; more || !text.empty(); more = more && blocks.read(text)) {
      lines.feed(text);
      text.clear();
    }
    lines.finish();
    return;
  }
  const bool compressed = text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd");
  const bool json = begins_as_json(text);
  AuditEvents events(sink);
  if (blocks.can_be_read_again() && (json || compressed)) {  // may be large
    parse_file(path, events);
    events.finish();
    return;
  }
  while (more) more = blocks.read(text);
  if (!json && holds_request_info_dump(text)) return read_request_info_dumps(text, sink);
  parse_text(std::move(text), blocks.name(), events);
  events.finish();
}

}  // namespace apf
