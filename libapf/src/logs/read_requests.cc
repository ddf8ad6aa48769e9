// read_requests(): the requests of a file, one by one, to be classified.
#include <apf/error.h>
#include <apf/logs.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "base/json_value.h"
#include "classify/request_words.h"
#include "logs/archive.h"
#include "logs/event_view.h"
#include "logs/formats/audit.h"
#include "logs/formats/request_info_dump.h"
#include "logs/formats/request_lines.h"
#include "logs/formats/sniff.h"
#include "logs/input_blocks.h"
#include "logs/repeated_requests.h"
#include "logs/track_reader.h"

namespace apf {

namespace {

using Sink = std::function<void(const LoggedRequest&)>;

std::optional<std::string_view> text_of(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> value = object.get(key);
  return value ? value->text() : std::nullopt;
}

// A trace line, more loosely than a replay takes one: without `time`, which plays no part in classifying, and with an
// empty method or URI, which the server would have to make something of, too.
bool parse_line(std::string_view line, TraceRequest& out, std::string& error) {
  std::optional<TraceRequest> parsed = parse_trace_line(line, error);
  if (!parsed) {
    const JsonDocument document(line);
    if (document.error()) return false;
    const JsonValue object = document.root();
    if (const auto members = object.members(); !members || members->empty()) return false;
    std::string missing;
    if (!object.get("time")) missing += "\"time\":0,";
    const std::optional<std::string_view> method = text_of(object, "method"), uri = text_of(object, "uri");
    const bool has_both = method && uri && (method->empty() || uri->empty());
    if (has_both) missing += "\"requestInfo\":{},";
    if (missing.empty()) return false;
    std::string completed(line);
    completed.insert(completed.find('{') + 1, missing);
    parsed = parse_trace_line(completed, error);
    if (!parsed) return false;
    if (has_both) {
      parsed->request_info.reset();
      parsed->method = *method;
      parsed->uri = *uri;
    }
  }
  out = std::move(*parsed);
  return true;
}

// Is any line of the text's beginning one? (The first may be broken.)
bool begins_with_trace_lines(std::string_view head) {
  for (int n = 0; n < 100 && !head.empty(); ++n) {
    const std::string_view line = head.substr(0, head.find('\n'));
    const JsonDocument document(line);
    if (!document.error() && (document.root().get("requestInfo") || document.root().get("uri"))) return true;
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

// Of a trace line, which people write as well: a verb that no server gives to a request for the URI is an error. A
// method is what was sent, and servers know methods in upper case alone.
void parse_trace_parts(std::string_view verb, std::string_view method, std::string_view uri, LoggedRequest& out) {
  if (verb.empty() || !method.empty()) return parse_parts(verb, method, uri, out);
  try {
    out.request = std::move(request_for_path(verb, uri).request);
  } catch (const Error& error) {
    out.error = error.what();
  }
}

void note_errors(LoggedRequest& out) {
  if (out.error.empty()) out.error = out.request.error();
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
    parse_trace_parts(trace.verb, trace.method, trace.uri, out);
  }
  note_errors(out);
  sink(out);
}

void read_trace_line(std::string_view text, std::uint64_t number, const Sink& sink) {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
  LoggedRequest out;
  out.line = number;
  TraceRequest trace;
  if (!parse_line(text, trace, out.error)) return sink(out);
  out.error.clear();
  give_trace(trace, out, sink);
}

// Trace lines of standard input, whole as they come.
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
  void line(std::string_view text) { read_trace_line(text, ++number_, sink_); }
  const Sink& sink_;
  std::string rest_;
  std::uint64_t number_ = 0;
};

using Render = std::function<RequestText(const LoggedRequest&)>;
using TextSink = std::function<void(const LoggedRequest&, const RequestText&)>;

// What is handed out for a request. Those that follow it and differ in line and ID alone share it. It belongs to the
// thread that read it, which makes it anew when all that shared it are done: most of the time would be for memory
// otherwise.
struct Rendered {
  RequestText text;
  std::string error;
  std::unique_ptr<LoggedRequest> request;  // where no text is asked for
  std::uint64_t shared = 0;                // how many found it; of the reading thread
  std::atomic<std::uint64_t> done = 0;     // how many of them are through

