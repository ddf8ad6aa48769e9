// gzip, a member after the other, by ISA-L or zlib.
#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <string_view>

#include <zlib.h>
#ifdef APF_WITH_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "logs/inflater.h"

namespace apf {

namespace {

constexpr const char* kDamaged = "is damaged: what comes after the fault in its gzip data is lost";

// The most that is asked of a library at once: it counts in 32 bits.
std::uint32_t at_most(std::size_t size) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, std::numeric_limits<std::uint32_t>::max() / 4));
}

// One member: header, data and checksum.
#ifdef APF_WITH_ISAL
// The header's size (RFC 1952, 2.3); 0: it goes on beyond these bytes; nothing: it is none.
std::optional<std::size_t> header_size(std::string_view bytes) {
  constexpr std::size_t kFixed = 10, kFlags = 3;
  constexpr unsigned kHeaderChecksum = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xe0;
  if (!bytes.starts_with(std::string_view("\x1f\x8b\x08").substr(0, bytes.size()))) return std::nullopt;
  if (bytes.size() < kFixed) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const unsigned flags = byte(kFlags);
  if ((flags & kReserved) != 0) return std::nullopt;
  std::size_t size = kFixed;
  if ((flags & kExtra) != 0) {
    if (bytes.size() < size + 2) return 0;
    size += 2 + byte(size) + std::size_t{byte(size + 1)} * 256;
  }
  for (const unsigned text : {kName, kComment}) {
    if ((flags & text) == 0) continue;
    const std::size_t end = bytes.find('\0', size);
    if (end == bytes.npos) return 0;
    size = end + 1;
  }
  if ((flags & kHeaderChecksum) == 0) return size <= bytes.size() ? size : 0;
  if (bytes.size() < size + 2) return 0;
  const unsigned checksum = byte(size) + byte(size + 1) * 256u;
  const uLong counted = ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(size));
  if ((counted & 0xffff) != checksum) return std::nullopt;
  return size + 2;
}

// ISA-L 2.30 takes the checksum of a header that comes in pieces for wrong, so it gets none.
class Member {
 public:
  enum class Result { more, end, damaged };
  Member() { isal_inflate_init(&state_); }
  void reset() {
    isal_inflate_reset(&state_);
    header_.clear();
    in_header_ = true;
  }
  Result inflate(const char* in, std::size_t in_size, char* out, std::size_t out_size, Inflater::Step& step) {
    if (in_header_) return read_header({in, in_size}, step);
    const std::uint32_t in_before = at_most(in_size), out_before = at_most(out_size);
    state_.crc_flag = ISAL_GZIP_NO_HDR_VER;
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in));
    state_.avail_in = in_before;
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = out_before;
    const int result = isal_inflate(&state_);
    step.consumed = in_before - state_.avail_in;
    step.produced = out_before - state_.avail_out;
    if (result < ISAL_DECOMP_OK) return Result::damaged;
    return state_.block_state == ISAL_BLOCK_FINISH ? Result::end : Result::more;
  }

 private:
  Result read_header(std::string_view bytes, Inflater::Step& step) {
    constexpr std::size_t kMostHeader = 1 << 20;
    const std::size_t had = header_.size();
    header_ += bytes.substr(0, kMostHeader);
    const std::optional<std::size_t> size = header_size(header_);
    if (!size || (*size == 0 && header_.size() > kMostHeader)) return Result::damaged;
    step.consumed = *size == 0 ? header_.size() - had : *size - had;
    in_header_ = *size == 0;
    return Result::more;
  }

  inflate_state state_{};
  std::string header_;
  bool in_header_ = true;
};
#else
class Member {
 public:
  enum class Result { more, end, damaged };
  Member() {
    constexpr int kGzip = 16;  // added to the window bits: a gzip header is expected
    if (inflateInit2(&stream_, 15 + kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Member() { inflateEnd(&stream_); }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  void reset() { inflateReset(&stream_); }
  Result inflate(const char* in, std::size_t in_size, char* out, std::size_t out_size, Inflater::Step& step) {
    const std::uint32_t in_before = at_most(in_size), out_before = at_most(out_size);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in));
    stream_.avail_in = in_before;
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = out_before;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    step.consumed = in_before - stream_.avail_in;
    step.produced = out_before - stream_.avail_out;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) return Result::end;
    return result == Z_OK || result == Z_BUF_ERROR ? Result::more : Result::damaged;
  }

 private:
  z_stream stream_{};
};
#endif

class GzipInflater final : public Inflater {
 public:
  Step step(const char* in, std::size_t in_size, char* out, std::size_t out_size) override {
    Step step;
    if (complete_ && in_size > 0) {
      const char* const padding_end = std::find_if(in, in + in_size, [](char c) { return c != 0; });
      step.consumed = static_cast<std::size_t>(padding_end - in);
      if (step.consumed > 0) return step;  // zero padding between or behind members, as gzip allows
      if (*in != '\x1f') {
        step.fault = kTrailingData;
        return step;
      }
      member_.reset();
      complete_ = false;
    }
    const Member::Result result = member_.inflate(in, in_size, out, out_size, step);
    complete_ = result == Member::Result::end;
    // ISA-L does not move on with some damaged data.
    const bool stuck = result == Member::Result::more && in_size > 0 && step.consumed + step.produced == 0;
    if (stuck || result == Member::Result::damaged) step.fault = kDamaged;
    return step;
  }
  bool complete() const override { return complete_; }

 private:
  Member member_;
  bool complete_ = false;
};

}  // namespace

std::unique_ptr<Inflater> make_gzip_inflater() { return std::make_unique<GzipInflater>(); }

}  // namespace apf
