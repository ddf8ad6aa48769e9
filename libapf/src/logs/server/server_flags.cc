// read_server_flags(): what kube-apiserver wrote of itself when it started.
#include <apf/error.h>
#include <apf/logs.h>

#include "base/decimal.h"
#include "logs/chunk_source.h"
#include "logs/formats/server_notes.h"
#include "logs/formats/text_scan.h"
#include "logs/inflate.h"

namespace apf {
namespace {

constexpr int kMostSeats = 10'000'000;                           // of a flag
constexpr std::uint64_t kMostSearched = std::uint64_t{1} << 28;  // bytes of a log

bool may_hold_flags(std::string_view text) {
  return holds(text, "FLAG: --") || holds(text, "serverConcurrencyLimit=") || holds(text, "maxinflight.go:");
}

class FlagNotes final : public LogEventSink {
 public:
  explicit FlagNotes(ServerFlags& out) : out_(out) {}
  void on_event(const LogEvent&, std::uint64_t) override {}
  void on_unusable(Unusable, std::uint64_t) override {}
  void on_note(const ServerNote& note, std::uint64_t) override { take_server_flag(note, out_); }

 private:
  ServerFlags& out_;
};

}  // namespace

std::optional<int> ServerFlags::shared_seats() const {
  int sum = 0;
  for (const char* flag : {"max-requests-inflight", "max-mutating-requests-inflight"}) {
    const auto at = flags.find(flag);
    int number = 0;
    if (at == flags.end()) return seats;
    const std::string& text = at->second;
    if (!read_integer(text, number) || number < 0 || number > kMostSeats) return seats;
    sum += number;
  }
  return sum;
}

void take_server_flag(const ServerNote& note, ServerFlags& out) {
  if (note.kind == ServerNote::Kind::version) {
    if (const auto version = KubeVersion::parse(std::string(note.level))) {
      out.version = version;
      out.version_text = note.level;
    }
  } else if (note.kind == ServerNote::Kind::created) {
    out.seats = static_cast<int>(note.value);
  } else if (note.kind == ServerNote::Kind::flag) {
    const std::size_t equals = note.level.find('=');
    if (equals == std::string_view::npos) {
      out.flags[std::string(note.level)] = std::to_string(note.value);
      out.flags["enable-priority-and-fairness"] = "false";
      return;
    }
    std::string_view value = note.level.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    out.flags[std::string(note.level.substr(0, equals))] = value;
  }
}

// A server writes them before all else, and again when it is started again; in a log of its own that is in another
// order, or that others wrote into before, they stand farther behind.
ServerFlags read_server_flags(const LogOptions& options) {
  ServerFlags out;
  LogChunk chunk;
  LogParsers parsers;
  for (const std::string& log : options.logs) {
    if (!can_be_read_again(log, options.texts)) continue;
    FlagNotes notes(out);
    try {
      ChunkSource source({&log, 1}, kAnyFormat, options);
      std::uint64_t read = 0;
      for (bool goes_on = true; goes_on && source.next(chunk);) {
        const std::string_view text(chunk.buffer.data(), chunk.size);
        // Such lines name a source of the server, unless they are encoded.
        const bool plain = chunk.format == &kAuditFormat && *chunk.label == '\0' && !chunk.sorted;
        const bool named = holds(text, ".go:");
        if (read == 0 ? !plain || named : may_hold_flags(text)) parsers.of(chunk).parse(chunk, notes);
        read += chunk.size;
        goes_on = !plain && named && out.flags.empty() && !out.seats && read < kMostSearched;
      }
    } catch (const Error&) {
      continue;  // its own turn comes, and the error with it
    }
    if (out.flags.empty() && !out.version && !out.seats) continue;
    out.log = log;
    break;
  }
  return out;
}

}  // namespace apf