  bool is_free() const { return done.load(std::memory_order_acquire) == shared; }
  // Of the request, which it keeps where no text is asked for.
  void finish(const Render& render, LoggedRequest& made) {
    note_errors(made);
    error = made.error;
    text = render && error.empty() ? render(made) : RequestText();
    if (render) return;
    if (!request) request = std::make_unique<LoggedRequest>();
    std::swap(*request, made);
  }
};

// Requests that are used again. References hold.
class RenderedPool {
 public:
  // One that nobody shares. It may hold an old one's values.
  Rendered& take() {
    if (!returned_.empty()) {
      Rendered* const first = returned_.front();
      returned_.pop_front();
      if (first->is_free()) return *first;
      returned_.push_back(first);
    }
    return all_.emplace_back();
  }
  // Nobody more will share it.
  void give_back(Rendered& rendered) { returned_.push_back(&rendered); }

 private:
  std::deque<Rendered> all_;
  std::deque<Rendered*> returned_;  // those that came back first are free first
};

struct FoundRequest {
  Rendered* rendered = nullptr;
  std::uint64_t line = 0;
  std::string id;
  Stage stage = Stage::response_complete;
  bool is_event = false;  // may be one of several of the same audit ID
  Nanos received = kNoTime;
  Nanos written = kNoTime;
  std::uint64_t what = 0;  // a hash of verb and URI
};

class RequestBatch : public EventBatch {
 public:
  void clear() {
    EventBatch::clear();
    size_ = 0;
  }
  FoundRequest& add() {
    if (size_ == found_.size()) found_.emplace_back();
    FoundRequest& out = found_[size_++];
    std::string id = std::move(out.id);
    id.clear();
    out = {};
    out.id = std::move(id);  // its memory is used again
    return out;
  }
  std::span<FoundRequest> found() { return {found_.data(), size_}; }

 private:
  std::vector<FoundRequest> found_;
  std::size_t size_ = 0;
};

// What the reading threads make of a chunk.
class RequestMaker final : public LogEventSink {
 public:
  using Batch = RequestBatch;
  RequestMaker(const Render& render, RenderedPool& pool) : render_(render), pool_(pool) {}

  void make(LogChunk& chunk, RequestBatch& batch) {
    batch.clear();
    batch_ = &batch;
    if (chunk.format == &kTraceFormat && (chunk.forced || !chunk.whole_documents)) read_trace_lines(chunk);
    else parsers_.of(chunk).parse(chunk, *this);
  }

  void on_event(const LogEvent& event, std::uint64_t line) override {
    FoundRequest& found = batch_->add();
    found.stage = event.stage;
    found.is_event = true;
    found.line = line;
    found.id = event.id;
    found.received = event.trace ? kNoTime : event.received;
    found.written = event.stage_time;
    found.what = event.id.empty() ? 0 : hash_bytes(event.uri, hash_bytes(event.verb));
    batch_->order.note(EventPlace{});
    if (event.http || event.trace || event.impersonated) {
      Rendered& made = rendered(event);
      share_once(made, found);
      return;
    }
    // Logs repeat themselves: so many of the last requests are known again.
    const std::uint32_t user = number_of_user(event);
    const std::uint64_t of_user = user != 0 ? user : hash_bytes(event.user_json);
    Known& known = known_[hash_bytes(event.uri, hash_bytes(event.verb, of_user)) & (kKnown - 1)];
    if (!known.rendered || !known.is(event, user)) {
      known.user = user;
      if (user == 0) known.user_json = event.user_json;
      known.verb = event.verb;
      known.uri = event.uri;
      if (known.rendered) pool_.give_back(*known.rendered);
      known.rendered = &rendered(event);
    }
    share(*known.rendered, found);
    if (known.rendered->text.text.size() > kMostKnownText) pool_.give_back(*std::exchange(known.rendered, nullptr));
  }

  void on_unusable(Unusable reason, std::uint64_t line) override {
    Rendered& made = pool_.take();
    asked_ = {};
    asked_.error = to_string(reason);
    made.finish(render_, asked_);
    FoundRequest& found = batch_->add();
    found.line = line;
    share_once(made, found);
  }

 private:
  static constexpr std::size_t kKnown = 1u << 14, kMostKnownText = 1024, kMostUsers = 1u << 16;
  struct Known {
    std::uint32_t user = 0;  // a number; 0: as in user_json
    std::string user_json, verb, uri;
    Rendered* rendered = nullptr;
    bool is(const LogEvent& event, std::uint32_t of_user) const {
      return user == of_user && (user != 0 || user_json == event.user_json) && verb == event.verb && uri == event.uri;
    }
  };

  static void share(Rendered& rendered, FoundRequest& found) {
    ++rendered.shared;
    found.rendered = &rendered;
  }
  void share_once(Rendered& rendered, FoundRequest& found) {
    share(rendered, found);
    pool_.give_back(rendered);
  }

