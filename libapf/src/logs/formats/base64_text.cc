#include "logs/formats/base64_text.h"

#include <algorithm>

#include <apf/error.h>

#include "base/text.h"
#include "logs/formats/json_walk.h"
#include "logs/formats/text_scan.h"
#include "logs/inflate.h"

namespace apf {
namespace {

constexpr std::size_t kShortest = 24;
constexpr std::size_t kMostInflated = std::size_t{16} << 20;  // of one string: a record of Kinesis has up to 1 MiB

// What base64 of gzip begins with, then that of an object and of an array of objects.
constexpr std::string_view kGzip = "H4sI";
constexpr std::string_view kBeginnings[] = {kGzip, "eyJ", "eyAi", "ewo", "ew0", "W3s", "Wwo", "WyB"};
// The same of what is not unpacked here: zstd, xz, bzip2, zlib; base64 of what is base64 itself.
constexpr std::string_view kOthers[] = {"KLUv/", "/Td6WFo", "Qlpo", "eJ", "eN", "eA", "eF", "SDRzS", "ZXlK"};

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

// False: it is no base64.
bool decode_base64(std::string_view raw, std::string& out) {
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '=') return raw.find_first_not_of("=", i) == std::string_view::npos;
    if (raw[i] == '\\' && i + 1 < raw.size() && raw[++i] != '/') {
      if (raw[i] != 'n' && raw[i] != 'r') return false;
      continue;  // lines of MIME
    }
    const int value = value_of(raw[i]);
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return true;
}

// As much of it as there is. False: it is no gzip, or holds too much.
bool inflate_beginning(std::string_view gzip, std::string& out, bool& whole) {
  constexpr std::size_t kStep = std::size_t{256} << 10;
  try {
    const std::string name = "record";
    ByteSource source(name, {{name, gzip}});
    while (!source.at_end()) {
      const std::size_t had = out.size();
      if (had > kMostInflated) {
        out.clear();
        return false;
      }
      out.resize(had + kStep);
      out.resize(had + source.read(out.data() + had, kStep));
    }
    whole = source.damage().empty();
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool begins_encoded(std::string_view raw) { return starts_with_any(raw, kBeginnings); }

// Base64 of what only a program can read, rather than a word that begins so.
bool is_packed_otherwise(std::string_view raw) {
  constexpr std::size_t kShortestPacked = 64;
  std::string out;
  if (raw.size() < kShortestPacked || !starts_with_any(raw, kOthers) || !decode_base64(raw, out)) return false;
  const bool may_be_zlib = out.starts_with('\x78');
  return !may_be_zlib || (0x7800 + static_cast<unsigned char>(out[1])) % 31 == 0;  // its header's check
}

// `text`: as much of what it stands for as can be had. True: that is all.
bool decode(std::string_view raw, std::string& text) {
  std::string out;
  const bool is_base64 = decode_base64(raw, out);
  if (out.starts_with('\x1f')) {
    bool is_whole = false;
    const bool is_inflated = inflate_beginning(out, text, is_whole) && is_whole && is_base64;
    return is_inflated && !text.starts_with('\x1f') && !begins_encoded(text);  // packed twice
  }
  text = std::move(out);
  return is_base64;
}

}  // namespace

std::optional<DecodedText> decoded_text(std::string_view raw) {
  if (is_packed_otherwise(raw)) return DecodedText{{}, true};
  if (!begins_encoded(raw) || (raw.size() < kShortest && !raw.starts_with(kGzip))) return std::nullopt;
  DecodedText out;
  out.is_damaged = !decode(raw, out.text);
  // What begins as JSON in base64 may be a word, a token of three parts; nothing else begins as gzip does.
  if (out.is_damaged && !raw.starts_with(kGzip) && !is_text_of_server(out.text)) return std::nullopt;
  return out;
}

bool is_text_of_server(std::string_view decoded) {
  return has_audit_names(decoded) || holds(decoded, "httplog.go:") || is_klog_json(decoded);
}

std::string text_of_bytes(std::string_view array) {
  std::string out;
  int byte = -1;
  for (const char c : array.substr(std::min<std::size_t>(1, array.size()))) {
    if (is_digit(c)) {
      byte = std::max(byte, 0) * 10 + (c - '0');
      if (byte > 255) return {};
    } else if (c == ',' || c == ']') {
      if (byte < 0) return {};
      out += static_cast<char>(byte);
      byte = -1;
    } else if (!JsonText::is_space(c)) {
      return {};
    }
  }
  return out;
}

bool begins_encoded_text_of_server(std::string_view record) {
  for (std::size_t at = record.find('"'); at != std::string_view::npos; at = record.find('"', at + 1)) {
    std::string_view raw = record.substr(at + 1);
    if (!begins_encoded(raw)) continue;
    raw = raw.substr(0, raw.find('"'));
    std::string text;
    decode(raw, text);
    if (is_text_of_server(text)) return true;
  }
  return false;
}

}  // namespace apf
