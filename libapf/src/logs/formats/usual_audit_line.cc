#include "logs/formats/usual_audit_line.h"

#include "base/hash.h"
#include "logs/formats/string_scan.h"

namespace apf {
namespace {

// Bytes of a UUID, and of a time in microseconds.
constexpr std::size_t kUuid = 36, kTime = LogTimeReader::kUsualSize;

// Goes on behind a text if it comes here.
template <std::size_t kSize>
inline bool take(const char*& p, const char (&text)[kSize]) {
  if (!same_bytes<kSize - 1>(p, text)) return false;
  p += kSize - 1;
  return true;
}

// What follows takes where it is and returns where it goes on, null if it is at something else: a place in memory would
// cost more than the reading does.

// The first of a text that will be compared soon.
[[gnu::always_inline]] inline void prefetch_start(const std::string& text) {
  __builtin_prefetch(text.data());
  __builtin_prefetch(text.data() + 64);
}

const char* skip_text(const char* p, const char* end, const std::string& text) {
  if (text.empty() || static_cast<std::size_t>(end - p) < text.size()) return nullptr;
  return std::memcmp(p, text.data(), text.size()) == 0 ? p + text.size() : nullptr;
}

// A string behind its opening quote.
inline const char* skip_string(const char* p) {
  bool escaped = false;
  const char* const end = string_end(p, escaped);
  return end == nullptr ? nullptr : end + 1;
}

inline const char* read_string(const char* p, RawAuditEvent& event, AuditField field) {
  bool escaped = false;
  const char* const end = string_end(p, escaped);
  if (end == nullptr) return nullptr;
  event.set(field, {p, static_cast<std::size_t>(end - p)});
  if (!escaped) event.plain |= std::uint32_t{1} << field;
  return end + 1;
}

// The same where the string mostly has that size: then reading goes on behind it before its end has been searched for.
template <std::size_t kSize>
inline const char* read_string(const char* p, RawAuditEvent& event, AuditField field) {
  if (p[kSize] != '"' || !is_plain<kSize>(p)) return read_string(p, event, field);
  event.set(field, {p, kSize});
  event.plain |= std::uint32_t{1} << field;
  return p + kSize + 1;
}

template <std::size_t kSize>
inline const char* skip_string(const char* p) {
  return p[kSize] == '"' && is_plain<kSize>(p) ? p + kSize + 1 : skip_string(p);
}

// Strings of an array behind its bracket.
inline const char* skip_strings(const char* p) {
  for (;;) {
    if (*p != '"' || (p = skip_string(p + 1)) == nullptr) return nullptr;
    if (*p == ']') return p + 1;
    if (*p++ != ',') return nullptr;
  }
}

// An object whose members are strings, behind its brace. `member(key, p)`: at the value, behind its quote; skips it.
template <class Member>
inline const char* walk_strings(const char* p, Member&& member) {
  for (;;) {
    if (*p != '"') return nullptr;
    const char* const begin = p + 1;
    const char* const end = plain_end(begin);  // of escaped keys none is known here
    if (*end != '"' || end[1] != ':' || end[2] != '"') return nullptr;
    p = member(std::string_view(begin, static_cast<std::size_t>(end - begin)), end + 3);
    if (p == nullptr) return nullptr;
    if (*p == '}') return p + 1;
    if (*p++ != ',') return nullptr;
  }
}

const char* skip_members(const char* p) {
  return walk_strings(p, [](std::string_view, const char* value) { return skip_string(value); });
}

// The same, where members mostly come in the server's order: their names need not be looked through.
inline const char* skip_object_ref(const char* p) {
  bool more = true;
  const auto pass = [&](const auto& member) {
    if (!more || !take(p, member)) return;
    p = skip_string(p);
    more = p != nullptr && *p == ',';
    if (more) ++p;
  };
  pass(R"("resource":")");
  pass(R"("namespace":")");
  pass(R"("name":")");
  pass(R"("uid":")");
  pass(R"("apiGroup":")");
  pass(R"("apiVersion":")");
  pass(R"("resourceVersion":")");
  pass(R"("subresource":")");
  if (more) return skip_members(p);
  return p != nullptr && *p == '}' ? p + 1 : nullptr;
}

const char* skip_extra_members(const char* p) {
  for (;;) {
    if (*p != '"' || (p = skip_string(p + 1)) == nullptr || p[0] != ':' || p[1] != '[') return nullptr;
    p = skip_strings(p + 2);
    if (p == nullptr) return nullptr;
    if (*p == '}') return p + 1;
    if (*p++ != ',') return nullptr;
  }
}

inline const char* read_stage(const char* p, RawAuditEvent& event) {
  const char* const begin = p;
  if (!take(p, R"(ResponseComplete")")) return read_string(p, event, kStage);
  event.set(kStage, {begin, static_cast<std::size_t>(p - begin) - 1});
  event.plain |= std::uint32_t{1} << kStage;
  return p;
}

inline const char* read_status(const char* p, RawAuditEvent& event) {
  if (take(p, R"(,"status":")") && (p = skip_string(p)) == nullptr) return nullptr;
  if (take(p, R"(,"message":")") && (p = read_string(p, event, kMessage)) == nullptr) return nullptr;
  if (take(p, R"(,"reason":")") && (p = read_string(p, event, kReason)) == nullptr) return nullptr;
  if (take(p, R"(,"details":{)") && (p = skip_members(p)) == nullptr) return nullptr;
  if (!take(p, R"(,"code":)")) return nullptr;
  const auto digit = [&](int i) { return static_cast<unsigned>(p[i]) - unsigned{'0'}; };
  const unsigned a = digit(0), b = digit(1), c = digit(2);
  if (a - 1 > 8 || b > 9 || c > 9 || p[3] != '}') return nullptr;
  event.code = static_cast<int>(100 * a + 10 * b + c);
  return p + 4;
}

}  // namespace

// What a token says of itself is the longest part of a line, and the same while the token lasts.
const char* UsualAuditLines::skip_extra(const char* p, const char* end, std::uint64_t seed) {
  constexpr std::size_t kFrom = 40, kSize = 56;  // the first of it is the name of the token, behind its member's
  if (static_cast<std::size_t>(end - p) < kFrom + kSize) return skip_extra_members(p);
  std::string& known = extras_[hash_bytes({p + kFrom, kSize}, seed) & (kExtras - 1)];
  if (const char* const behind = skip_text(p, end, known)) return behind;
  const char* const begin = p;
  p = skip_extra_members(p);
  if (p != nullptr) known.assign(begin, p);
  return p;
}

const char* UsualAuditLines::read_user(const char* p, const char* end, RawAuditEvent& event, AuditField field,
                                       User*& user) {
  const char* const begin = p;
  if (take(p, "{}")) {
    user = &nobody_;
    event.set(field, {begin, 1});  // up to the last of its members
    return p;
  }
  if (!take(p, R"({"username":")")) return nullptr;
  bool escaped = false;
  const char* const name_end = string_end(p, escaped);
  if (name_end == nullptr) return nullptr;
  const std::string_view name(p, static_cast<std::size_t>(name_end - p));
  const std::uint64_t hash = hash_bytes(name);
  user = &users_[hash & (kUsers - 1)];
  prefetch_start(user->groups);
  prefetch_start(user->annotations);
  if (user->name != name) {
    user->name = name;
    user->groups.clear();
  }
  p = name_end + 1;
  if (take(p, R"(,"uid":")") && (p = skip_string<kUuid>(p)) == nullptr) return nullptr;
  if (!take(p, R"(,"groups":[)")) return nullptr;
  if (const char* const behind = skip_text(p, end, user->groups)) {
    p = behind;
  } else {
    const char* const groups = p;
    user->groups.clear();
    p = skip_strings(p);
    if (p == nullptr) return nullptr;
    user->groups.assign(groups, p);
    user->memo = 0;
  }
  event.set(field, {begin, static_cast<std::size_t>(p - begin)});
  if (take(p, R"(,"extra":{)")) {
    p = skip_extra(p, end, hash);
    if (p == nullptr) return nullptr;
  }
  return *p == '}' ? p + 1 : nullptr;
}

const char* UsualAuditLines::read_annotations(const char* p, const char* end, RawAuditEvent& event, User& user) {
  if (const char* const behind = skip_text(p, end, user.annotations)) {
    event.decided = user.decided;
    return behind;
  }
  const char* const begin = p;
  p = walk_strings(p, [&](std::string_view key, const char* value) {
    event.decided |= key == kDecision;
    if (key.starts_with(kLatencies)) {
      event.latencies = true;
      if (key == kQueueWait) return read_string(value, event, kWait);
    }
    return skip_string(value);
  });
  if (p == nullptr) return nullptr;
  if (event.latencies) {
    event.set(kAnnotations, {begin - 1, static_cast<std::size_t>(p - begin) + 1});
  } else {
    user.annotations.assign(begin, p);
    user.decided = event.decided;
  }
  return p;
}

inline const char* UsualAuditLines::read_time(const char* p, RawAuditEvent& event, AuditField field, Nanos& out) {
  if (p[kTime] == '"' && (out = time_.read_usual(p)) != kNoTime) return p + kTime + 1;
  return read_other_time(p, event, field, out);
}

// It may be of another minute.
[[gnu::noinline]] const char* UsualAuditLines::read_other_time(const char* p, RawAuditEvent& event, AuditField field,
                                                               Nanos& out) {
  p = read_string(p, event, field);
  if (p == nullptr || !time_.read(event.texts[field], out)) out = kNoTime;
  return p;
}

const char* UsualAuditLines::read(const char* p, const char* end, RawAuditEvent& event, std::uint32_t*& user_memo,
                                  LogEventSink& sink) {
  if (!take(p, R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":")")) return nullptr;
  if (users_.empty()) {
    users_.resize(kUsers);
    extras_.resize(kExtras);
  }
  event.clear();
  User* user = nullptr;
  if (!take(p, R"(Metadata")") && (p = skip_string(p)) == nullptr) return nullptr;
  if (!take(p, R"(,"auditID":")") || (p = read_string<kUuid>(p, event, kAuditId)) == nullptr) return nullptr;
  if (!take(p, R"(,"stage":")") || (p = read_stage(p, event)) == nullptr) return nullptr;
  if (!take(p, R"(,"requestURI":")") || (p = read_string(p, event, kRequestUri)) == nullptr) return nullptr;
  if (!take(p, R"(,"verb":")") || (p = read_string(p, event, kVerb)) == nullptr) return nullptr;
  if (!take(p, R"(,"user":)") || (p = read_user(p, end, event, kUser, user)) == nullptr) return nullptr;
  if (take(p, R"(,"impersonatedUser":)") && (p = read_user(p, end, event, kImpersonated, user)) == nullptr)
    return nullptr;
  sink.on_start(event.texts[kVerb], event.texts[kRequestUri], user->memo);
  if (take(p, R"(,"authenticationMetadata":{)") && (p = skip_members(p)) == nullptr) return nullptr;
  if (!take(p, R"(,"sourceIPs":[")") || (p = read_string(p, event, kSourceIp)) == nullptr) return nullptr;
  while (take(p, R"(,")"))
    if ((p = skip_string(p)) == nullptr) return nullptr;
  if (*p++ != ']') return nullptr;
  if (take(p, R"(,"userAgent":")") && (p = read_string(p, event, kUserAgent)) == nullptr) return nullptr;
  if (take(p, R"(,"objectRef":{)") && (p = skip_object_ref(p)) == nullptr) return nullptr;
  if (take(p, R"(,"responseStatus":{"metadata":{})") && (p = read_status(p, event)) == nullptr) return nullptr;
  if (!take(p, R"(,"requestReceivedTimestamp":")") || (p = read_time(p, event, kReceived, event.received)) == nullptr)
    return nullptr;
  if (!take(p, R"(,"stageTimestamp":")") || (p = read_time(p, event, kStageTime, event.stage_time)) == nullptr)
    return nullptr;
  if (take(p, R"(,"annotations":{)") && (p = read_annotations(p, end, event, *user)) == nullptr) return nullptr;
  if (*p++ != '}' || (p != end && *p != '\n')) return nullptr;
  user_memo = &user->memo;
  return p;
}

}  // namespace apf