  // Each user is parsed once. 0: it has no number.
  std::uint32_t number_of_user(const LogEvent& event) {
    if (!event.user_memo) return 0;
    if (*event.user_memo == 0 && users_.size() < kMostUsers) {
      users_.push_back(parse_user_json(event.user_json));
      *event.user_memo = static_cast<std::uint32_t>(users_.size());
    }
    return *event.user_memo;
  }

  Rendered& rendered(const LogEvent& event) {
    LoggedRequest& out = asked_;
    const std::uint32_t user = number_of_user(event);
    if (user == 0) out.user = parse_user_json(event.user_json);
    else if (render_) std::swap(out.user, users_[user - 1]);
    else out.user = users_[user - 1];
    out.authenticated.reset();
    if (!event.authenticated_json.empty()) out.authenticated = parse_user_json(event.authenticated_json);
    out.seats.reset();
    out.error.clear();
    if (event.http) {
      out.error = "a line of the HTTP log does not name the user: it cannot be classified";
      parse_request(method_of_logged_verb(event.method), event.uri, out.request);
    } else if (event.trace) {
      parse_trace_parts(event.verb, event.method, event.uri, out);
    } else {
      parse_parts(event.verb, event.method, event.uri, out);
    }
    Rendered& made = pool_.take();
    made.finish(render_, out);
    if (user != 0 && render_) std::swap(out.user, users_[user - 1]);
    return made;
  }

