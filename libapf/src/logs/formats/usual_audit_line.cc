#include "logs/formats/usual_audit_line.h"

#include "base/hash.h"
#include "logs/formats/string_scan.h"

namespace apf {
namespace {

// Goes on behind a text if it comes here.
template <std::size_t kSize>
inline bool take(const char*& p, const char (&text)[kSize]) {
  if (!same_bytes<kSize - 1>(p, text)) return false;
  p += kSize - 1;
  return true;
}

bool take(const char*& p, const char* end, const std::string& text) {
  if (text.empty() || static_cast<std::size_t>(end - p) < text.size()) return false;
  if (std::memcmp(p, text.data(), text.size()) != 0) return false;
  p += text.size();
  return true;
}

// A string behind its opening quote.
inline bool skip_string(const char*& p) {
  bool escaped = false;
  const char* const end = string_end(p, escaped);
  if (end == nullptr) return false;
  p = end + 1;
  return true;
}

inline bool read_string(const char*& p, RawAuditEvent& event, AuditField field) {
  bool escaped = false;
  const char* const end = string_end(p, escaped);
  if (end == nullptr) return false;
  event.set(field, {p, static_cast<std::size_t>(end - p)});
  if (!escaped) event.plain |= std::uint32_t{1} << field;
  p = end + 1;
  return true;
}

// Strings of an array behind its bracket.
inline bool skip_strings(const char*& p) {
  for (;;) {
    if (*p++ != '"' || !skip_string(p)) return false;
    const char c = *p++;
    if (c == ']') return true;
    if (c != ',') return false;
  }
}

// An object whose members are strings, behind its brace. `member(key)`: at the value, behind its quote; takes it.
template <class Member>
inline bool walk_strings(const char*& p, Member&& member) {
  for (;;) {
    if (*p++ != '"') return false;
    const char* const begin = p;
    const char* const end = plain_end(p);  // of escaped keys none is known here
    if (*end != '"' || end[1] != ':' || end[2] != '"') return false;
    p = end + 3;
    if (!member(std::string_view(begin, static_cast<std::size_t>(end - begin)))) return false;
    const char c = *p++;
    if (c == '}') return true;
    if (c != ',') return false;
  }
}

bool skip_members(const char*& p) {
  return walk_strings(p, [&](std::string_view) { return skip_string(p); });
}

bool skip_extra_members(const char*& p) {
  for (;;) {
    if (*p++ != '"' || !skip_string(p) || p[0] != ':' || p[1] != '[') return false;
    p += 2;
    if (!skip_strings(p)) return false;
    const char c = *p++;
    if (c == '}') return true;
    if (c != ',') return false;
  }
}

inline bool read_status(const char*& p, RawAuditEvent& event) {
  if (take(p, R"(,"status":")") && !skip_string(p)) return false;
  if (take(p, R"(,"message":")") && !read_string(p, event, kMessage)) return false;
  if (take(p, R"(,"reason":")") && !read_string(p, event, kReason)) return false;
  if (take(p, R"(,"details":{)") && !skip_members(p)) return false;
  if (!take(p, R"(,"code":)")) return false;
  const auto digit = [&](int i) { return static_cast<unsigned>(p[i]) - unsigned{'0'}; };
  const unsigned a = digit(0), b = digit(1), c = digit(2);
  if (a - 1 > 8 || b > 9 || c > 9 || p[3] != '}') return false;
  event.code = static_cast<int>(100 * a + 10 * b + c);
  p += 4;
  return true;
}

}  // namespace

// What a token says of itself is the longest part of a line, and the same while the token lasts.
const char* UsualAuditLines::skip_extra(const char* p, const char* end, std::uint64_t seed) {
  constexpr std::size_t kFrom = 40, kSize = 56;  // the first of it is the name of the token, behind its member's
  if (static_cast<std::size_t>(end - p) < kFrom + kSize) return skip_extra_members(p) ? p : nullptr;
  std::string& known = extras_[hash_bytes({p + kFrom, kSize}, seed) & (kExtras - 1)];
  if (take(p, end, known)) return p;
  const char* const begin = p;
  if (!skip_extra_members(p)) return nullptr;
  known.assign(begin, p);
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
  if (user->name != name) {
    user->name = name;
    user->groups.clear();
  }
  p = name_end + 1;
  if (take(p, R"(,"uid":")") && !skip_string(p)) return nullptr;
  if (!take(p, R"(,"groups":[)")) return nullptr;
  if (!take(p, end, user->groups)) {
    const char* const groups = p;
    user->groups.clear();
    if (!skip_strings(p)) return nullptr;
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
  if (take(p, end, user.annotations)) return p;
  const char* const begin = p;
  const bool sound = walk_strings(p, [&](std::string_view key) {
    if (key.starts_with(kLatencies)) {
      event.latencies = true;
      if (key == kQueueWait) return read_string(p, event, kWait);
    }
    return skip_string(p);
  });
  if (!sound) return nullptr;
  if (!event.latencies) user.annotations.assign(begin, p);
  return p;
}

const char* UsualAuditLines::read(const char* p, const char* end, RawAuditEvent& event, std::uint32_t*& user_memo) {
  if (!take(p, R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":")")) return nullptr;
  if (users_.empty()) {
    users_.resize(kUsers);
    extras_.resize(kExtras);
  }
  event.clear();
  User* user = nullptr;
  if (!skip_string(p)) return nullptr;
  if (!take(p, R"(,"auditID":")") || !read_string(p, event, kAuditId)) return nullptr;
  if (!take(p, R"(,"stage":")") || !read_string(p, event, kStage)) return nullptr;
  if (!take(p, R"(,"requestURI":")") || !read_string(p, event, kRequestUri)) return nullptr;
  if (!take(p, R"(,"verb":")") || !read_string(p, event, kVerb)) return nullptr;
  if (!take(p, R"(,"user":)") || (p = read_user(p, end, event, kUser, user)) == nullptr) return nullptr;
  if (take(p, R"(,"impersonatedUser":)") && (p = read_user(p, end, event, kImpersonated, user)) == nullptr)
    return nullptr;
  if (take(p, R"(,"authenticationMetadata":{)") && !skip_members(p)) return nullptr;
  if (!take(p, R"(,"sourceIPs":[")") || !read_string(p, event, kSourceIp)) return nullptr;
  while (take(p, R"(,")"))
    if (!skip_string(p)) return nullptr;
  if (*p++ != ']') return nullptr;
  if (take(p, R"(,"userAgent":")") && !read_string(p, event, kUserAgent)) return nullptr;
  if (take(p, R"(,"objectRef":{)") && !skip_members(p)) return nullptr;
  if (take(p, R"(,"responseStatus":{"metadata":{})") && !read_status(p, event)) return nullptr;
  if (!take(p, R"(,"requestReceivedTimestamp":")") || !read_string(p, event, kReceived)) return nullptr;
  if (!take(p, R"(,"stageTimestamp":")") || !read_string(p, event, kStageTime)) return nullptr;
  if (take(p, R"(,"annotations":{)") && (p = read_annotations(p, end, event, *user)) == nullptr) return nullptr;
  if (*p++ != '}' || (p != end && *p != '\n')) return nullptr;
  user_memo = &user->memo;
  return p;
}

}  // namespace apf