  void read_trace_lines(const LogChunk& chunk) {
    std::string_view text(chunk.buffer.data(), chunk.size);
    for (std::uint64_t line = chunk.first_line; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_trace_line(text.substr(0, end), line, [&](const LoggedRequest& out) {
        Rendered& made = pool_.take();
        FoundRequest& found = batch_->add();
        found.line = out.line;
        found.id = out.id;
        asked_ = out;
        made.finish(render_, asked_);
        share_once(made, found);
      });
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const Render& render_;
  LogParsers parsers_;
  RequestBatch* batch_ = nullptr;
  RenderedPool& pool_;
  LoggedRequest asked_;  // the request that is read
  std::vector<Known> known_{kKnown};
  std::vector<User> users_;  // by LogEvent::user_memo
};

// The events of one audit ID are one request. The user after impersonation is not yet in RequestReceived, so that this
// stage counts only where there is no later one.
class AuditedRequests {
 public:
  AuditedRequests(const TextSink& sink, RepeatedRequests& repeated) : sink_(sink), repeated_(repeated) {}

  void take(FoundRequest& found) {
    if (!found.is_event) return give(found);
    const std::string& id = found.id;
    const bool has_key = !id.empty() && found.received != kNoTime;
    if (has_key && found.written <= latest_ && repeated_.has_later_stage(id, found.stage, found.received, found.what))
      return drop(found);
    latest_ = std::max(latest_, found.written);
    if (has_key && found.stage != Stage::received && repeated_.has(id, found.stage, found.received, found.what)) {
      drop_waiting(id);
      return drop(found);
    }
    if (found.stage == Stage::received && !id.empty()) return keep_waiting(found);
    if (!id.empty()) {
      drop_waiting(id);
      const bool last = found.stage == Stage::response_complete || found.stage == Stage::panic;
      const std::uint64_t key = hash_bytes(id);
      if (const auto begun = begun_.empty() ? begun_.end() : begun_.find(key); begun != begun_.end()) {
        if (last) begun_.erase(begun);
        return drop(found);
      }
      if (!last) begun_.insert(key);
    }
    give(found);
  }

  void finish() {
    std::vector<const FoundRequest*> rest;
    for (const auto& [key, at] : waiting_) rest.push_back(&held_[at]);
    std::sort(rest.begin(), rest.end(), [](const FoundRequest* a, const FoundRequest* b) { return a->line < b->line; });
    for (const FoundRequest* found : rest) give(*found);
  }

 private:
  void give(const FoundRequest& found) {
    const Rendered& rendered = *found.rendered;
    LoggedRequest& handed = rendered.request ? *rendered.request : handed_;
    handed.line = found.line;
    handed.id = found.id;
    handed.error = rendered.error;
    sink_(handed, rendered.text);
    drop(found);
  }
  static void drop(const FoundRequest& found) { found.rendered->done.fetch_add(1, std::memory_order_release); }
  void keep_waiting(FoundRequest& found) {
    const auto [waiting, is_new] = waiting_.try_emplace(hash_bytes(found.id), 0);
    if (!is_new) return drop(found);
    if (free_.empty()) {
      free_.push_back(held_.size());
      held_.emplace_back();
    }
    waiting->second = free_.back();
    free_.pop_back();
    std::swap(held_[waiting->second], found);
  }
  void drop_waiting(const std::string& id) {
    if (waiting_.empty()) return;
    const auto waiting = waiting_.find(hash_bytes(id));
    if (waiting == waiting_.end()) return;
    drop(held_[waiting->second]);
    free_.push_back(waiting->second);
    waiting_.erase(waiting);
  }

  const TextSink& sink_;
  RepeatedRequests& repeated_;
  LoggedRequest handed_;    // of those whose text is asked for
  Nanos latest_ = kNoTime;  // when the latest line was written
  // By hashes of their IDs.
  std::unordered_map<std::uint64_t, std::size_t> waiting_;  // only RequestReceived seen; places in held_
  std::unordered_set<std::uint64_t> begun_;                 // handed out at ResponseStarted
  std::vector<FoundRequest> held_;
  std::vector<std::size_t> free_;  // places in it
};

std::vector<Remark> read_log(const LogOptions& options, const Render& render, const TextSink& sink,
                             RepeatedRequests& repeated) {
  LogTrack track;
  track.logs = options.logs;
  std::deque<RenderedPool> pools;  // some requests wait for the end of the log
  TrackReader<RequestMaker> reader(track, options,
                                   [&] { return std::make_unique<RequestMaker>(render, pools.emplace_back()); });
  AuditedRequests requests(sink, repeated);
  while (RequestBatch* batch = reader.next())
    for (FoundRequest& found : batch->found()) requests.take(found);
  requests.finish();
  LogReport read;
  reader.fill(read);
  std::erase_if(read.warnings, [](const Remark& remark) { return remark.kind != RemarkKind::log_damaged; });
  return std::move(read.warnings);
}

void check_is_log(std::string_view text, const std::string& name) {
  if (recognise_log(text, is_multi_line_json(text)) != kAnyFormat) return;
  const ForeignText looks = describe_foreign(text);
  if (looks.words.empty()) return;  // nothing in it
  throw Error(
      name + " looks like " + looks.words +
      "; requests are read from trace lines, audit events, RequestInfo dumps, and lines such as 'GET /healthz' or "
      "'list pods -n ci --as alice'");
}

std::vector<Remark> read_all(const std::string& path, const Render& render, const TextSink& sink, const User* admin,
                             RepeatedRequests& repeated) {
  const Sink render_and_sink = [&](const LoggedRequest& request) {
    sink(request, render && request.error.empty() ? render(request) : RequestText());
  };
  Blocks blocks(path);
  std::string text;
  bool more = true;
  while (more && text.find('\n') == std::string::npos) more = blocks.read(text);
  const bool lines = begins_with_trace_lines(text);
  const bool compressed =
      text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd") || packing_of(text) == Packing::compressed;
  const bool json = begins_as_json(text);
  LogOptions options;
  options.logs = {path};
  if (lines) options.log_format = "trace";
  if (blocks.can_be_read_again() && (lines || json || compressed))
    return read_log(options, render, sink, repeated);  // may be large
  if (lines) {                                         // as they come: somebody may be typing
    TraceLines typed(render_and_sink);
    for (; more || !text.empty(); more = more && blocks.read(text)) {
      typed.feed(text);
      text.clear();
    }
    typed.finish();
    return {};
  }
  while (more) more = blocks.read(text);
  if (!json && !compressed && holds_request_info_dump(text)) {
    read_request_info_dumps(text, render_and_sink);
    return {};
  }
  if (!json && !compressed && holds_request_lines(text)) {
    read_request_lines(text, admin, [&](LoggedRequest& request) {
      note_errors(request);
      render_and_sink(request);
    });
    return {};
  }
  if (!compressed) check_is_log(text, blocks.name());
  options.texts[path] = text;
  return read_log(options, render, sink, repeated);
}

}  // namespace

std::vector<Remark> read_requests(const std::string& path, const std::function<void(const LoggedRequest&)>& sink) {
  RepeatedRequests repeated;
  return read_requests(path, sink, repeated);
}

std::vector<Remark> read_requests(const std::string& path, const std::function<void(const LoggedRequest&)>& sink,
                                  RepeatedRequests& repeated) {
  return read_all(
      path, nullptr, [&](const LoggedRequest& request, const RequestText&) { sink(request); }, nullptr, repeated);
}

std::vector<Remark> read_requests(const std::string& path,
                                  const std::function<RequestText(const LoggedRequest&)>& render,
                                  const std::function<void(const LoggedRequest&, const RequestText&)>& sink,
                                  const User* admin) {
  RepeatedRequests repeated;
  return read_all(path, render, sink, admin, repeated);
}

}  // namespace apf
